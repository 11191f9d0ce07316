/* An interpreter of a small BASIC: values and variables, expressions, the stored program, statements. */
#ifndef BASIC_H
#define BASIC_H

enum { MAX_LINES = 128, MAX_STACK = 16, MAX_NAMES = 48, NAME_SIZE = 12 };

typedef struct {
  char* text; /* NULL: a number; otherwise owned */
  double number;
} value;

typedef struct {
  char name[NAME_SIZE];
  int is_array;
  int rows, columns; /* of an array: one more than the largest index */
  value* cells;
} name;

typedef struct {
  int number;
  char* text;
} line;

typedef struct {
  char variable[NAME_SIZE];
  double last, step;
  int at_line;
  const char* at;
} loop;

typedef struct {
  int at_line;
  const char* at;
} place;

typedef struct {
  line lines[MAX_LINES];
  int line_count;
  name names[MAX_NAMES];
  int name_count;
  loop loops[MAX_STACK];
  int loop_depth;
  place calls[MAX_STACK];
  int call_depth;
  place data;  /* where READ goes on; at is NULL before the first */
  int current; /* index of the line that runs */
  const char* at;
  const char* error;
  int ended;
  int column; /* of the output */
} basic;

/* values.c */
value make_number(double number);
value make_text(const char* text, int length);
value copy_value(value v);
void free_value(value v);
value* find_cell(basic* b, const char* name, const double* index, int count);
name* dimension(basic* b, const char* name, int rows, int columns);
void free_names(basic* b);

/* words.c */
void skip_spaces(basic* b);
int accept_word(basic* b, const char* word);
int accept_sign(basic* b, const char* sign);
int read_name(basic* b, char* out);
void fail(basic* b, const char* error);

/* expressions.c */
value evaluate(basic* b);
double evaluate_number(basic* b);
int read_indexes(basic* b, double* index);

/* statements.c */
void run(basic* b);

/* program.c */
int store_line(basic* b, const char* text);
int find_line(const basic* b, int number);
void free_lines(basic* b);

#endif
