/* calc: evaluates expressions, one a line, over whole numbers.
 *
 *   name = EXPRESSION     assigns
 *   EXPRESSION            prints its value
 *
 * Operators: + - * / % ^, comparisons, unary -, parentheses; functions: abs min max gcd sum. The exit status
 * is the number of lines that are wrong.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARIABLES = 16, MAX_ARGUMENTS = 8, NAME_SIZE = 16 };

typedef enum { NUMBER, VARIABLE, UNARY, BINARY, CALL } node_kind;

typedef struct node {
  node_kind kind;
  long value;
  char op;
  char name[NAME_SIZE];
  struct node* left;
  struct node* right;
  struct node* arguments[MAX_ARGUMENTS];
  int count;
} node;

typedef struct {
  const char* at;
  const char* error;
} parser;

typedef struct {
  char name[NAME_SIZE];
  long value;
} variable;

static variable variables[MAX_VARIABLES];
static int variable_count;
static const char* failure;

static node* parse_comparison(parser* p);

static node* make(node_kind kind) {
  node* n = calloc(1, sizeof *n);
  if (!n) abort();
  n->kind = kind;
  return n;
}

static void release(node* n) {
  if (!n) return;
  release(n->left);
  release(n->right);
  for (int i = 0; i < n->count; i++) release(n->arguments[i]);
  free(n);
}

static void skip_space(parser* p) {
  while (isspace((unsigned char)*p->at)) p->at++;
}

static int accept(parser* p, char c) {
  skip_space(p);
  if (*p->at != c) return 0;
  p->at++;
  return 1;
}

static void read_name(parser* p, char* name) {
  int length = 0;
  while (isalnum((unsigned char)*p->at)) {
    if (length < NAME_SIZE - 1) name[length++] = *p->at;
    p->at++;
  }
  name[length] = '\0';
}

static node* parse_call(parser* p, node* call) {
  call->kind = CALL;
  if (accept(p, ')')) return call;
  do {
    if (call->count == MAX_ARGUMENTS) {
      p->error = "too many arguments";
      return call;
    }
    call->arguments[call->count++] = parse_comparison(p);
  } while (accept(p, ','));
  if (!accept(p, ')')) p->error = "missing )";
  return call;
}

static node* parse_primary(parser* p) {
  skip_space(p);
  if (isdigit((unsigned char)*p->at)) {
    node* n = make(NUMBER);
    while (isdigit((unsigned char)*p->at)) n->value = n->value * 10 + (*p->at++ - '0');
    return n;
  }
  if (isalpha((unsigned char)*p->at)) {
    node* n = make(VARIABLE);
    read_name(p, n->name);
    return accept(p, '(') ? parse_call(p, n) : n;
  }
  if (accept(p, '(')) {
    node* n = parse_comparison(p);
    if (!accept(p, ')')) p->error = "missing )";
    return n;
  }
  p->error = "a number is missing";
  return make(NUMBER);
}

static node* parse_unary(parser* p);

static node* parse_power(parser* p) {
  node* base = parse_primary(p);
  if (!accept(p, '^')) return base;
  node* n = make(BINARY);
  n->op = '^';
  n->left = base;
  n->right = parse_unary(p);
  return n;
}

static node* parse_unary(parser* p) {
  if (!accept(p, '-')) return parse_power(p);
  node* n = make(UNARY);
  n->op = '-';
  n->left = parse_unary(p);
  return n;
}

static node* parse_binary(parser* p, const char* operators, node* (*operand)(parser*)) {
  node* left = operand(p);
  for (;;) {
    skip_space(p);
    if (!*p->at || !strchr(operators, *p->at)) return left;
    node* n = make(BINARY);
    n->op = *p->at++;
    n->left = left;
    n->right = operand(p);
    left = n;
  }
}

static node* parse_product(parser* p) { return parse_binary(p, "*/%", parse_unary); }

static node* parse_sum(parser* p) { return parse_binary(p, "+-", parse_product); }

static node* parse_comparison(parser* p) { return parse_binary(p, "<>", parse_sum); }

static variable* find_variable(const char* name) {
  for (int i = 0; i < variable_count; i++)
    if (strcmp(variables[i].name, name) == 0) return &variables[i];
  return NULL;
}

static void assign(const char* name, long value) {
  variable* v = find_variable(name);
  if (!v) {
    if (variable_count == MAX_VARIABLES) {
      failure = "too many variables";
      return;
    }
    v = &variables[variable_count++];
    strcpy(v->name, name);
  }
  v->value = value;
}

static long power(long base, long exponent) {
  long result = 1;
  while (exponent > 0) {
    if (exponent & 1) result *= base;
    base *= base;
    exponent >>= 1;
  }
  return result;
}

static long gcd(long a, long b) {
  while (b != 0) {
    long rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

static long evaluate(const node* n);

static long call(const node* n) {
  long result = n->count > 0 ? evaluate(n->arguments[0]) : 0;
  if (strcmp(n->name, "abs") == 0) return result < 0 ? -result : result;
  for (int i = 1; i < n->count; i++) {
    long value = evaluate(n->arguments[i]);
    if (strcmp(n->name, "min") == 0)
      result = value < result ? value : result;
    else if (strcmp(n->name, "max") == 0)
      result = value > result ? value : result;
    else if (strcmp(n->name, "gcd") == 0)
      result = gcd(result, value);
    else if (strcmp(n->name, "sum") == 0)
      result += value;
    else
      failure = "no such function";
  }
  return result;
}

static long divide(char op, long left, long right) {
  if (right == 0) {
    failure = "division by zero";
    return 0;
  }
  return op == '/' ? left / right : left % right;
}

static long binary(const node* n) {
  long left = evaluate(n->left);
  long right = evaluate(n->right);
  switch (n->op) {
  case '+':
    return left + right;
  case '-':
    return left - right;
  case '*':
    return left * right;
  case '<':
    return left < right;
  case '>':
    return left > right;
  case '^':
    return power(left, right);
  default:
    return divide(n->op, left, right);
  }
}

static long evaluate(const node* n) {
  switch (n->kind) {
  case NUMBER:
    return n->value;
  case UNARY:
    return -evaluate(n->left);
  case BINARY:
    return binary(n);
  case CALL:
    return call(n);
  case VARIABLE:
    break;
  }
  variable* v = find_variable(n->name);
  if (!v) failure = "no such variable";
  return v ? v->value : 0;
}

/* The name that a line assigns to, and where its expression begins; the whole line if it assigns nothing. */
static const char* assignment(const char* line, char* name) {
  parser p = {line, NULL};
  skip_space(&p);
  name[0] = '\0';
  if (!isalpha((unsigned char)*p.at)) return line;
  read_name(&p, name);
  if (accept(&p, '=')) return p.at;
  name[0] = '\0';
  return line;
}

static int run_line(const char* line) {
  char name[NAME_SIZE];
  parser p = {assignment(line, name), NULL};
  failure = NULL;
  node* tree = parse_comparison(&p);
  skip_space(&p);
  if (!p.error && *p.at) p.error = "what is this";
  long value = p.error ? 0 : evaluate(tree);
  release(tree);
  if (p.error || failure) {
    printf("error: %s\n", p.error ? p.error : failure);
    return 1;
  }
  if (name[0])
    assign(name, value);
  else
    printf("%ld\n", value);
  return 0;
}

int main(void) {
  char line[256];
  int wrong = 0;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    if (line[strspn(line, " \t")] == '\0') continue;
    wrong += run_line(line);
  }
  return wrong;
}
