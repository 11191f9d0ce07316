#include "basic.h"

#include <ctype.h>
#include <string.h>

void fail(basic* b, const char* error) {
  if (!b->error) b->error = error;
}

void skip_spaces(basic* b) {
  while (*b->at == ' ' || *b->at == '\t') b->at++;
}

/* Words are not parts of longer names: FOR is not in FORTY. */
int accept_word(basic* b, const char* word) {
  skip_spaces(b);
  size_t length = strlen(word);
  for (size_t i = 0; i < length; i++)
    if (toupper((unsigned char)b->at[i]) != word[i]) return 0;
  if (isalnum((unsigned char)b->at[length])) return 0;
  b->at += length;
  return 1;
}

int accept_sign(basic* b, const char* sign) {
  skip_spaces(b);
  size_t length = strlen(sign);
  if (strncmp(b->at, sign, length) != 0) return 0;
  b->at += length;
  return 1;
}

/* A name in capitals, with its $ if it has one; 0 if there is none. */
int read_name(basic* b, char* out) {
  int length = 0;
  skip_spaces(b);
  if (!isalpha((unsigned char)*b->at)) return 0;
  while (isalnum((unsigned char)*b->at)) {
    if (length < NAME_SIZE - 2) out[length++] = (char)toupper((unsigned char)*b->at);
    b->at++;
  }
  if (*b->at == '$') out[length++] = *b->at++;
  out[length] = '\0';
  return 1;
}
