/* The memory that instrumented code, its runtime and the recorder share. Plain C.
 *
 * It lies at one fixed low address in every recorded process, so that instrumented code reaches it with an
 * absolute 32-bit displacement from any shared object, and it is shared memory, so that the recorder still
 * holds it after the process was killed. One thread at a time runs instrumented code, so nothing here is
 * per thread: the runtime swaps the thread's part when the turn passes on.
 *
 *   FL_EPOCH_ADDRESS   a page of its own with the epoch counter. The runtime takes write access away to stop
 *                      the program at its next epoch point (a pending signal, the end of a turn); the
 *                      counter itself costs one add and no test.
 *   FL_STATE_ADDRESS   struct fl_state
 *   FL_LOG_ADDRESS     FL_LOG_BUFFERS buffers of FL_LOG_BUFFER_SIZE bytes, filled in turn
 *
 * An epoch begins at each function entry, at each target of a retreating edge (loop header), and after each
 * return of a setjmp, the first as well as later ones (CallKind::SetJmp: an epoch point right behind the
 * call). Within one epoch no instruction is executed twice, so (epoch, instruction) names an instance.
 */
#ifndef FAULTLINE_ABI_STATE_H
#define FAULTLINE_ABI_STATE_H
#include <stdint.h>

#define FL_ABI_VERSION 6

#define FL_EPOCH_ADDRESS 0x7e000000ul
#define FL_STATE_ADDRESS 0x7e001000ul
#define FL_LOG_ADDRESS 0x7e010000ul
#define FL_LOG_BUFFER_SIZE 0x100000ul
#define FL_LOG_BUFFERS 16u
#define FL_SHARED_SIZE (FL_LOG_ADDRESS - FL_EPOCH_ADDRESS + FL_LOG_BUFFERS * FL_LOG_BUFFER_SIZE)

/* The shadow of byte A, the value that instrumented code last stored or loaded there, lies at
 * (A ^ FL_SHADOW_XOR) + FL_SHADOW_ADD. The addition keeps A and its shadow out of the same cache set. */
#define FL_SHADOW_XOR 0x500000000000ul
#define FL_SHADOW_ADD 0x15840ul

/* Local variables whose address matters lie on the frame stack, apart from the machine's own stack, so that
 * replay can compute their addresses. It grows down, as the machine's does. Each frame of a function with an
 * array ends (towards its caller) in a guard word that is checked on return. */
#define FL_FRAME_STACK_ADDRESS 0x7c0000000000ul /* top for the first thread */
/* 64 MiB, or that and some strides more for a thread that asks for a larger stack; the lowest page is
 * inaccessible. Each top, and so each end, is some strides below the first. */
#define FL_FRAME_STACK_SIZE 0x4000000ul
#define FL_FRAME_STACK_STRIDE 0x8000000ul
#define FL_FRAME_GUARD 0x9d3ab6e7f105c200ul

#define FL_EXT_ROOT 1ul /* `ext` before any instrumented code ran on this thread */

typedef struct fl_state {
  uint64_t ext;       /* 0: instrumented code runs. Else the thread is outside: call site's id + 2, or ROOT */
  uint64_t frame_top; /* frame stack pointer of the running thread */
  uint8_t* log_position; /* next free byte of the current buffer */
  uint8_t* log_limit;    /* end of the current buffer */
  uint64_t log_epoch;    /* epoch of the last record that carried one */
  uint32_t thread;       /* number of the running thread, from 0 in order of creation */
  uint32_t flags;        /* enum fl_state_flags */
  /* The ring: buffers [consumed, produced) are full and wait for the recorder; the buffer numbered
   * `produced` (modulo FL_LOG_BUFFERS) is being filled. Both only grow; futex words. */
  uint32_t produced;
  uint32_t consumed;
  uint32_t version; /* FL_ABI_VERSION, written by the recorder, checked by the runtime */
  uint32_t ended;   /* the runtime has written its last record */
  uint64_t records; /* statistics */
  /* How to reach the recorder (abi/control.h), written by it; 0: not at all. */
  uint64_t control;
  uint64_t token;
  uint32_t stream; /* which of the recorded processes this is, from 0 */
  uint32_t forks;  /* children that this process has split off */
  /* Where nobody else can tell the recorder: how the process ended, as waitpid would say it (once `ended`),
   * and whether it is about to replace itself by another program. */
  uint32_t wait_status;
  uint32_t execs;
  /* Threads that lost their turn while they slept in an outside call and have not come back from it.
   * Instrumented code looks at it behind each outside call: who may be one of them asks for the turn first
   * (fl_unblock). */
  uint32_t robbed;
  uint32_t fault_signal; /* that ended the program, 0: none; with the machine's program counter */
  uint64_t fault_counter;
  uint64_t fault_instruction; /* global id + 1, if it was in a copy that asks (below); else 0 */
  /* Of an alter variant. Its epoch counter holds epoch - epoch_bias: it comes to 0, and is noticed, where the
   * epoch `epoch_bias` begins. While bit FL_ARMED_BIT(id) of `armed` is set, an instance that may be altered
   * asks first: a copy runs of the straight piece of code that it is in (compiler/ir/pieces.h). There is one
   * bit for several that lie together. */
  uint64_t epoch_bias;
  uint32_t armed;
  uint32_t world_pid;   /* which number the process believes it has; 0: its own */
  uint64_t world_clock; /* nanoseconds since 1970 at its start; 0: as the machine has it */
  int32_t experiment;   /* descriptor of the memory shared with who makes experiments; 0: none;
                         FL_EXPERIMENT_INSIDE (abi/experiment.h) */
  /* In such a copy: local id + 1 of the last instruction that could fault; else 0. */
  uint32_t asking;
  struct fl_module* asking_module;
  void* store_at; /* where the store that asked last shall go */
  /* Written by the recorder: right behind this epoch the run ends as if its time were over; 0: it does not.
   */
  uint64_t last_epoch;
  /* In such a copy, behind a load: not 0: the function is left, and returns `left_with`. */
  uint64_t leaves;
  uint64_t left_with;
  /* With a given clock: how many random numbers the run has drawn, and files of them opened. */
  uint64_t world_random, world_files;
} fl_state;

enum fl_state_flags {
  FL_FLAG_OFF = 1,      /* nobody listens: records are dropped (a forked child left alone) */
  FL_FLAG_THREADED = 2, /* a second thread has been started */
  FL_FLAG_CHILDREN = 4, /* set by the recorder: forked children are to be recorded too */
  FL_FLAG_DROP = 8,     /* set by who runs an experiment: only the state is looked at, never the log */
};

#define FL_ARMED_STRIDE 16u
#define FL_ARMED_BIT(id) (1u << ((id) / FL_ARMED_STRIDE % 32u))
/* A module's base is a multiple of it, so local and global id agree on the bit. */
#define FL_MODULE_ALIGN (FL_ARMED_STRIDE * 32u)

/* One per instrumented object file; the object registers it before any of its code runs. */
typedef struct fl_module {
  uint64_t hash;         /* of the IR record it was made from */
  uint32_t instructions; /* how many local ids it uses */
  uint32_t symbol_count;
  void* const* symbols; /* addresses of the module's symbols in FIR order; 0 where unresolved */
  const uint64_t*
      sizes;     /* bytes of initialised data whose shadow must be set at start; 0 for code and zeros */
  uint32_t base; /* set by the runtime: global id = base + local id; a multiple of FL_MODULE_ALIGN */
  uint32_t reserved;
} fl_module;

/* Word before the entry of every instrumented function, so that an indirect call can tell it from others. */
#define FL_FUNCTION_MAGIC 0xf17a9e2bu

#endif
