#include "replay/loaded_program.h"

#include "replay/decoded.h"

#include <algorithm>

namespace faultline::replay {

LoadedModule::LoadedModule() = default;
LoadedModule::~LoadedModule() = default;
Program::Program(std::vector<fir::Image> images) : images_(std::move(images)) {}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

bool replacesDefinition(bool currentIsWeak, bool candidateIsWeak) {
  return currentIsWeak && !candidateIsWeak;
}

Result<void> Program::know(uint64_t hash, uint32_t base, std::vector<uint64_t> addresses) {
  auto image = std::find_if(images_.begin(), images_.end(), [&](auto& i) { return i.hash == hash; });
  if (image == images_.end())
    return errorf("the run used an object with IR {:016x}, which the program at hand does not carry", hash);
  auto module = std::make_unique<LoadedModule>();
  module->image = &*image;
  module->number = uint32_t(modules_.size());
  module->base = base;
  module->addresses = std::move(addresses);
  FL_CHECK(fill(*module));
  modules_.push_back(std::move(module));
  return {};
}

Result<LoadedModule*> Program::load(uint64_t hash, uint32_t base, uint64_t instructions,
                                    std::vector<uint64_t> addresses, Memory& memory) {
  if (loaded_ < modules_.size() && modules_[loaded_]->addresses != addresses)
    return errorf("damaged log: object {:016x} has other addresses than a checkpoint says", hash);
  if (loaded_ == modules_.size()) FL_CHECK(know(hash, base, std::move(addresses)));
  LoadedModule& module = *modules_[loaded_];
  if (module.image->hash != hash || module.base != base || instructions != module.image->instructions.size())
    return errorf("damaged log: object {:016x} was registered with {} instructions at {}, its IR has {}",
                  hash, instructions, base, module.image->instructions.size());
  ++loaded_;
  for (const fir::Function& f : module.image->functions)
    longestFunction_ = std::max<uint64_t>(longestFunction_, f.instructionCount);
  addCode(module);
  FL_CHECK(writeInitialValues(module, memory));
  return &module;
}

Result<void> Program::fill(LoadedModule& module) const {
  const fir::Image& image = *module.image;
  FL_CHECK(fir::validateImage(image));
  if (module.addresses.size() != image.symbols.size())
    return errorf("damaged log: object {:016x} has {} symbols, the log names {}", image.hash,
                  image.symbols.size(), module.addresses.size());
  module.constants.reserve(image.constants.size());
  for (const fir::Constant& c : image.constants)
    module.constants.push_back(c.value + (c.symbol == fir::kNone ? 0 : module.addresses[c.symbol]));
  module.functions.resize(image.functions.size());
  return {};
}

void Program::addCode(LoadedModule& module) {
  const fir::Image& image = *module.image;
  for (uint32_t k = 0; k < image.functions.size(); ++k) {
    const fir::Function& f = image.functions[k];
    if (f.symbol >= image.symbols.size() || module.addresses[f.symbol] == 0) continue;
    Definition definition{{&module, k}, (f.flags & fir::kWeak) != 0};
    auto [it, added] = code_.try_emplace(module.addresses[f.symbol], definition);
    if (!added && replacesDefinition(it->second.weak, definition.weak)) it->second = definition;
  }
}

Result<void> Program::writeInitialValues(LoadedModule& module, Memory& memory) {
  const fir::Image& image = *module.image;
  for (uint32_t k = 0; k < image.symbols.size(); ++k) {
    const fir::Symbol& s = image.symbols[k];
    uint64_t address = module.addresses[k];
    if (!(s.flags & fir::kDefined) || (s.flags & (fir::kThreadLocal | fir::kFunction | fir::kBlockAddress)) ||
        address == 0)
      continue;
    bool weak = (s.flags & fir::kWeakSymbol) != 0;
    auto [it, added] = dataIsWeak_.try_emplace(address, weak);
    if (!added && !replacesDefinition(it->second, weak)) continue;
    it->second = weak;
    if (s.initial == ~uint64_t(0)) continue;
    bool ok = memory.write(address, image.bytes.data() + s.initial, s.size);
    for (const fir::Relocation& r : image.relocations.subspan(s.firstRelocation, s.relocationCount))
      ok = ok && memory.store<uint64_t>(address + r.offset, module.addresses[r.symbol] + uint64_t(r.addend));
    if (!ok) return errorf("damaged log: a variable of {} bytes cannot lie at {:#x}", s.size, address);
  }
  return {};
}

Result<void> Program::announce(size_t number, uint64_t hash, uint32_t base, std::vector<uint64_t> addresses) {
  if (number == modules_.size()) return know(hash, base, std::move(addresses));
  const LoadedModule& module = *modules_.at(number);
  if (module.image->hash != hash || module.base != base || module.addresses != addresses)
    return errorf("object {} of the run is not the one that the checkpoint has", number);
  return {};
}

void Program::use(size_t modules) {
  if (modules == loaded_) return;
  assert(modules <= modules_.size());
  loaded_ = modules;
  code_.clear();
  dataIsWeak_.clear();
  for (size_t k = 0; k < loaded_; ++k) {
    addCode(*modules_[k]);
    const fir::Image& image = *modules_[k]->image;
    for (const fir::Function& f : image.functions)
      longestFunction_ = std::max<uint64_t>(longestFunction_, f.instructionCount);
    for (uint32_t i = 0; i < image.symbols.size(); ++i) {
      const fir::Symbol& s = image.symbols[i];
      if (!(s.flags & fir::kDefined) || (s.flags & (fir::kThreadLocal | fir::kFunction | fir::kBlockAddress)))
        continue;
      bool weak = (s.flags & fir::kWeakSymbol) != 0;
      auto [it, added] = dataIsWeak_.try_emplace(modules_[k]->addresses[i], weak);
      if (!added && replacesDefinition(it->second, weak)) it->second = weak;
    }
  }
}

CodeTarget Program::functionAt(uint64_t address) const {
  auto it = code_.find(address);
  return it == code_.end() ? CodeTarget{} : it->second.target;
}

LoadedModule* Program::moduleOf(uint64_t globalId) const {
  for (size_t k = loaded_; k-- > 0;) {
    LoadedModule& m = *modules_[k];
    if (globalId >= m.base && globalId - m.base < m.image->instructions.size()) return &m;
  }
  return nullptr;
}

std::string describeInstruction(const LoadedModule& module, uint32_t local) {
  const fir::Image& image = *module.image;
  uint32_t function = image.functionOf(local);
  if (function == fir::kNone) return fmt::format("instruction {}", local);
  std::string text(image.string(image.functions[function].name));
  if (text.empty()) text = fmt::format("function {}", function);
  uint32_t at = image.instructions[local].location;
  if (at && at < image.locations.size())
    text += fmt::format(" at {}:{}", image.sourcePath(image.locations[at]), image.locations[at].line);
  return text + fmt::format(" (instruction {})", local - image.functions[function].firstInstruction);
}

} // namespace faultline::replay
