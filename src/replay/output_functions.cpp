// The table of output functions (output_call.h).
#include "replay/output_call.h"

#include <unordered_map>

namespace faultline::replay {
namespace {

using F = OutputFunction;
using Table = std::unordered_map<std::string_view, OutputFunction>;

const Table& cFunctions() {
  static const Table table = {
      {"write", {F::Bytes, F::Fd, 0, 1, 2}},
      {"pwrite", {F::Bytes, F::Fd, 0, 1, 2}},
      {"pwrite64", {F::Bytes, F::Fd, 0, 1, 2}},
      {"send", {F::Bytes, F::Fd, 0, 1, 2}},
      {"writev", {F::Vector, F::Fd, 0, 1, 2}},
      {"puts", {F::Line, F::Output, 0, 0}},
      {"fputs", {F::Text, F::File, 1, 0}},
      {"fputs_unlocked", {F::Text, F::File, 1, 0}},
      {"putchar", {F::Character, F::Output, 0, 0}},
      {"putchar_unlocked", {F::Character, F::Output, 0, 0}},
      {"putc", {F::Character, F::File, 1, 0}},
      {"fputc", {F::Character, F::File, 1, 0}},
      {"_IO_putc", {F::Character, F::File, 1, 0}},
      {"putc_unlocked", {F::Character, F::File, 1, 0}},
      {"fputc_unlocked", {F::Character, F::File, 1, 0}},
      {"__overflow", {F::Character, F::File, 0, 1}},
      {"fwrite", {F::Items, F::File, 3, 0, 1}},
      {"fwrite_unlocked", {F::Items, F::File, 3, 0, 1}},
      {"printf", {F::Format, F::Output, 0, 0}},
      {"fprintf", {F::Format, F::File, 0, 1}},
      {"dprintf", {F::Format, F::Fd, 0, 1}},
      {"vprintf", {F::List, F::Output, 0, 0}},
      {"vfprintf", {F::List, F::File, 0, 1}},
      {"vdprintf", {F::List, F::Fd, 0, 1}},
      {"__printf_chk", {F::Format, F::Output, 0, 1}},
      {"__fprintf_chk", {F::Format, F::File, 0, 2}},
      {"__dprintf_chk", {F::Format, F::Fd, 0, 2}},
      {"__vprintf_chk", {F::List, F::Output, 0, 1}},
      {"__vfprintf_chk", {F::List, F::File, 0, 2}},
      {"__vdprintf_chk", {F::List, F::Fd, 0, 2}},
      {"perror", {F::Error, F::Errors, 0, 0}},
      {"psignal", {F::Unseen, F::Errors}},
      {"warn", {F::Unseen, F::Errors}},
      {"warnx", {F::Unseen, F::Errors}},
      {"err", {F::Unseen, F::Errors}},
      {"errx", {F::Unseen, F::Errors}},
      {"error", {F::Unseen, F::Errors}},
      {"__assert_fail", {F::Unseen, F::Errors}},
      {"putwchar", {F::Unseen, F::Output}},
      {"wprintf", {F::Unseen, F::Output}},
      {"system", {F::Unseen, F::Output}},
  };
  return table;
}

#define FL_TRAITS "St11char_traitsIcE"
constexpr std::string_view kInsert =
    "_ZSt16__ostream_insertIc" FL_TRAITS "ERSt13basic_ostreamIT_T0_ES6_PKS3_l";
constexpr std::string_view kEndl = "_ZSt4endlIc" FL_TRAITS "ERSt13basic_ostreamIT_T0_ES6_";
constexpr std::string_view kText = "_ZStlsI" FL_TRAITS "ERSt13basic_ostreamIcT_ES5_"; // then the type
constexpr std::string_view kString =
    "_ZStlsIc" FL_TRAITS "SaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE";
#undef FL_TRAITS

Table makeOstreamTable(std::vector<std::string>& names) {
  Table table;
  auto add = [&](std::string name, OutputFunction f) {
    table.emplace(names.emplace_back(std::move(name)), f);
  };
  names.reserve(64); // the table's keys point into it
  for (std::string type : {"b", "s", "t", "i", "j", "l", "m", "x", "y", "f", "d", "e", "PKv"}) {
    OutputFunction f{F::Value, F::Ostream, 0, 1, 0, type[0]};
    add("_ZNSolsE" + type, f);
    add("_ZNSo9_M_insertI" + type + "EERSoT_", f);
  }
  for (std::string type : {"c", "a", "h"})
    add(std::string(kText) + type, {F::Padded, F::Ostream, 0, 1, 0, 'c'});
  for (std::string type : {"PKc", "PKa", "PKh"})
    add(std::string(kText) + type, {F::Padded, F::Ostream, 0, 1, 0, 's'});
  add(std::string(kString), {F::Padded, F::Ostream, 0, 1, 0, 'o'});
  add(std::string(kInsert), {F::Padded, F::Ostream, 0, 1, 2, 'n'});
  add("_ZNSo3putEc", {F::Character, F::Ostream, 0, 1});
  add("_ZNSo5writeEPKcl", {F::Bytes, F::Ostream, 0, 1, 2});
  add("_ZNSolsEPFRSoS_E", {F::Manipulator, F::Ostream, 0, 1});
  add(std::string(kEndl), {F::Newline, F::Ostream});
  return table;
}

} // namespace

const OutputFunction* outputFunction(std::string_view name) {
  static std::vector<std::string> names;
  static const Table ostream = makeOstreamTable(names);
  const Table& table = name.starts_with("_ZNSo") || name.starts_with("_ZSt") ? ostream : cFunctions();
  auto it = table.find(name);
  return it == table.end() ? nullptr : &it->second;
}

} // namespace faultline::replay
