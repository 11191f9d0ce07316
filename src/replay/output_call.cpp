#include "replay/output_call.h"

#include <algorithm>

namespace faultline::replay {
namespace {

constexpr uint64_t kLongest = uint64_t(1) << 24; // bytes of one field
constexpr uint64_t kMostPieces = 1024;           // of a writev

class Fields {
public:
  Fields(const OutputFunction& function, const OutputArguments& arguments)
      : f_(function), a_(arguments), memory_(*arguments.memory) {}

  std::vector<OutputField> run() {
    switch (f_.kind) {
    case OutputFunction::Bytes:
      bytes(word(f_.data), word(f_.size), f_.data + 1);
      break;
    case OutputFunction::Items:
      bytes(word(f_.data), word(f_.size) * word(f_.size + 1), f_.data + 1);
      break;
    case OutputFunction::Vector:
      vector();
      break;
    case OutputFunction::Text:
      text();
      break;
    case OutputFunction::Line:
      text();
      own("\n");
      break;
    case OutputFunction::Character:
      add({.text = std::string(1, char(word(f_.data))), .argument = f_.data + 1u});
      break;
    case OutputFunction::Format:
      format([&](size_t n) { return a_.words(f_.data + 1 + n); }, 0, f_.data + 2u);
      break;
    case OutputFunction::List:
      list();
      break;
    case OutputFunction::Error:
      if (word(f_.data)) text(), own(": ");
      add({.isKnown = false});
      own("\n");
      break;
    case OutputFunction::Unseen:
      add({.isKnown = false});
      break;
    case OutputFunction::Value:
      if (const uint64_t* value = a_.words(f_.data)) alternatives(ostreamNumber(f_.type, value, state()));
      break;
    case OutputFunction::Padded:
      padded();
      break;
    case OutputFunction::Manipulator:
      manipulator();
      break;
    case OutputFunction::Newline:
      own("\n");
      break;
    }
    return std::move(fields_);
  }

private:
  uint64_t word(size_t argument) const {
    const uint64_t* words = a_.words(argument);
    return words ? *words : 0;
  }
  OstreamState state() const { return a_.ostream ? a_.ostream(word(f_.to)) : OstreamState{}; }
  void add(OutputField field) { fields_.push_back(std::move(field)); }
  void own(const char* text) { add({.text = text}); }

  void bytes(uint64_t address, uint64_t size, uint32_t argument) {
    OutputField field{.argument = argument, .address = address};
    field.isKnown = size <= kLongest;
    if (field.isKnown) {
      field.text.resize(size);
      field.isKnown = memory_.read(address, {reinterpret_cast<uint8_t*>(field.text.data()), size});
    }
    add(std::move(field));
  }

  void vector() {
    uint64_t address = word(f_.data), count = std::min(word(f_.size) & 0xffffffff, kMostPieces);
    for (uint64_t k = 0; k < count; ++k) {
      uint64_t piece[2];
      if (!memory_.read(address + 16 * k, {reinterpret_cast<uint8_t*>(piece), sizeof piece}))
        return add({.isKnown = false, .argument = f_.data + 1u});
      bytes(piece[0], piece[1], f_.data + 1);
    }
  }

  void text() {
    OutputField field{.argument = f_.data + 1u, .address = word(f_.data)};
    field.isKnown = readText(memory_, field.address, kLongest, field.text);
    add(std::move(field));
  }

  void list() {
    ListArguments list = a_.list ? a_.list(word(f_.data + 1)) : ListArguments{};
    if (list.words) return format(list.words, list.frame, list.first);
    format([](size_t) { return nullptr; }, 0, f_.data + 2u);
    for (OutputField& field : fields_)
      if (!field.spec.empty()) field.argument = f_.data + 2u; // the list is all we know
  }

  // `first`: which argument, from 1, of the call of that frame variable argument 0 is.
  void format(const VariableArguments& arguments, uint32_t frame, uint32_t first) {
    uint64_t address = word(f_.data);
    std::string format;
    if (!readText(memory_, address, kLongest, format))
      return add({.isKnown = false, .argument = f_.data + 1u});
    for (FormatPart& part : formatParts(format, arguments, memory_)) {
      bool isOwn = part.spec.empty();
      OutputField field{.text = std::move(part.text), .isKnown = part.isKnown};
      field.argument = isOwn ? f_.data + 1u : part.argument == ~0u ? 0 : first + part.argument;
      field.frame = isOwn ? 0 : frame;
      field.address = isOwn ? address + part.offset : part.address;
      field.spec = std::move(part.spec);
      field.lead = part.lead;
      add(std::move(field));
    }
  }

  void padded() {
    OutputField field{.argument = f_.data + 1u, .address = word(f_.data)};
    if (f_.type == 'c') {
      field.text = char(word(f_.data)), field.address = 0;
    } else if (f_.type == 's') {
      if (field.address == 0) return; // the stream is bad from now on
      field.isKnown = readText(memory_, field.address, kLongest, field.text);
    } else {
      uint64_t size = f_.type == 'n' ? word(f_.size) : 0;
      uint64_t header[2]; // std::string: where, how long
      if (f_.type == 'o') {
        if (!memory_.read(field.address, {reinterpret_cast<uint8_t*>(header), sizeof header}))
          return add({.isKnown = false, .argument = f_.data + 1u});
        field.address = header[0], size = header[1];
      }
      bytes(field.address, size, f_.data + 1);
      field = std::move(fields_.back());
      fields_.pop_back();
    }
    if (!field.isKnown) return add(std::move(field));
    std::string plain = field.text;
    std::vector<std::string> all = ostreamPadded({plain}, state());
    field.text = all[0];
    field.others.assign(all.begin() + 1, all.end());
    size_t lead = field.text.rfind(plain);
    field.lead = uint32_t(lead == std::string::npos ? 0 : field.text.starts_with(plain) ? 0 : lead);
    add(std::move(field));
  }

  void alternatives(const std::vector<std::string>& texts) {
    std::vector<std::string> all = ostreamPadded(texts, state());
    OutputField field{.text = all[0], .argument = f_.data + 1u};
    field.others.assign(all.begin() + 1, all.end());
    add(std::move(field));
  }

  void manipulator() {
    std::string name = a_.nameOf ? a_.nameOf(word(f_.data)) : "";
    if (name.starts_with("_ZSt4endl")) return own("\n");
    if (name.starts_with("_ZSt4ends")) return add({.text = std::string(1, '\0')});
    if (name.empty()) add({.isKnown = false, .argument = f_.data + 1u});
  }

  const OutputFunction& f_;
  const OutputArguments& a_;
  const MemoryView& memory_;
  std::vector<OutputField> fields_;
};

} // namespace

std::vector<OutputField> outputFields(const OutputFunction& function, const OutputArguments& arguments) {
  return Fields(function, arguments).run();
}

} // namespace faultline::replay
