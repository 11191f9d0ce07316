// Reads the language of models.
//
//   text    = line...                  a line that begins with a blank continues the one before; # comments
//   line    = $shorthand = text       in names, {shorthand} stands for the text
//           | name [, name]... ( [parameter [, parameter]...] [, ...] ) : clause [; clause]...
//   clause  = target <= source [if c]  |  target <- source [, source]... [if c]
//           | scan(source, expression) [if c]  |  format(expression [, list])
//           | data(expression) = expression [if c]  |  takes expression [if c]  |
//           noreturn  |  prints  |  nothing
//   target  = result  |  address[size]
//   source  = parameter | address[size] | input | input[size] | world | nothing | arguments
//           | format(expression [, list])
#include "depend/models.h"

#include <cctype>
#include <map>

namespace faultline::depend {

namespace {

struct NamedFunction {
  const char* name;
  ModelFunction function;
  uint8_t least, most; // operands
};
constexpr NamedFunction kFunctions[] = {
    {"min", ModelFunction::Minimum, 2, 2},       {"max", ModelFunction::Maximum, 2, 2},
    {"len", ModelFunction::Length, 1, 2},        {"z", ModelFunction::WithNul, 1, 1},
    {"u32", ModelFunction::Word4, 1, 1},         {"int", ModelFunction::Signed, 1, 1},
    {"diff", ModelFunction::Difference, 3, 3},   {"diffz", ModelFunction::DifferenceZ, 2, 3},
    {"diffi", ModelFunction::DifferenceI, 2, 3}, {"span", ModelFunction::Span, 2, 2},
    {"cspan", ModelFunction::SpanNot, 2, 2},     {"integer", ModelFunction::Integer, 2, 2},
    {"decimal", ModelFunction::Decimal, 1, 1},   {"block", ModelFunction::BlockSize, 1, 1},
    {"data", ModelFunction::Data, 1, 1},         {"iovec", ModelFunction::Sum, 2, 2},
};

bool isNameStart(char c) { return std::isalpha(uint8_t(c)) || c == '_'; }
bool isNamePart(char c) { return std::isalnum(uint8_t(c)) || c == '_' || c == '$' || c == '.'; }

} // namespace

class ModelParser {
public:
  ModelParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  Result<CallModels> run() {
    while (skip(), at_ < text_.size()) {
      lineStart_ = at_;
      if (!line()) return errorf("{}:{}: {}", name_, lineNumber(), error_);
    }
    return std::move(models_);
  }

private:
  // Where a line ends: at a newline that no blank follows.
  bool atLineEnd() {
    skipBlanks();
    return at_ >= text_.size() || text_[at_] == '\n';
  }
  void skipBlanks() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '#')
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      else if (c == ' ' || c == '\t' || c == '\r')
        ++at_;
      else if (c == '\n' && continues(at_ + 1))
        ++at_;
      else
        break;
    }
  }
  // A line of blanks and comments only ends what stands before it.
  bool continues(size_t at) const {
    if (at >= text_.size() || (text_[at] != ' ' && text_[at] != '\t')) return false;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    return at < text_.size() && text_[at] != '\n' && text_[at] != '#' && text_[at] != '\r';
  }
  void skip() {
    do skipBlanks();
    while (at_ < text_.size() && text_[at_] == '\n' && ++at_);
  }
  size_t lineNumber() const {
    size_t number = 1;
    for (size_t k = 0; k < std::min(at_, text_.size()); ++k) number += text_[k] == '\n';
    return number;
  }

  bool fail(std::string what) {
    if (error_.empty()) error_ = std::move(what);
    return false;
  }
  std::string found() {
    if (atLineEnd()) return "the end of the line";
    size_t end = at_ + 1;
    if (isNamePart(text_[at_]))
      while (end < text_.size() && isNamePart(text_[end])) ++end;
    return "'" + std::string(text_.substr(at_, end - at_)) + "'";
  }
  bool accept(std::string_view token) {
    skipBlanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    bool isWord = isNameStart(token[0]);
    size_t end = at_ + token.size();
    if (isWord && end < text_.size() && isNamePart(text_[end])) return false;
    at_ = end;
    return true;
  }
  bool expect(std::string_view token) {
    return accept(token) || fail(fmt::format("'{}' expected, not {}", token, found()));
  }
  bool name(std::string& out, const char* what) {
    skipBlanks();
    size_t end = at_;
    if (end < text_.size() && isNameStart(text_[end]))
      while (end < text_.size() && isNamePart(text_[end])) ++end;
    // "..." ends a list of parameters, it does not belong to a name.
    if (end == at_) return fail(fmt::format("{} expected, not {}", what, found()));
    out = text_.substr(at_, end - at_);
    at_ = end;
    return true;
  }

  // $s = _ZNSt6...: from here on {s} stands for it in the names of functions.
  bool shorthand() {
    std::string word, text;
    if (!name(word, "the name of a shorthand") || !expect("=") || !name(text, "what it stands for"))
      return false;
    shorthands_[word] = text;
    return atLineEnd() || fail(fmt::format("the end of the line expected, not {}", found()));
  }

  bool functionName(std::string& out) {
    std::string part;
    if (accept("{")) {
      if (!name(part, "the name of a shorthand") || !expect("}")) return false;
      if (!shorthands_.contains(part)) return fail(fmt::format("'{}' is no shorthand", part));
      out = shorthands_[part];
      while (at_ < text_.size() && isNamePart(text_[at_])) out += text_[at_++];
      return true;
    }
    return name(out, "the name of a function");
  }

  bool line() {
    if (accept("$")) return shorthand();
    model_ = {};
    parameters_.clear();
    std::vector<std::string> names;
    do {
      if (!functionName(names.emplace_back())) return false;
    } while (accept(","));
    if (!expect("(") || !parameterList() || !expect(":")) return false;
    do {
      if (!clause()) return false;
    } while (accept(";") && !atLineEnd());
    if (!atLineEnd()) return fail(fmt::format("';' or the end of the line expected, not {}", found()));
    model_.parameters = uint32_t(parameters_.size());
    for (const std::string& name : names) {
      auto model = std::make_shared<CallModel>(model_);
      model->name = name;
      if (!models_.models_.emplace(name, std::move(model)).second)
        return fail(fmt::format("{} has two models", name));
    }
    return true;
  }

  bool parameterList() {
    if (accept(")")) return true;
    do {
      if (accept("...")) {
        model_.isVariadic = true;
        return expect(")");
      }
      std::string parameter;
      if (!name(parameter, "the name of a parameter")) return false;
      for (const char* reserved :
           {"result", "input", "world", "nothing", "arguments", "format", "if", "after", "global"})
        if (parameter == reserved) return fail(fmt::format("'{}' cannot name a parameter", parameter));
      for (const NamedFunction& f : kFunctions)
        if (parameter == f.name) return fail(fmt::format("'{}' cannot name a parameter", parameter));
      for (const std::string& other : parameters_)
        if (parameter == other) return fail(fmt::format("two parameters are called {}", parameter));
      parameters_.push_back(parameter);
    } while (accept(","));
    return expect(")");
  }

  bool clause() {
    if (accept("noreturn")) return model_.mayNotReturn = true;
    if (accept("prints")) return model_.prints = true;
    if (accept("nothing")) return true;
    ModelClause c;
    if (accept("takes")) {
      c.kind = ModelClause::Takes;
      if (!expression(c.size)) return false;
    } else if (accept("scan")) {
      c.kind = ModelClause::Scan;
      if (!expect("(") || !scanSource(c) || !expect(",") || !expression(c.address)) return false;
      if (accept(",")) {
        if (!expression(c.terms[0].list)) return false;
      }
      if (!expect(")")) return false;
    } else if (accept("data")) {
      c.kind = ModelClause::Remember;
      if (!expect("(") || !expression(c.address) || !expect(")") || !expect("=") || !expression(c.size))
        return false;
    } else if (accept("format")) {
      c.kind = ModelClause::Counts;
      if (!format(c.terms.emplace_back())) return false;
    } else if (!flow(c)) {
      return false;
    }
    if (accept("if") && !expression(c.condition)) return false;
    model_.clauses.push_back(std::move(c));
    return true;
  }

  bool scanSource(ModelClause& c) {
    ModelTerm term;
    if (accept("input")) {
      term.kind = ModelTerm::Input;
    } else {
      term.kind = ModelTerm::Memory;
      if (!expression(term.address)) return false;
    }
    c.terms.push_back(term);
    return true;
  }

  bool flow(ModelClause& c) {
    if (!target(c)) return false;
    c.isBytewise = accept("<=");
    if (!c.isBytewise && !accept("<-")) return fail(fmt::format("'<=' or '<-' expected, not {}", found()));
    if (accept("nothing"))
      return c.isBytewise ? fail("'nothing' cannot be copied byte by byte: write '<- nothing'") : true;
    do {
      if (!term(c.terms.emplace_back(), c.isBytewise)) return false;
    } while (!c.isBytewise && accept(","));
    const ModelTerm& first = c.terms[0];
    if (c.isBytewise && (first.kind == ModelTerm::World || first.kind == ModelTerm::Arguments))
      return fail("this has no bytes to copy one by one: write '<-'");
    if (c.isBytewise && !c.toResult && first.kind == ModelTerm::Argument)
      return fail("an argument has no size here: write '<-'");
    bool sizeless = !c.toResult && c.size == kNoNode && first.kind != ModelTerm::Format;
    if (sizeless && first.size == kNoNode) return fail("neither side has a size");
    return true;
  }

  bool target(ModelClause& c) {
    uint32_t node = kNoNode;
    if (!postfix(node)) return false;
    if (openBracket()) {
      c.address = node;
      if (accept("?")) {
        c.ifNoticed = true;
        if (accept("]")) return c.size = add({.kind = ModelNode::Unknown}), true;
      }
      return bracket(c.size);
    }
    if (model_.nodes[node].kind != ModelNode::Result)
      return fail("what is written needs a size, as in d[n] (or it is 'result')");
    return c.toResult = true;
  }

  bool term(ModelTerm& t, bool isBytewise) {
    if (accept("world")) return t.kind = ModelTerm::World, true;
    if (accept("arguments")) return t.kind = ModelTerm::Arguments, true;
    if (accept("input")) {
      t.kind = ModelTerm::Input;
      return openBracket() ? bracket(t.size) : true;
    }
    if (accept("format")) return format(t);
    uint32_t node = kNoNode;
    if (!postfix(node)) return false;
    if (openBracket()) {
      t.kind = ModelTerm::Memory;
      t.address = node;
      return bracket(t.size);
    }
    if (model_.nodes[node].kind != ModelNode::Argument)
      return fail("a source is a parameter, memory as in s[n], input, world, arguments or nothing");
    t.kind = ModelTerm::Argument;
    t.argument = uint32_t(model_.nodes[node].value);
    return true;
  }

  bool format(ModelTerm& t) {
    t.kind = ModelTerm::Format;
    if (!expect("(") || !expression(t.address)) return false;
    if (accept(",") && !expression(t.list)) return false;
    return expect(")");
  }

  bool openBracket() { return accept("["); }
  // Behind "[". An empty pair leaves the size to the other side.
  bool bracket(uint32_t& size) {
    if (accept("]")) return true;
    if (accept("?"))
      size = add({.kind = ModelNode::Unknown});
    else if (!expression(size))
      return false;
    return expect("]");
  }

  uint32_t add(ModelNode node) {
    node.isLate |= inAfter_ > 0;
    for (uint32_t operand : node.operands)
      if (operand != kNoNode) node.isLate |= model_.nodes[operand].isLate;
    model_.nodes.push_back(node);
    return uint32_t(model_.nodes.size() - 1);
  }
  uint32_t binary(ModelNode::Kind kind, uint32_t a, uint32_t b) {
    return add({.kind = kind, .operands = {a, b, kNoNode}});
  }

  // or < and < comparison < + - < * < postfix
  bool expression(uint32_t& out) {
    if (++depth_ > 50) return fail("too deep an expression");
    bool ok = conjunction(out);
    while (ok && accept("or")) {
      uint32_t right = kNoNode;
      ok = conjunction(right);
      if (ok) out = binary(ModelNode::Or, out, right);
    }
    --depth_;
    return ok;
  }
  bool conjunction(uint32_t& out) {
    if (!comparison(out)) return false;
    while (accept("and")) {
      uint32_t right = kNoNode;
      if (!comparison(right)) return false;
      out = binary(ModelNode::And, out, right);
    }
    return true;
  }
  bool comparison(uint32_t& out) {
    if (!sum(out)) return false;
    struct Operator {
      const char* text;
      ModelNode::Kind kind;
      bool swap;
    };
    static constexpr Operator kOperators[] = {
        {"==", ModelNode::Equal, false}, {"!=", ModelNode::NotEqual, false}, {"<=", ModelNode::AtMost, false},
        {">=", ModelNode::AtMost, true}, {"<", ModelNode::Less, false},      {">", ModelNode::Less, true},
    };
    for (const Operator& o : kOperators) {
      if (std::string_view(o.text) == "<" && text_.substr(at_).starts_with("<-")) continue; // a flow's
      if (!accept(o.text)) continue;
      uint32_t right = kNoNode;
      if (!sum(right)) return false;
      out = o.swap ? binary(o.kind, right, out) : binary(o.kind, out, right);
      break;
    }
    return true;
  }
  bool sum(uint32_t& out) {
    if (!product(out)) return false;
    for (;;) {
      bool plus = accept("+");
      if (!plus && !accept("-")) return true;
      uint32_t right = kNoNode;
      if (!product(right)) return false;
      out = binary(plus ? ModelNode::Add : ModelNode::Subtract, out, right);
    }
  }
  bool product(uint32_t& out) {
    if (!postfix(out)) return false;
    while (accept("*")) {
      uint32_t right = kNoNode;
      if (!postfix(right)) return false;
      out = binary(ModelNode::Multiply, out, right);
    }
    return true;
  }

  bool postfix(uint32_t& out) {
    skipBlanks();
    if (accept("*")) {
      if (++depth_ > 50) return fail("too deep an expression");
      uint32_t inner = kNoNode;
      if (!postfix(inner)) return false;
      --depth_;
      out = call(ModelFunction::Word, {inner, kNoNode, kNoNode});
      return true;
    }
    if (accept("(")) return expression(out) && expect(")");
    bool negative = accept("-");
    if (at_ < text_.size() && std::isdigit(uint8_t(text_[at_]))) return number(out, negative);
    if (negative) return fail(fmt::format("a number expected, not {}", found()));
    std::string word;
    if (!name(word, "an expression")) return false;
    if (word == "result") return out = add({.kind = ModelNode::Result, .isLate = true}), true;
    if (word == "after") return after(out);
    if (word == "global") return global(out);
    for (size_t k = 0; k < parameters_.size(); ++k)
      if (parameters_[k] == word) return out = add({.kind = ModelNode::Argument, .value = k}), true;
    for (const NamedFunction& f : kFunctions)
      if (word == f.name) return arguments(f, out);
    return fail(fmt::format("'{}' is neither a parameter nor a function", word));
  }

  bool number(uint32_t& out, bool negative) {
    uint64_t value = 0;
    for (; at_ < text_.size() && std::isdigit(uint8_t(text_[at_])); ++at_) {
      if (value > (uint64_t(1) << 50)) return fail("too large a number");
      value = value * 10 + uint64_t(text_[at_] - '0');
    }
    out = add({.kind = ModelNode::Number, .value = negative ? 0 - value : value});
    return true;
  }

  bool after(uint32_t& out) {
    ++inAfter_;
    bool ok = expect("(") && expression(out) && expect(")");
    --inAfter_;
    return ok;
  }

  bool global(uint32_t& out) {
    std::string variable;
    if (!expect("(") || !functionName(variable) || !expect(")")) return false;
    out = add({.kind = ModelNode::Function,
               .function = uint8_t(ModelFunction::Global),
               .value = model_.globals.size()});
    model_.globals.push_back(variable);
    return true;
  }

  uint32_t call(ModelFunction function, std::initializer_list<uint32_t> operands) {
    ModelNode node{.kind = ModelNode::Function, .function = uint8_t(function)};
    std::copy(operands.begin(), operands.end(), node.operands);
    return add(node);
  }
  bool arguments(const NamedFunction& f, uint32_t& out) {
    uint32_t operands[3] = {kNoNode, kNoNode, kNoNode};
    uint8_t count = 0;
    if (!expect("(")) return false;
    do {
      if (count == f.most) return fail(fmt::format("{} takes at most {} arguments", f.name, f.most));
      if (!expression(operands[count++])) return false;
    } while (accept(","));
    if (count < f.least) return fail(fmt::format("{} takes {} arguments", f.name, f.least));
    out = call(f.function, {operands[0], operands[1], operands[2]});
    return expect(")");
  }

  std::string_view text_, name_;
  size_t at_ = 0, lineStart_ = 0;
  int inAfter_ = 0, depth_ = 0;
  std::string error_;
  CallModel model_;
  std::vector<std::string> parameters_;
  std::map<std::string, std::string> shorthands_;
  CallModels models_;
};

Result<CallModels> CallModels::parse(std::string_view text, std::string_view name) {
  return ModelParser(text, name).run();
}

} // namespace faultline::depend
