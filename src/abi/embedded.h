/* What a program built by faultline-cc carries, as laid out in its file. Plain C; version in the magic.
 *
 * Section ".faultline_ir" (not loaded at run time): one record per object that was linked in, in link order.
 * The linker concatenates the records of all inputs, so a record finds its end by its own header.
 * Section ".faultline_link": one record per link step, the command that made the file (JSON).
 */
#ifndef FAULTLINE_ABI_EMBEDDED_H
#define FAULTLINE_ABI_EMBEDDED_H
#include <stdint.h>

#define FL_IR_SECTION ".faultline_ir"
#define FL_LINK_SECTION ".faultline_link"
#define FL_EMBEDDED_MAGIC "FLTIR\0\0\1"

enum fl_embedded_kind {
  FL_EMBEDDED_BITCODE = 1, /* unoptimised LLVM bitcode with debug info */
  FL_EMBEDDED_OBJECT = 2,  /* an object made from assembly: nothing to instrument, needed to link again */
  FL_EMBEDDED_LINK = 3     /* JSON, see docs/formats.md */
};

/* Followed by name_size bytes of name, then payload_size bytes (Zstandard), then zeros up to a multiple
 * of 16. */
typedef struct fl_embedded_header {
  char magic[8];
  uint32_t kind;
  uint32_t name_size;    /* the source file, as the compiler was given it */
  uint64_t payload_size; /* compressed */
  uint64_t raw_size;
  uint64_t hash; /* XXH3 64 of the raw payload; identifies the record */
} fl_embedded_header;

#endif
