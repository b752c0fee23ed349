// Compiling for a command and all that it starts, without a new start for each file: of a small program the start
// (dynamic initialisers, the pages they touch, a first use of everything) is about half of what the compilation costs.
//
// A process that has started listens at a socket, and forks for each request: the child has the request's working
// directory, environment, limits and files, and calls compile, as a started program would. So no request knows of
// another, and a crash is that child's. (1) The client is internal/program/frontend/served.go; TestSameClang compares
// what is compiled so with the rest.
//
//   request   length of what follows and number of arguments (4 bytes each); working directory, arguments,
//             and variables of the environment, each ended by a zero byte; with the first byte come the files that
//             are 0, 1 and 2
//   answer    how the child ended, as waitpid says (4 bytes)
//
// A client that closes its end is not interested any more: its child is killed. The process that listens is a child of
// the one that becomes the command, and the kernel kills it when that ends, and with it its children. Where anything goes
// wrong, or the first argument names another program than this one, connections are closed without an answer, and the
// client starts clang itself.

#include "clang.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

// refused is how a child ends that gives no answer.
constexpr int refused = 255;

// with ends this process with that one.
void with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    std::_Exit(refused);
}

// inherit takes the limits of the process that asks, as if that had started this one.
void inherit(int connection) {
  ucred client;
  socklen_t size = sizeof client;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &client, &size) != 0 || client.uid != getuid())
    std::_Exit(refused);
  for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
    rlimit limit;
    if (prlimit(client.pid, static_cast<__rlimit_resource>(resource), nullptr, &limit) == 0)
      setrlimit(static_cast<__rlimit_resource>(resource), &limit);
  }
}

// readAll reads exactly size bytes.
bool readAll(int fd, void *to, size_t size) {
  for (char *p = static_cast<char *>(to); size > 0;) {
    ssize_t n = read(fd, p, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    p += n, size -= n;
  }
  return true;
}

// answer reads a request and does what it asks for.
[[noreturn]] void answer(int connection) {
  inherit(connection);
  uint32_t header[2];
  iovec first{header, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))];
  msghdr message{};
  message.msg_iov = &first, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != 1)
    std::_Exit(refused);
  cmsghdr *files = CMSG_FIRSTHDR(&message);
  if (!files || files->cmsg_type != SCM_RIGHTS || files->cmsg_len != CMSG_LEN(3 * sizeof(int)))
    std::_Exit(refused);
  int fds[3];
  std::memcpy(fds, CMSG_DATA(files), sizeof fds);
  if (!readAll(connection, reinterpret_cast<char *>(header) + 1, sizeof header - 1))
    std::_Exit(refused);
  std::string text(header[0], 0);
  if (!readAll(connection, text.data(), text.size()) || text.empty() || text.back() != 0)
    std::_Exit(refused);
  std::vector<char *> strings;
  for (char *p = text.data(); p < text.data() + text.size(); p += std::strlen(p) + 1)
    strings.push_back(p);
  uint32_t count = header[1];
  if (count == 0 || strings.size() < 1 + size_t(count) || chdir(strings[0]) != 0)
    std::_Exit(refused);
  for (int i = 0; i < 3; i++) // these are above 2, as the listener has those open
    if (dup2(fds[i], i) != i)
      std::_Exit(refused);
  struct stat asked, self;
  if (stat(strings[1], &asked) != 0 || stat("/proc/self/exe", &self) != 0 || asked.st_dev != self.st_dev || asked.st_ino != self.st_ino)
    std::_Exit(refused);
  close(connection); // clients wait for its end
  std::vector<char *> variables(strings.begin() + 1 + count, strings.end());
  variables.push_back(nullptr);
  environ = variables.data();
  std::vector<char *> arguments(strings.begin() + 1, strings.begin() + 1 + count);
  arguments.push_back(nullptr);
  compile(int(count), arguments.data());
}

// Request is a child that works, and who waits for it.
struct Request {
  pid_t child;
  int connection;
  bool dead; // the child is killed, and nobody waits
};

[[noreturn]] void listenAt(int socket, int ended) {
  std::vector<Request> requests;
  for (;;) {
    std::vector<pollfd> events{{socket, POLLIN, 0}, {ended, POLLIN, 0}};
    for (const Request &r : requests)
      events.push_back({r.dead ? -1 : r.connection, POLLRDHUP, 0});
    if (poll(events.data(), events.size(), -1) < 0)
      continue;
    for (size_t i = 0; i < requests.size(); i++)
      if (events[i + 2].revents) {
        kill(-requests[i].child, SIGKILL);
        requests[i].dead = true;
      }
    if (events[1].revents) {
      signalfd_siginfo info;
      while (read(ended, &info, sizeof info) > 0) {
      }
      // The child stays a zombie until its group is dead: its number names the group.
      for (siginfo_t child{}; waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0 && child.si_pid != 0; child = {}) {
        kill(-child.si_pid, SIGKILL);
        int status;
        waitpid(child.si_pid, &status, 0);
        for (size_t i = 0; i < requests.size(); i++) {
          if (requests[i].child != child.si_pid)
            continue;
          int32_t said = status;
          if (!(WIFEXITED(status) && WEXITSTATUS(status) == refused))
            (void)!send(requests[i].connection, &said, sizeof said, MSG_NOSIGNAL | MSG_DONTWAIT);
          close(requests[i].connection);
          requests.erase(requests.begin() + i);
          break;
        }
      }
    }
    if (events[0].revents) {
      int connection = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0)
        continue;
      pid_t self = getpid(), child = fork();
      if (child == 0) {
        with(self);
        setpgid(0, 0);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        answer(connection);
      }
      if (child < 0) {
        close(connection);
        continue;
      }
      setpgid(child, child); // whoever comes first
      requests.push_back({child, connection, false});
    }
  }
}

// open makes the socket, -1 if that is not possible.
int open(const char *path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path)
    return -1;
  std::strcpy(address.sun_path, path);
  int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s < 0)
    return -1;
  unlink(path);
  mode_t mask = umask(077); // nobody else's requests
  bool bound = bind(s, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
  umask(mask);
  if (bound && listen(s, 1024) == 0)
    return s;
  close(s);
  return -1;
}

} // namespace

void serve(const char *path, char **command) {
  int socket = open(path);
  pid_t self = getpid();
  if (socket >= 0 && fork() == 0) {
    with(self);
    setpgid(0, 0); // what interrupts the command ends this with it
    int null = ::open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++)
      dup2(null, i);
    rehearse();
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
    listenAt(socket, signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  execvp(command[0], command);
  std::perror(command[0]);
  std::_Exit(127);
}
