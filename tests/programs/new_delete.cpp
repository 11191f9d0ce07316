// operator new and delete: failure with bad_alloc and nothrow, a new-handler, replaced global operators,
// class operators, placement new, over-aligned objects, array cookies, sized delete.
//
// builds: O0,O2
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

static long allocations, bytes;
void* operator new(size_t size) {
  ++allocations;
  bytes += long(size);
  for (;;) {
    if (size < size_t(1) << 40)
      if (void* p = std::malloc(size)) return p;
    auto handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}
void operator delete(void* p) noexcept {
  if (p) --allocations;
  std::free(p);
}
void operator delete(void* p, size_t) noexcept { operator delete(p); }

struct Pooled {
  static inline char pool[1024];
  static inline size_t used = 0;
  static void* operator new(size_t size) {
    void* p = pool + used;
    used += (size + 15) / 16 * 16;
    return p;
  }
  static void operator delete(void*) { used -= 16; }
  int a = 1, b = 2;
};
struct alignas(128) Aligned {
  char c[130] = "aligned";
};
struct Element {
  Element() : n(++count) {}
  ~Element() { sum += n; }
  int n;
  static inline int count = 0, sum = 0;
};

int main() {
  char* volatile huge = new (std::nothrow) char[size_t(1) << 45];
  std::printf("%d\n", huge == nullptr);
  try {
    std::vector<long> numbers;
    numbers.resize(size_t(1) << 50);
    std::puts("never");
  } catch (const std::bad_alloc& e) {
    std::printf("%s\n", e.what());
  }
  static int handled = 0;
  std::set_new_handler([] {
    if (++handled == 3) std::set_new_handler(nullptr);
  });
  try {
    huge = new char[size_t(1) << 41];
    delete[] huge;
  } catch (const std::bad_alloc&) {
    std::printf("handled %d\n", handled);
  }
  auto *p = new Pooled, *q = new Pooled;
  std::printf("%ld %d %zu ", long(reinterpret_cast<char*>(q) - Pooled::pool), p->a + q->b, Pooled::used);
  delete p;
  std::printf("%zu\n", Pooled::used);
  auto* aligned = new Aligned[3];
  std::printf("%d %s\n", int(reinterpret_cast<uintptr_t>(aligned) % 128), aligned[2].c);
  delete[] aligned;
  auto* elements = new Element[7];
  delete[] elements;
  alignas(std::string) unsigned char room[sizeof(std::string)];
  auto* s = new (room) std::string("placed here, but long enough for the heap anyway");
  *s += '!';
  std::printf("%d %zu\n", Element::sum, s->size());
  s->~basic_string();
  std::printf("%ld %d\n", allocations, bytes > 0);
}
