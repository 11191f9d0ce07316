#include "basic.h"

#include <stdlib.h>
#include <string.h>

value make_number(double number) {
  value v = {NULL, number};
  return v;
}

value make_text(const char* text, int length) {
  value v = {malloc((size_t)length + 1), 0};
  if (!v.text) abort();
  memcpy(v.text, text, (size_t)length);
  v.text[length] = '\0';
  return v;
}

value copy_value(value v) { return v.text ? make_text(v.text, (int)strlen(v.text)) : v; }

void free_value(value v) { free(v.text); }

static name* find_name(basic* b, const char* wanted, int is_array) {
  for (int i = 0; i < b->name_count; i++)
    if (b->names[i].is_array == is_array && strcmp(b->names[i].name, wanted) == 0) return &b->names[i];
  return NULL;
}

static int is_text_name(const char* name) { return name[strlen(name) - 1] == '$'; }

static name* add_name(basic* b, const char* wanted, int is_array, int rows, int columns) {
  if (b->name_count == MAX_NAMES) {
    fail(b, "too many names");
    return NULL;
  }
  name* n = &b->names[b->name_count++];
  strcpy(n->name, wanted);
  n->is_array = is_array;
  n->rows = rows;
  n->columns = columns;
  n->cells = calloc((size_t)rows * (size_t)columns, sizeof *n->cells);
  if (!n->cells) abort();
  if (is_text_name(wanted))
    for (int i = 0; i < rows * columns; i++) n->cells[i] = make_text("", 0);
  return n;
}

name* dimension(basic* b, const char* wanted, int rows, int columns) {
  if (find_name(b, wanted, 1)) {
    fail(b, "dimensioned twice");
    return NULL;
  }
  return add_name(b, wanted, 1, rows + 1, columns + 1);
}

/* The cell of a variable (no index) or an array; an array that was not dimensioned has eleven cells. */
value* find_cell(basic* b, const char* wanted, const double* index, int count) {
  name* n = find_name(b, wanted, count > 0);
  if (!n) n = count > 0 ? dimension(b, wanted, 10, count > 1 ? 10 : 0) : add_name(b, wanted, 0, 1, 1);
  if (!n) return NULL;
  int row = count > 0 ? (int)index[0] : 0;
  int column = count > 1 ? (int)index[1] : 0;
  if (row < 0 || row >= n->rows || column < 0 || column >= n->columns) {
    fail(b, "index out of range");
    return NULL;
  }
  return &n->cells[row * n->columns + column];
}

void free_names(basic* b) {
  for (int i = 0; i < b->name_count; i++) {
    name* n = &b->names[i];
    for (int k = 0; k < n->rows * n->columns; k++) free_value(n->cells[k]);
    free(n->cells);
  }
  b->name_count = 0;
}
