#include "replay/memory.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace faultline::replay {

// The table has four levels; the lowest nodes hold pages. 47 - 12 = 8 + 9 + 9 + 9 bits.
struct Memory::Page {
  uint64_t references;
  alignas(64) uint8_t bytes[kPageSize];
};
struct Memory::Node {
  uint64_t references;
  void* children[512];
};

namespace {
constexpr unsigned kLevels = 4;
constexpr unsigned indexAt(uint64_t address, unsigned level) { // level 0: the lowest
  return unsigned(address >> (kPageShift + 9 * level)) & 511;
}
alignas(64) const uint8_t kZeroPage[kPageSize] = {};
} // namespace

struct Memory::Pool {
  uint64_t limit = 0;
  uint64_t used = 0;
  std::vector<Page*> spare; // pages given back, at most a few

  ~Pool() {
    for (Page* p : spare) delete p;
  }
  Page* newPage() {
    used += sizeof(Page);
    if (spare.empty()) return new Page;
    Page* p = spare.back();
    spare.pop_back();
    return p;
  }
  void drop(Page* p) {
    if (--p->references) return;
    used -= sizeof(Page);
    if (spare.size() < 256)
      spare.push_back(p);
    else
      delete p;
  }
  Node* newNode() {
    used += sizeof(Node);
    return new Node{1, {}};
  }
  void drop(Node* n, unsigned level) {
    if (--n->references) return;
    for (void* child : n->children)
      if (child) level ? drop(static_cast<Node*>(child), level - 1) : drop(static_cast<Page*>(child));
    used -= sizeof(Node);
    delete n;
  }
  Node* cloneNode(Node* n, unsigned level) {
    Node* copy = newNode();
    for (unsigned k = 0; k < 512; ++k) {
      void* child = copy->children[k] = n->children[k];
      if (child) ++(level ? static_cast<Node*>(child)->references : static_cast<Page*>(child)->references);
    }
    drop(n, level);
    return copy;
  }
};

Memory::Memory(uint64_t limitBytes) : pool_(std::make_shared<Pool>()) {
  pool_->limit = limitBytes;
  root_ = pool_->newNode();
  forget(read_);
  forget(write_);
}
Memory::~Memory() { pool_->drop(root_, kLevels - 1); }

// An entry that matches nothing: its page belongs to the neighbouring index.
void Memory::forget(std::array<Entry, kEntries>& table) {
  for (unsigned k = 0; k < kEntries; ++k) table[k] = {uint64_t(k ^ 1) << kPageShift, nullptr};
}

Memory::Snapshot Memory::snapshot() {
  forget(write_); // the next write to a page must see that it is shared
  ++root_->references;
  return Snapshot(pool_, root_);
}

void Memory::restore(const Snapshot& snapshot) {
  ++snapshot.root_->references;
  pool_->drop(root_, kLevels - 1);
  root_ = snapshot.root_;
  forget(read_);
  forget(write_);
  error_ = MemoryError::None;
}

bool Memory::fail(MemoryError error, uint64_t address) {
  error_ = error;
  errorAddress_ = address;
  return false;
}

const Memory::Page* Memory::findPage(uint64_t address) const {
  const Node* n = root_;
  for (unsigned level = kLevels - 1; level > 0 && n; --level)
    n = static_cast<const Node*>(n->children[indexAt(address, level)]);
  return n ? static_cast<const Page*>(n->children[indexAt(address, 0)]) : nullptr;
}

bool Memory::isPresent(uint64_t address) const { return address < kAddressLimit && findPage(address); }

const uint8_t* Memory::readPage(uint64_t address) {
  if (address >= kAddressLimit) return fail(MemoryError::BadAddress, address), nullptr;
  const Page* p = findPage(address);
  const uint8_t* host = p ? p->bytes : kZeroPage;
  // Never written through: the read table is only read.
  read_[(address >> kPageShift) & (kEntries - 1)] = {address & ~(kPageSize - 1), const_cast<uint8_t*>(host)};
  return host;
}

void*& Memory::slotFor(Pool& pool, Node*& root, uint64_t address) {
  if (root->references > 1) root = pool.cloneNode(root, kLevels - 1);
  Node* n = root;
  for (unsigned level = kLevels - 1; level > 0; --level) {
    void*& slot = n->children[indexAt(address, level)];
    Node* child = static_cast<Node*>(slot);
    if (!child)
      child = pool.newNode();
    else if (child->references > 1)
      child = pool.cloneNode(child, level - 1);
    slot = n = child;
  }
  return n->children[indexAt(address, 0)];
}

uint8_t* Memory::writePage(uint64_t address) {
  if (address >= kAddressLimit) return fail(MemoryError::BadAddress, address), nullptr;
  if (pool_->used >= pool_->limit) return fail(MemoryError::LimitReached, address), nullptr;
  void*& slot = slotFor(*pool_, root_, address);
  Page* p = static_cast<Page*>(slot);
  if (!p || p->references > 1) {
    Page* fresh = pool_->newPage();
    fresh->references = 1;
    std::memcpy(fresh->bytes, p ? p->bytes : kZeroPage, kPageSize);
    if (p) pool_->drop(p);
    slot = p = fresh;
  }
  Entry entry{address & ~(kPageSize - 1), p->bytes};
  read_[(address >> kPageShift) & (kEntries - 1)] = entry;
  write_[(address >> kPageShift) & (kEntries - 1)] = entry;
  return p->bytes;
}

bool Memory::read(uint64_t address, void* bytes, uint64_t size) {
  if (isOutside(address, size)) return fail(MemoryError::BadAddress, address);
  auto* out = static_cast<uint8_t*>(bytes);
  while (size) {
    uint64_t offset = address & (kPageSize - 1), part = std::min(size, kPageSize - offset);
    const uint8_t* page = readHost(address);
    if (!page) return false;
    std::memcpy(out, page + offset, part);
    out += part, address += part, size -= part;
  }
  return true;
}

bool Memory::write(uint64_t address, const void* bytes, uint64_t size) {
  if (isOutside(address, size)) return fail(MemoryError::BadAddress, address);
  auto* in = static_cast<const uint8_t*>(bytes);
  while (size) {
    uint64_t offset = address & (kPageSize - 1), part = std::min(size, kPageSize - offset);
    uint8_t* page = writeHost(address);
    if (!page) return false;
    std::memcpy(page + offset, in, part);
    in += part, address += part, size -= part;
  }
  return true;
}

bool Memory::fill(uint64_t address, uint8_t byte, uint64_t size) {
  if (isOutside(address, size)) return fail(MemoryError::BadAddress, address);
  while (size) {
    uint64_t offset = address & (kPageSize - 1), part = std::min(size, kPageSize - offset);
    uint8_t* page = writeHost(address);
    if (!page) return false;
    std::memset(page + offset, byte, part);
    address += part, size -= part;
  }
  return true;
}

// Pieces that cross no page on either side, from the end that the overlap allows.
bool Memory::copy(uint64_t destination, uint64_t source, uint64_t size) {
  if (size == 0) return true;
  if (isOutside(source, size)) return fail(MemoryError::BadAddress, source);
  if (isOutside(destination, size)) return fail(MemoryError::BadAddress, destination);
  constexpr uint64_t mask = kPageSize - 1;
  bool backwards = destination > source && destination - source < size;
  for (uint64_t left = size; left;) {
    uint64_t to = destination + size - left, from = source + size - left, part;
    if (backwards) {
      uint64_t toEnd = destination + left, fromEnd = source + left;
      part = std::min({left, ((toEnd - 1) & mask) + 1, ((fromEnd - 1) & mask) + 1});
      to = toEnd - part;
      from = fromEnd - part;
    } else {
      part = std::min({left, kPageSize - (to & mask), kPageSize - (from & mask)});
    }
    // In this order: a page that is copied because it is written must be read from its copy.
    uint8_t* in = writeHost(to);
    const uint8_t* out = in ? readHost(from) : nullptr;
    if (!out) return false;
    std::memmove(in + (to & mask), out + (from & mask), part);
    left -= part;
  }
  return true;
}

void Memory::walk(const Node* n, unsigned level, uint64_t address,
                  const std::function<void(uint64_t, const uint8_t*)>& visit) {
  for (uint64_t k = 0; k < 512; ++k) {
    if (!n->children[k]) continue;
    uint64_t at = address | (k << (kPageShift + 9 * level));
    if (level)
      walk(static_cast<const Node*>(n->children[k]), level - 1, at, visit);
    else
      visit(at, static_cast<const Page*>(n->children[k])->bytes);
  }
}

void Memory::forEachPage(const std::function<void(uint64_t, const uint8_t*)>& visit) const {
  walk(root_, kLevels - 1, 0, visit);
}

Memory::SharedPage Memory::makePage(const uint8_t* bytes) {
  Page* page = pool_->newPage();
  page->references = 1;
  std::memcpy(page->bytes, bytes, kPageSize);
  return SharedPage(pool_, page);
}

Memory::Snapshot Memory::assemble(std::span<const PlacedPage> pages) {
  Snapshot made(pool_, pool_->newNode());
  for (const PlacedPage& p : pages) {
    ++p.page->page_->references;
    slotFor(*pool_, made.root_, p.address) = p.page->page_;
  }
  return made;
}

uint64_t Memory::bytesInUse() const { return pool_->used; }
uint64_t Memory::limit() const { return pool_->limit; }

Memory::Snapshot::Snapshot(std::shared_ptr<Pool> pool, Node* root) : pool_(std::move(pool)), root_(root) {}
Memory::Snapshot::Snapshot(const Snapshot& other) : pool_(other.pool_), root_(other.root_) {
  if (root_) ++root_->references;
}
Memory::Snapshot::Snapshot(Snapshot&& other) noexcept
    : pool_(std::move(other.pool_)), root_(std::exchange(other.root_, nullptr)) {}
Memory::Snapshot& Memory::Snapshot::operator=(Snapshot other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(root_, other.root_);
  return *this;
}
Memory::Snapshot::~Snapshot() {
  if (root_) pool_->drop(root_, kLevels - 1);
}
void Memory::Snapshot::forEachPage(const std::function<void(uint64_t, const uint8_t*)>& visit) const {
  if (root_) walk(root_, kLevels - 1, 0, visit);
}

Memory::SharedPage::SharedPage(std::shared_ptr<Pool> pool, Page* page)
    : pool_(std::move(pool)), page_(page) {}
Memory::SharedPage::SharedPage(SharedPage&& other) noexcept
    : pool_(std::move(other.pool_)), page_(std::exchange(other.page_, nullptr)) {}
Memory::SharedPage& Memory::SharedPage::operator=(SharedPage&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(page_, other.page_);
  return *this;
}
Memory::SharedPage::~SharedPage() {
  if (page_) pool_->drop(page_);
}

} // namespace faultline::replay
