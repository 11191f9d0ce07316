#include "replay/expression.h"

#include <cctype>

namespace faultline::replay {

using fir::DebugKind;

namespace {

constexpr int kDeepestExpression = 64;

TypeRef numberType(const fir::Image& image, DebugKind kind, uint64_t bytes) {
  for (uint32_t k = 0; k < image.debugTypes.size(); ++k)
    if (image.debugTypes[k].kind == kind && image.debugTypes[k].bytes == bytes) return {&image, k};
  return {&image, fir::kNone};
}

class Evaluator {
public:
  Evaluator(std::string_view text, const FrameView& frame, const MemoryView& memory,
            const SymbolView& symbols)
      : rest_(text), frame_(frame), memory_(memory), symbols_(symbols) {}

  Result<ValuePlace> run() {
    FL_TRY(value, unary());
    skipSpace();
    if (!rest_.empty())
      return errorf("'{}' is not understood here; use names, '.', '->', '[]', '*' and '&'", rest_);
    return value;
  }

private:
  Result<ValuePlace> unary() {
    if (++nesting_ > kDeepestExpression) return errorf("the expression is nested too deeply");
    if (take("*")) {
      FL_TRY(pointer, unary());
      return dereferenced(pointer, 0, "*");
    }
    if (take("&")) {
      FL_TRY(place, unary());
      if (!place.hasAddress()) return errorf("it has no address: the program keeps it in a register");
      return addressOf(place);
    }
    FL_TRY(value, primary());
    return postfix(value);
  }

  Result<ValuePlace> primary() {
    if (take("(")) {
      FL_TRY(value, unary());
      if (!take(")")) return errorf("')' is missing");
      return value;
    }
    skipSpace();
    if (!rest_.empty() && std::isdigit(uint8_t(rest_[0]))) return number();
    std::string_view name = identifier();
    if (name.empty()) return errorf("a name is expected before '{}'", rest_);
    return named(name);
  }

  Result<ValuePlace> postfix(ValuePlace value) {
    for (;;) {
      if (take("->")) {
        FL_TRY(target, dereferenced(value, 0, "->"));
        FL_TRY(member, memberOf(target, identifier()));
        value = member;
      } else if (take(".")) {
        FL_TRY(member, memberOf(value, identifier()));
        value = member;
      } else if (take("[")) {
        FL_TRY(index, unary());
        if (!take("]")) return errorf("']' is missing");
        auto number = readNumber(index, memory_);
        if (!number) return errorf("the index is not a number that the replay has seen");
        FL_TRY(element, elementAt(value, int64_t(*number)));
        value = element;
      } else {
        return value;
      }
    }
  }

  Result<ValuePlace> named(std::string_view name) {
    if (auto v = findVariable(frame_, memory_, name)) {
      if (!v->isAvailable) return errorf("{} is not kept by the program at this point", name);
      return referenced(v->place);
    }
    if (auto self = findVariable(frame_, memory_, "this"); self && self->isAvailable)
      if (auto object = pointee(self->place, memory_, &symbols_))
        if (findMember(object->type, name)) return memberOf(*object, name);
    if (auto g = findGlobal(frame_, symbols_, name)) {
      if (!g->isAvailable) return errorf("the address of {} is not known", name);
      return referenced(g->place);
    }
    return errorf("there is no variable {} here", name);
  }

  // A reference stands for what it refers to.
  Result<ValuePlace> referenced(const ValuePlace& place) {
    if (place.type.stripped().kind() != DebugKind::Reference) return place;
    return dereferenced(place, 0, "reference");
  }

  Result<ValuePlace> memberOf(const ValuePlace& record, std::string_view name) {
    if (name.empty()) return errorf("the name of a member is expected");
    TypeRef type = completed(record.type, &symbols_);
    auto found = findMember(type, name);
    if (!found) return errorf("{} has no member {}", typeName(type), name);
    return referenced(record.member(found->owner, found->member));
  }

  Result<ValuePlace> dereferenced(const ValuePlace& pointer, int64_t index, std::string_view how) {
    TypeRef type = pointer.type.stripped();
    bool isPointer =
        pointer.isAddressOf || type.kind() == DebugKind::Pointer || type.kind() == DebugKind::Reference;
    if (!isPointer && type.kind() == DebugKind::Array) return elementAt(pointer, index);
    if (!isPointer)
      return errorf("'{}' needs a pointer, and this is of type {}", how, typeName(pointer.type));
    auto target = pointee(pointer, memory_, &symbols_);
    if (!target) return errorf("the pointer's value was never seen by the replay");
    uint64_t size = sizeOf(target->type);
    if (size == 0)
      return errorf("nothing is known of the type {} behind the pointer", typeName(target->type));
    target->address += uint64_t(index) * size;
    return *target;
  }

  Result<ValuePlace> elementAt(const ValuePlace& value, int64_t index) {
    TypeRef type = value.type.stripped();
    if (type.kind() != DebugKind::Array || value.isAddressOf) return dereferenced(value, index, "[]");
    TypeRef element = completed(type.base(), &symbols_);
    return value.part(element, uint64_t(index) * sizeOf(element));
  }

  Result<ValuePlace> number() {
    size_t used = 0;
    uint64_t value = std::stoull(std::string(rest_.substr(0, 18)), &used, 0);
    rest_.remove_prefix(used);
    TypeRef type = numberType(*frame_.image, DebugKind::SignedInt, 4);
    if (!type.get()) type = numberType(*frame_.image, DebugKind::UnsignedInt, 8);
    if (!type.get()) return errorf("numbers cannot be used here: the program has no type for them");
    return placeInWords(type, std::span(&value, 1));
  }

  std::string_view identifier() {
    skipSpace();
    size_t length = 0;
    while (length < rest_.size() &&
           (std::isalnum(uint8_t(rest_[length])) || rest_[length] == '_' || rest_[length] == '$'))
      ++length;
    std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return name;
  }

  void skipSpace() {
    while (!rest_.empty() && std::isspace(uint8_t(rest_[0]))) rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skipSpace();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::string_view rest_;
  const FrameView& frame_;
  const MemoryView& memory_;
  const SymbolView& symbols_;
  int nesting_ = 0;
};

} // namespace

Result<ValuePlace> evaluate(std::string_view expression, const FrameView& frame, const MemoryView& memory,
                            const SymbolView& symbols) {
  if (!functionOf(frame)) return errorf("there is no frame to look for {} in", expression);
  return Evaluator(expression, frame, memory, symbols).run();
}

ValuePlace addressOf(const ValuePlace& place) {
  uint64_t address = place.address;
  ValuePlace out = placeInWords(place.type, std::span(&address, 1));
  out.isAddressOf = true;
  return out;
}

} // namespace faultline::replay
