// The memory of the replayed program: what instrumented code last stored or loaded at each address, as the
// recorded run's shadow held it. Pages appear zero-filled when they are first written. A snapshot costs
// O(1): pages and the nodes of the page table are shared and copied when one side writes.
//
// No guest address ever becomes a host address without a page behind it. Hot accesses go through two
// direct-mapped tables of pages, one for reading and one for writing: one subtraction and one comparison,
// which also sends accesses that cross a page to the slow path.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>

namespace faultline::replay {

inline constexpr unsigned kPageShift = 12;
inline constexpr uint64_t kPageSize = uint64_t(1) << kPageShift;
inline constexpr uint64_t kAddressLimit = uint64_t(1) << 47; // user space ends here

enum class MemoryError : uint8_t { None, BadAddress, LimitReached };

class Memory {
public:
  explicit Memory(uint64_t limitBytes = uint64_t(4) << 30);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // One state of the memory; copying it is cheap.
  class Snapshot;
  Snapshot snapshot();
  void restore(const Snapshot& snapshot);

  // A page by itself, for states that come from elsewhere: those that hold the same one share it.
  class SharedPage;
  SharedPage makePage(const uint8_t* bytes);
  struct PlacedPage {
    uint64_t address; // below kAddressLimit, at the start of a page; each only once
    const SharedPage* page;
  };
  Snapshot assemble(std::span<const PlacedPage> pages);

  // False: not in the table of hot pages, or across a page: use load and store, read and write.
  template <class T> [[gnu::always_inline]] bool loadFast(uint64_t address, T& value) const {
    const Entry& e = read_[(address >> kPageShift) & (kEntries - 1)];
    uint64_t offset = address - e.page;
    if (offset > kPageSize - sizeof(T)) return false;
    std::memcpy(&value, e.host + offset, sizeof(T));
    return true;
  }
  template <class T> [[gnu::always_inline]] bool storeFast(uint64_t address, T value) {
    const Entry& e = write_[(address >> kPageShift) & (kEntries - 1)];
    uint64_t offset = address - e.page;
    if (offset > kPageSize - sizeof(T)) return false;
    std::memcpy(e.host + offset, &value, sizeof(T));
    return true;
  }

  // False: see error(). Little-endian, any alignment.
  template <class T> bool load(uint64_t address, T& value) {
    return loadFast(address, value) || read(address, &value, sizeof(T));
  }
  template <class T> bool store(uint64_t address, T value) {
    return storeFast(address, value) || write(address, &value, sizeof(T));
  }
  bool read(uint64_t address, void* bytes, uint64_t size);
  bool write(uint64_t address, const void* bytes, uint64_t size);
  bool copy(uint64_t destination, uint64_t source, uint64_t size); // memmove
  bool fill(uint64_t address, uint8_t byte, uint64_t size);

  // True if something was ever written to the page of this address.
  bool isPresent(uint64_t address) const;
  // In order of addresses.
  void forEachPage(const std::function<void(uint64_t address, const uint8_t* bytes)>& visit) const;

  MemoryError error() const { return error_; }
  uint64_t errorAddress() const { return errorAddress_; }
  void clearError() { error_ = MemoryError::None; }
  // Pages and table nodes that this memory and all its snapshots hold, in bytes.
  uint64_t bytesInUse() const;
  uint64_t limit() const;

  // Hosts of a page, for handlers: null with error() set. The write host is private to this memory.
  const uint8_t* readPage(uint64_t address);
  uint8_t* writePage(uint64_t address);

private:
  const uint8_t* readHost(uint64_t address) { // of its page
    const Entry& e = read_[(address >> kPageShift) & (kEntries - 1)];
    return address - e.page < kPageSize ? e.host : readPage(address);
  }
  uint8_t* writeHost(uint64_t address) {
    const Entry& e = write_[(address >> kPageShift) & (kEntries - 1)];
    return address - e.page < kPageSize ? e.host : writePage(address);
  }

  static constexpr unsigned kEntries = 1024;
  struct Entry {
    uint64_t page;
    uint8_t* host;
  };
  struct Page;
  struct Node;
  struct Pool;

  void forget(std::array<Entry, kEntries>& table);
  // The slot of a page's pointer in a table whose nodes are made or copied where they are shared.
  static void*& slotFor(Pool& pool, Node*& root, uint64_t address);
  static void walk(const Node* n, unsigned level, uint64_t address,
                   const std::function<void(uint64_t, const uint8_t*)>& visit);
  const Page* findPage(uint64_t address) const;
  bool fail(MemoryError error, uint64_t address);
  static bool isOutside(uint64_t address, uint64_t size) {
    return address >= kAddressLimit || size > kAddressLimit - address;
  }

  std::array<Entry, kEntries> read_, write_;
  std::shared_ptr<Pool> pool_;
  Node* root_;
  MemoryError error_ = MemoryError::None;
  uint64_t errorAddress_ = 0;
};

class Memory::Snapshot {
public:
  Snapshot() = default;
  Snapshot(const Snapshot& other);
  Snapshot(Snapshot&& other) noexcept;
  Snapshot& operator=(Snapshot other) noexcept;
  ~Snapshot();

  // In order of addresses. The bytes stay where they are, and as they are, while the snapshot lives.
  void forEachPage(const std::function<void(uint64_t address, const uint8_t* bytes)>& visit) const;

private:
  friend class Memory;
  Snapshot(std::shared_ptr<Pool> pool, Node* root);
  std::shared_ptr<Pool> pool_;
  Node* root_ = nullptr;
};

class Memory::SharedPage {
public:
  SharedPage() = default;
  SharedPage(SharedPage&& other) noexcept;
  SharedPage& operator=(SharedPage&& other) noexcept;
  ~SharedPage();
  explicit operator bool() const { return page_ != nullptr; }

private:
  friend class Memory;
  SharedPage(std::shared_ptr<Pool> pool, Page* page);
  std::shared_ptr<Pool> pool_;
  Page* page_ = nullptr;
};

} // namespace faultline::replay
