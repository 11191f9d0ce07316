/* A variant that has been loaded and waits, before anything of the program has run, to be copied: each run of
 * it is a fork, without loading anything again. Plain C.
 *
 * Such a process is started with FAULTLINE_RECORD=pNNNNN instead of the number of the shared memory: the
 * number of a socket of kind SOCK_SEQPACKET. It says 0 when it is ready (an int32_t), or ends if it cannot be
 * copied. Each order is the working directory of the run, with FL_PARKED_DESCRIPTORS descriptors: standard
 * input, output and error, and the shared memory, which the copy has as descriptors 0, 1 ... The answer is
 * the copy's process number, negative if there is none; the copy is a child of the parent of the one that
 * waits.
 */
#ifndef FAULTLINE_ABI_PARKED_H
#define FAULTLINE_ABI_PARKED_H

#define FL_PARKED_MARK 'p'
#define FL_PARKED_DESCRIPTORS 4
#define FL_PARKED_PATH 4096 /* bytes of the working directory at most, without a zero at its end */

#endif
