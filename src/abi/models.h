/* Outside functions whose effect on memory is known: one table for the instrumentation pass, the runtime and
 * the dependence analysis. Plain C.
 *
 *   M(name, effect, flags)
 *
 * `effect` lists what the function may have written, as ranges over its arguments a0..a5 and its result r:
 *   W(p, n)  n bytes at p             Z(p)   the string at p, its end included
 * or, of a function that prints, what it has read (R): bytes that the program's own code never looked at, as
 * those of a text that a library made, are known to replay only by this.
 *   all guarded by r or p being meaningful; see the runtime for each effect.
 * A function that is not here is a black box: what it wrote is seen when the program reads it.
 * FL_MODEL_BLOCKS: may wait for another thread or process.
 */
#ifndef FAULTLINE_ABI_MODELS_H
#define FAULTLINE_ABI_MODELS_H

#define FL_MODEL_USED 0x10000u /* or-ed to the model number: the call's result is used */

enum fl_model_effect {
  FL_EFFECT_NONE,
  FL_EFFECT_W1_R,         /* r > 0: W(a1, r)                     read, recv */
  FL_EFFECT_W0_RA1,       /* r > 0: W(a0, r * a1)                fread */
  FL_EFFECT_Z0_IF_R,      /* r != 0: Z(a0)                       fgets */
  FL_EFFECT_W0_MIN_R1_A1, /* r >= 0, a1 > 0: W(a0, min(r + 1, a1)) snprintf */
  FL_EFFECT_W0_R1,        /* r >= 0: W(a0, r + 1)                sprintf */
  FL_EFFECT_Z0,           /* Z(a0)                               strcpy, strcat */
  FL_EFFECT_W0_A2,        /* W(a0, a2)                           memcpy, strncpy, memset */
  FL_EFFECT_W0_A1,        /* W(a0, a1)                           bzero */
  FL_EFFECT_GETLINE,      /* W(a0, 8) W(a1, 8), r >= 0: W(*a0, r + 1) */
  FL_EFFECT_STAT,         /* r == 0: W(a1, sizeof(struct stat)) */
  FL_EFFECT_STAT_AT,      /* r == 0: W(a2, sizeof(struct stat)) */
  FL_EFFECT_W1_8,         /* a1 != 0: W(a1, 8)                   strtol's end, gettimeofday's part */
  FL_EFFECT_W1_16,        /* a1 != 0: W(a1, 16)                  clock_gettime */
  FL_EFFECT_W0_16,        /* a0 != 0: W(a0, 16)                  gettimeofday */
  FL_EFFECT_W0_8,         /* a0 != 0: W(a0, 8)                   time */
  FL_EFFECT_CALLOC,       /* r != 0: W(r, a0 * a1) */
  FL_EFFECT_REALLOC,      /* r != 0: W(r, min(usable size, a1)) */
  FL_EFFECT_ZR,           /* r != 0: Z(r)                        strdup, getenv, getcwd */
  FL_EFFECT_SORT,         /* W(a0, a1 * a2)                      qsort */
  FL_EFFECT_R1_R,         /* r > 0: R(a1, r)                     write, send */
  FL_EFFECT_R0_RA1,       /* R(a0, r * a1)                       fwrite */
  FL_EFFECT_R1_A2,        /* R(a1, a2)                           ostream::write */
  FL_EFFECT_RZ0,          /* r >= 0: the string at a0            fputs, puts */
  FL_EFFECT_RZ1,          /* the string at a1                    ostream << text */
  FL_EFFECT_RTEXT1,       /* the std::string at a1               ostream << std::string */
  FL_EFFECT_RFORMAT0,     /* strings that the format at a0 asks for   printf */
  FL_EFFECT_RFORMAT1,     /* the same at a1                      fprintf */
  FL_EFFECT_RFORMAT2,     /* the same at a2                      __fprintf_chk */
};

/* clang-format off */
#define FL_MODELS(M) \
  M(read, FL_EFFECT_W1_R, 1) \
  M(pread, FL_EFFECT_W1_R, 1) \
  M(recv, FL_EFFECT_W1_R, 1) \
  M(pread64, FL_EFFECT_W1_R, 1) \
  M(readlink, FL_EFFECT_W1_R, 0) \
  M(recvfrom, FL_EFFECT_W1_R, 1) \
  M(fread, FL_EFFECT_W0_RA1, 1) \
  M(fread_unlocked, FL_EFFECT_W0_RA1, 1) \
  M(fgets, FL_EFFECT_Z0_IF_R, 1) \
  M(fgets_unlocked, FL_EFFECT_Z0_IF_R, 1) \
  M(snprintf, FL_EFFECT_W0_MIN_R1_A1, 0) \
  M(vsnprintf, FL_EFFECT_W0_MIN_R1_A1, 0) \
  M(sprintf, FL_EFFECT_W0_R1, 0) \
  M(vsprintf, FL_EFFECT_W0_R1, 0) \
  M(strcpy, FL_EFFECT_Z0, 0) \
  M(stpcpy, FL_EFFECT_Z0, 0) \
  M(strcat, FL_EFFECT_Z0, 0) \
  M(strncat, FL_EFFECT_Z0, 0) \
  M(strncpy, FL_EFFECT_W0_A2, 0) \
  M(stpncpy, FL_EFFECT_W0_A2, 0) \
  M(mempcpy, FL_EFFECT_W0_A2, 0) \
  M(memccpy, FL_EFFECT_W0_A2, 0) \
  M(bzero, FL_EFFECT_W0_A1, 0) \
  M(getline, FL_EFFECT_GETLINE, 1) \
  M(getdelim, FL_EFFECT_GETLINE, 1) \
  M(__getdelim, FL_EFFECT_GETLINE, 1) \
  M(stat, FL_EFFECT_STAT, 0) \
  M(lstat, FL_EFFECT_STAT, 0) \
  M(fstat, FL_EFFECT_STAT, 0) \
  M(stat64, FL_EFFECT_STAT, 0) \
  M(lstat64, FL_EFFECT_STAT, 0) \
  M(fstat64, FL_EFFECT_STAT, 0) \
  M(fstatat, FL_EFFECT_STAT_AT, 0) \
  M(fstatat64, FL_EFFECT_STAT_AT, 0) \
  M(strtol, FL_EFFECT_W1_8, 0) \
  M(strtoul, FL_EFFECT_W1_8, 0) \
  M(strtoll, FL_EFFECT_W1_8, 0) \
  M(strtoull, FL_EFFECT_W1_8, 0) \
  M(strtod, FL_EFFECT_W1_8, 0) \
  M(strtof, FL_EFFECT_W1_8, 0) \
  M(clock_gettime, FL_EFFECT_W1_16, 0) \
  M(gettimeofday, FL_EFFECT_W0_16, 0) \
  M(time, FL_EFFECT_W0_8, 0) \
  M(calloc, FL_EFFECT_CALLOC, 0) \
  M(realloc, FL_EFFECT_REALLOC, 0) \
  M(strdup, FL_EFFECT_ZR, 0) \
  M(strndup, FL_EFFECT_ZR, 0) \
  M(getenv, FL_EFFECT_ZR, 0) \
  M(strerror, FL_EFFECT_ZR, 0) \
  M(getcwd, FL_EFFECT_ZR, 0) \
  M(qsort, FL_EFFECT_SORT, 0) \
  M(__read_chk, FL_EFFECT_W1_R, 1) \
  M(__fgets_chk, FL_EFFECT_Z0_IF_R, 1) \
  M(__memcpy_chk, FL_EFFECT_W0_A2, 0) \
  M(__memmove_chk, FL_EFFECT_W0_A2, 0) \
  M(__memset_chk, FL_EFFECT_W0_A2, 0) \
  M(__strncpy_chk, FL_EFFECT_W0_A2, 0) \
  M(__strcpy_chk, FL_EFFECT_Z0, 0) \
  M(__strcat_chk, FL_EFFECT_Z0, 0) \
  M(__strncat_chk, FL_EFFECT_Z0, 0) \
  M(__stpcpy_chk, FL_EFFECT_Z0, 0) \
  M(__sprintf_chk, FL_EFFECT_W0_R1, 0) \
  M(__vsprintf_chk, FL_EFFECT_W0_R1, 0) \
  M(__snprintf_chk, FL_EFFECT_W0_MIN_R1_A1, 0) \
  M(__vsnprintf_chk, FL_EFFECT_W0_MIN_R1_A1, 0) \
  M(fgetc, FL_EFFECT_NONE, 1) \
  M(getc, FL_EFFECT_NONE, 1) \
  M(getchar, FL_EFFECT_NONE, 1) \
  M(poll, FL_EFFECT_NONE, 1) \
  M(select, FL_EFFECT_NONE, 1) \
  M(accept, FL_EFFECT_NONE, 1) \
  M(connect, FL_EFFECT_NONE, 1) \
  M(waitpid, FL_EFFECT_NONE, 1) \
  M(wait, FL_EFFECT_NONE, 1) \
  M(sleep, FL_EFFECT_NONE, 1) \
  M(usleep, FL_EFFECT_NONE, 1) \
  M(nanosleep, FL_EFFECT_NONE, 1) \
  M(system, FL_EFFECT_NONE, 1) \
  M(pause, FL_EFFECT_NONE, 1) \
  M(epoll_wait, FL_EFFECT_NONE, 1) \
  M(write, FL_EFFECT_R1_R, 0) \
  M(pwrite, FL_EFFECT_R1_R, 0) \
  M(pwrite64, FL_EFFECT_R1_R, 0) \
  M(send, FL_EFFECT_R1_R, 0) \
  M(fwrite, FL_EFFECT_R0_RA1, 0) \
  M(fwrite_unlocked, FL_EFFECT_R0_RA1, 0) \
  M(fputs, FL_EFFECT_RZ0, 0) \
  M(fputs_unlocked, FL_EFFECT_RZ0, 0) \
  M(puts, FL_EFFECT_RZ0, 0) \
  M(printf, FL_EFFECT_RFORMAT0, 0) \
  M(fprintf, FL_EFFECT_RFORMAT1, 0) \
  M(dprintf, FL_EFFECT_RFORMAT1, 0) \
  M(__printf_chk, FL_EFFECT_RFORMAT1, 0) \
  M(__fprintf_chk, FL_EFFECT_RFORMAT2, 0) \
  M(__dprintf_chk, FL_EFFECT_RFORMAT2, 0) \
  M(_ZNSo5writeEPKcl, FL_EFFECT_R1_A2, 0) \
  M(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l, FL_EFFECT_R1_A2, 0) \
  M(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, FL_EFFECT_RZ1, 0) \
  M(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE, FL_EFFECT_RTEXT1, 0)
/* clang-format on */

enum fl_model_flags { FL_MODEL_BLOCKS = 1 };

#define FL_MODEL_ENUM_(name, effect, flags) FL_MODEL_##name,
enum fl_model { FL_MODELS(FL_MODEL_ENUM_) FL_MODEL_COUNT };
#undef FL_MODEL_ENUM_

#endif
