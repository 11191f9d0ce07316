// A Slurm cluster of one node, this machine, for the time of a test: its own controller and node daemon, on
// ports of their own, with their state in a temporary folder. Needs root, because the node daemon does.
#pragma once

#include "support/environment.h"
#include "support/run.h"

#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace faultline::test {

class SlurmCluster {
public:
  // Why there can be none here; empty: there can.
  static std::string whyNot() {
    if (geteuid() != 0) return "a Slurm node needs root";
    for (const char* tool : {"slurmctld", "slurmd", "sbatch", "squeue"})
      if (run({"/bin/sh", "-c", fmt::format("command -v {}", tool)}, {.env = {{"PATH", kPath}}}).status != 0)
        return fmt::format("{} is not installed (packages slurmctld, slurmd, slurm-client)", tool);
    return "";
  }

  SlurmCluster() : path_("PATH", kPath), config_("SLURM_CONF", dir_ / "slurm.conf") {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    std::string node = std::string(host).substr(0, std::string(host).find('.'));
    std::filesystem::create_directory(dir_ / "state");
    std::filesystem::create_directory(dir_ / "spool");
    writeFile(dir_ / "slurm.conf", configuration(node));
    controller_ = start({"slurmctld", "-D", "-f", dir_ / "slurm.conf"}, "controller.log");
    node_ = start({"slurmd", "-D", "-f", dir_ / "slurm.conf", "-N", node}, "node.log");
    for (int i = 0; i < 300; ++i) {
      auto state = run({"sinfo", "--noheader", "--format=%T"});
      if (state.status == 0 && state.out.starts_with("idle")) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    std::string logs = readFile(dir_ / "controller.log") + readFile(dir_ / "node.log");
    stop();
    throw std::runtime_error("the cluster does not come up: " + logs);
  }
  ~SlurmCluster() { stop(); }

  // Tasks that wait or run.
  static size_t tasks() {
    std::string list = run({"squeue", "--noheader", "--array", "--format=%i"}).out;
    return size_t(std::count(list.begin(), list.end(), '\n'));
  }

private:
  static constexpr const char* kPath = "/usr/sbin:/usr/bin:/sbin:/bin";

  static int freePort() {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
    close(fd);
    return ntohs(address.sin_port);
  }

  std::string configuration(const std::string& node) const {
    return fmt::format("ClusterName=faultline\nSlurmctldHost={0}(127.0.0.1)\n"
                       "SlurmctldPort={1}\nSlurmdPort={2}\nSlurmUser=root\n"
                       "AuthType=auth/none\nCredType=cred/none\nMpiDefault=none\n"
                       "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\n"
                       "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
                       "JobAcctGatherType=jobacct_gather/none\n"
                       "AccountingStorageType=accounting_storage/none\nReturnToService=2\nKillWait=2\n"
                       "SchedulerParameters=batch_sched_delay=0,sched_interval=1\n"
                       "StateSaveLocation={3}/state\nSlurmdSpoolDir={3}/spool\n"
                       "SlurmctldPidFile={3}/controller.pid\nSlurmdPidFile={3}/node.pid\n"
                       "NodeName={0} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n"
                       "PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
                       node, freePort(), freePort(), dir_.path());
  }

  pid_t start(std::vector<std::string> words, const std::string& log) const {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::string file = dir_ / log;
    pid_t pid = fork();
    if (pid == 0) {
      int fd = open(file.c_str(), O_CREAT | O_WRONLY, 0600);
      dup2(fd, 1);
      dup2(fd, 2);
      execvp(argv[0], argv.data());
      _exit(127);
    }
    return pid;
  }

  // A task that ends after its controller would try to tell it for ever.
  void endTasks() const {
    run({"scancel", "--quiet", "--user=root"});
    for (int i = 0; i < 100 && tasks() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }

  // Those that have not noticed: started by our node daemon, and no longer its children.
  std::vector<pid_t> leftOver() const {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      pid_t pid = atoi(entry.path().filename().c_str());
      std::ifstream name(entry.path() / "comm"), environment(entry.path() / "environ");
      std::string comm, variable;
      if (pid <= 0 || !std::getline(name, comm) || !comm.starts_with("slurmstepd")) continue;
      while (std::getline(environment, variable, '\0'))
        if (variable == "SLURM_CONF=" + (dir_ / "slurm.conf")) found.push_back(pid);
    }
    return found;
  }

  void stop() {
    if (controller_ > 0) endTasks();
    for (pid_t pid : {node_, controller_})
      if (pid > 0) {
        kill(pid, SIGTERM);
        for (int i = 0; i < 100 && waitpid(pid, nullptr, WNOHANG) == 0; ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
        kill(pid, SIGKILL); // if it is still there, it is still ours: it was not waited for
        waitpid(pid, nullptr, 0);
      }
    node_ = controller_ = 0;
    for (pid_t pid : leftOver()) kill(pid, SIGKILL);
  }

  TempDir dir_;
  ScopedVariable path_, config_;
  pid_t controller_ = 0, node_ = 0;
};

} // namespace faultline::test
