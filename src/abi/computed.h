/* Outside functions that only read memory, and whose result follows from what they read: replay computes it,
 * so the log need not tell. Plain C.
 *
 *   C(name, kind, parameters)       parameters: p pointer, l size, i int
 *
 * memcmp and its kin give the difference of the first bytes that differ, as the C library does on this
 * machine. The runtime looks at each call whether the shadow leads to the library's result; where it does
 * not, what was read goes to the log as EFFECT, or, where there is no shadow, the result as LOAD8.
 */
#ifndef FAULTLINE_ABI_COMPUTED_H
#define FAULTLINE_ABI_COMPUTED_H

enum fl_computed {
  FL_COMPUTED_NONE,
  FL_COMPUTED_MEMCMP,
  FL_COMPUTED_STRCMP,
  FL_COMPUTED_STRNCMP,
  FL_COMPUTED_STRLEN,
  FL_COMPUTED_MEMCHR,
  FL_COMPUTED_STRCHR,
  FL_COMPUTED_COUNT
};

/* A call that looks at more bytes than this is not computed: its result is in the log. */
#define FL_COMPUTED_MOST 0x4000000ul

#define FL_COMPUTED_FUNCTIONS(C)                                                                             \
  C(memcmp, FL_COMPUTED_MEMCMP, ppl)                                                                         \
  C(bcmp, FL_COMPUTED_MEMCMP, ppl)                                                                           \
  C(strcmp, FL_COMPUTED_STRCMP, pp)                                                                          \
  C(strncmp, FL_COMPUTED_STRNCMP, ppl)                                                                       \
  C(strlen, FL_COMPUTED_STRLEN, p)                                                                           \
  C(memchr, FL_COMPUTED_MEMCHR, pil)                                                                         \
  C(strchr, FL_COMPUTED_STRCHR, pi)

#endif
