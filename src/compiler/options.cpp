#include "compiler/options.h"

#include <algorithm>
#include <array>
#include <elf.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace faultline::compiler {

namespace {

// Found by asking clang-19 of each option whether a file named after it is an input.
constexpr std::string_view kNextWord =
    " -A -B -D -F -G -I -MF -MJ -MQ -MT -T -U -V -Xanalyzer -Xarch_device -Xarch_host -Xassembler "
    "-Xclang -Xlinker -Xopenmp-target -Xpreprocessor -Xcuda-fatbinary -Xcuda-ptxas -allowable_client "
    "-arch -arch_only -b -bundle_loader -ccc-gcc-name -ccc-install-dir -client_name -current_version "
    "-cxx-isystem -dependency-file -dsym-dir -dumpdir -dylib_file -e -exported_symbols_list "
    "-fdebug-compilation-dir -filelist -force_load -framework -ftrapv-handler -idirafter -iframework "
    "-iframeworkwithsysroot -image_base -imacros -imultilib -include -include-pch -init -install_name "
    "-iprefix -iquote -isysroot -isystem -isystem-after -ivfsoverlay -iwithprefix -iwithprefixbefore "
    "-iwithsysroot -mllvm -mmlir -module-dependency-dir -mthread-model -multiply_defined "
    "-pagezero_size -read_only_relocs -resource-dir -rpath -sectalign -seg1addr -segaddr -segprot "
    "-serialize-diagnostics -specs -target -u -umbrella -undefined -unexported_symbols_list "
    "-weak_framework -weak_library -working-directory -z --assert --config --define-macro "
    "--dyld-prefix --for-linker --force-link --imacros --include --include-directory "
    "--include-directory-after --include-prefix --include-with-prefix --include-with-prefix-after "
    "--include-with-prefix-before --library-directory --no-system-header-prefix --output --param "
    "--prefix --resource --rtlib --serialize-diagnostics --specs --std --sysroot "
    "--system-header-prefix --undefine-macro ";

constexpr std::string_view kElse =
    " -E -M -MM --preprocess --dependencies --user-dependencies -### -cc1 -cc1as -cc1gen-reproducer "
    "-fsyntax-only --version --help --help-hidden -help -dumpversion -dumpmachine --analyze -emit-ast "
    "-emit-llvm -emit-pch -emit-interface-stubs -verify-pch -module-file-info -rewrite-objc "
    "-rewrite-legacy-objc --precompile -extract-api --migrate -fdriver-only -ObjC -ObjC++ "
    "--emit-static-lib -ccc-print-phases -ccc-print-bindings ";
constexpr std::string_view kElsePrefix[] = {
    "-print-",          "--print-",  "--autocomplete=", "--driver-mode=", "-fembed-offload",
    "-fopenmp-targets", "--offload", "-fdepscan",       "--language",     "--output"};
constexpr std::string_view kFrontendElse[] = {
    "-emit-", "-ast-", "-E", "-S", "-analyze", "-rewrite", "-dump-", "-print-", "-fsyntax-only", "-verify"};

constexpr std::string_view kGccLto = " -fuse-linker-plugin -fno-use-linker-plugin -flto-odr-type-merging "
                                     "-fno-lto-odr-type-merging -flto-report -flto-report-wpa ";
constexpr std::string_view kGccLtoPrefix[] = {
    "-flto-partition=", "-flto-compression-level=", "-flto-incremental"};

struct SuffixesOfLanguage {
  std::string_view language;
  std::string_view suffixes;
};
constexpr SuffixesOfLanguage kSuffixes[] = {{"c", " c "},
                                            {"cpp-output", " i "},
                                            {"c++-cpp-output", " ii "},
                                            {"c++", " cc cp cpp cxx c++ C CC CPP CXX C++ "},
                                            {"assembler", " s "},
                                            {"assembler-with-cpp", " asm S sx "},
                                            {"objective-c", " m mi "},
                                            {"objective-c++", " mm M mii "},
                                            {"cuda", " cu cui "},
                                            {"hip", " hip hipi "},
                                            {"cl", " cl "},
                                            {"clcpp", " clcpp "},
                                            {"fortran", " f F f90 F90 f95 F95 for "},
                                            {"ir", " ll bc "},
                                            {"header", " h hh H hp hpp hxx h++ tcc gch pch "},
                                            {"module", " pcm cppm ccm cxxm c++m iim ixx "},
                                            {"ast", " ast "},
                                            {"renderscript", " rs "},
                                            {"hlsl", " hlsl "},
                                            {"cir", " cir "}};

// Tables of words are text with a space around each word.
bool has(std::string_view table, std::string_view word) {
  return word.find(' ') == std::string_view::npos && !word.empty() &&
         table.find(fmt::format(" {} ", word)) != std::string_view::npos;
}
template <class Table> bool hasPrefix(const Table& table, std::string_view word) {
  return std::ranges::any_of(table, [&](std::string_view prefix) { return word.starts_with(prefix); });
}

} // namespace

bool valueIsNextWord(std::string_view option) { return has(kNextWord, option); }

bool asksForSomethingElse(std::string_view option) {
  return has(kElse, option) || hasPrefix(kElsePrefix, option);
}

bool isGccLtoJobs(std::string_view option) {
  constexpr std::string_view name = "-flto=";
  return option.starts_with(name) && option.size() > name.size() &&
         option.find_first_not_of("0123456789", name.size()) == std::string_view::npos;
}

bool isGccLtoDetail(std::string_view option) {
  return has(kGccLto, option) || hasPrefix(kGccLtoPrefix, option);
}

bool frontendDoesSomethingElse(std::string_view cc1Option) { return hasPrefix(kFrontendElse, cc1Option); }

std::string languageOfSuffix(std::string_view path) {
  size_t slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return "";
  std::string_view suffix = name.substr(dot + 1);
  for (const SuffixesOfLanguage& known : kSuffixes)
    if (has(known.suffixes, suffix)) return std::string(known.language);
  return "";
}

bool isOurLanguage(std::string_view language) {
  return language == "c" || language == "c++" || language == "cpp-output" || language == "c++-cpp-output";
}

bool isLinkableFile(const std::string& path) {
  std::array<char, 18> start{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(start.data(), start.size())) return false;
  std::string_view bytes(start.data(), start.size());
  if (bytes.starts_with("!<arch>\n") || bytes.starts_with("!<thin>\n")) return true;
  return bytes.starts_with(std::string_view(ELFMAG, SELFMAG)) && bytes[16] == ET_REL && bytes[17] == 0;
}

} // namespace faultline::compiler
