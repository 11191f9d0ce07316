/* The log that instrumented code writes and replay reads. Plain C.
 *
 * A record is a tag byte and its fields. `E` is the epoch, written as ULEB128 difference to the previous
 * record in the same buffer that carries one (to 0 for the first one in a buffer, so that a buffer can be
 * read without those before it). `id` is ULEB128 and global (module base + local id). Fixed-size fields are
 * little-endian and unaligned. A record never spans two buffers.
 *
 * Replay knows by itself when a record without E is due (the return of an outside call), and recognises by
 * (E, id) whether one with E belongs to the instruction at hand.
 */
#ifndef FAULTLINE_ABI_LOG_H
#define FAULTLINE_ABI_LOG_H

/* Where a thread was when something happened to it. Records of what may happen in the middle of an outside
 * call end in `site`, the value of `ext` at that moment (0: not outside), so that replay knows which call it
 * was. */
enum fl_log_where {
  FL_AT_EPOCH = 0,       /* at its epoch point, before the counter grew: E is the epoch that ends there */
  FL_AT_OUTSIDE = 1,     /* in outside code */
  FL_AT_INSTRUCTION = 2, /* at an instruction of epoch E that raised it itself */
};

enum fl_log_tag {
  FL_LOG_PAD = 0x00, /* rest of the buffer is unused */
  /* A load (or thread-local address, or call of a function in abi/computed.h) whose value was not the
     shadow's. */
  FL_LOG_LOAD1 = 0x01, /* E id u8 */
  FL_LOG_LOAD2 = 0x02, /* E id u16 */
  FL_LOG_LOAD4 = 0x03, /* E id u32 */
  FL_LOG_LOAD8 = 0x04, /* E id u64 */
  FL_LOG_LOADN = 0x05, /* E id length:uleb bytes */
  /* The result of an instruction that replay does not compute: inline assembly, target intrinsics. */
  FL_LOG_VALUE = 0x08, /* id length:uleb bytes */
  /* An outside call returned a value that is used. RET0: the value is 0; others zero-extended. */
  FL_LOG_RET0 = 0x10, /* id */
  FL_LOG_RET1 = 0x11, /* id u8 */
  FL_LOG_RET4 = 0x12, /* id u32 */
  FL_LOG_RET8 = 0x13, /* id u64 */
  FL_LOG_RETN = 0x14, /* id length:uleb bytes */
  /* Memory that outside code was seen to have changed, at instruction id (a modelled call, the source of a
   * copy). Applied before the instruction's own effect. */
  FL_LOG_EFFECT = 0x18, /* E id address:u64 length:uleb bytes */
  /* Outside code called function id with these argument words. site: `ext` at that moment. */
  FL_LOG_ENTER = 0x20,  /* E site:uleb function:id words:uleb u64... */
  FL_LOG_LAND = 0x21,   /* E id exception:u64 selector:u32 site:uleb -- control arrived at a landing pad */
  FL_LOG_REJUMP = 0x22, /* E id value:u32 site:uleb -- setjmp at id returned again */
  /* A signal that ends the program, or that a handler of its own takes (SIGNAL follows then). where: enum
   * fl_log_where. signal 0: the recorder's time limit was over. address: ~0 when the processor gave none. */
  FL_LOG_FAULT = 0x28, /* E signal:u8 code:u32 address:u64 write:u8 pc:u64 where:u8 site:uleb */
  /* A handler of the program's runs; ENTER follows if the handler is instrumented. where: as above. */
  FL_LOG_SIGNAL = 0x29,  /* E signal:u8 where:u8 site:uleb */
  FL_LOG_SMASHED = 0x2a, /* E id -- the guard word of the returning frame was overwritten; abort follows */
  FL_LOG_THREAD = 0x30,  /* thread:uleb frame_top:u64 -- a thread begins */
  /* Records that follow are of this thread. site: `ext` of the thread that ran before, at the moment it gave
   * the turn away. 0: it stands at the epoch point that ends E; else it is in the outside call at that site,
   * in epoch E (ROOT: outside of all instrumented code, or ended). It may give the turn away more than once
   * in one call: then E and site are the same again. */
  FL_LOG_SWITCH = 0x31, /* E thread:uleb site:uleb */
  /* An object was registered. Where its symbols do not fit in one record, SYMBOLS records with the rest
   * follow at once; `symbols` counts all of them, `here` those in this record. */
  FL_LOG_MODULE = 0x38,  /* hash:u64 base:uleb instructions:uleb symbols:uleb here:uleb u64... */
  FL_LOG_SYMBOLS = 0x3a, /* base:uleb here:uleb u64... */
  FL_LOG_FORK = 0x39,    /* pid:u32 -- a child was split off here; 0: this is the log of that child */
  FL_LOG_EXIT = 0x3c,    /* E status:u32 site:uleb */
  FL_LOG_EXEC = 0x3b,    /* E site:uleb -- the program is about to replace itself by another; it ends here if
                            that succeeds */
  /* XXH64 (seed 0) of the shadow of each mapped page of which a byte is not zero. Repeated; the one with no
   * pages closes the list. */
  FL_LOG_FINAL = 0x3d, /* pages:uleb (address:u64 hash:u64)... */
};

#endif
