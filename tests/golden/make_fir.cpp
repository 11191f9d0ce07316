// Makes the stored FIR of a test from bitcode: make_fir IN.bc OUT.fir [--debug-only]. Used by regenerate.sh
// alone. With --debug-only the code is dropped and the types, globals and names are kept, which is all that
// the printing of values needs, so that the stored file stays small.
#include "base/file.h"
#include "compiler/ir/variant_unit.h"
#include "program/image.h"

#include <cstdio>

using namespace faultline;

namespace {

template <class T> std::vector<T> copyOf(std::span<const T> values) { return {values.begin(), values.end()}; }

std::vector<char> debugOnly(const fir::Image& image) {
  fir::ImageBuilder out;
  out.types = copyOf(image.types);
  out.locations = copyOf(image.locations);
  out.files = copyOf(image.files);
  out.debugTypes = copyOf(image.debugTypes);
  out.members = copyOf(image.members);
  out.strings = copyOf(image.strings);
  for (fir::Symbol symbol : image.symbols) {
    if (symbol.debugType == fir::kNone) continue;
    symbol.initial = ~uint64_t(0);
    symbol.relocationCount = 0;
    out.symbols.push_back(symbol);
  }
  return out.finish(image.hash);
}

Result<void> run(const char* in, const char* out, bool onlyDebug) {
  FL_TRY(bitcode, readFile(in));
  compiler::InsideNames inside;
  FL_TRY(names, compiler::namesOf(bitcode));
  for (const std::string& name : names.defined) inside.insert(name);
  FL_TRY(unit, compiler::makeVariantUnit(bitcode, 1, inside, compiler::VariantKind::Record));
  std::vector<char> bytes = unit.fir;
  if (onlyDebug) {
    FL_TRY(image, fir::imageFromBytes(std::move(unit.fir)));
    bytes = debugOnly(image);
  }
  return writeFileAtomic(out, std::string_view(bytes.data(), bytes.size()));
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fprintf(stderr, "usage: make_fir IN.bc OUT.fir [--debug-only]\n"), 1;
  auto done = run(argv[1], argv[2], argc > 3 && std::string_view(argv[3]) == "--debug-only");
  if (!done) return fprintf(stderr, "make_fir: %s\n", done.error().message.c_str()), 1;
}
