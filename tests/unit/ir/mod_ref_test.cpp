// The claims of program/mod_ref.h on C programs: which function's store may be what which function's load
// reads. `wX` functions end with the store in question, `rX` functions with the load.
#include "ir_fixture.h"
#include "program/mod_ref.h"
#include "support/run.h"

namespace faultline::compiler {
namespace {

using fir::kNone;
using fir::ModRef;
using fir::Op;

std::string irOf(const std::string& source) {
  test::TempDir dir;
  test::writeFile(dir / "p.c", source);
  test::RunResult ran =
      test::run({"clang-19", "-w", "-O0", "-S", "-emit-llvm", "-o", "-", "p.c"}, {.cwd = dir.path()});
  EXPECT_EQ(ran.status, 0) << ran.err;
  return ran.out;
}

class Analysed {
public:
  explicit Analysed(const std::string& source, ModRef::Rule rule = ModRef::Rule::None)
      : prepared_(irOf(source)) {
    fir::ImageBuilder builder = lowerModule(prepared_.plan, {});
    auto image = fir::imageFromBytes(builder.finish(1));
    EXPECT_TRUE(image && fir::validateImage(*image));
    image_ = std::move(*image);
    const fir::Image* images[] = {&image_};
    modRef_ = std::make_unique<ModRef>(images, rule);
  }

  uint32_t function(std::string_view name) const {
    for (uint32_t f = 0; f < image_.functions.size(); ++f)
      if (image_.string(image_.symbols[image_.functions[f].symbol].name) == name) return f;
    ADD_FAILURE() << "no function " << name;
    return 0;
  }
  uint32_t last(std::string_view name, std::initializer_list<Op> ops) const {
    const fir::Function& f = image_.functions[function(name)];
    for (uint32_t k = f.instructionCount; k-- > 0;)
      if (std::find(ops.begin(), ops.end(), image_.instructions[f.firstInstruction + k].op) != ops.end())
        return f.firstInstruction + k;
    ADD_FAILURE() << name << " has no such instruction";
    return 0;
  }
  uint32_t store(std::string_view name) const {
    return modRef_->accessOf(0, last(name, {Op::Store, Op::Copy, Op::Fill}));
  }
  uint32_t load(std::string_view name) const { return modRef_->accessOf(0, last(name, {Op::Load})); }
  bool reaches(std::string_view writer, std::string_view reader) const {
    uint32_t a = store(writer), b = load(reader);
    EXPECT_EQ(modRef_->mayAlias(a, b), modRef_->mayAlias(b, a));
    return modRef_->mayAlias(a, b);
  }
  // May calling `name` change what the load in `reader` reads?
  bool calls(std::string_view name, std::string_view reader) const {
    return modRef_->functionEffects(0, function(name)).accesses.intersects(modRef_->aliases(load(reader)));
  }
  const ModRef& modRef() const { return *modRef_; }
  const fir::Image& image() const { return image_; }

private:
  Prepared prepared_;
  fir::Image image_;
  std::unique_ptr<ModRef> modRef_;
};

TEST(ModRef, GlobalsAreToldApart) {
  Analysed p(R"(
    int a, b, list[4];
    void wa(void) { a = 1; } int ra(void) { return a; } int rb(void) { return b; }
    void wl(int k) { list[k] = 1; } int rl(void) { return list[2]; }
  )");
  EXPECT_TRUE(p.reaches("wa", "ra"));
  EXPECT_FALSE(p.reaches("wa", "rb"));
  EXPECT_TRUE(p.reaches("wl", "rl"));
  EXPECT_FALSE(p.reaches("wl", "ra"));
}

TEST(ModRef, ALocalByItsAddress) {
  Analysed p(R"(
    void w(int *p) { *p = 1; }
    void wOther(int *p) { *p = 1; }
    int r(void) { int x = 0, y = 0; w(&x); wOther(&y); return x; }
  )");
  EXPECT_TRUE(p.reaches("w", "r"));
  EXPECT_FALSE(p.reaches("wOther", "r"));
}

TEST(ModRef, MembersOfAHeapListAreToldApart) {
  Analysed p(R"(
    #include <stdlib.h>
    struct node { struct node *next; int count; int total; };
    void wNext(struct node *p) { p->next = 0; }
    void wCount(struct node *p) { p->count = 1; }
    int rCount(struct node *p) { return p->count; }
    int rTotal(struct node *p) { return p->total; }
    int main() {
      struct node *list = 0;
      for (int k = 0; k < 3; ++k) { struct node *n = malloc(sizeof *n); n->next = list; list = n; }
      for (struct node *n = list; n; n = n->next) wCount(n), wNext(n);
      return rCount(list->next) + rTotal(list);
    }
  )");
  EXPECT_TRUE(p.reaches("wCount", "rCount"));
  EXPECT_FALSE(p.reaches("wCount", "rTotal"));
  EXPECT_FALSE(p.reaches("wNext", "rCount"));
}

TEST(ModRef, TwoObjectsOfOneTypeAreToldApart) {
  Analysed p(R"(
    #include <stdlib.h>
    struct s { int a, b; };
    void w(struct s *p) { p->a = 1; }
    int r1(struct s *p) { return p->a; }
    int r2(struct s *p) { return p->a; }
    int main() { struct s *x = malloc(8), *y = malloc(8); w(x); return r1(x) + r2(y); }
  )");
  EXPECT_TRUE(p.reaches("w", "r1"));
  EXPECT_FALSE(p.reaches("w", "r2"));
}

TEST(ModRef, ACastBetweenRecordsThatBeginAlikeIsSeen) {
  Analysed p(R"(
    #include <stdlib.h>
    struct file { void *methods; int id; };
    struct unixFile { void *methods; int id; int fd; };
    struct other { int x; int y; int z; int fd; };
    void w(struct unixFile *p) { p->id = 1; }
    void wFd(struct unixFile *p) { p->fd = 1; }
    int r(struct file *p) { return p->id; }
    int main() { struct file *f = malloc(64); w((struct unixFile *)f); wFd((struct unixFile *)f); return r(f); }
  )");
  EXPECT_TRUE(p.reaches("w", "r"));
  EXPECT_FALSE(p.reaches("wFd", "r"));
}

TEST(ModRef, ARecordAtTheStartOfAnotherIsThatRecord) {
  Analysed p(R"(
    #include <stdlib.h>
    struct base { int kind, size; };
    struct derived { struct base base; int more; };
    void w(struct derived *d) { d->base.size = 1; }
    void wMore(struct derived *d) { d->more = 1; }
    int r(struct base *b) { return b->size; }
    int main() { struct derived *d = malloc(sizeof *d); w(d); wMore(d); return r((struct base *)d); }
  )");
  EXPECT_TRUE(p.reaches("w", "r"));
  EXPECT_FALSE(p.reaches("wMore", "r"));
}

TEST(ModRef, FromAMemberBackToItsRecord) {
  Analysed p(R"(
    #include <stddef.h>
    #include <stdlib.h>
    struct link { struct link *next; };
    struct item { int value; struct link link; };
    struct link *head;
    int r(struct link *l) { struct item *i = (struct item *)((char *)l - offsetof(struct item, link)); return i->value; }
    void w(struct item *i) { i->value = 1; }
    int main() { struct item *i = malloc(sizeof *i); head = &i->link; w(i); return r(head); }
  )");
  EXPECT_TRUE(p.reaches("w", "r"));
}

TEST(ModRef, MembersOfAUnionAreOne) {
  Analysed p(R"(
    struct v { int tag; union { int i; float f; struct { short lo, hi; } s; struct { char a, b, c, d; } c; } u; int end; };
    void wI(struct v *p) { p->u.i = 1; }
    void wHi(struct v *p) { p->u.s.hi = 1; }
    void wTag(struct v *p) { p->tag = 1; }
    float rF(struct v *p) { return p->u.f; }
    int rD(struct v *p) { return p->u.c.d; }
    int rA(struct v *p) { return p->u.c.a; }
    int rEnd(struct v *p) { return p->end; }
    struct v g;
    int main() { wI(&g); wHi(&g); wTag(&g); return rF(&g) + rD(&g) + rA(&g) + rEnd(&g); }
  )");
  EXPECT_TRUE(p.reaches("wI", "rF"));
  EXPECT_TRUE(p.reaches("wI", "rD"));
  EXPECT_TRUE(p.reaches("wHi", "rD"));
  EXPECT_FALSE(p.reaches("wHi", "rA"));
  EXPECT_FALSE(p.reaches("wI", "rEnd"));
  EXPECT_FALSE(p.reaches("wTag", "rF"));
}

TEST(ModRef, CopiedRecordsCarryTheirPointers) {
  Analysed p(R"(
    #include <string.h>
    struct s { int n; int *p; };
    int x, y;
    void wWhole(struct s *to, struct s *from) { *to = *from; }
    int rP(struct s *s) { return *s->p; }
    int rN(struct s *s) { return s->n; }
    void wX(void) { x = 1; } void wY(void) { y = 1; }
    int main() { struct s a = {1, &x}, b; memcpy(&b, &a, sizeof a); wWhole(&b, &a); return rP(&b) + rN(&b); }
  )");
  EXPECT_TRUE(p.reaches("wX", "rP"));
  EXPECT_FALSE(p.reaches("wY", "rP"));
  EXPECT_TRUE(p.reaches("wWhole", "rN"));
}

TEST(ModRef, BytesMayBePartOfAnythingUnlessTheRuleSaysNo) {
  const char* source = R"(
    struct s { int n; double d; };
    struct s g;
    void wByte(char *p) { *p = 1; } void wFloat(float *p) { *p = 1; }
    int rN(struct s *s) { return s->n; }
    int main() { wByte((char *)&g); wFloat((float *)&g); return rN(&g); }
  )";
  EXPECT_TRUE(Analysed(source, ModRef::Rule::Standard).reaches("wByte", "rN"));
  EXPECT_FALSE(Analysed(source, ModRef::Rule::Standard).reaches("wFloat", "rN"));
  EXPECT_TRUE(Analysed(source, ModRef::Rule::None).reaches("wFloat", "rN"));
  EXPECT_FALSE(Analysed(source, ModRef::Rule::Strict).reaches("wByte", "rN"));
}

TEST(ModRef, CallsByPointerAndRecursionHaveTheEffectsOfTheirTargets) {
  Analysed p(R"(
    int a, b, c;
    void fa(int n) { a = n; }
    void fb(int n) { b = n; }
    struct ops { void (*run)(int); };
    struct ops table[2] = {{fa}, {fa}};
    void viaTable(int k) { table[k].run(k); }
    void odd(int n); void even(int n) { if (n) odd(n - 1); }
    void odd(int n) { c = n; if (n) even(n - 1); }
    int ra(void) { return a; } int rb(void) { return b; } int rc(void) { return c; }
    int main() { void (*f)(int) = fb; f(1); viaTable(1); even(3); return 0; }
  )");
  EXPECT_TRUE(p.calls("viaTable", "ra"));
  EXPECT_FALSE(p.calls("viaTable", "rb"));
  EXPECT_TRUE(p.calls("even", "rc"));
  EXPECT_FALSE(p.calls("even", "ra"));
  EXPECT_TRUE(p.calls("main", "rb"));
}

TEST(ModRef, OutsideCallsWriteWhatTheyAreGivenToWrite) {
  Analysed p(R"(
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    char a[8], b[8]; int order[4]; int unknown(char *);
    void reads(void) { fgets(a, 8, stdin); }
    void prints(void) { printf("%s %s", a, b); }
    void asks(void) { unknown(b); }
    int compare(const void *x, const void *y) { return *(int *)x - *(int *)y; }
    void sorts(void) { qsort(order, 4, 4, compare); }
    int ra(void) { return a[1]; } int rb(void) { return b[1]; } int ro(void) { return order[1]; }
    void wo(void) { order[0] = 1; }
  )");
  EXPECT_TRUE(p.calls("reads", "ra"));
  EXPECT_FALSE(p.calls("reads", "rb"));
  EXPECT_FALSE(p.calls("prints", "ra"));
  EXPECT_TRUE(p.calls("asks", "rb"));
  EXPECT_FALSE(p.calls("asks", "ra"));
  EXPECT_TRUE(p.calls("sorts", "ro"));
  EXPECT_TRUE(p.reaches("wo", "compare")) << "the callback gets the array";
  EXPECT_TRUE(p.modRef().functionEffects(0, p.function("asks")).unknownOutside);
  EXPECT_FALSE(p.modRef().functionEffects(0, p.function("prints")).unknownOutside);
}

TEST(ModRef, VariableArgumentsReachTheFunctionThatTakesThem) {
  Analysed p(R"(
    #include <stdarg.h>
    int x, y;
    int r(int n, ...) { va_list l; va_start(l, n); int *p = va_arg(l, int *); va_end(l); return *p; }
    void wX(void) { x = 1; } void wY(void) { y = 1; }
    int main() { return r(1, &x); }
  )");
  EXPECT_TRUE(p.reaches("wX", "r"));
  EXPECT_FALSE(p.reaches("wY", "r"));
}

TEST(ModRef, AnAddressThatWasANumber) {
  Analysed p(R"(
    int x, y;
    void w(unsigned long n) { *(int *)(n & ~7ul) = 1; }
    int rX(void) { return x; } int rY(void) { return y; }
    int main() { w((unsigned long)&x); return 0; }
  )");
  EXPECT_TRUE(p.reaches("w", "rX"));
  EXPECT_FALSE(p.reaches("w", "rY"));
}

TEST(ModRef, ThreadsGetWhatTheyAreStartedWith) {
  Analysed p(R"(
    #include <pthread.h>
    struct job { int in, out; };
    void *run(void *p) { struct job *j = p; j->out = 1; return p; }
    struct job a, b;
    int rA(void) { return a.out; } int rB(void) { return b.out; } int rIn(void) { return a.in; }
    int main() { pthread_t t; pthread_create(&t, 0, run, &a); return 0; }
  )");
  EXPECT_TRUE(p.reaches("run", "rA"));
  EXPECT_FALSE(p.reaches("run", "rB"));
  EXPECT_FALSE(p.reaches("run", "rIn"));
}

TEST(ModRef, WhatTheOtherSideOfABranchMayWrite) {
  Analysed p(R"(
    int a, b;
    void sets(void) { b = 2; }
    int f(int n) { int s = 0, t = 0; if (n) { a = 1; s = 2; } else { sets(); t = 1; } return s + t; }
    int ra(void) { return a; } int rb(void) { return b; }
  )");
  const fir::Image& m = p.image();
  uint32_t f = p.function("f");
  const fir::Function& body = m.functions[f];
  const fir::Instruction& branch = m.instructions[p.last("f", {Op::CondBr})];
  uint32_t block = 0;
  auto endOf = [&](uint32_t b) { return m.blocksOf(body)[b].first + m.blocksOf(body)[b].count - 1; };
  while (endOf(block) != p.last("f", {Op::CondBr})) ++block;
  auto side = [&](uint32_t operand) -> const ModRef::Effects& {
    return p.modRef().regionEffects(0, f, block, fir::operandIndex(m.operandsOf(branch)[operand]));
  };
  auto changes = [&](const ModRef::Effects& e, const char* reader) {
    return e.accesses.intersects(p.modRef().aliases(p.load(reader)));
  };
  EXPECT_TRUE(changes(side(1), "ra"));
  EXPECT_FALSE(changes(side(1), "rb"));
  EXPECT_TRUE(changes(side(2), "rb"));
  EXPECT_FALSE(changes(side(2), "ra"));
  EXPECT_EQ(side(1).words.count(), 1u) << "s";
  EXPECT_FALSE(side(1).words.intersects(side(2).words)) << "s and t";
}

} // namespace
} // namespace faultline::compiler
