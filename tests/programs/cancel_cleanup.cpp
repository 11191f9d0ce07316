// pthread_cancel and pthread_exit unwind C++ frames: destructors run, catch (...) sees it and must rethrow.
//
// flags: -pthread
// builds: O0,O2
#include <cstdio>
#include <pthread.h>
#include <semaphore.h>
#include <string>
#include <unistd.h>

static std::string trail;
static sem_t ready;

struct Guard {
  explicit Guard(char c) : text(10, c) {}
  ~Guard() { trail += text[0]; }
  std::string text;
};

static void deep(int n, bool leave) {
  Guard guard(char('a' + n));
  if (n < 3) return deep(n + 1, leave);
  if (leave) pthread_exit(reinterpret_cast<void*>(7));
  sem_post(&ready);
  for (;;) usleep(1000);
}

static void* work(void* argument) {
  Guard outer(argument ? 'X' : 'Y');
  try {
    deep(0, argument != nullptr);
  } catch (...) {
    trail += '!';
    throw;
  }
  return nullptr;
}

int main() {
  sem_init(&ready, 0, 0);
  pthread_t thread;
  void* result;
  pthread_create(&thread, nullptr, work, nullptr);
  sem_wait(&ready);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  std::printf("%s %d\n", trail.c_str(), result == PTHREAD_CANCELED);
  trail.clear();
  pthread_create(&thread, nullptr, work, &trail);
  pthread_join(thread, &result);
  std::printf("%s %ld\n", trail.c_str(), reinterpret_cast<long>(result));
}
