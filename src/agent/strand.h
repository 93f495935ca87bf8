// agent/strand.h - work that goes on while the program computes.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace longshore {

// Runs tasks one after the other in the order posted, on some thread that waits with
// BackgroundPatience. Different strands run at the same time, however many there are: a strand that
// waits for other processes never keeps another one from running. Threads are shared by all strands
// of the process, made when needed, and end by themselves when idle for a while.
class Strand {
 public:
  using Task = std::function<void()>;
  Strand();
  ~Strand();  // REQUIRES: drained

  void post(Task task);
  // Returns when everything posted has run. The caller runs what no thread has begun.
  void drain();
  // The caller runs tasks that no thread has begun, in order, until `enough` says so or another
  // thread is at it: who waits for a task need not wait for a thread to wake up first.
  void help(const std::function<bool()>& enough);

 private:
  struct State;
  static void run_all(State& state);
  std::shared_ptr<State> state_;
};

}  // namespace longshore
