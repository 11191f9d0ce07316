// FIR, the flat form of a program's unoptimised IR that replay runs and every analysis reads. It needs no
// LLVM: one file per object, plain arrays, mapped into memory as they are.
//
// An instruction's index in `instructions` is its local id, the same number that the recording, an
// alteration and a finding use. A function begins with an Entry instruction, whose id names the function.
//
// Values live in frame words (64 bits). A scalar takes one word, zero-extended; wider values (i128, long
// double, vectors, structs) take consecutive words that hold them as memory would. A variable whose address
// is never taken is *private*: it has words of its own, and LoadVar/StoreVar move it. Every other local
// variable lies in memory, on the frame stack (abi/state.h), at frame base + offset.
//
//   int f(int n) { int s = 0; while (n > 0) s += n--; return s; }
//
//   f: words 0: n(argument) 1: n(variable) 2: s(variable) 3..: temporaries
//     b0: Entry | StoreVar w1 <- w0 | StoreVar w2 <- 0 | Br b1
//     b1 (epoch): w3 = LoadVar w1 | w4 = ICmp sgt w3, 0 | CondBr w4, b2, b3 ...
#pragma once

#include <cstdint>

namespace faultline::fir {

inline constexpr uint32_t kNone = 0xffffffffu;
inline constexpr uint32_t kVersion = 3;

enum class TypeKind : uint8_t { Void, Int, Half, Float, Double, X87, Quad, Pointer, Vector, Aggregate };

struct Type {
  TypeKind kind;
  uint8_t reserved[3];
  uint32_t bits;    // Int: width; Vector: bits of one element
  uint32_t bytes;   // what a store of it writes
  uint32_t words;   // frame words it takes
  uint32_t lanes;   // Vector: number of elements; else 1
  uint32_t element; // Vector: type of the element
};

// An operand: what it is in the two top bits, which one in the rest.
enum class OperandKind : uint32_t { Word = 0, Constant = 1, Raw = 2 };
using Operand = uint32_t;
constexpr Operand makeOperand(OperandKind kind, uint32_t index) { return (uint32_t(kind) << 30) | index; }
constexpr OperandKind operandKind(Operand o) { return OperandKind(o >> 30); }
constexpr uint32_t operandIndex(Operand o) { return o & 0x3fffffffu; }

// value, or symbol address + value; a constant wider than a word is `words` words from `wide` on.
struct Constant {
  uint64_t value;
  uint32_t symbol; // kNone: a plain number
  uint32_t wide;   // kNone, or index of its first word in `wideWords`
};

// clang-format off
//   operands                                    result / meaning
enum class Op : uint8_t {
  Entry,        // -                              a function begins; never skipped
  // Arithmetic on integers and floats of `type` (lanewise for vectors). sub: unused
  Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor,
  FAdd, FSub, FMul, FDiv, FRem, FNeg,
  ICmp, FCmp,   // a, b                           sub: llvm::CmpInst::Predicate; type: of the operands; result i1 (vector: <n x i1>)
  // Casts: a; `type` is the result's, `aux` the operand's type
  Trunc, ZExt, SExt, FPToUI, FPToSI, UIToFP, SIToFP, FPTrunc, FPExt, BitCast /* also ptrtoint, inttoptr, freeze */,
  Select,       // condition, a, b                aux: condition's type (i1 or vector of i1)
  Gep,          // base, (index, scale, width)... address = base + imm + sum of sext(index)*scale; per index: value, Constant scale, Raw width in bits; aux: 1 + index in `fieldPaths` of the member it leads to, or 0; sub: size of the element, if it leads to one of an array or beside a pointer, and is less than 256
  Load,         // address                        type: what is loaded; imm: bytes
  Store,        // address, value                 type: of the value; imm: bytes
  LoadVar,      // Word w                         dst <- private variable's words
  StoreVar,     // Word w, value                  private variable's words <- value
  Alloca,       // -                              frame base + imm
  AllocaDyn,    // count                          imm: element size; aux: alignment; moves the frame top down
  StackSave,    // -                              the frame top
  StackRestore, // value
  Copy,         // destination, source, size      memcpy, memmove (intrinsics and calls)
  Fill,         // destination, byte, size        memset
  AtomicRMW,    // address, value                 sub: llvm::AtomicRMWInst::BinOp; result: old value
  CmpXchg,      // address, expected, new         type: of the value; dst: {value, i1} as aggregate of aux type
  Call,         // callee, arguments...           sub: CallKind; aux: index in `calls`
  Ret,          // [value]
  Br,           // Raw block
  CondBr,       // condition, Raw then, Raw else
  Switch,       // value, Raw default, (Constant, Raw block)...
  IndirectBr,   // address, Raw block...          addresses are Constants with the block's symbol value, see blockAddresses
  Unreachable,
  LandingPad,   // -                              {ptr, i32}
  Resume,       // value
  Phi,          // (Raw block, value)...          all phis of a block read before any is written
  Extract,      // aggregate                      imm: byte offset
  Insert,       // aggregate, value               imm: byte offset; aux: type of value
  ExtractLane,  // vector, index                  aux: vector type
  InsertLane,   // vector, value, index
  Shuffle,      // a, b, Raw lane...              lane kNone>>2: undefined (0); aux: operand type
  ThreadLocal,  // Constant symbol                the running thread's address of it; logged when it changes
  VaStart,      // list                           24 bytes written by the machine's convention (EFFECT follows)
  VaCopy,       // destination, source            24 bytes
  Intrinsic,    // operands                       sub: Intrinsic; computed by replay
  Opaque,       // operands                       result taken from the log (VALUE): inline assembly, target intrinsics
  Nop,          // -                              no effect on state (fence, assume, prefetch, va_end)
  Trap,         // -                              llvm.trap, ubsantrap: raises SIGILL
};
// clang-format on

enum class CallKind : uint8_t {
  Inside,  // a function that has IR, by name
  Outside, // a function that has none
  Either,  // by pointer, or by a name that cannot be decided: the function's address tells
  SetJmp,  // returns twice
  LongJmp, // does not return here
};

enum class Intrinsic : uint8_t {
  Abs,
  SMax,
  SMin,
  UMax,
  UMin,
  BSwap,
  BitReverse,
  CtPop,
  CtLz,
  CtTz,
  FShl,
  FShr,
  SAddOverflow,
  UAddOverflow,
  SSubOverflow,
  USubOverflow,
  SMulOverflow,
  UMulOverflow,
  SAddSat,
  UAddSat,
  SSubSat,
  USubSat,
  FAbs,
  Sqrt,
  Floor,
  Ceil,
  FTrunc,
  Rint,
  NearbyInt,
  Round,
  RoundEven,
  CopySign,
  MinNum,
  MaxNum,
  Fma,
  ObjectSize /* operand: the folded constant */,
  PtrMask,
  Expect /* first operand */,
  IsConstant /* 0 */,
  IsFPClass,
};

struct Instruction {
  Op op;
  uint8_t sub;
  uint16_t operandCount;
  uint32_t type;
  uint32_t dst;      // first result word, or kNone
  uint32_t operands; // index of the first in `operands`
  uint32_t aux;
  uint32_t location; // index in `locations`; 0: unknown
  uint64_t imm;
};

// Extra facts of a Call (also of an invoke: then the two blocks are set and the call ends its block).
struct CallInfo {
  uint32_t symbol;      // of the callee, or kNone
  uint32_t model;       // enum fl_model, or kNone
  uint32_t normalBlock; // kNone for a plain call
  uint32_t unwindBlock;
  uint32_t fixedArguments; // arguments before the variable ones
  uint32_t flags;          // CallFlags
};
enum CallFlags : uint32_t {
  kResultUsed = 1, // an outside call's result is in the log only if used
  kNoReturn = 2,
  // From this bit on: enum fl_computed (abi/computed.h), if replay computes the result.
  kComputedShift = 8,
};

struct Block {
  uint32_t first; // instruction
  uint32_t count;
  uint32_t epoch; // 1: an epoch begins here (entry, target of a retreating edge)
};

struct Argument {
  uint32_t word;
  uint32_t type;
  uint32_t byValueSize; // byval: the callee's copy is made by the caller on its frame; size of it, else 0
};

struct Function {
  uint32_t symbol;
  uint32_t firstInstruction, instructionCount;
  uint32_t firstBlock, blockCount;
  uint32_t firstArgument, argumentCount;
  uint32_t words;     // frame words in all
  uint32_t frameSize; // bytes on the frame stack, guard included; 0: none
  uint32_t frameAlign;
  uint32_t guardOffset; // of the guard word from frame base, or kNone
  uint32_t returnType;
  uint32_t flags; // FunctionFlags
  uint32_t name;  // as the source has it
  uint32_t location;
  uint32_t firstVariable, variableCount;
  uint32_t firstScope, scopeCount;
};
enum FunctionFlags : uint32_t {
  kCallableFromOutside = 1,
  kVariadic = 2,
  kWeak = 4,     // another definition of the same name may have been linked instead
  kSetsJump = 8, // calls setjmp
};

enum SymbolFlags : uint32_t {
  kFunction = 1,
  kDefined = 2,
  kConstant = 4,
  kThreadLocal = 8,
  kWeakSymbol = 16,
  kLocal = 32,
  kBlockAddress = 64,
};
struct Symbol {
  uint32_t name; // linker name
  uint32_t flags;
  uint64_t size;
  uint64_t initial; // offset in `bytes`, or ~0: zeros, code or not defined here
  uint32_t firstRelocation, relocationCount;
  uint32_t function;    // index in `functions`, or kNone; kBlockAddress: block index in imm-th function
  uint32_t displayName; // as the source has it
  uint32_t debugType;   // index in `debugTypes`, or kNone
  uint32_t location;
  uint32_t record;       // 1 + index in `records` of its type (of an array: the element's), or 0
  uint32_t recordStride; // bytes from one such element to the next
};
struct Relocation { // 8 bytes at `offset` of the initial value hold the address of symbol + addend
  uint64_t offset;
  uint32_t symbol;
  uint32_t reserved;
  int64_t addend;
};

// A struct, class or union type, as far as a Gep or a symbol names it, so that accesses to different members
// can be told apart (points_to.h). Types that only the compiler made up, to pass structs in registers, are
// not here: their members lie across those of the source.
struct Record {
  uint32_t name;  // "struct.S", without the number that tells types of one name apart; empty: it has none
  uint32_t flags; // RecordFlags
  uint64_t bytes;
  uint32_t firstField, fieldCount; // in order of their offsets
};
enum RecordFlags : uint32_t { kUnion = 1 };
struct Field {
  uint32_t record; // it belongs to
  uint32_t type;   // its own; of an array: the element's
  uint64_t offset;
  uint64_t bytes;
  uint32_t inner;  // 1 + index of the record that it (an array: its element) is, or 0
  uint32_t stride; // of an array: bytes from one element to the next; else 0
};
struct FieldPath { // s->in.x: field in, then field x
  uint32_t field;
  uint32_t outer; // 1 + index in `fieldPaths` of the path up to there, or 0
};

struct Location {
  uint32_t file;
  uint32_t line;
  uint32_t column;
  uint32_t scope; // index in `scopes`, or kNone
};
struct Scope { // a lexical block; parent kNone: the function itself
  uint32_t parent;
  uint32_t location;
};
struct File {
  uint32_t path;      // as the compiler was given it
  uint32_t directory; // it is relative to
};

// A variable of the source. In `word` (private), at frame base + `offset`, or where the pointer there points.
enum class Home : uint8_t { Word, Frame, FrameIndirect, ArgumentPointer, Gone };
struct Variable {
  uint32_t name;
  uint32_t debugType;
  Home home;
  uint8_t isArgument;
  uint16_t argument; // number from 1
  uint32_t word;     // Word, ArgumentPointer
  uint32_t offset;   // Frame, FrameIndirect
  uint32_t scope;
  uint32_t location;
  uint32_t instruction; // the Alloca or first store it belongs to; kNone
};

enum class DebugKind : uint8_t {
  Unknown,
  Bool,
  SignedInt,
  UnsignedInt,
  SignedChar,
  UnsignedChar,
  Float,
  Complex,
  Pointer,
  Reference,
  MemberPointer,
  Struct,
  Class,
  Union,
  Enum,
  Array,
  Typedef,
  Const,
  Volatile,
  Restrict,
  Atomic,
  Function,
  NullPointer,
  Unspecified,
};
struct DebugType {
  DebugKind kind;
  uint8_t reserved[3];
  uint32_t name;
  uint64_t bytes;
  uint32_t base;                     // pointee, element, aliased, underlying type; kNone: void
  uint32_t firstMember, memberCount; // `members`: fields, base classes, enumerators
  uint32_t count;                    // Array: elements of this dimension; kNone: unknown
};
struct Member {
  uint32_t name;
  uint32_t type;
  uint64_t bitOffset; // enumerator: its value
  uint32_t bitSize;   // bit-field width, else 0
  uint32_t flags;     // MemberFlags
};
enum MemberFlags : uint32_t { kBaseClass = 1, kStatic = 2, kEnumerator = 4, kArtificial = 8 };

} // namespace faultline::fir
