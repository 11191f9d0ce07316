// What a variant is for: to be recorded; or to be recorded and altered. QuickAlter is the second one with
// code generated in a hurry: it takes a quarter of the time to build, and runs half as fast.
#pragma once

namespace faultline::compiler {

enum class VariantKind { Record, Alter, QuickAlter };

inline constexpr VariantKind kVariantKinds[] = {VariantKind::Record, VariantKind::QuickAlter,
                                                VariantKind::Alter};

inline bool alters(VariantKind kind) { return kind != VariantKind::Record; }

} // namespace faultline::compiler
