#include "depend/inputs_streams.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace faultline::depend {
namespace {

using F = InputFunction;
using replay::VariableArguments;

const std::unordered_map<std::string_view, InputFunction>& table() {
  static const std::unordered_map<std::string_view, InputFunction> functions = [] {
    std::unordered_map<std::string_view, InputFunction> t;
    auto add = [&](std::initializer_list<std::string_view> names, InputFunction f) {
      for (std::string_view name : names) t.emplace(name, f);
    };
    add({"read", "__read_chk", "recv", "recvfrom", "readv", "recvmsg"}, {F::Descriptor});
    add({"pread", "pread64"}, {F::Descriptor, 0, F::At});
    add({"fread", "fread_unlocked"}, {F::File, 3});
    add({"__fread_chk", "__fread_unlocked_chk"}, {F::File, 4});
    add({"fgets", "fgets_unlocked", "getline"}, {F::File, 2});
    add({"__fgets_chk", "getdelim", "__getdelim"}, {F::File, 3});
    add({"getc", "fgetc", "_IO_getc", "getc_unlocked", "fgetc_unlocked", "__uflow"}, {F::File, 0});
    add({"getchar", "getchar_unlocked", "gets"}, {F::Standard});
    add({"scanf", "__isoc99_scanf", "__isoc23_scanf", "vscanf", "__isoc99_vscanf", "__isoc23_vscanf"},
        {F::Standard, 0, F::Scan, 0});
    add({"fscanf", "__isoc99_fscanf", "__isoc23_fscanf", "vfscanf", "__isoc99_vfscanf", "__isoc23_vfscanf"},
        {F::File, 0, F::Scan, 1});
    add({"_ZNSi4readEPcl", "_ZNSi8readsomeEPcl"}, {F::Istream, 0});
    add({"_ZNSi3getEv", "_ZNSi3getERc"}, {F::Istream, 0, F::Byte});
    add({"_ZNSi7getlineEPcl", "_ZNSi7getlineEPclc",
         "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_"
         "T1_EE",
         "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_"
         "T1_EES4_"},
        {F::Istream, 0, F::Line});
    add({"_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE",
         "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_PS3_",
         "_ZStrsISt11char_traitsIcEERSt13basic_istreamIcT_ES5_Pc"},
        {F::Istream, 0, F::Word});
    add({"_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_"}, {F::Istream, 0, F::Character});
    add({"_ZNSirsERs", "_ZNSirsERt", "_ZNSirsERi", "_ZNSirsERj", "_ZNSirsERl", "_ZNSirsERm", "_ZNSirsERx",
         "_ZNSirsERy", "_ZNSirsERf", "_ZNSirsERd", "_ZNSirsERe", "_ZNSirsERb"},
        {F::Istream, 0, F::Number});
    for (const char* name :
         {"_ZNSi10_M_extractIiEERSiRT_", "_ZNSi10_M_extractIjEERSiRT_", "_ZNSi10_M_extractIlEERSiRT_",
          "_ZNSi10_M_extractImEERSiRT_", "_ZNSi10_M_extractIxEERSiRT_", "_ZNSi10_M_extractIyEERSiRT_",
          "_ZNSi10_M_extractIdEERSiRT_", "_ZNSi10_M_extractIfEERSiRT_", "_ZNSi10_M_extractIeEERSiRT_",
          "_ZNSi10_M_extractItEERSiRT_", "_ZNSi10_M_extractIbEERSiRT_"})
      t.emplace(name, InputFunction{F::Istream, 0, F::Number});
    return t;
  }();
  return functions;
}

uint64_t word(const VariableArguments& arguments, size_t number) {
  const uint64_t* words = arguments(number);
  return words ? *words : 0;
}

constexpr std::string_view kIfstream = "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE";
constexpr std::string_view kFstream = "_ZNSt13basic_fstreamIcSt11char_traitsIcEE";

bool isFileStream(std::string_view name) { return name.starts_with(kIfstream) || name.starts_with(kFstream); }

void forget(InputStreams::Position& position, std::string why) {
  position.offset.reset();
  position.why = std::move(why);
}

} // namespace

const InputFunction* inputFunction(std::string_view name) {
  auto it = table().find(name);
  return it == table().end() ? nullptr : &it->second;
}

bool InputStreams::changesStreams(std::string_view name) {
  static const std::unordered_set<std::string_view> names = {
      "open",       "open64",          "__open_2",      "__open64_2",     "openat",   "openat64",
      "__openat_2", "creat",           "creat64",       "fopen",          "fopen64",  "freopen",
      "freopen64",  "fdopen",          "popen",         "fmemopen",       "dup",      "dup2",
      "dup3",       "fileno",          "close",         "fclose",         "pclose",   "socket",
      "accept",     "accept4",         "lseek",         "lseek64",        "fseek",    "fseeko",
      "fseeko64",   "rewind",          "ftell",         "ftello",         "ftello64", "fsetpos",
      "ungetc",     "fileno_unlocked", "_ZNSi5ungetEv", "_ZNSi7putbackEc"};
  return names.contains(name) || isFileStream(name) || name.starts_with("_ZNSi5seekg");
}

uint32_t InputStreams::add(InputStream stream) {
  for (uint32_t k = 0; k < streams_.size(); ++k)
    if (streams_[k].kind == stream.kind && streams_[k].name == stream.name) return k;
  streams_.push_back(std::move(stream));
  return uint32_t(streams_.size() - 1);
}

std::string InputStreams::path(uint64_t address) const {
  std::string text;
  replay::readText(memory_, address, 4096, text);
  // Of an argument replay has seen what the program itself has looked at: whether it begins with a `-`, say.
  constexpr size_t kFew = 2;
  if (text.size() <= kFew && argumentAt)
    if (std::string word = argumentAt(address); word.starts_with(text)) text = std::move(word);
  return text.empty() ? "a file" : text;
}

void InputStreams::opened(uint64_t fd, InputStream stream) {
  auto shared = std::make_shared<Position>();
  bool isStandard =
      stream.kind == InputStream::File && (stream.name == "/dev/stdin" || stream.name == "/dev/fd/0");
  shared->stream = add(isStandard ? InputStream{InputStream::StandardInput, "stdin"} : std::move(stream));
  descriptors_[uint32_t(fd)] = std::move(shared);
}

void InputStreams::openedFile(uint64_t file, Shared below) {
  Buffered& f = files_[file];
  f = {.below = below, .position = *below, .isStarted = false};
}

InputStreams::Shared InputStreams::descriptor(uint64_t fd) {
  fd = uint32_t(fd);
  if (auto it = descriptors_.find(fd); it != descriptors_.end()) return it->second;
  if (fd == 0)
    opened(0, {InputStream::StandardInput, "stdin"});
  else
    opened(fd, {InputStream::Other, fmt::format("descriptor {}", fd)});
  return descriptors_[fd];
}

std::optional<uint32_t> InputStreams::streamOfFd(uint64_t fd) const {
  auto it = descriptors_.find(uint32_t(fd));
  return it == descriptors_.end() ? std::nullopt : std::optional(it->second->stream);
}

uint64_t InputStreams::symbol(std::string_view name) {
  size_t modules = symbols_.moduleCount();
  if (modules != modules_) symbolAddresses_.clear();
  modules_ = modules;
  auto [it, isNew] = symbolAddresses_.try_emplace(name, 0);
  if (isNew) it->second = addressOf(symbols_, name);
  return it->second;
}

uint64_t InputStreams::standardFile() {
  uint64_t address = symbol("stdin"), value = 0;
  if (address) memory_.read(address, {reinterpret_cast<uint8_t*>(&value), sizeof value});
  return value;
}

InputStreams::Buffered& InputStreams::standard() {
  auto it = files_.find(0);
  if (it != files_.end()) return it->second;
  openedFile(0, descriptor(0));
  return files_[0];
}

InputStreams::Buffered& InputStreams::file(uint64_t file) {
  if (auto it = files_.find(file); it != files_.end()) return it->second;
  if (file == standardFile()) return standard();
  auto below = std::make_shared<Position>();
  below->stream = add({InputStream::Other, "a file opened by other code"});
  forget(*below, "the file was opened by code that was not seen");
  openedFile(file, below);
  return files_[file];
}

// A FILE goes on where its descriptor stood when it first read; then it reads ahead.
InputStreams::Position* InputStreams::read(Buffered& file) {
  if (!file.isStarted) file.position = *file.below;
  file.isStarted = true;
  forget(*file.below, "a FILE has read ahead from the same descriptor");
  return &file.position;
}

InputStreams::Position* InputStreams::positionOf(const InputFunction& function,
                                                 const VariableArguments& arguments) {
  uint64_t handle = word(arguments, function.argument);
  switch (function.handle) {
  case F::Descriptor: {
    Shared shared = descriptor(handle);
    for (auto& [key, file] : files_)
      if (file.below == shared && file.isStarted)
        forget(file.position, "its descriptor was read past its buffer");
    return shared.get();
  }
  case F::Standard:
    return read(standard());
  case F::File:
    return read(file(handle));
  case F::Istream:
    if (handle && handle == symbol("_ZSt3cin")) return read(standard());
    if (auto it = files_.find(handle); it != files_.end()) return read(it->second);
    return nullptr;
  }
  return nullptr;
}

void InputStreams::onCall(std::string_view name, const VariableArguments& arguments) {
  uint64_t first = word(arguments, 0);
  if (name == "close") descriptors_.erase(uint32_t(first));
  if (name == "fclose" || name == "pclose") {
    if (first == standardFile()) first = 0;
    files_.erase(first);
  }
  if (isFileStream(name) && (name.find("EED") != name.npos || name.find("5closeEv") != name.npos))
    files_.erase(first);
  // Constructed, or opened: by a path that is there now.
  if (isFileStream(name) && (name.find("EEC") != name.npos || name.find("4openE") != name.npos)) {
    bool byString = name.find("RKNSt7__cxx1112basic_string") != name.npos;
    uint64_t text = word(arguments, 1);
    if (byString) memory_.read(text, {reinterpret_cast<uint8_t*>(&text), sizeof text});
    if (arguments(1)) {
      auto below = std::make_shared<Position>();
      below->stream = add({InputStream::File, path(text)});
      openedFile(first, below);
    }
  }
}

void InputStreams::onReturn(std::string_view name, const VariableArguments& arguments,
                            std::optional<uint64_t> result) {
  bool succeeded = result && int64_t(*result) >= 0;
  if (succeeded && (name.starts_with("openat") || name.starts_with("__openat")))
    return opened(*result, {InputStream::File, path(word(arguments, 1))});
  if (succeeded && (name.starts_with("open") || name.starts_with("__open") || name.starts_with("creat")))
    return opened(*result, {InputStream::File, path(word(arguments, 0))});
  if (succeeded && (name == "socket" || name.starts_with("accept")))
    return opened(*result, {InputStream::Socket, fmt::format("socket {}", *result)});
  if (succeeded && name == "dup")
    return void(descriptors_[uint32_t(*result)] = descriptor(word(arguments, 0)));
  if (name == "dup2" || name == "dup3") {
    if (result && !succeeded) return;
    return void(descriptors_[uint32_t(word(arguments, 1))] = descriptor(word(arguments, 0)));
  }
  bool made = result && *result != 0;
  if (made && (name == "fopen" || name == "fopen64" || name == "freopen" || name == "freopen64")) {
    auto below = std::make_shared<Position>();
    std::string from = path(word(arguments, 0));
    bool isStandard = from == "/dev/stdin" || from == "/dev/fd/0";
    below->stream = add(isStandard ? InputStream{InputStream::StandardInput, "stdin"}
                                   : InputStream{InputStream::File, from});
    bool isStdin = name.starts_with("freopen") && word(arguments, 2) == standardFile();
    return openedFile(isStdin ? 0 : *result, below);
  }
  if (made && name == "fdopen") return openedFile(*result, descriptor(word(arguments, 0)));
  if (made && name == "popen") {
    auto below = std::make_shared<Position>();
    below->stream = add({InputStream::Pipe, "output of " + path(word(arguments, 0))});
    return openedFile(*result, below);
  }
  if (made && name == "fmemopen") {
    auto below = std::make_shared<Position>();
    below->stream = add({InputStream::Other, "a stream in memory"});
    return openedFile(*result, below);
  }
  if (succeeded && name.starts_with("fileno"))
    return void(descriptors_[uint32_t(*result)] = file(word(arguments, 0)).below);
  seek(name, arguments, result);
}

void InputStreams::seek(std::string_view name, const VariableArguments& arguments,
                        std::optional<uint64_t> result) {
  uint64_t handle = word(arguments, 0);
  auto to = [](Position& position, uint64_t offset) { position = {position.stream, offset, ""}; };
  if (name.starts_with("lseek")) {
    if (!result)
      forget(*descriptor(handle), "lseek moved it, and its result was not used");
    else if (int64_t(*result) >= 0)
      to(*descriptor(handle), *result);
    return;
  }
  if (name.starts_with("_ZNSi")) {
    auto it = files_.find(handle == symbol("_ZSt3cin") ? 0 : handle);
    if (it == files_.end()) return;
    std::optional<uint64_t>& offset = it->second.position.offset;
    if (name.starts_with("_ZNSi5seekg"))
      forget(it->second.position, "seekg moved it");
    else if (offset && *offset)
      --*offset;
    return;
  }
  bool isOther = name == "ungetc";
  if (!isOther && !name.starts_with("f") && name != "rewind") return;
  if (name.starts_with("fdopen") || name.starts_with("fopen") || name.starts_with("freopen") ||
      name == "fclose" || name == "fmemopen" || name.starts_with("fileno"))
    return;
  Buffered& f = file(isOther ? word(arguments, 1) : handle);
  Position& position = *read(f);
  int whence = int(word(arguments, 2));
  if (name == "rewind") return to(position, 0);
  if (name.starts_with("ftell")) {
    if (result && int64_t(*result) >= 0) to(position, *result);
  } else if (isOther) {
    if (position.offset && *position.offset && (!result || int64_t(*result) >= 0)) --*position.offset;
  } else if (result && *result != 0) {
    return; // it did not move
  } else if (name.starts_with("fseek") && whence == 0) {
    to(position, word(arguments, 1));
  } else if (name.starts_with("fseek") && whence == 1) {
    if (position.offset) *position.offset += word(arguments, 1);
  } else {
    forget(position, "it was moved relative to its end");
  }
}

} // namespace faultline::depend
