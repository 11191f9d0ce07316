/* The memory that a server of experiments (an alter variant that walks its run and makes experiments on the
 * way) shares with who asks for them. Plain C.
 *
 * The asker fills in `experiments` in the order of their starts and raises `ready`; the server walks the
 * run, and at the beginning of the epoch `start` of each takes a snapshot, alters, runs on, writes how it
 * ended, goes back to the snapshot, and raises `finished`. Both words are futexes and only grow.
 *
 *   | fl_experiments | experiments[capacity] | alterations[...] | data ... | streams |
 *
 * All places in it are offsets from its start.
 */
#ifndef FAULTLINE_ABI_EXPERIMENT_H
#define FAULTLINE_ABI_EXPERIMENT_H
#include "abi/state.h"

#include <stdint.h>

#define FL_EXPERIMENT_VERSION 13
#define FL_EXPERIMENT_ADDRESS 0x620000000000ul
/* A process that is made for one experiment has it behind fl_state, in the memory it shares anyway
 * (fl_state.experiment is FL_EXPERIMENT_INSIDE). It alters, and ends as it ends: nothing is taken back. */
#define FL_EXPERIMENT_INSIDE (-1)
#define FL_INSIDE_ADDRESS (FL_STATE_ADDRESS + 0x1000ul)
#define FL_INSIDE_SIZE (FL_LOG_ADDRESS - FL_INSIDE_ADDRESS)
#define FL_INSIDE_VISITED 2048 /* entries of `visited`, at its end */
/* What the server keeps for itself: never rolled back. */
#define FL_SERVER_ADDRESS 0x610000000000ul

enum fl_alteration_kind {
  FL_ALTER_SWITCH = 0,
  FL_ALTER_SWITCH_TO = 1,
  FL_ALTER_VALUE = 2,
  FL_ALTER_MEMORY = 3,
  FL_ALTER_SKIP = 4,
  FL_ALTER_CHANGE = 5, /* computed otherwise: `change`, by `value` */
  FL_ALTER_THREAD = 6, /* where the epoch begins, the thread `value` gets the turn, if it can go on */
  FL_ALTER_ADD = 7,    /* before it, `value` is added to the number of `size` bytes at `address` */
  /* If `test` holds of what a load has read and `address`, the function that it is in returns `value`. */
  FL_ALTER_LEAVE = 8,
  /* Before it a statement is executed that is not there: the steps that `bytes` has (fl_step). */
  FL_ALTER_STATEMENT = 9,
  /* The instance reads from variable `address` of those that such a statement uses, or, if `value` is 1,
   * assigns to it. What the statement assigned is read until the variable is assigned to again. */
  FL_ALTER_VARIABLE = 10,
};

/* A step of a statement that is not there: it takes words from a stack, and puts its result there. */
enum fl_step_kind {
  FL_STEP_NUMBER = 0, /* `number` */
  /* Address of the module's symbol `number`. A function that is only called has none there: it is looked up
   * by its name, `size` bytes behind the first step. */
  FL_STEP_SYMBOL = 1,
  FL_STEP_FRAME = 2,    /* `number` behind where the frame of the function begins */
  FL_STEP_VARIABLE = 3, /* what variable `number` holds; not known yet: the statement is left */
  FL_STEP_LOAD = 4,     /* `size` bytes at an address */
  FL_STEP_COMPUTE = 5,  /* fl_operation `number` of two words; `size`: bits of an operand */
  FL_STEP_CALL = 6,     /* function and `number` arguments; `size`: bits of the result */
  FL_STEP_STORE = 7,    /* address, value of `size` bytes */
  FL_STEP_ASSIGN = 8,   /* a value to variable `number` */
  FL_STEP_END = 9,      /* names stand behind it */
};
typedef struct fl_step {
  uint32_t kind, size;
  uint64_t number;
} fl_step;
#define FL_MOST_VARIABLES 8
#define FL_MOST_STACKED 16 /* words */
#define FL_MOST_ARGUMENTS 6

/* How an instruction computes otherwise than it is written. */
enum fl_change {
  FL_CHANGE_ADD = 0,       /* its result, and `value` */
  FL_CHANGE_NOT = 1,       /* 1 if its result is 0, else 0 */
  FL_CHANGE_NEGATE = 2,    /* minus its result */
  FL_CHANGE_OPERATION = 3, /* another operation on the same operands: `value` is an fl_operation */
  FL_CHANGE_LEFT = 4,      /* its left operand */
  FL_CHANGE_RIGHT = 5,
  FL_CHANGE_SWAP = 6,     /* with its operands exchanged */
  FL_CHANGE_SET_LEFT = 7, /* as if its left operand were `value` */
  FL_CHANGE_SET_RIGHT = 8,
};

/* What an instruction with operands does, where it asks whether to be altered. */
enum fl_operation {
  FL_OPERATION_ADD,
  FL_OPERATION_SUB,
  FL_OPERATION_MUL,
  FL_OPERATION_UDIV,
  FL_OPERATION_SDIV,
  FL_OPERATION_UREM,
  FL_OPERATION_SREM,
  FL_OPERATION_SHL,
  FL_OPERATION_LSHR,
  FL_OPERATION_ASHR,
  FL_OPERATION_AND,
  FL_OPERATION_OR,
  FL_OPERATION_XOR,
  FL_OPERATION_FADD,
  FL_OPERATION_FSUB,
  FL_OPERATION_FMUL,
  FL_OPERATION_FDIV,
  FL_OPERATION_ZEXT, /* of the left operand */
  FL_OPERATION_SEXT,
  FL_OPERATION_COMPARE = 64, /* + LLVM's number of the predicate, of integers and floats */
};

/* A slot of its own: which of the others (program/other_operands.h) a load shall have read, from 1 on. */
#define FL_SLOT_OTHER 0xffffu
/* Of a store or a call, which ask several times: what is done before it, once. */
#define FL_SLOT_BEFORE 0xfffeu

/* What fl_alter_load is told: bytes, whether they may differ from the shadow, how many others there are, and
 * of each whether it is an address, or none. */
#define FL_LOAD_SIZE(how) ((how) & 15u)
#define FL_LOAD_CHECKED 0x10u
#define FL_LOAD_OTHERS(count) ((uint32_t)(count) << 8)
#define FL_LOAD_ADDRESS(k) (0x10000u << (k))
#define FL_LOAD_NONE(k) (0x1000000u << (k))
#define FL_MOST_OTHERS 8 /* there are no bits for more */
/* In bytes; a larger one cannot be left out. */
#define FL_LARGEST_STORE 256

typedef struct fl_alteration {
  uint32_t kind;
  uint32_t instruction; /* global id */
  uint64_t epoch;
  uint64_t value;
  uint64_t address;
  uint64_t bytes; /* FL_ALTER_MEMORY, FL_ALTER_STATEMENT: place and size of what is written, of the steps */
  uint64_t size;
  uint32_t each;   /* in each execution from then on */
  uint32_t change; /* FL_ALTER_CHANGE */
  uint32_t slot;   /* 0: the instance itself; k + 1: its operand k, as the instance uses it */
  uint32_t test;   /* FL_ALTER_LEAVE: an fl_operation + bits of an operand << 8 */
  uint64_t nth;    /* not 0: in this one of the executions from `epoch` on, counted from 1 */
  /* The variant's own: how many of these there were, and the next alteration of an instruction alike. */
  uint64_t seen, after;
} fl_alteration;

enum fl_cut {
  FL_CUT_NONE = 0,      /* it ended by itself: wait_status */
  FL_CUT_STEPS = 1,     /* came to last_epoch */
  FL_CUT_OUTPUT = 2,    /* wrote more than is allowed */
  FL_CUT_WRONG = 3,     /* wrote a byte that is not the expected one: there is no need to go on */
  FL_CUT_STRANGE = 4,   /* did something that cannot be undone here: `call` */
  FL_CUT_UNREACHED = 5, /* the run ended before its start */
  FL_CUT_WAITS = 6,     /* for something that never comes */
  FL_CUT_STUCK = 7,     /* the asker gave it up: `give_up` */
};

typedef struct fl_experiment {
  uint64_t start;             /* the epoch at whose beginning it leaves the run */
  uint64_t last_epoch;        /* 0: no bound */
  uint32_t first, count;      /* its alterations */
  uint64_t input, input_size; /* instead of the run's standard input; input 0: the run's */
  /* The answer. */
  uint32_t cut;
  int32_t wait_status;
  uint64_t reached; /* bit k: alteration k took place */
  uint64_t site, counter, epochs;
  uint64_t instruction;              /* fl_state.fault_instruction */
  uint64_t output_size, errors_size; /* of what lies in the streams; stays there only in lockstep */
  uint64_t blocked;                  /* what was refused, times */
  uint32_t output_right;             /* it ended, and all of its output was as expected */
  uint32_t call;                     /* number of the system call, for FL_CUT_STRANGE */
  /* Where the log stood at the start: buffers handed over, and bytes in the current one. */
  uint64_t log_buffers, log_bytes;
  uint64_t output_prefix; /* bytes of its output, from the first on, that were as expected */
  /* FL_COUNTS: executions of `counted` in all of the run, and those before the start. */
  uint64_t executions, executions_before;
  uint64_t input_read; /* how far it had come in its standard input */
  uint64_t trace_end;  /* up to this epoch it is noted where each epoch begins; 0: it is not */
} fl_experiment;

/* How often an epoch began there. */
typedef struct fl_visited {
  uint64_t site; /* return address; 0: a free entry */
  uint64_t count;
} fl_visited;

enum fl_experiments_flags {
  FL_EXPECTS_OUTPUT = 1, /* `expected` is all of the right standard output */
  FL_LOCKSTEP = 2,       /* after each experiment the server waits for `taken` */
  FL_FORK_EACH = 4,      /* each experiment in a process forked off, even where the kernel could do better */
  FL_COUNTS = 8,         /* executions of `counted` are counted */
};

enum fl_walk_state { FL_WALKING = 0, FL_WALK_ENDED = 1, FL_WALK_STRANGE = 2 };

typedef struct fl_experiments {
  uint32_t version;
  uint32_t flags;
  uint64_t size; /* of the whole memory */
  uint32_t ready, finished, taken;
  uint32_t closed; /* no more will come: the run need not be walked on */
  uint32_t capacity;
  uint32_t input_is_file;
  uint64_t experiments, alterations; /* places */
  uint64_t input, input_size;        /* the run's standard input */
  uint64_t expected, expected_size;
  uint64_t output, errors; /* streams */
  uint64_t stream_size;    /* room in each */
  uint64_t memory;         /* bytes that an experiment may map; 0: any */
  /* What the run saw when it first read /proc/self/maps, for those after it to see too; size 0: not known. */
  uint64_t maps, maps_room, maps_size;
  /* How the walk itself went. */
  uint32_t walk_state;
  int32_t walk_status;
  uint32_t walk_call;
  uint32_t wake_at; /* the asker sleeps until `finished` is this */
  uint64_t walk_site, walk_counter, walk_instruction, walk_epochs;
  uint64_t walk_output_size, walk_errors_size, walk_output_prefix;
  uint32_t walk_output_right;
  uint32_t broken; /* errno of what the server could not do at its start; 0: none */
  /* Statistics. */
  uint64_t snapshots, rollbacks, pages_saved, pages_restored;
  uint32_t landlock;     /* version in force beneath the catching of system calls; 0: none */
  uint32_t walk_refused; /* how often the run itself was refused something */
  uint64_t walk_mapped;  /* bytes that it mapped, in all */
  /* The experiment, counted from 1, that the asker ends by the signal of a time limit: it makes no steps. */
  uint32_t give_up;
  uint32_t
      forks; /* experiments that were made in a process forked off: the kernel cannot list written pages */
  uint32_t counted, counted_slot; /* global id of an instruction that may be altered, and where it asks */
  uint64_t walk_executions;
  uint64_t visited, visited_room; /* entries; of all experiments that note it together */
  /* A file whose content the asker changes from run to run: places of its two names (as the program was given
   * it, and in full), and the descriptor of what is opened instead; 0: there is none. Who opens the real one,
   * by whatever other name, does what cannot be done here. */
  uint64_t file_name, file_path, file_device, file_inode;
  uint32_t file_fd, file_uses;
} fl_experiments;

#endif
