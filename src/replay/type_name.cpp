#include "replay/debug_type.h"

#include <array>
#include <fmt/format.h>

namespace faultline::replay {

using fir::DebugKind;

namespace {

constexpr int kDeepestName = 32;

// A declaration is read from its name outwards: `inner` is what was read so far, and each step out wraps it.
//   pointer to array of 4 int:  "" -> "*" -> "(*)[4]" -> "int (*)[4]"
class Declarator {
public:
  std::string run(TypeRef type, std::string inner, int nesting = kDeepestName) {
    if (nesting == 0) return "...";
    switch (type.kind()) {
    case DebugKind::Pointer:
      if (!type.name().empty()) break; // __vtbl_ptr_type and the like
      return pointer(type, "*" + inner, nesting);
    case DebugKind::Reference:
      return pointer(type, "&" + inner, nesting);
    case DebugKind::MemberPointer:
      return pointer(type, "::*" + inner, nesting);
    case DebugKind::Array: {
      uint32_t count = type.get()->count;
      inner += count == fir::kNone ? "[]" : fmt::format("[{}]", count);
      return run(type.base(), inner, nesting - 1);
    }
    case DebugKind::Function:
      return function(type, inner, nesting);
    case DebugKind::Const:
      return qualified(type, "const", inner, nesting);
    case DebugKind::Volatile:
      return qualified(type, "volatile", inner, nesting);
    case DebugKind::Restrict:
      return qualified(type, "restrict", inner, nesting);
    case DebugKind::Atomic:
      return qualified(type, "_Atomic", inner, nesting);
    default:
      break;
    }
    return joined(ownName(type), inner);
  }

private:
  static std::string joined(std::string name, const std::string& inner) {
    return inner.empty() ? name : name + " " + inner;
  }

  std::string pointer(TypeRef type, std::string inner, int nesting) {
    DebugKind to = type.base().kind();
    if (type.base().get() && (to == DebugKind::Array || to == DebugKind::Function)) inner = "(" + inner + ")";
    return run(type.base(), inner, nesting - 1);
  }

  std::string qualified(TypeRef type, const char* word, const std::string& inner, int nesting) {
    DebugKind of = type.base().kind();
    bool behind = type.base().get() && (of == DebugKind::Pointer || of == DebugKind::Reference);
    if (behind)
      return run(type.base(), inner.empty() ? word : fmt::format("{} {}", word, inner), nesting - 1);
    return fmt::format("{} {}", word, run(type.base(), inner, nesting - 1));
  }

  // Tables that say nothing of a function's signature have no count of parameters either.
  std::string function(TypeRef type, const std::string& inner, int nesting) {
    if (type.get()->count == fir::kNone) return joined("function", inner);
    std::string parameters;
    for (const fir::Member& m : type.members()) {
      if (m.flags & fir::kArtificial) continue; // `this`
      if (!parameters.empty()) parameters += ", ";
      bool isRest = type.memberName(m) == "...";
      parameters += isRest ? "..." : run(type.memberType(m), "", nesting - 1);
    }
    if (parameters.empty() && isPlainC(*type.image)) parameters = "void";
    return run(type.base(), inner + "(" + parameters + ")", nesting - 1);
  }

  static std::string keyword(TypeRef type) {
    switch (type.kind()) {
    case DebugKind::Union:
      return "union";
    case DebugKind::Enum:
      return "enum";
    case DebugKind::Class:
      return "class";
    default:
      return "struct";
    }
  }

  static std::string ownName(TypeRef type) {
    if (!type.get()) return "void";
    if (type.kind() == DebugKind::NullPointer) return "std::nullptr_t";
    bool tagged = type.isRecord() || type.kind() == DebugKind::Enum;
    if (type.name().empty()) return tagged ? keyword(type) + " {...}" : "?";
    if (tagged && isPlainC(*type.image)) return fmt::format("{} {}", keyword(type), type.name());
    std::string name = plainTemplateName(type.name());
    // The tables leave namespaces out; the one that everybody knows is put back.
    bool library = isLibraryRecord(type.stripped()) && (tagged || name == "string" || name == "string_view");
    return library && !name.starts_with("std::") ? "std::" + name : name;
  }
};

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Past the `>` that closes the `<` before `at`, or the end.
size_t closing(const std::string& text, size_t at) {
  for (int open = 1; at < text.size(); ++at) {
    if (text[at] == '<') ++open;
    if (text[at] == '>' && --open == 0) return at + 1;
  }
  return text.size();
}

void dropArgument(std::string& text, std::string_view start) {
  for (size_t at = text.find(start); at != std::string::npos; at = text.find(start, at))
    text.erase(at, closing(text, at + start.size()) - at);
}

} // namespace

std::string plainTemplateName(std::string_view name) {
  std::string text(name);
  if (text.find('<') == std::string::npos) return text;
  replaceAll(text, "std::__cxx11::", "std::");
  for (auto start : {", std::allocator<", ", std::less<", ", std::hash<", ", std::equal_to<",
                     ", std::default_delete<", ", std::char_traits<"})
    dropArgument(text, start);
  replaceAll(text, " >", ">");
  replaceAll(text, "basic_string<char>", "string");
  replaceAll(text, "basic_string_view<char>", "string_view");
  return text;
}

bool isLibraryRecord(TypeRef record) {
  if (!record.isRecord()) return false;
  if (record.name().starts_with("basic_string")) return true;
  for (const fir::Member& m : record.members()) {
    std::string_view name =
        m.flags & fir::kBaseClass ? record.memberType(m).stripped().name() : record.memberName(m);
    bool reserved =
        name.size() > 2 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
    if (reserved && (name.starts_with("_M_") || (m.flags & fir::kBaseClass))) return true;
  }
  return false;
}

bool isPlainC(const fir::Image& image) {
  constexpr std::array<std::string_view, 8> kCxx = {".cc",  ".cpp", ".cxx", ".C",
                                                    ".c++", ".hpp", ".hh",  ".tcc"};
  for (const fir::File& file : image.files)
    for (std::string_view suffix : kCxx)
      if (image.string(file.path).ends_with(suffix)) return false;
  return true;
}

std::string typeName(TypeRef type) { return Declarator().run(type, ""); }
std::string typeName(const fir::Image& image, uint32_t debugType) {
  return typeName(TypeRef{&image, debugType});
}
std::string declarationText(TypeRef type, std::string_view name) {
  return Declarator().run(type, std::string(name));
}

} // namespace faultline::replay
