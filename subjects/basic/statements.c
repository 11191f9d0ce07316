#include "basic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ZONE = 10 };

static void go_to_line(basic* b, int number) {
  int at = find_line(b, number);
  if (at < 0) {
    fail(b, "no such line");
    return;
  }
  b->current = at;
  b->at = b->lines[at].text;
}

static void skip_rest(basic* b) {
  while (*b->at) b->at++;
}

static void put(basic* b, const char* text) {
  fputs(text, stdout);
  b->column += (int)strlen(text);
}

static void put_value(basic* b, value v) {
  char text[40];
  if (!v.text) snprintf(text, sizeof text, "%g", v.number);
  put(b, v.text ? v.text : text);
}

static void end_output_line(basic* b) {
  putchar('\n');
  b->column = 0;
}

/* A comma goes to the next zone, a semicolon stays; either at the end keeps the line open. */
static void print_statement(basic* b) {
  int is_open = 0;
  for (;;) {
    skip_spaces(b);
    if (!*b->at || *b->at == ':') break;
    is_open = 1;
    if (accept_sign(b, ",")) {
      do put(b, " ");
      while (b->column % ZONE != 0);
    } else if (!accept_sign(b, ";")) {
      value v = evaluate(b);
      if (b->error) {
        free_value(v);
        return;
      }
      put_value(b, v);
      free_value(v);
      is_open = 0;
    }
  }
  if (!is_open) end_output_line(b);
}

static void store(basic* b, const char* name, const double* index, int count, value v) {
  int wants_text = name[strlen(name) - 1] == '$';
  value* cell = b->error ? NULL : find_cell(b, name, index, count);
  if (cell && wants_text != (v.text != NULL)) {
    fail(b, "the wrong kind of value");
    cell = NULL;
  }
  if (!cell) {
    free_value(v);
    return;
  }
  free_value(*cell);
  *cell = v;
}

static void let_statement(basic* b) {
  char name[NAME_SIZE];
  double index[2];
  if (!read_name(b, name)) {
    fail(b, "what is this");
    return;
  }
  int count = read_indexes(b, index);
  if (!accept_sign(b, "=")) {
    fail(b, "missing =");
    return;
  }
  store(b, name, index, count, evaluate(b));
}

static void statement(basic* b);

static void if_statement(basic* b) {
  double condition = evaluate_number(b);
  if (!accept_word(b, "THEN")) {
    fail(b, "missing THEN");
    return;
  }
  if (condition == 0) {
    skip_rest(b);
    return;
  }
  skip_spaces(b);
  if (*b->at >= '0' && *b->at <= '9')
    go_to_line(b, (int)strtol(b->at, NULL, 10));
  else
    statement(b);
}

static void for_statement(basic* b) {
  loop l = {"", 0, 1, 0, NULL};
  if (!read_name(b, l.variable) || !accept_sign(b, "=")) {
    fail(b, "bad FOR");
    return;
  }
  store(b, l.variable, NULL, 0, make_number(evaluate_number(b)));
  if (!accept_word(b, "TO")) fail(b, "missing TO");
  l.last = evaluate_number(b);
  if (accept_word(b, "STEP")) l.step = evaluate_number(b);
  l.at_line = b->current;
  l.at = b->at;
  /* A loop over the same variable that was left by a jump is done with. */
  for (int i = 0; i < b->loop_depth; i++)
    if (strcmp(b->loops[i].variable, l.variable) == 0) b->loop_depth = i;
  if (b->loop_depth == MAX_STACK) {
    fail(b, "too many loops");
    return;
  }
  b->loops[b->loop_depth++] = l;
}

static int find_loop(basic* b) {
  char name[NAME_SIZE];
  int depth = b->loop_depth - 1;
  if (read_name(b, name))
    while (depth >= 0 && strcmp(b->loops[depth].variable, name) != 0) depth--;
  return depth;
}

static void next_statement(basic* b) {
  int depth = find_loop(b);
  if (depth < 0) {
    fail(b, "NEXT without FOR");
    return;
  }
  b->loop_depth = depth + 1;
  loop* l = &b->loops[depth];
  value* cell = find_cell(b, l->variable, NULL, 0);
  if (!cell) return;
  cell->number += l->step;
  if (l->step >= 0 ? cell->number > l->last : cell->number < l->last) {
    b->loop_depth--;
    return;
  }
  b->current = l->at_line;
  b->at = l->at;
}

static void gosub_statement(basic* b) {
  int number = (int)evaluate_number(b);
  if (b->call_depth == MAX_STACK) {
    fail(b, "too many calls");
    return;
  }
  place* p = &b->calls[b->call_depth++];
  p->at_line = b->current;
  p->at = b->at;
  go_to_line(b, number);
}

static void return_statement(basic* b) {
  if (b->call_depth == 0) {
    fail(b, "RETURN without GOSUB");
    return;
  }
  place* p = &b->calls[--b->call_depth];
  b->current = p->at_line;
  b->at = p->at;
}

static void dim_statement(basic* b) {
  char name[NAME_SIZE];
  do {
    double index[2] = {0, 0};
    if (!read_name(b, name)) {
      fail(b, "bad DIM");
      return;
    }
    int count = read_indexes(b, index);
    if (count == 0 || index[0] < 0 || index[1] < 0 || index[0] > 1000 || index[1] > 1000) {
      fail(b, "bad DIM");
      return;
    }
    dimension(b, name, (int)index[0], (int)index[1]);
  } while (!b->error && accept_sign(b, ","));
}

/* The place of the next item of a DATA statement; 0 if there is none. */
static int next_data(basic* b) {
  place* d = &b->data;
  if (d->at && *d->at == ',') {
    d->at++;
    return 1;
  }
  for (int i = d->at ? d->at_line + 1 : 0; i < b->line_count; i++) {
    if (strncmp(b->lines[i].text, "DATA ", 5) != 0) continue;
    d->at_line = i;
    d->at = b->lines[i].text + 5;
    return 1;
  }
  return 0;
}

static void read_statement(basic* b) {
  char name[NAME_SIZE];
  double index[2];
  do {
    if (!read_name(b, name)) {
      fail(b, "bad READ");
      return;
    }
    int count = read_indexes(b, index);
    if (b->error || !next_data(b)) {
      fail(b, "out of data");
      return;
    }
    const char* here = b->at;
    b->at = b->data.at;
    value v = evaluate(b);
    skip_spaces(b);
    b->data.at = b->at;
    b->at = here;
    store(b, name, index, count, v);
  } while (!b->error && accept_sign(b, ","));
}

static void input_statement(basic* b) {
  char name[NAME_SIZE], text[128];
  double index[2];
  if (!read_name(b, name)) {
    fail(b, "bad INPUT");
    return;
  }
  int count = read_indexes(b, index);
  if (!fgets(text, sizeof text, stdin)) {
    fail(b, "no more input");
    return;
  }
  text[strcspn(text, "\n")] = '\0';
  if (name[strlen(name) - 1] == '$')
    store(b, name, index, count, make_text(text, (int)strlen(text)));
  else
    store(b, name, index, count, make_number(atof(text)));
}

static void statement(basic* b) {
  if (accept_word(b, "PRINT")) {
    print_statement(b);
  } else if (accept_word(b, "IF")) {
    if_statement(b);
  } else if (accept_word(b, "GOTO")) {
    go_to_line(b, (int)evaluate_number(b));
  } else if (accept_word(b, "GOSUB")) {
    gosub_statement(b);
  } else if (accept_word(b, "RETURN")) {
    return_statement(b);
  } else if (accept_word(b, "FOR")) {
    for_statement(b);
  } else if (accept_word(b, "NEXT")) {
    next_statement(b);
  } else if (accept_word(b, "DIM")) {
    dim_statement(b);
  } else if (accept_word(b, "READ")) {
    read_statement(b);
  } else if (accept_word(b, "RESTORE")) {
    b->data.at = NULL;
  } else if (accept_word(b, "INPUT")) {
    input_statement(b);
  } else if (accept_word(b, "REM") || accept_word(b, "DATA")) {
    skip_rest(b);
  } else if (accept_word(b, "END")) {
    b->ended = 1;
  } else {
    accept_word(b, "LET");
    let_statement(b);
  }
}

/* To the next statement: behind a colon, or the next line. */
static void go_on(basic* b) {
  skip_spaces(b);
  if (accept_sign(b, ":")) return;
  if (*b->at) {
    fail(b, "something is left over");
    return;
  }
  b->current++;
  if (b->current >= b->line_count)
    b->ended = 1;
  else
    b->at = b->lines[b->current].text;
}

void run(basic* b) {
  b->ended = b->line_count == 0;
  b->current = 0;
  if (!b->ended) b->at = b->lines[0].text;
  while (!b->ended && !b->error) {
    int line = b->current;
    const char* before = b->at;
    statement(b);
    int jumped = b->current != line || b->at < before;
    if (!b->error && !b->ended && !(jumped && b->at == b->lines[b->current].text)) go_on(b);
  }
  if (b->column > 0) end_output_line(b);
}
