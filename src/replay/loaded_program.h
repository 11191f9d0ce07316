// The program as it was loaded in the recorded run: which FIR image stands where. Images are known from the
// start; a module comes to life when the log says that its object was registered, with the addresses of its
// symbols. From then on code addresses lead to function bodies and global ids to instructions.
#pragma once

#include "base/result.h"
#include "program/image.h"
#include "replay/memory.h"

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace faultline::replay {

struct DecodedFunction;

struct LoadedModule {
  const fir::Image* image = nullptr;
  uint32_t number = 0;                                     // in order of registration
  uint32_t base = 0;                                       // global id = base + local id
  std::vector<uint64_t> addresses;                         // of its symbols
  std::vector<uint64_t> constants;                         // as numbers; where `wide` is set, unused
  std::vector<std::unique_ptr<DecodedFunction>> functions; // made when first called
  LoadedModule();
  ~LoadedModule();
};

struct CodeTarget {
  LoadedModule* module = nullptr;
  uint32_t function = 0;
  explicit operator bool() const { return module != nullptr; }
};

// One of several definitions of one name was linked: a strong one if there is one, else that of the first
// object. True if `candidate`, registered later than `current`, replaces it.
bool replacesDefinition(bool currentIsWeak, bool candidateIsWeak);

class Program {
public:
  // Images in link order.
  explicit Program(std::vector<fir::Image> images);
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  // Takes the module with this hash into the program and writes its variables' initial values.
  Result<LoadedModule*> load(uint64_t hash, uint32_t base, uint64_t instructions,
                             std::vector<uint64_t> addresses, Memory& memory);
  // The same for module `number`, which a state says was loaded; use() brings it into the program. Fails if
  // it is known already and was another one.
  Result<void> announce(size_t number, uint64_t hash, uint32_t base, std::vector<uint64_t> addresses);
  // Makes the first `modules` of those that are known the loaded ones. Decoded bodies stay for when they
  // come back.
  void use(size_t modules);

  std::span<const std::unique_ptr<LoadedModule>> modules() const { return {modules_.data(), loaded_}; }
  // Any that is known, whether it is loaded at present or not.
  const LoadedModule& module(size_t number) const { return *modules_.at(number); }
  CodeTarget functionAt(uint64_t address) const;
  // Module whose instruction this global id is, or null.
  LoadedModule* moduleOf(uint64_t globalId) const;
  // The largest number of instructions that any function of the loaded modules has.
  uint64_t longestFunction() const { return longestFunction_; }

private:
  Result<void> fill(LoadedModule& module) const;
  Result<void> know(uint64_t hash, uint32_t base, std::vector<uint64_t> addresses); // one more
  void addCode(LoadedModule& module);
  Result<void> writeInitialValues(LoadedModule& module, Memory& memory);

  struct Definition {
    CodeTarget target;
    bool weak;
  };
  std::vector<fir::Image> images_;
  std::vector<std::unique_ptr<LoadedModule>> modules_; // the first loaded_ are in use
  size_t loaded_ = 0;
  uint64_t longestFunction_ = 0;
  std::unordered_map<uint64_t, Definition> code_;
  std::unordered_map<uint64_t, bool> dataIsWeak_; // address of each defined variable
};

// "name at file:line" of an instruction, as messages show it.
std::string describeInstruction(const LoadedModule& module, uint32_t local);

} // namespace faultline::replay
