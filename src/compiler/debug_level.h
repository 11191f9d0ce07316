// How much debug information the user asked for.
#pragma once

namespace faultline::compiler {

enum class DebugLevel { None, LineTables, Full };

} // namespace faultline::compiler
