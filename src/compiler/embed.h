// Makes the records that a program carries (layout: abi/embedded.h) and puts them where they survive to the
// linked file: into a section of an object, or as text into assembly and LTO bitcode, where there is no
// object yet.
#pragma once

#include "abi/embedded.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faultline::compiler {

// What identifies a payload everywhere: XXH3, as in the record's header.
uint64_t recordHash(std::string_view payload);

// The whole record: header, name, compressed payload, padding.
Result<std::string> makeRecord(fl_embedded_kind kind, std::string_view name, std::string_view payload);

// The record as assembler directives that leave the assembler's current section as it was.
std::string recordAssembly(std::string_view record);

// The hash of the record in text that recordAssembly made; nothing if there is none.
std::optional<uint64_t> hashInAssembly(std::string_view assembly);

// Adds the record to .faultline_ir of an object file.
Result<void> embedInObject(const std::string& object, std::string_view record);

std::string hashText(uint64_t hash);                      // 16 hex digits
std::optional<uint64_t> parseHash(std::string_view text); // the reverse

} // namespace faultline::compiler
