// `memory` on programs with one known error each, and on right ones that look as if they had some.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kBin = FAULTLINE_BIN_DIR;

class Memory : public ::testing::Test {
protected:
  RunResult faultline(std::vector<std::string> words) {
    words.insert(words.begin(), kBin + "/faultline");
    return run(
        words,
        {.cwd = dir.path(),
         .env = {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}, {"NO_COLOR", "1"}}});
  }
  void build(const std::string& source, const std::string& compiler = "faultline-cc") {
    std::string file = compiler == "faultline-cc" ? "p.c" : "p.cpp";
    writeFile(dir / file, source);
    RunResult built =
        run({kBin + "/" + compiler, "-g", file, "-o", "p", "-lpthread", "-w"}, {.cwd = dir.path()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  json ask(std::vector<std::string> words = {"--", "./p"}) {
    words.insert(words.begin(), {"memory", "--json"});
    RunResult answer = faultline(words);
    EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
    return json::parse(answer.out, nullptr, false);
  }
  // The first error of a program; an empty object if it has none.
  json first(const std::string& source) {
    build(source);
    json document = ask();
    EXPECT_TRUE(document["errors"].is_array()) << document.dump(1);
    if (!document["errors"].is_array() || document["errors"].empty()) return json::object();
    return document["errors"][0];
  }
  TempDir dir;
};

#define EXPECT_ERROR(error, kindOf, lineOf)                                                                  \
  EXPECT_EQ((error).value("kind", ""), kindOf) << (error).dump(1);                                           \
  EXPECT_EQ((error).value("line", 0), lineOf) << (error).dump(1)

// What sscanf() wrote is first looked at by strcmp(), which neither writes it nor reads more than it needs.
TEST_F(Memory, ATextThatOnlyTheLibraryHasLookedAt) {
  build(R"(#include <stdio.h>
#include <string.h>
int main(void) {
  char word[8], other[24];
  long count;
  if (sscanf("in  bolts 400", "%7s %23s %ld", word, other, &count) < 3) return 1;
  if (strcmp(word, "drop") == 0 || strncmp(other, "nuts", 4) == 0) return 2;
  return strcmp(word, "in") == 0 && strlen(other) == 5 ? 0 : 3;
}
)");
  json document = ask();
  EXPECT_TRUE(document["errors"].is_array() && document["errors"].empty()) << document.dump(1);
}

// qsort() moves the pointers of the array about, and does nothing to what they lead to.
TEST_F(Memory, WhatASortedArrayLeadsToIsStillKnown) {
  json e = first(R"(#include <stdlib.h>
struct item { int key; int* counts; };
static int byKey(const void* a, const void* b) {
  return (*(struct item* const*)a)->key - (*(struct item* const*)b)->key;
}
int main(void) {
  struct item one = {2, malloc(4 * sizeof(int))}, two = {1, malloc(4 * sizeof(int))};
  struct item* all[] = {&one, &two};
  qsort(all, 2, sizeof *all, byKey);
  for (int i = 0; i <= 4; i++)
    one.counts[i] = i;
  return two.key;
}
)");
  EXPECT_ERROR(e, "out-of-bounds", 11);
  EXPECT_EQ(e["offset"], 16);
}

// Wide characters, and what else the library writes as much of as it was told, or as its model says.
TEST_F(Memory, WritersOfTheLibraryThatAreNotStrcpy) {
  build(R"(#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <time.h>
#include <wchar.h>
static int order(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
int main(int argc, char** argv) {
  wchar_t wide[64];
  for (int i = 0; i < 40; i++) wide[i] = L'a' + i % 26;
  wide[40] = 0;
  int* block = malloc(40), * next = malloc(400);
  memset(block, 0, 40);
  memset(next, 0, 400);
  time_t now = 0;
  switch (atoi(argv[1])) {
  case 0: wmemmove((wchar_t*)block, wide, 40); break;
  case 1: wmemset((wchar_t*)block + 9, L'x', 2); break;
  case 2: localtime_r(&now, (struct tm*)block); break;
  case 3: wmemset((wchar_t*)block, L'x', 11); break;
  case 4: qsort(block, 11, sizeof *block, order); break;
  case 5: wmemcpy((wchar_t*)block, wide, 11); break;
  case 6: gmtime_r(&now, (struct tm*)block); break;
  case 7: wmemcpy((wchar_t*)block, wide, 10); qsort(block, 10, sizeof *block, order); wmemset((wchar_t*)block, L'x', 10); break;
  }
  return next[3];
}
)");
  for (int k = 0; k <= 7; ++k) {
    json document = ask({"--", "./p", std::to_string(k)});
    ASSERT_EQ(document["errors"].size(), k == 7 ? 0u : 1u) << k << document.dump(1);
    if (k == 7) continue;
    EXPECT_ERROR(document["errors"][0], "out-of-bounds", 17 + k);
  }
}

// What the library has written to a text, and only it has looked at, replay does not know.
TEST_F(Memory, WideTextsThatOnlyTheLibraryHasLookedAt) {
  build(R"(#include <stdlib.h>
#include <wchar.h>
int main(void) {
  wchar_t* line = malloc(40 * sizeof *line);
  line[0] = 0;
  for (int i = 0; i < 5; i++) wcscat(line, L"word ");
  int blanks = 0;
  for (size_t k = wcslen(line); k > 0; k--)
    if (line[k] == L' ') blanks++;
  return blanks != 5;
}
)");
  json document = ask();
  EXPECT_TRUE(document["errors"].empty()) << document.dump(1);
  EXPECT_THAT(document["caveats"].dump(), HasSubstr("wcscat()"));
}

TEST_F(Memory, WhatNobodyKnowsTheLengthOfIsSaidNotToBeChecked) {
  build(R"(#include <stdlib.h>
#include <wchar.h>
int main(void) {
  wchar_t* block = malloc(40);
  return swprintf(block, 100, L"%d", 123456789) != 9;
}
)");
  json document = ask();
  ASSERT_EQ(document["caveats"].size(), 1u) << document.dump(1);
  EXPECT_EQ(document["caveats"][0], "nobody knows how far these write, which was not checked: swprintf()");
}

// What many call to make their buffer larger did so as it was asked: who asked, or did not, is told.
TEST_F(Memory, ABufferThatWasMadeLargerForOneOfMany) {
  json e = first(R"(#include <stdlib.h>
struct buffer { char* text; size_t used, size; };
static void grow(struct buffer* b) {
  b->size += 8;
  b->text = realloc(b->text, b->size);
}
static void put(struct buffer* b, char c) { if (b->used == b->size) grow(b); b->text[b->used++] = c; }
static void space(struct buffer* b) { if (b->used == b->size) grow(b); b->text[b->used++] = ' '; }
static void twice(struct buffer* b, char c) { if (b->used + 2 > b->size) grow(b); b->text[b->used++] = c; b->text[b->used++] = c; }
int main(void) {
  struct buffer b = {0};
  grow(&b);
  for (int i = 0; i < 7; i++) put(&b, 'a');
  grow(&b);
  space(&b);
  twice(&b, 'b');
  for (int i = 0; i < 9; i++)
    b.text[b.used++] = '!';
  return b.text[0] != 'a';
}
)");
  EXPECT_ERROR(e, "out-of-bounds", 18);
  EXPECT_EQ(e["object"]["made"]["line"], 14) << e.dump(1);
}

TEST_F(Memory, OnePastTheEndOfABlock) {
  json e = first(R"(#include <stdlib.h>
int main(void) {
  int* a = malloc(10 * sizeof *a);
  for (int i = 0; i <= 10; i++)
    a[i] = i;
  return a[3];
}
)");
  EXPECT_ERROR(e, "out-of-bounds", 5);
  EXPECT_EQ(e["access"], "write");
  EXPECT_EQ(e["offset"], 40);
  EXPECT_EQ(e["size"], 4);
  EXPECT_EQ(e["object"]["kind"], "heap");
  EXPECT_EQ(e["object"]["size"], 40);
  EXPECT_EQ(e["object"]["made"]["line"], 3);
  EXPECT_EQ(e["values"][0]["name"], "i");
  EXPECT_EQ(e["values"][0]["text"], "10");
}

TEST_F(Memory, OnePastTheEndOfALocalFallsOnAnother) {
  json e = first(R"(int sum(int n) {
  int a[4], b[4];
  for (int i = 0; i < 4; i++) b[i] = 7;
  for (int i = 0; i <= n; i++)
    a[i] = i;
  return a[0] + b[0];
}
int main(void) { return sum(4); }
)");
  EXPECT_ERROR(e, "out-of-bounds", 5);
  EXPECT_EQ(e["offset"], 16);
  EXPECT_EQ(e["object"]["name"], "a");
  EXPECT_EQ(e["object"]["function"], "sum");
  EXPECT_EQ(e["object"]["made"]["line"], 2);
}

TEST_F(Memory, BeforeTheStartOfAGlobal) {
  json e = first(R"(char buf[8] = "abc", other[8];
int main(int n, char** v) {
  int i = n - 1;
  return buf[i - 1] + other[0];
}
)");
  EXPECT_ERROR(e, "out-of-bounds", 4);
  EXPECT_EQ(e["access"], "read");
  EXPECT_EQ(e["offset"], -1);
  EXPECT_EQ(e["object"]["name"], "buf");
}

TEST_F(Memory, UseAfterFreeWhereAnotherBlockLies) {
  json e = first(R"(#include <stdlib.h>
struct node { int v; struct node* next; };
int main(void) {
  struct node* n = malloc(sizeof *n);
  n->v = 3;
  free(n);
  int* other = malloc(16);
  *other = 9;
  return n->v;
}
)");
  EXPECT_ERROR(e, "use-after-free", 9);
  EXPECT_EQ(e["object"]["made"]["line"], 4);
  EXPECT_EQ(e["object"]["ended"]["line"], 6);
}

TEST_F(Memory, DoubleFree) {
  json e = first(R"(#include <stdlib.h>
int main(void) {
  char* p = malloc(24);
  free(p);
  char* q = malloc(24);
  free(p);
  return q != 0;
}
)");
  EXPECT_ERROR(e, "double-free", 6);
  EXPECT_EQ(e["object"]["ended"]["line"], 4);
}

TEST_F(Memory, DoubleFreeThatKillsTheRun) {
  json e = first(R"(#include <stdlib.h>
int main(void) {
  char* p = malloc(24);
  free(p);
  free(p);
  return 0;
}
)");
  EXPECT_ERROR(e, "double-free", 5);
}

TEST_F(Memory, FreeOfWhatIsNoBlock) {
  json e = first(R"(#include <stdlib.h>
int main(void) {
  char* p = malloc(24);
  p++;
  free(p);
  return 0;
}
)");
  EXPECT_ERROR(e, "bad-free", 5);
  EXPECT_EQ(e["offset"], 1);
}

TEST_F(Memory, AVariableThatNobodyWroteDecides) {
  json e = first(R"(int f(int n) {
  int x;
  if (n > 3) x = 1;
  if (x == 1)
    return 5;
  return 6;
}
int main(void) { return f(2); }
)");
  EXPECT_ERROR(e, "uninitialised", 4);
  EXPECT_THAT(e.value("text", ""), HasSubstr("`x`"));
}

TEST_F(Memory, AMemberThatNobodyWroteIsCopiedAndPrinted) {
  json e = first(R"(#include <stdio.h>
#include <stdlib.h>
struct s { int a; int b; };
int main(void) {
  struct s* p = malloc(sizeof *p);
  p->a = 1;
  struct s q = *p;
  printf("%d\n", q.a);
  printf("%d\n", q.b);
  return 0;
}
)");
  EXPECT_ERROR(e, "uninitialised", 9);
  EXPECT_THAT(e.value("text", ""), HasSubstr("q.b"));
}

TEST_F(Memory, AVariableOfAFunctionThatHasReturned) {
  json e = first(R"(static int* get(int n) {
  int local[2] = {n, n + 1};
  int* p = local;
  return p;
}
int main(void) {
  int* p = get(4);
  return *p;
}
)");
  EXPECT_ERROR(e, "use-after-return", 8);
  EXPECT_EQ(e["object"]["name"], "local");
  EXPECT_EQ(e["object"]["function"], "get");
}

TEST_F(Memory, TextThatIsTooLong) {
  writeFile(dir / "in", "a line of text\n");
  build(R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  const char* s = "hello, world";
  char* d = malloc(strlen(s));
  strcpy(d, s);
  char name[8];
  sprintf(name, "%d-%d", 1234, 567);
  char m[8];
  memcpy(m, s, strlen(s) - 3);
  char* f = malloc(4);
  FILE* file = fopen("in", "r");
  fgets(f, 16, file);
  return 0;
}
)");
  json errors = ask()["errors"];
  ASSERT_EQ(errors.size(), 4u) << errors.dump(1);
  EXPECT_ERROR(errors[0], "out-of-bounds", 7);
  EXPECT_EQ(errors[0]["by"], "strcpy");
  EXPECT_EQ(errors[0]["size"], 13);
  EXPECT_EQ(errors[0]["object"]["size"], 12);
  EXPECT_ERROR(errors[1], "out-of-bounds", 9);
  EXPECT_EQ(errors[1]["by"], "sprintf");
  EXPECT_EQ(errors[1]["object"]["name"], "name");
  EXPECT_ERROR(errors[2], "out-of-bounds", 11);
  EXPECT_EQ(errors[2]["object"]["name"], "m");
  EXPECT_EQ(errors[2]["size"], 9);
  EXPECT_ERROR(errors[3], "out-of-bounds", 14);
  EXPECT_EQ(errors[3]["by"], "fgets");
}

// By way of a list of arguments, through functions of the program's own; not where another block is now, and
// not where only the address is printed.
TEST_F(Memory, ATextThatWasGivenBackIsPrintedFromAList) {
  json e = first(R"(#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void report(FILE* f, const char* format, va_list list) {
  vfprintf(f, format, list);
}
static void say(const char* format, ...) {
  va_list list;
  va_start(list, format);
  report(stderr, format, list);
  va_end(list);
}
int main(void) {
  char* a = strdup("a letter of the alphabet");
  char* b = strdup("another one");
  say("%s %d %s\n", a, 3, b);
  free(a);
  char* c = strdup("this lies in the same.. ");
  say("%p %d %s\n", a, 4, c);
  free(c);
  say("%s %d %s\n", b, 5, c);
  return 0;
}
)");
  EXPECT_ERROR(e, "use-after-free", 6);
  EXPECT_EQ(e["object"]["made"]["line"], 19);
  EXPECT_EQ(e["object"]["ended"]["line"], 21);
  EXPECT_EQ(e["by"], "vfprintf");
}

TEST_F(Memory, ATextThatWasGivenBackIsPrintedToAStream) {
  json e = first(R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char* a = strdup("a letter of the alphabet");
  fprintf(stderr, "%s\n", a);
  free(a);
  fprintf(stderr, "%s\n", a);
  return 0;
}
)");
  EXPECT_ERROR(e, "use-after-free", 8);
}

// How long the line was is not known where the call gives none.
TEST_F(Memory, ALineMayBeLongerThanItsBlock) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char* line = malloc(16);
  char right[64];
  if (!fgets(right, sizeof right, stdin) || right[0] != 'a') return 1;
  if (fgets(right, sizeof right, stdin)) return 1;
  return fgets(line, 64, stdin) ? 4 : 3;
}
)");
  writeFile(dir / "in", "a\n");
  json document = ask({"--stdin", "in", "--", "./p"});
  ASSERT_EQ(document["errors"].size(), 1u) << document.dump(1);
  json e = document["errors"][0];
  EXPECT_ERROR(e, "out-of-bounds", 8);
  EXPECT_EQ(
      e["text"],
      "fgets() may write 64 bytes at offset 0 of the 16-byte block allocated at p.c:4, 48 bytes too many");
}

TEST_F(Memory, AMovedBlock) {
  json e = first(R"(#include <stdlib.h>
int main(void) {
  char* p = malloc(24);
  char* wall = malloc(24);
  char* q = realloc(p, 100000);
  q[0] = wall[0] = 1;
  return p[0];
}
)");
  EXPECT_ERROR(e, "use-after-free", 7);
  EXPECT_EQ(e["object"]["ended"]["line"], 5);
}

TEST_F(Memory, ANegativeSize) {
  json e = first(R"(#include <string.h>
int main(int n, char** v) {
  char to[8], from[8] = "abc";
  memcpy(to, from, n - 5);
  return to[0];
}
)");
  EXPECT_ERROR(e, "out-of-bounds", 4);
  EXPECT_THAT(e.value("text", ""), HasSubstr("negative size, -4"));
}

// Members of one object are not told apart: what lies beside an array in its struct belongs to it.
TEST_F(Memory, TheNextMemberIsNotAnotherObject) {
  EXPECT_EQ(first(R"(struct s { char name[4]; int n; };
int main(void) {
  struct s s;
  s.n = 0;
  for (int i = 0; i <= 4; i++) s.name[i] = 'x';
  return s.n;
}
)"),
            json::object());
}

TEST_F(Memory, APersonReadsTheSame) {
  build("#include <stdlib.h>\nint main(void) {\n  char* p = malloc(3);\n  p[3] = 0;\n  return 0;\n}\n");
  RunResult text = faultline({"memory", "--", "./p"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("p.c:4"));
  EXPECT_THAT(text.out, HasSubstr("writes 1 byte at offset 3 of the 3-byte block\n   allocated at p.c:3"));
  EXPECT_THAT(text.out, HasSubstr("just past its end"));
}

TEST_F(Memory, StopsWhereItIsTold) {
  build("int main(void) { int n = 0; for (int i = 0; i < 1000; i++) n += i; return n & 1; }\n");
  RunResult text = faultline({"memory", "--steps", "500", "--", "./p"});
  EXPECT_EQ(text.status, 3) << text.out;
  EXPECT_THAT(text.out, HasSubstr("stopped after 500 of "));
  EXPECT_THAT(text.out, HasSubstr("No memory error was found so far"));
}

// Right, all of it: pointers to members and back, texts behind structs, unions, bit-fields, a store of blocks
// of its own, "...", longjmp, callbacks, buffers that move, outside memory, tags in pointers.
TEST_F(Memory, NothingIsSaidOfRightPrograms) {
  writeFile(dir / "in", "a line of text\nand another\n");
  build(R"(#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
struct list { struct list* next; };
struct item { int v; struct list link; };
#define container(p, t, m) ((t*)((char*)(p) - offsetof(t, m)))
struct flex { int n; char data[]; };
struct hack { int n; char data[1]; };
union u { int i; char c[4]; void* p; };
struct bits { unsigned a : 3, b : 5, c : 9; };
static char arena[1024];
static size_t used;
static void* take(size_t n) { void* p = arena + used; used += (n + 15) & ~(size_t)15; return p; }
static int sum(int n, ...) {
  va_list l; int s = 0;
  va_start(l, n);
  for (int i = 0; i < n; i++) s += *va_arg(l, int*);
  va_end(l);
  return s;
}
static jmp_buf env;
static void leap(int x) { char b[16]; memset(b, x, sizeof b); if (b[3] == 4) longjmp(env, 3); }
static int compare(const void* a, const void* b) { return **(const int* const*)a - **(const int* const*)b; }
struct two { char c; long l; };
static struct two make(int n) { struct two t; t.c = (char)n; t.l = n; return t; }
static int use(struct two t) { return t.c + (int)t.l; }
int main(int argc, char** argv) {
  struct item* it = malloc(sizeof *it);
  it->v = 4;
  it->link.next = 0;
  struct list* l = &it->link;
  printf("%d\n", container(l, struct item, link)->v);
  struct flex* f = malloc(sizeof *f + 10);
  strcpy(f->data, "123456789");
  struct hack* h = malloc(sizeof *h + 10);
  strcpy(h->data, "123456789");
  union u u; u.i = 5;
  if (u.c[0] == 5) puts("little");
  struct bits b; b.a = 1; b.c = 3;
  if (b.a == 1 && b.c == 3) puts("bits");
  int* x = take(40); int* y = take(40);
  for (int i = 0; i < 10; i++) x[i] = y[i] = i;
  printf("%d\n", sum(3, &x[1], &y[2], &it->v));
  int r = setjmp(env);
  if (r == 0) leap(4);
  printf("%d\n", r);
  int* ptrs[3] = {&x[3], &x[1], &x[2]};
  qsort(ptrs, 3, sizeof *ptrs, compare);
  printf("%d\n", *ptrs[0]);
  char* s = malloc(4); size_t cap = 4, len = 0; char* cursor = s;
  for (int i = 0; i < 100; i++) {
    if (len == cap) { char* old = s; s = realloc(s, cap *= 2); cursor += s - old; }
    *cursor++ = 'a'; len++;
  }
  char* end = s + len; int n = 0;
  for (char* p = s; p < end; p++) n += *p == 'a';
  printf("%d\n", n);
  char* line = NULL; size_t room = 0;
  FILE* file = fopen(argc > 1 ? argv[1] : "in", "r");
  while (file && getline(&line, &room, file) > 0) { char* w = strtok(line, " \n"); while (w) { printf("[%s]", w); w = strtok(NULL, " \n"); } }
  free(line);
  if (file) fclose(file);
  char* dup = strdup(getenv("HOME") ? getenv("HOME") : "x");
  printf("%zu\n", strlen(dup) > 0 ? (size_t)1 : 0);
  struct two t = make(3);
  printf("%d\n", use(t));
  int d; sscanf("42", "%d", &d);
  if (d == 42) puts("scanned");
  uintptr_t tagged = (uintptr_t)it | 1;
  struct item* untagged = (struct item*)(tagged & ~(uintptr_t)1);
  printf("%d\n", untagged->v);
  int vla[argc + 3]; for (int i = 0; i < argc + 3; i++) vla[i] = i;
  printf("%d\n", vla[2]);
  char big[100]; snprintf(big, sizeof big, "%s %d", dup, 3);
  char nb[4]; strncpy(nb, "abcdef", 4);
  printf("%.4s\n", nb);
  struct two copy; memcpy(&copy, &t, sizeof t); struct two again = copy;
  if (memcmp(&again.l, &t.l, sizeof t.l) == 0) puts("same");
  free(dup); free(it); free(f); free(h); free(s);
  return 0;
}
)");
  json document = ask();
  EXPECT_EQ(document["errors"], json::array()) << document.dump(1);
  EXPECT_TRUE(document["complete"]);
}

// How long an argument is nobody has told the replay: the copy of one is not known to end before its NUL.
TEST_F(Memory, NothingIsSaidOfACopyOfAnArgument) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  char* first = strdup(argv[1]);
  char* second = strndup(argv[2], 2);
  printf("%zu %zu\n", strlen(first), strlen(second));
  char* third = malloc(3);
  strcpy(third, argv[1]);
  return argc == 3;
}
)");
  json document = ask({"--", "./p", "word", "another"});
  ASSERT_EQ(document["errors"].size(), 1u) << document.dump(1);
  EXPECT_ERROR(document["errors"][0], "out-of-bounds", 9);
  EXPECT_EQ(document["errors"][0]["object"]["size"], 3);
}

// iconv moves the pointer on by which it was told where to write.
TEST_F(Memory, WhatIconvHasWrittenIsWritten) {
  json e = first(R"(#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char in[] = "text", *from = in;
  char* out = malloc(40);
  char* to = out;
  size_t inLeft = 4, outLeft = 39;
  iconv_t way = iconv_open("UTF-8", "ISO-8859-1");
  if (iconv(way, &from, &inLeft, &to, &outLeft) == (size_t)-1) return 2;
  *to = 0;
  if (strlen(out) != 4) return 3;
  iconv_close(way);
  return out[41];
}
)");
  EXPECT_ERROR(e, "out-of-bounds", 15);
}

TEST_F(Memory, NothingIsSaidOfRightProgramsInCpp) {
  build(R"(#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct Base { virtual ~Base() = default; virtual int f() const { return 1; } };
struct Derived : Base { std::string name = "derived and rather long for a name"; int f() const override { return 2; } };
int main() {
  std::vector<std::string> words;
  for (int i = 0; i < 50; i++) words.push_back("word " + std::to_string(i));
  std::sort(words.begin(), words.end());
  std::map<std::string, int> counts;
  for (auto& w : words) counts[w.substr(0, 6)]++;
  int n = 0;
  for (auto& [k, v] : counts) n += v;
  std::unique_ptr<Base> b = std::make_unique<Derived>();
  std::ostringstream out;
  out << n << ' ' << b->f() << ' ' << words.front();
  std::cout << out.str() << "\n";
  try { throw std::runtime_error("wrong"); } catch (const std::exception& e) { std::cout << e.what() << "\n"; }
  std::vector<int> squares(10);
  std::thread t([&] { for (int i = 0; i < 10; i++) squares[i] = i * i; });
  t.join();
  std::cout << squares[9] << "\n";
  std::string copy = words[3], moved = std::move(copy);
  return int(moved.size()) == 0;
}
)",
        "faultline-c++");
  json document = ask();
  EXPECT_EQ(document["errors"], json::array()) << document.dump(1);
}

// Where library code in headers allocates and reads, the program's own lines are named.
TEST_F(Memory, AVectorsElementThatIsNotThere) {
  build(R"(#include <vector>
int main() {
  std::vector<int> v(5);
  int s = 0;
  for (unsigned i = 0; i <= v.size(); i++)
    s += v[i];
  return s != 0;
}
)",
        "faultline-c++");
  json errors = ask()["errors"];
  ASSERT_EQ(errors.size(), 1u) << errors.dump(1);
  EXPECT_ERROR(errors[0], "out-of-bounds", 6);
  EXPECT_EQ(errors[0]["offset"], 20);
  EXPECT_EQ(errors[0]["object"]["made"]["line"], 3);
}

// The line that makes the block too small, and the one that goes beyond it, though the run ends much later.
// Not the program's own malloc and free are told, but who called them, and what led to that.
TEST_F(Memory, FunctionsAroundMallocAndFreeArePassedOver) {
  json e = first(R"(#include <stdlib.h>
struct item { int uses; char* name; };
static void* take(size_t size) { void* p = malloc(size); return p ? p : (abort(), p); }
static void give(void* p) { if (p) free(p); }
static struct item* make(char c) {
  struct item* i = take(sizeof *i);
  i->uses = 1;
  i->name = take(37);
  i->name[0] = c;
  return i;
}
static void drop(struct item* i) {
  if (--i->uses == 0)
    give(i->name);
}
static char replace(struct item** slot, struct item* with) {
  drop(*slot);
  *slot = with;
  return with->name[0];
}
int main(int argc, char** argv) {
  struct item* i = make('a');
  return replace(&i, i);
}
)");
  EXPECT_ERROR(e, "use-after-free", 19);
  const json& o = e["object"];
  EXPECT_EQ(o["made"]["line"], 8) << o;
  EXPECT_EQ(o["made_within"]["line"], 3) << o;
  EXPECT_EQ(o["ended"]["line"], 14) << o;
  EXPECT_EQ(o["ended_within"]["line"], 4) << o;
  ASSERT_EQ(o["ended_for"].size(), 2u) << o;
  EXPECT_EQ(o["ended_for"][0]["line"], 17) << o;
  EXPECT_EQ(o["ended_for"][1]["line"], 23) << o;
  EXPECT_THAT(std::string(e["text"]), HasSubstr("allocated at p.c:8, which was freed at p.c:14"));
  RunResult answer = faultline({"explain", "--json", "--expect-status", "97", "--", "./p"});
  json explained = json::parse(answer.out, nullptr, false);
  std::vector<int> lines;
  for (size_t k = 0; k < 6 && k < explained["suspects"].size(); ++k)
    lines.push_back(int(explained["suspects"][k]["place"]["line"]));
  EXPECT_THAT(lines, ::testing::IsSupersetOf({14, 17})) << explained["suspects"].dump(1);
}

// A block that realloc left where it was has the size that was asked for last.
TEST_F(Memory, ABlockThatGrewInItsPlace) {
  json e = first(R"(#include <stdlib.h>
int main(void) {
  char* p = malloc(16);
  char* q = realloc(p, 20);
  if (q != p) return 2;
  return q[20];
}
)");
  EXPECT_ERROR(e, "out-of-bounds", 6);
  EXPECT_EQ(e["object"]["size"], 20);
  EXPECT_EQ(e["object"]["made"]["line"], 4) << e;
}

// A function that many call to give something back does what it is told.
TEST_F(Memory, WhoGaveUpWhatManyGiveUpIsTold) {
  json e = first(R"(#include <stdlib.h>
struct item { int uses; char* name; };
static struct item* make(void) {
  struct item* i = malloc(sizeof *i);
  i->uses = 1;
  i->name = calloc(1, 37);
  return i;
}
static void drop(struct item* i) {
  if (--i->uses == 0)
    free(i->name);
}
int main(int argc, char** argv) {
  struct item *a = make(), *b = make();
  if (argc == 2) drop(a);
  if (argc == 3) drop(b);
  if (argc == 4) drop(b);
  drop(b);
  if (argc < 5)
    drop(a);
  return a->name[0];
}
)");
  EXPECT_ERROR(e, "use-after-free", 21);
  EXPECT_EQ(e["object"]["ended"]["line"], 20) << e;
  EXPECT_EQ(e["object"]["ended_within"]["line"], 11) << e;
}

// It was given the size, but goes beyond it by itself.
TEST_F(Memory, AFunctionThatUsesItsBlockIsNotPassedOver) {
  json e = first(R"(#include <stdlib.h>
#include <string.h>
static char* copy(const char* s, size_t n) {
  char* p = malloc(n);
  memcpy(p, s, n);
  p[n] = 0;
  return p;
}
int main(void) { return copy("abcdefghijklmnopqrstuvwxyz", 24)[0]; }
)");
  EXPECT_ERROR(e, "out-of-bounds", 6);
  EXPECT_EQ(e["object"]["made"]["line"], 4);
  EXPECT_FALSE(e["object"].contains("made_within"));
}

// `if` where `while` is right: the room is made larger once, which is not enough.
TEST_F(Memory, ExplainNamesTheTestOfTheRoom) {
  build(R"(#include <stdlib.h>
#include <string.h>
static char* text;
static size_t room, used;
static void add(const char* s, size_t n) {
  if (used + n > room)
    text = realloc(text, room += 16);
  memcpy(text + used, s, n);
  used += n;
}
int main(int argc, char** argv) {
  add("first", 5);
  add("a text that is longer than the room that there is", 49);
  free(malloc(5000)); // the allocator notices
  return 0;
}
)");
  RunResult answer = faultline({"explain", "--json", "--", "./p"});
  json explained = json::parse(answer.out, nullptr, false);
  std::vector<int> lines;
  for (size_t k = 0; k < 4 && k < explained["suspects"].size(); ++k)
    lines.push_back(int(explained["suspects"][k]["place"]["line"]));
  EXPECT_THAT(lines, ::testing::IsSupersetOf({6, 7, 8})) << explained["suspects"].dump(1);
}

TEST_F(Memory, WhatComesBehindTheWrongByteIsNoSuspect) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int* n = malloc(sizeof *n);
  *n = 20 + 20;
  printf("%d\n", *n);
  free(n);
  return *n == 1;
}
)");
  writeFile(dir / "right", "42\n");
  RunResult answer = faultline({"explain", "--json", "--expect", "right", "--", "./p"});
  json explained = json::parse(answer.out, nullptr, false);
  ASSERT_FALSE(explained["suspects"].empty()) << answer.out << answer.err;
  for (const json& s : explained["suspects"])
    EXPECT_THAT(int(s["place"]["line"]), ::testing::Lt(7)) << s.dump(1);
  EXPECT_THAT(explained["tried"].dump(), HasSubstr("none of them invalid before the failure, 1 after it"));
}

TEST_F(Memory, ExplainKnowsOfIt) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char* keep(const char* s) {
  char* copy = malloc(strlen(s) - 20);
  strcpy(copy, s);
  return copy;
}
int main(void) {
  int* before = malloc(24);
  int* total = malloc(24);
  free(before);
  char* name = keep("abcdefghijklmnopqrstuvwxyzabcdefghijkl");
  *total = 5;
  puts(name);
  return name[0] == 'a';
}
)");
  RunResult answer = faultline({"explain", "--json", "--", "./p"});
  json document = json::parse(answer.out, nullptr, false);
  ASSERT_TRUE(document["suspects"].is_array()) << answer.err;
  EXPECT_THAT(std::string(document["tried"][0]), HasSubstr("the first invalid one is at p.c:6"));
  ASSERT_GE(document["suspects"].size(), 2u);
  const json &made = document["suspects"][0], &went = document["suspects"][1];
  EXPECT_EQ(made["place"]["line"], 5) << document["suspects"].dump(1);
  EXPECT_EQ(made["reason"], "allocates 18 bytes, and line 6 goes beyond them");
  EXPECT_EQ(went["place"]["line"], 6) << document["suspects"].dump(1);
  EXPECT_EQ(went["evidence"][0]["technique"], "memory");
  EXPECT_THAT(went["reason"].get<std::string>(), HasSubstr("the 18-byte block allocated at p.c:5"));
  json without =
      json::parse(faultline({"explain", "--json", "--without", "memory", "--", "./p"}).out, nullptr, false);
  for (const json& suspect : without["suspects"])
    for (const json& e : suspect["evidence"]) EXPECT_NE(e["technique"], "memory");
}

} // namespace
} // namespace faultline::test
