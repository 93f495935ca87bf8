#include "agent/agent_thread.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "unit/thread_clock.h"

namespace longshore {
namespace {

using namespace std::chrono_literals;

void wait_for_polls(const ThreadClock& service, int64_t more) {
  const int64_t until = service.polls + more;
  while (service.polls < until) {
    std::this_thread::sleep_for(100us);
  }
}

bool agent_is_running() {
  const std::string cmd =
      "grep -qs longshore-agent /proc/" + std::to_string(getpid()) + "/task/*/comm";
  return std::system(cmd.c_str()) == 0;
}

TEST(AgentThread, LivesFromTheFirstServiceToTheLast) {
  auto& agent = AgentThread::of_process();
  ThreadClock one;
  ThreadClock two;
  EXPECT_FALSE(agent_is_running());
  ASSERT_TRUE(agent.add(one));
  ASSERT_TRUE(agent.add(two));
  wait_for_polls(two, 3);
  EXPECT_TRUE(agent_is_running());
  agent.remove(one);
  const int64_t polls = one.polls;
  wait_for_polls(two, 3);
  EXPECT_EQ(one.polls, polls);
  agent.remove(two);
  EXPECT_FALSE(agent_is_running());
  ASSERT_TRUE(agent.add(one));
  wait_for_polls(one, 3);
  agent.remove(one);
}

TEST(AgentThread, ServicesComeAndGoFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        ThreadClock service;
        ASSERT_TRUE(AgentThread::of_process().add(service));
        AgentThread::of_process().nudge();
        AgentThread::of_process().remove(service);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(agent_is_running());
}

// A service that is always busy must not keep another thread from removing it.
TEST(AgentThread, ABusyServiceCanBeRemoved) {
  class Busy final : public Service {
   public:
    bool poll() override { return true; }
  } busy;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(AgentThread::of_process().add(busy));
    std::this_thread::sleep_for(1ms);
    AgentThread::of_process().remove(busy);
  }
}

class IdleCost : public testing::TestWithParam<int> {};

// The goal is a hundredth of a core; twice that is let pass, since others may be at work here.
TEST_P(IdleCost, IsUnderAHundredthOfACore) {
  auto& agent = AgentThread::of_process();
  std::deque<ThreadClock> services(static_cast<size_t>(GetParam()));
  for (auto& service : services) {
    ASSERT_TRUE(agent.add(service));
  }
  std::this_thread::sleep_for(100ms);
  const double share = share_of_a_core(services.front());
  for (auto& service : services) {
    agent.remove(service);
  }
  RecordProperty("percent_of_a_core", std::to_string(100 * share));
  EXPECT_LT(share, 0.02);
  EXPECT_GT(services.front().polls, 20);
}

INSTANTIATE_TEST_SUITE_P(Services, IdleCost, testing::Values(1, 100));

TEST(AgentThread, ANudgeWakesItAtOnce) {
  auto& agent = AgentThread::of_process();
  ThreadClock service;
  ASSERT_TRUE(agent.add(service));
  std::this_thread::sleep_for(100ms);
  const int64_t before = service.polls;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    const int64_t polls = service.polls;
    agent.nudge();
    while (service.polls == polls) {
      std::this_thread::yield();
    }
  }
  // Without nudges a hundred polls of an idle thread take at least 100 * 2 ms.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 150ms);
  EXPECT_GE(service.polls - before, 100);
  agent.remove(service);
}

std::atomic<bool> handled_in_agent{false};
thread_local bool in_agent = false;
void on_signal(int) {
  if (in_agent) {
    handled_in_agent = true;
  }
}

TEST(AgentThread, SignalHandlersOfTheProgramNeverRunThere) {
  class Marking final : public Service {
   public:
    bool poll() override {
      in_agent = true;
      sigset_t blocked;
      pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
      blocked_usr1 = sigismember(&blocked, SIGUSR1) == 1;
      return polled = true;
    }
    std::atomic<bool> polled{false};
    std::atomic<bool> blocked_usr1{false};
  } service;
  auto* const before = std::signal(SIGUSR1, on_signal);
  ASSERT_TRUE(AgentThread::of_process().add(service));
  while (!service.polled) {
    std::this_thread::yield();
  }
  for (int i = 0; i < 100; ++i) {
    kill(getpid(), SIGUSR1);
  }
  AgentThread::of_process().remove(service);
  std::signal(SIGUSR1, before);
  EXPECT_FALSE(handled_in_agent);
  EXPECT_TRUE(service.blocked_usr1);
}

// The child has no agent thread; it may neither crash nor wait for one.
TEST(AgentThread, AForkedChildIsLeftAlone) {
  auto& agent = AgentThread::of_process();
  ThreadClock service;
  ASSERT_TRUE(agent.add(service));
  wait_for_polls(service, 1);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    agent.nudge();
    const bool refused = !agent.add(service);
    agent.remove(service);
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  agent.remove(service);
}

TEST(AgentThreadDeathTest, AProgramMayExitWithServicesLeft) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        auto* service = new ThreadClock();
        (void)AgentThread::of_process().add(*service);
        wait_for_polls(*service, 3);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace longshore
