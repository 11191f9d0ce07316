// Bit-fields of all widths, packed and aligned structures, unions, flexible array members, arrays of
// structures reached through casts, offsetof and container-of.
//
// builds: O0,O2
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bits {
  unsigned a : 3;
  int b : 5;
  unsigned : 0;
  unsigned long c : 40;
  unsigned char d : 1, e : 7;
  _Bool f : 1;
  signed g : 17;
};
struct __attribute__((packed)) tight {
  char tag;
  int32_t value;
  uint16_t half : 11;
  double number;
  char tail[3];
};
struct list {
  struct list* next;
};
struct item {
  char text[5];
  struct list link;
};
struct flexible {
  int count;
  struct {
    short x;
    char y;
  } cells[];
};
union view {
  uint64_t whole;
  uint8_t bytes[8];
  struct {
    uint16_t low, second;
    uint32_t high;
  };
  float f;
};
struct big {
  int x : 31;
  struct {
    unsigned y : 9;
    union {
      char c[3];
      short s;
    };
  } inner[2];
} __attribute__((aligned(32)));

static unsigned hash(const void* data, size_t size) {
  unsigned h = 2166136261u;
  for (size_t i = 0; i < size; ++i) h = (h ^ ((const unsigned char*)data)[i]) * 16777619u;
  return h;
}

int main(void) {
  struct bits b;
  memset(&b, 0, sizeof b);
  for (int i = 0; i < 40; ++i) {
    b.a += 3, b.b -= 5, b.c = b.c * 7 + (unsigned)i, b.d ^= 1, b.e += b.a, b.f = b.b < 0, b.g = b.g * 3 + b.e;
  }
  printf("%u %d %lu %d %d %d %d %u\n", b.a, b.b, (unsigned long)b.c, b.d, b.e, b.f, b.g, hash(&b, sizeof b));
  struct tight t[3];
  memset(t, 0, sizeof t);
  for (int i = 0; i < 3; ++i) {
    t[i].tag = (char)('a' + i), t[i].value = 1 << (i * 9), t[i].half = (uint16_t)(3000 * i),
    t[i].number = i / 4.0;
    memcpy(t[i].tail, &t[i].value, 3);
  }
  int32_t* unaligned = &t[1].value;
  *unaligned += 77;
  printf("%zu %u %d %u\n", sizeof t, hash(t, sizeof t), t[1].value, t[1].half);
  struct item items[4];
  struct list* head = 0;
  for (int i = 0; i < 4; ++i) {
    snprintf(items[i].text, 5, "i%d", i * 11);
    items[i].link.next = head;
    head = &items[i].link;
  }
  for (struct list* l = head; l; l = l->next)
    printf("%s ", ((struct item*)((char*)l - offsetof(struct item, link)))->text);
  struct flexible* f = calloc(1, sizeof *f + 10 * sizeof f->cells[0]);
  for (f->count = 0; f->count < 10; ++f->count)
    f->cells[f->count].x = (short)(f->count * 1000), f->cells[f->count].y = (char)-f->count;
  printf("%u\n", hash(f, sizeof *f + 10 * sizeof f->cells[0]));
  free(f);
  union view v = {.whole = 0x1122334455667788};
  v.bytes[2] ^= 0xff, v.second += 3, v.high >>= 4;
  printf("%lx ", (unsigned long)v.whole);
  v.f = -2.5f;
  printf("%lx\n", (unsigned long)v.whole);
  struct big g = {.x = -5, .inner = {{.y = 300, .s = 0x4142}, {.c = "xyz"}}},
             *heap = aligned_alloc(32, sizeof g * 2);
  heap[0] = g, heap[1] = heap[0];
  heap[1].inner[0] = heap[0].inner[1], heap[1].x *= 1000;
  printf("%d %u %.3s %.2s %d %zu\n", heap[1].x, heap[0].inner[0].y, heap[1].inner[0].c, heap[0].inner[0].c,
         (int)((uintptr_t)heap % 32), sizeof g);
  free(heap);
  return 0;
}
