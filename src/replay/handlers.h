// The handlers of threaded code, as the decoders ask for them. A null handler means: use an Operation.
#pragma once

#include "replay/machine.h"

namespace faultline::replay {

enum class Kinds : uint8_t { WordWord, WordConstant, ConstantWord };

// dst <- a op b; a constant stands in imm. 8, 16, 32 and 64 bits (and, or, xor: any width up to 64). A
// constant divisor must be neither 0 nor -1.
Handler intBinaryHandler(Mode mode, fir::Op op, unsigned bits, Kinds kinds);
Handler intCompareHandler(Mode mode, uint8_t predicate, unsigned bits, Kinds kinds);
// Fast: a compared with imm (a constant or the other word); dst, b: distances; n: steps.
Handler intCompareBranchHandler(uint8_t predicate, unsigned bits, Kinds kinds);
Handler fpBinaryHandler(Mode mode, fir::Op op, fir::TypeKind kind, Kinds kinds);
Handler fpCompareHandler(Mode mode, uint8_t predicate, fir::TypeKind kind, Kinds kinds);
Handler fpCompareBranchHandler(uint8_t predicate, fir::TypeKind kind, Kinds kinds);

// dst <- cast of a. Sign extension; truncation to a mask in imm; conversions of float, double, 32 and 64
// bits.
Handler castHandler(Mode mode, fir::Op op, const fir::Type& from, const fir::Type& to);
Handler moveHandler(Mode mode, bool constant); // dst <- a or imm
Handler selectHandler(Mode mode);              // dst <- a & 1 ? b : n (words)
Handler allocaHandler(Mode mode);              // dst <- frame base + imm

// How an address is made: base word a (if any) + imm + index word b (if any) * scale n.
enum class AddressForm : uint8_t {
  Base,
  Absolute,
  BaseIndex64,
  BaseIndex32,
  AbsoluteIndex64,
  AbsoluteIndex32
};
enum class LoadExtension : uint8_t { Zero, Sign32, Sign64 };
Handler addressHandler(Mode mode, AddressForm form);                            // dst <- address
Handler loadHandler(AddressForm form, unsigned bytes, LoadExtension extension); // fast
// Fast: the value is word dst, or the sign-extended constant in dst.
Handler storeHandler(AddressForm form, unsigned bytes, bool constant);

// Plain: imm: the Operation, which runs instead when the log or an observer wants attention. a: address word;
// dst: result, b: value word.
Handler plainLoadHandler(unsigned bytes);
Handler plainStoreHandler(unsigned bytes);
// Fast: `bytes` from word b + high half of imm to word a + low half of imm (both signed). Some small sizes.
Handler copyHandler(uint64_t bytes);

Handler operationHandler(Mode mode); // imm: Operation
Handler headerHandler();             // plain: phi or landing pad, imm: Operation; goes on at distance dst

// Control. Distances in dst (and b); n: steps.
Handler branchHandler(Mode mode);
Handler branchEpochHandler();                // fast: to a block that begins an epoch
Handler epochPointHandler(Mode mode);        // stub
Handler phiEdgeHandler(Mode mode);           // stub; imm: Edge
Handler phiMoveHandler(bool constant);       // fast: the phi moves of one word: b <- a or imm
Handler condBranchHandler(Mode mode);        // a
Handler switchHandler(Mode mode);            // a, imm: SwitchTable
Handler indirectHandler(Mode mode);          // the same
Handler exitHandler(Mode mode, Exit reason); // leaves code; n as for branches
Handler entryHandler(Mode mode);             // Entry

// Fast calls: imm: CallSite, whose target has its arguments already; a: words of the caller's frame.
Handler callHandler();
enum class ReturnForm : uint8_t { Void, Word, Constant };
Handler returnHandler(ReturnForm form, bool guarded); // a or imm: the value; n: steps

Handler plainHook();
void takeEdge(Machine* m, const Edge& edge, uint64_t* w);
// Runs code from ip until it leaves.
void enterCode(Machine& m, const Insn* ip, uint64_t* w, bool plain);
bool isStub(const Insn& insn);

} // namespace faultline::replay
