// What the program's descriptors, FILEs and file streams stand for, and how far it has read in each.
#pragma once

#include "depend/inputs.h"
#include "depend/outside_view.h"

#include <functional>

namespace faultline::depend {

// How a function that reads names what it reads.
struct InputFunction {
  enum Handle : uint8_t { Descriptor, File, Standard, Istream };
  enum Kind : uint8_t {
    Model,     // as many bytes as its model says
    Scan,      // scanf, its format is argument `format`
    Line,      // a line, its end included
    Word,      // what a formatted extraction takes: blanks, then a word
    Number,    // ... or a number
    Character, // ... or one byte that is no blank
    Byte,
    At, // pread: at the offset in argument 3, which moves nothing
  };
  Handle handle;
  uint8_t argument = 0;
  Kind kind = Model;
  uint8_t format = 0;
};
// Null: reads no input.
const InputFunction* inputFunction(std::string_view linkerName);

class InputStreams {
public:
  struct Position {
    uint32_t stream = 0;
    std::optional<uint64_t> offset = 0;
    std::string why = {};
  };

  InputStreams(const replay::MemoryView& memory, const replay::SymbolView& symbols,
               std::vector<InputStream>& streams)
      : memory_(memory), symbols_(symbols), streams_(streams) {}

  static bool changesStreams(std::string_view linkerName);
  void onCall(std::string_view linkerName, const replay::VariableArguments& arguments);
  void onReturn(std::string_view linkerName, const replay::VariableArguments& arguments,
                std::optional<uint64_t> result);

  // Null: a stream in memory.
  Position* positionOf(const InputFunction& function, const replay::VariableArguments& arguments);
  uint32_t add(InputStream stream);
  // Which stream a descriptor is; for mmap.
  std::optional<uint32_t> streamOfFd(uint64_t fd) const;

  // The text of an argument of the program's that begins there: it may never have been read by code that
  // replay sees.
  std::function<std::string(uint64_t address)> argumentAt = nullptr;

private:
  using Shared = std::shared_ptr<Position>;
  struct Buffered {
    Shared below;
    Position position;
    bool isStarted = false;
  };
  Shared descriptor(uint64_t fd);
  Buffered& file(uint64_t file);
  Buffered& standard();
  Position* read(Buffered& file);
  uint64_t symbol(std::string_view name); // a literal
  uint64_t standardFile();
  void opened(uint64_t fd, InputStream stream);
  void openedFile(uint64_t file, Shared below);
  void seek(std::string_view name, const replay::VariableArguments& arguments,
            std::optional<uint64_t> result);
  std::string path(uint64_t address) const;

  const replay::MemoryView& memory_;
  const replay::SymbolView& symbols_;
  std::vector<InputStream>& streams_;
  size_t modules_ = 0;
  std::map<std::string_view, uint64_t> symbolAddresses_;
  std::map<uint64_t, Shared> descriptors_;
  std::map<uint64_t, Buffered> files_; // by FILE or istream; 0: standard input
};

} // namespace faultline::depend
