/* A small stack machine and its assembler. */
#ifndef VM_H
#define VM_H

enum { MAX_CODE = 512, MAX_STACK = 64, MAX_CALLS = 16, MAX_CELLS = 32 };

typedef enum {
  OP_PUSH,
  OP_POP,
  OP_DUP,
  OP_SWAP,
  OP_OVER,
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_MOD,
  OP_NEG,
  OP_EQ,
  OP_LT,
  OP_GT,
  OP_NOT,
  OP_JUMP,
  OP_JZ,
  OP_JNZ,
  OP_CALL,
  OP_RET,
  OP_LOAD,
  OP_STORE,
  OP_LOADI,
  OP_STOREI,
  OP_PRINT,
  OP_EMIT,
  OP_READ,
  OP_HALT,
  OP_COUNT
} opcode;

typedef struct {
  opcode op;
  long operand;
} instruction;

typedef struct {
  instruction code[MAX_CODE];
  int length;
} program;

/* The number of errors, each of which was printed. */
int assemble(const char* text, program* out);

/* 0, or 1 if the machine stopped with an error, which was printed. */
int execute(const program* p);

#endif
