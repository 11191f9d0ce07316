/* What the runtime asks of the recorder while the program runs. Plain C.
 *
 * A socket of kind SOCK_SEQPACKET with a name in the abstract name space, so that no descriptor has to stay
 * open in a program that may close all it finds. A connection is one fl_request and one fl_answer, each
 * perhaps with a path behind it, in one message; the socket's name and the token stand in fl_state.
 */
#ifndef FAULTLINE_ABI_CONTROL_H
#define FAULTLINE_ABI_CONTROL_H
#include <stdint.h>

#define FL_CONTROL_NAME "faultline-" /* followed by fl_state.control in 16 hexadecimal digits */
#define FL_CONTROL_PATH 4096         /* bytes of a path at most, without a zero at its end */

enum fl_request_kind {
  /* A child was forked: a log of its own, which begins with the first `buffers` buffers of its parent's. The
   * answer carries the descriptor of its shared memory. */
  FL_REQUEST_CHILD = 1,
  /* The program opens the shared object whose path follows. The answer is the path of its record variant. */
  FL_REQUEST_OBJECT = 2,
};

typedef struct fl_request {
  uint64_t token;
  uint32_t kind;
  uint32_t stream;  /* fl_state.stream of who asks; CHILD: of its parent */
  uint32_t buffers; /* CHILD */
  uint32_t number;  /* CHILD: its parent's n-th, from 1 */
} fl_request;

typedef struct fl_answer {
  uint32_t granted;
  uint32_t reserved;
} fl_answer;

#endif
