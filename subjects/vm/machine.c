#include "vm.h"

#include <stdio.h>

typedef struct {
  const program* code;
  int pc;
  long stack[MAX_STACK];
  int depth;
  int calls[MAX_CALLS];
  int call_depth;
  long cells[MAX_CELLS];
  const char* error;
  int halted;
} machine;

static void push(machine* m, long value) {
  if (m->depth == MAX_STACK)
    m->error = "stack overflow";
  else
    m->stack[m->depth++] = value;
}

static long pop(machine* m) {
  if (m->depth == 0) {
    m->error = "stack underflow";
    return 0;
  }
  return m->stack[--m->depth];
}

static long peek(machine* m, int below) {
  if (below >= m->depth) {
    m->error = "stack underflow";
    return 0;
  }
  return m->stack[m->depth - 1 - below];
}

static long* cell(machine* m, long address) {
  static long nothing;
  if (address >= 0 && address < MAX_CELLS) return &m->cells[address];
  m->error = "no such cell";
  return &nothing;
}

static long divide(machine* m, opcode op, long left, long right) {
  if (right == 0) {
    m->error = "division by zero";
    return 0;
  }
  return op == OP_DIV ? left / right : left % right;
}

static void arithmetic(machine* m, opcode op) {
  long right = pop(m);
  long left = pop(m);
  switch (op) {
  case OP_ADD:
    push(m, left + right);
    break;
  case OP_SUB:
    push(m, left - right);
    break;
  case OP_MUL:
    push(m, left * right);
    break;
  case OP_EQ:
    push(m, left == right);
    break;
  case OP_LT:
    push(m, left < right);
    break;
  case OP_GT:
    push(m, left > right);
    break;
  default:
    push(m, divide(m, op, left, right));
    break;
  }
}

static void swap(machine* m) {
  long top = pop(m);
  long below = pop(m);
  push(m, top);
  push(m, below);
}

static void call(machine* m, long target) {
  if (m->call_depth == MAX_CALLS) {
    m->error = "too many calls";
    return;
  }
  m->calls[m->call_depth++] = m->pc;
  m->pc = (int)target;
}

static void give_back(machine* m) {
  if (m->call_depth == 0) {
    m->error = "return without call";
    return;
  }
  m->pc = m->calls[--m->call_depth];
}

static void read_number(machine* m) {
  long value;
  if (scanf("%ld", &value) != 1) value = -1;
  push(m, value);
}

static void step(machine* m, const instruction* i) {
  long value;
  switch (i->op) {
  case OP_PUSH:
    push(m, i->operand);
    break;
  case OP_POP:
    pop(m);
    break;
  case OP_DUP:
    push(m, peek(m, 0));
    break;
  case OP_OVER:
    push(m, peek(m, 1));
    break;
  case OP_SWAP:
    swap(m);
    break;
  case OP_NEG:
    push(m, -pop(m));
    break;
  case OP_NOT:
    push(m, !pop(m));
    break;
  case OP_JUMP:
    m->pc = (int)i->operand;
    break;
  case OP_JZ:
    if (pop(m) == 0) m->pc = (int)i->operand;
    break;
  case OP_JNZ:
    if (pop(m) != 0) m->pc = (int)i->operand;
    break;
  case OP_CALL:
    call(m, i->operand);
    break;
  case OP_RET:
    give_back(m);
    break;
  case OP_LOAD:
    push(m, *cell(m, i->operand));
    break;
  case OP_STORE:
    *cell(m, i->operand) = pop(m);
    break;
  case OP_LOADI:
    push(m, *cell(m, pop(m)));
    break;
  case OP_STOREI:
    value = pop(m);
    *cell(m, pop(m)) = value;
    break;
  case OP_PRINT:
    printf("%ld\n", pop(m));
    break;
  case OP_EMIT:
    putchar((int)pop(m));
    break;
  case OP_READ:
    read_number(m);
    break;
  case OP_HALT:
    m->halted = 1;
    break;
  default:
    arithmetic(m, i->op);
    break;
  }
}

int execute(const program* p) {
  machine m = {.code = p};
  while (!m.halted && !m.error) {
    if (m.pc < 0 || m.pc >= p->length) {
      m.error = "ran off the code";
      break;
    }
    const instruction* i = &p->code[m.pc++];
    step(&m, i);
  }
  if (!m.error) return 0;
  printf("%s at %d\n", m.error, m.pc - 1);
  return 1;
}
