// Functions and data in sections of their own, unused ones removed by the linker, and a table that the
// linker makes of all entries in one section.
//
// builds: sections,O2
#include <stdio.h>

struct command {
  const char* name;
  int (*run)(int);
  long padding;
};
#define COMMAND(n, body)                                                                                     \
  static int run_##n(int v) { return body; }                                                                 \
  __attribute__((section("commands"), used)) static const struct command command_##n = {#n, run_##n,         \
                                                                                        __LINE__ * 0}

COMMAND(add, v + 5);
COMMAND(multiply, v * 3);
COMMAND(invert, -v);
extern const struct command __start_commands[], __stop_commands[];

int neverCalled(int v) { return v + 1000; }
int neverRead[1000] = {1};
__attribute__((section("special_text"))) int special(int v) { return v ^ 0x55; }
__attribute__((section("special_data"))) int specialData[3] = {1, 2, 3};

int main(void) {
  int v = 7, n = 0;
  for (const struct command* c = __start_commands; c < __stop_commands; ++c) {
    v = c->run(v);
    n += c->name[0];
  }
  printf("%d %d %d %d\n", v, n, special(v), specialData[1] + specialData[2]);
  return 0;
}
