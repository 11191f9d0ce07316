// getopt and getopt_long over arguments of all kinds; they permute argv and keep state in globals of libc.
//
// args: -v file1 --level=3 -o out --long word -x -- --not-an-option
// builds: O0
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  static int flag;
  static const struct option longOptions[] = {{"level", required_argument, 0, 'l'},
                                              {"long", no_argument, &flag, 9},
                                              {"other", optional_argument, 0, 'O'},
                                              {0, 0, 0, 0}};
  int c, verbose = 0, level = 0, unknown = 0, index = -1;
  opterr = 0;
  while ((c = getopt_long(argc, argv, "vo:", longOptions, &index)) != -1) {
    switch (c) {
    case 'v':
      ++verbose;
      break;
    case 'l':
      level = atoi(optarg);
      break;
    case 'o':
      printf("output %s\n", optarg);
      break;
    case 0:
      printf("long option %d\n", index);
      break;
    case '?':
      unknown = optopt;
      break;
    }
  }
  printf("%d %d %d %c %d\n", verbose, level, flag, unknown, optind);
  for (int i = optind; i < argc; ++i) printf("%s ", argv[i]);
  putchar('\n');
  return 0;
}
