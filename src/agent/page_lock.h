// agent/page_lock.h - a lock in shared memory that outlives a process that dies with it.
#pragma once
#include <pthread.h>

#include <cerrno>

namespace longshore {

// For short work: tries a while before it sleeps. Threads and processes alike.
class PageLock {
 public:
  // Once, before anyone uses it.
  void prepare() {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex_, &kind);
    pthread_mutexattr_destroy(&kind);
  }
  void lock() {
    for (int i = 0; i < kTries; ++i) {
      if (try_lock()) {
        return;
      }
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
    got(pthread_mutex_lock(&mutex_));
  }
  bool try_lock() { return got(pthread_mutex_trylock(&mutex_)); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  static constexpr int kTries = 100;

  // Who died while it held the lock was copying: the bytes it left are as undefined as those of any
  // write that a death cut short.
  bool got(int result) {
    if (result == EOWNERDEAD) {
      pthread_mutex_consistent(&mutex_);
      return true;
    }
    return result == 0;
  }
  pthread_mutex_t mutex_;
};

}  // namespace longshore
