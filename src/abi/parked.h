/* A variant that has been loaded and waits to be copied: each run of it is a fork, without loading anything
 * again. Plain C.
 *
 * Such a process is started with FAULTLINE_RECORD=pNNNNN instead of the number of the shared memory: the
 * number of a socket of kind SOCK_SEQPACKET. It waits before anything of the program has run. It says 0 when
 * it is ready (an int32_t), or ends if it cannot be copied. Each order is one of the letters below and the
 * working directory of the run, with FL_PARKED_DESCRIPTORS descriptors: standard input, output and error, and
 * the shared memory, which the copy has as descriptors 0, 1 ... The answer is the copy's process number,
 * negative if there is none; the copy is a child of the parent of the one that waits.
 *
 * A scout is a copy that goes on by itself to the first thing that each run must do for itself: look at its
 * input, write, ask for the time (runtime/scout_calls.cpp). There it waits to be copied in its turn: it says
 * 0, takes orders for runs and answers as above, on the socket that came in place of standard error. It ends
 * if it cannot be copied there. What came as shared memory it only reads.
 */
#ifndef FAULTLINE_ABI_PARKED_H
#define FAULTLINE_ABI_PARKED_H

#define FL_PARKED_MARK 'p'
#define FL_PARKED_RUN 'r'
#define FL_PARKED_SCOUT 's'
#define FL_PARKED_DESCRIPTORS 4
#define FL_PARKED_PATH 4096 /* bytes of the working directory at most, without a zero at its end */

#endif
