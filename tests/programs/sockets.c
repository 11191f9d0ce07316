// A server thread and two clients over TCP on the loopback interface: bind, listen, accept, connect, send,
// recv, shutdown, options, names.
//
// flags: -pthread
// builds: O0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int served;

static void* serve(void* argument) {
  int listener = *(int*)argument;
  for (int i = 0; i < 2; ++i) {
    struct sockaddr_in peer;
    socklen_t size = sizeof peer;
    int fd = accept(listener, (struct sockaddr*)&peer, &size);
    char line[64];
    ssize_t n;
    size_t total = 0;
    while ((n = recv(fd, line, sizeof line, 0)) > 0) {
      for (ssize_t k = 0; k < n; ++k) line[k] ^= 0x20;
      total += (size_t)n;
      if (send(fd, line, (size_t)n, MSG_NOSIGNAL) != n) break;
    }
    served += (int)total + (peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    close(fd);
  }
  return 0;
}

static void talk(const struct sockaddr_in* address, const char* text) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (const struct sockaddr*)address, sizeof *address) != 0) return;
  if (send(fd, text, strlen(text), 0) < 0) return;
  shutdown(fd, SHUT_WR);
  char answer[64] = {0};
  size_t got = 0;
  for (ssize_t n; (n = recv(fd, answer + got, sizeof answer - 1 - got, 0)) > 0;) got += (size_t)n;
  printf("%zu %s\n", got, answer);
  close(fd);
}

int main(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 4) != 0) return 1;
  getsockname(listener, (struct sockaddr*)&address, &size);
  pthread_t thread;
  pthread_create(&thread, 0, serve, &listener);
  talk(&address, "Hello");
  talk(&address, "second CLIENT");
  pthread_join(thread, 0);
  char name[40];
  printf("%d %s %d\n", served, inet_ntop(AF_INET, &address.sin_addr, name, sizeof name),
         ntohs(address.sin_port) > 0);
  return 0;
}
