// The program closes and redirects its own standard streams: stdout to a file and back, stdin from a pipe,
// stderr closed; then a descriptor that takes the number 0.
//
// stdin: never read\n
// builds: O0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char name[] = "/tmp/faultline-redirect-XXXXXX";
  int file = mkstemp(name), kept = dup(1);
  printf("to the terminal\n");
  fflush(stdout);
  dup2(file, 1);
  printf("to the file\n");
  fflush(stdout);
  if (write(1, "directly\n", 9) != 9) return 1;
  dup2(kept, 1);
  close(kept);
  char text[80] = {0};
  ssize_t n = pread(file, text, sizeof text - 1, 0);
  printf("%zd %s", n, text);

  int fds[2];
  if (pipe(fds) != 0) return 2;
  if (write(fds[1], "42 from the pipe\n", 17) != 17) return 3;
  close(fds[1]);
  dup2(fds[0], 0);
  close(fds[0]);
  int number = 0;
  char word[20];
  int read = scanf("%d %19s", &number, word);
  printf("%d %d %s\n", read, number, word);

  close(2);
  close(0);
  fprintf(stderr, "nobody hears this\n");
  int zero = open(name, O_RDONLY);
  n = pread(0, text, 6, 3);
  printf("%d %zd %.6s\n", zero, n, text);
  stdin = fdopen(0, "r");
  printf("%s", fgets(text, sizeof text, stdin));
  unlink(name);
  freopen("/dev/null", "w", stdout);
  puts("into nothing");
  return 0;
}
