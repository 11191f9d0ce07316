#include "basic.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 3 };

static value number_of(basic* b, value v) {
  if (!v.text) return v;
  fail(b, "a number is needed");
  free_value(v);
  return make_number(0);
}

static value literal(basic* b) {
  if (*b->at == '"') {
    const char* begin = ++b->at;
    while (*b->at && *b->at != '"') b->at++;
    value v = make_text(begin, (int)(b->at - begin));
    if (*b->at == '"')
      b->at++;
    else
      fail(b, "text does not end");
    return v;
  }
  char* end;
  double number = strtod(b->at, &end);
  if (end == b->at) fail(b, "an expression is missing");
  b->at = end;
  return make_number(number);
}

int read_indexes(basic* b, double* index) {
  int count = 0;
  if (!accept_sign(b, "(")) return 0;
  do {
    if (count == 2) {
      fail(b, "too many indexes");
      return count;
    }
    index[count++] = evaluate_number(b);
  } while (accept_sign(b, ","));
  if (!accept_sign(b, ")")) fail(b, "missing )");
  return count;
}

static value part(const char* text, int from, int length) {
  int all = (int)strlen(text);
  if (from < 0) from = 0;
  if (from > all) from = all;
  if (length < 0) length = 0;
  if (length > all - from) length = all - from;
  return make_text(text + from, length);
}

static value shown(double number) {
  char text[40];
  int length = snprintf(text, sizeof text, "%g", number);
  return make_text(text, length);
}

static value find_text(const char* text, const char* wanted) {
  const char* found = strstr(text, wanted);
  return make_number(found ? (double)(found - text + 1) : 0);
}

/* Those of texts; the first argument is one. */
static value call_text(basic* b, const char* function, value* a, int count) {
  const char* text = a[0].text;
  if (strcmp(function, "LEN") == 0) return make_number((double)strlen(text));
  if (strcmp(function, "VAL") == 0) return make_number(atof(text));
  if (strcmp(function, "ASC") == 0) return make_number((unsigned char)text[0]);
  if (strcmp(function, "INSTR") == 0 && count == 2 && a[1].text) return find_text(text, a[1].text);
  if (strcmp(function, "LEFT$") == 0 && count == 2) return part(text, 0, (int)a[1].number);
  if (strcmp(function, "RIGHT$") == 0 && count == 2)
    return part(text, (int)strlen(text) - (int)a[1].number, (int)a[1].number);
  if (strcmp(function, "MID$") == 0 && count >= 2)
    return part(text, (int)a[1].number - 1, count == 3 ? (int)a[2].number : (int)strlen(text));
  fail(b, "bad call");
  return make_number(0);
}

static value call_number(basic* b, const char* function, double x) {
  if (strcmp(function, "ABS") == 0) return make_number(fabs(x));
  if (strcmp(function, "INT") == 0) return make_number(floor(x));
  if (strcmp(function, "SQR") == 0)
    return make_number(x < 0 ? (fail(b, "root of a negative number"), 0) : sqrt(x));
  if (strcmp(function, "SGN") == 0) return make_number((x > 0) - (x < 0));
  if (strcmp(function, "STR$") == 0) return shown(x);
  if (strcmp(function, "CHR$") == 0) {
    char c = (char)x;
    return make_text(&c, 1);
  }
  fail(b, "bad call");
  return make_number(0);
}

static int is_function(const char* name) {
  static const char* const all[] = {"LEN", "VAL", "ASC", "INSTR", "LEFT$", "RIGHT$", "MID$",
                                    "ABS", "INT", "SQR", "SGN",   "STR$",  "CHR$"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i], name) == 0) return 1;
  return 0;
}

static value call(basic* b, const char* function) {
  value a[MAX_ARGUMENTS];
  int count = 0;
  if (!accept_sign(b, "(")) {
    fail(b, "missing (");
    return make_number(0);
  }
  do a[count++] = evaluate(b);
  while (!b->error && count < MAX_ARGUMENTS && accept_sign(b, ","));
  if (!accept_sign(b, ")")) fail(b, "missing )");
  value result = make_number(0);
  if (!b->error)
    result = a[0].text ? call_text(b, function, a, count) : call_number(b, function, a[0].number);
  for (int i = 0; i < count; i++) free_value(a[i]);
  return result;
}

static value primary(basic* b) {
  char name[NAME_SIZE];
  if (accept_sign(b, "(")) {
    value v = evaluate(b);
    if (!accept_sign(b, ")")) fail(b, "missing )");
    return v;
  }
  if (accept_sign(b, "-")) return make_number(-number_of(b, primary(b)).number);
  if (!read_name(b, name)) return literal(b);
  if (is_function(name)) return call(b, name);
  double index[2];
  int count = read_indexes(b, index);
  value* cell = b->error ? NULL : find_cell(b, name, index, count);
  return cell ? copy_value(*cell) : make_number(0);
}

static value power(basic* b) {
  value left = primary(b);
  while (!b->error && accept_sign(b, "^"))
    left = make_number(pow(number_of(b, left).number, number_of(b, primary(b)).number));
  return left;
}

static value product(basic* b) {
  value left = power(b);
  while (!b->error) {
    if (accept_sign(b, "*")) {
      left = make_number(number_of(b, left).number * number_of(b, power(b)).number);
    } else if (accept_sign(b, "/")) {
      double over = number_of(b, power(b)).number;
      if (over == 0) fail(b, "division by zero");
      left = make_number(over == 0 ? 0 : number_of(b, left).number / over);
    } else if (accept_word(b, "MOD")) {
      double over = number_of(b, power(b)).number;
      if (over == 0) fail(b, "division by zero");
      left = make_number(over == 0 ? 0 : fmod(number_of(b, left).number, over));
    } else {
      break;
    }
  }
  return left;
}

static value join(value left, value right) {
  size_t length = strlen(left.text);
  left.text = realloc(left.text, length + strlen(right.text) + 1);
  if (!left.text) abort();
  strcpy(left.text + length, right.text);
  free_value(right);
  return left;
}

static value sum(basic* b) {
  value left = product(b);
  for (;;) {
    if (!b->error && accept_sign(b, "+")) {
      value right = product(b);
      if (left.text && right.text)
        left = join(left, right);
      else
        left = make_number(number_of(b, left).number + number_of(b, right).number);
    } else if (!b->error && accept_sign(b, "-")) {
      left = make_number(number_of(b, left).number - number_of(b, product(b)).number);
    } else {
      return left;
    }
  }
}

static int compare(basic* b, value left, value right) {
  int order = 0;
  if (!left.text != !right.text)
    fail(b, "a text and a number");
  else if (left.text)
    order = strcmp(left.text, right.text);
  else
    order = (left.number > right.number) - (left.number < right.number);
  free_value(left);
  free_value(right);
  return order;
}

static value comparison(basic* b) {
  static const struct {
    const char* sign;
    int less, equal, greater;
  } signs[] = {{"<=", 1, 1, 0}, {">=", 0, 1, 1}, {"<>", 1, 0, 1},
               {"<", 1, 0, 0},  {">", 0, 0, 1},  {"=", 0, 1, 0}};
  value left = sum(b);
  for (size_t i = 0; !b->error && i < sizeof signs / sizeof *signs; i++) {
    if (!accept_sign(b, signs[i].sign)) continue;
    int order = compare(b, left, sum(b));
    return make_number(order < 0 ? signs[i].less : order == 0 ? signs[i].equal : signs[i].greater);
  }
  return left;
}

static value both(basic* b) {
  value left = accept_word(b, "NOT") ? make_number(number_of(b, comparison(b)).number == 0) : comparison(b);
  while (!b->error && accept_word(b, "AND")) {
    double right = number_of(b, comparison(b)).number;
    left = make_number(number_of(b, left).number != 0 && right != 0);
  }
  return left;
}

value evaluate(basic* b) {
  value left = both(b);
  while (!b->error && accept_word(b, "OR")) {
    double right = number_of(b, both(b)).number;
    left = make_number(number_of(b, left).number != 0 || right != 0);
  }
  return left;
}

double evaluate_number(basic* b) { return number_of(b, evaluate(b)).number; }
