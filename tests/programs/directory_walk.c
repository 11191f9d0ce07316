// Callbacks from nftw and scandir over a tree that the program makes itself.
//
// builds: O0
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char names[40][40];
static int total;
static long bytes;

static int keep(const struct dirent* entry) { return entry->d_name[0] != '.'; }
static int backwards(const struct dirent** a, const struct dirent** b) {
  return strcmp((*b)->d_name, (*a)->d_name);
}

static int see(const char* path, const struct stat* status, int kind, struct FTW* where) {
  snprintf(names[total++], sizeof *names, "%d%c%s", where->level, kind == FTW_F ? 'f' : 'd',
           path + where->base);
  if (kind == FTW_F) bytes += status->st_size;
  return 0;
}
static int removeIt(const char* path, const struct stat* status, int kind, struct FTW* where) {
  (void)status, (void)kind, (void)where;
  return remove(path);
}
static int byName(const void* a, const void* b) { return strcmp(a, b); }

int main(void) {
  char root[] = "/tmp/faultline-walk-XXXXXX";
  if (!mkdtemp(root) || chdir(root) != 0) return 1;
  mkdir("sub", 0700);
  mkdir("sub/deeper", 0700);
  const char* files[] = {"one", "two", "sub/three", "sub/deeper/four", "sub/deeper/five"};
  for (int i = 0; i < 5; ++i) {
    FILE* f = fopen(files[i], "w");
    fprintf(f, "%0*d\n", i * 10 + 1, i);
    fclose(f);
  }
  nftw(".", see, 4, FTW_PHYS);
  qsort(names, (size_t)total, sizeof *names, byName);
  for (int i = 0; i < total; ++i) printf("%s ", names[i]);
  printf("%ld\n", bytes);
  struct dirent** list;
  int n = scandir("sub/deeper", &list, keep, backwards);
  for (int i = 0; i < n; ++i) {
    printf("%s ", list[i]->d_name);
    free(list[i]);
  }
  free(list);
  printf("%d\n", n);
  if (chdir("/") != 0) return 1;
  nftw(root, removeIt, 4, FTW_DEPTH | FTW_PHYS);
  return access(root, F_OK) == 0;
}
