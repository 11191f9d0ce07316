/* Two passes over the text: the first finds the labels, the second makes code. */
#include "vm.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LABELS = 32, WORD = 24 };

typedef struct {
  char name[WORD];
  int address;
} label;

typedef struct {
  label labels[MAX_LABELS];
  int label_count;
  int errors;
  int line;
} assembler;

typedef struct {
  const char* name;
  opcode op;
  int has_operand;
} mnemonic;

static const mnemonic mnemonics[] = {
    {"push", OP_PUSH, 1},   {"pop", OP_POP, 0},     {"dup", OP_DUP, 0},     {"swap", OP_SWAP, 0},
    {"over", OP_OVER, 0},   {"add", OP_ADD, 0},     {"sub", OP_SUB, 0},     {"mul", OP_MUL, 0},
    {"div", OP_DIV, 0},     {"mod", OP_MOD, 0},     {"neg", OP_NEG, 0},     {"eq", OP_EQ, 0},
    {"lt", OP_LT, 0},       {"gt", OP_GT, 0},       {"not", OP_NOT, 0},     {"jump", OP_JUMP, 1},
    {"jz", OP_JZ, 1},       {"jnz", OP_JNZ, 1},     {"call", OP_CALL, 1},   {"ret", OP_RET, 0},
    {"load", OP_LOAD, 1},   {"store", OP_STORE, 1}, {"loadi", OP_LOADI, 0}, {"storei", OP_STOREI, 0},
    {"print", OP_PRINT, 0}, {"emit", OP_EMIT, 0},   {"read", OP_READ, 0},   {"halt", OP_HALT, 0},
};

static void complain(assembler* a, const char* what, const char* word) {
  printf("line %d: %s %s\n", a->line, what, word);
  a->errors++;
}

/* The next word of a line, in lower case; what follows a semicolon is a comment. */
static const char* next_word(const char* at, char* word) {
  int length = 0;
  while (*at == ' ' || *at == '\t') at++;
  while (*at && !isspace((unsigned char)*at) && *at != ';') {
    if (length < WORD - 1) word[length++] = (char)tolower((unsigned char)*at);
    at++;
  }
  word[length] = '\0';
  return at;
}

static const char* next_line(const char* at) {
  while (*at && *at != '\n') at++;
  return *at ? at + 1 : at;
}

static const mnemonic* find_mnemonic(const char* word) {
  for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
    if (strcmp(mnemonics[i].name, word) == 0) return &mnemonics[i];
  return NULL;
}

static label* find_label(assembler* a, const char* name) {
  for (int i = 0; i < a->label_count; i++)
    if (strcmp(a->labels[i].name, name) == 0) return &a->labels[i];
  return NULL;
}

static int is_label(const char* word) {
  size_t length = strlen(word);
  return length > 1 && word[length - 1] == ':';
}

static void define_label(assembler* a, char* word, int address) {
  word[strlen(word) - 1] = '\0';
  if (find_label(a, word)) {
    complain(a, "twice:", word);
    return;
  }
  if (a->label_count == MAX_LABELS) {
    complain(a, "too many labels:", word);
    return;
  }
  label* l = &a->labels[a->label_count++];
  strcpy(l->name, word);
  l->address = address;
}

static void find_labels(assembler* a, const char* text) {
  char word[WORD];
  int address = 0;
  a->line = 1;
  for (const char* at = text; *at; at = next_line(at), a->line++) {
    const char* rest = next_word(at, word);
    if (is_label(word)) {
      define_label(a, word, address);
      next_word(rest, word);
    }
    if (word[0]) address++;
  }
}

static long operand(assembler* a, const char* word) {
  if (word[0] == '\'' && word[1]) return word[1];
  if (isdigit((unsigned char)word[0]) || word[0] == '-') return strtol(word, NULL, 10);
  label* l = find_label(a, word);
  if (!l) {
    complain(a, "no such label:", word);
    return 0;
  }
  return l->address;
}

static void emit_line(assembler* a, const char* at, program* out) {
  char word[WORD];
  const char* rest = next_word(at, word);
  if (is_label(word)) rest = next_word(rest, word);
  if (!word[0]) return;
  const mnemonic* m = find_mnemonic(word);
  if (!m) {
    complain(a, "what is", word);
    return;
  }
  if (out->length == MAX_CODE) {
    complain(a, "too long at", word);
    return;
  }
  instruction* i = &out->code[out->length++];
  i->op = m->op;
  i->operand = 0;
  if (m->has_operand) {
    next_word(rest, word);
    i->operand = operand(a, word);
  }
}

int assemble(const char* text, program* out) {
  assembler a = {.errors = 0};
  out->length = 0;
  find_labels(&a, text);
  a.line = 1;
  for (const char* at = text; *at; at = next_line(at), a.line++) emit_line(&a, at, out);
  return a.errors;
}
