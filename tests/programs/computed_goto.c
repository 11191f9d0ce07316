// A bytecode interpreter that jumps through a table of labels, one table of label differences among them.
//
// args: 12
// builds: O0,O2,nopie
#include <stdio.h>
#include <stdlib.h>

enum { Push, Add, Mul, Dup, Swap, Sub, JumpIf, Pop, Print, Halt };

static long run(const short* code, long input) {
  static void* const labels[] = {&&push, &&add,    &&mul, &&dup,   &&swap,
                                 &&sub,  &&jumpIf, &&pop, &&print, &&halt};
  static const int offsets[] = {&&push - &&push,  &&add - &&push, &&mul - &&push,    &&dup - &&push,
                                &&swap - &&push,  &&sub - &&push, &&jumpIf - &&push, &&pop - &&push,
                                &&print - &&push, &&halt - &&push};
  long stack[32], *top = stack, steps = 0, t;
  const short* at = code;
  *top = input;
#define NEXT                                                                                                 \
  do {                                                                                                       \
    ++steps;                                                                                                 \
    if (steps & 1) goto* labels[*at++];                                                                      \
    goto*(&&push + offsets[*at++]);                                                                          \
  } while (0)
  NEXT;
push:
  *++top = *at++;
  NEXT;
add:
  --top, *top += top[1];
  NEXT;
mul:
  --top, *top *= top[1];
  NEXT;
dup:
  ++top, *top = top[-1];
  NEXT;
swap:
  t = *top, *top = top[-1], top[-1] = t;
  NEXT;
sub:
  --top, *top -= top[1];
  NEXT;
jumpIf:
  t = *at++;
  if (*top) at = code + t;
  NEXT;
pop:
  --top;
  NEXT;
print:
  printf("%ld ", *top);
  NEXT;
halt:
  printf("after %ld\n", steps);
  return *top;
}

int main(int argc, char** argv) {
  static const short factorial[] = {Push, 1, Swap, /*3*/ Dup, Push, 3,    Sub, Pop, Swap,   Push, 2,   Mul,
                                    Push, 7, Sub,  Print,     Swap, Push, 1,   Sub, JumpIf, 3,    Pop, Halt};
  long r = run(factorial, argc > 1 ? atol(argv[1]) : 5);
  printf("%ld\n", r);
  return 0;
}
