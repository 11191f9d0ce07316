// Waiting under a seed. One seed must give one schedule, so nothing in it may depend on when the kernel wakes
// whom: a thread that waits for another stays in the queue for the turn, together with what it waits for, and
// is a candidate again once that is there. Who gives the turn away looks (turn.cpp), and chooses by the seed.
//
// Time is the schedule's own: it grows with every turn, and where all wait it jumps to when the first one
// wants to be woken. Who is woken so early waits for the rest in real time, with the turn.
#pragma once

#include "runtime/runtime.h"

#include <time.h>

namespace fl {

inline bool inOrder() { return scheduleSeed() != 0; }

using Ready = bool (*)(const Thread*);
enum class Waited { Ready, TimedOut, Interrupted };

// Gives the turn away until `ready`, or until the schedule's time is `until` (0: never), or a signal is
// there. `object` and `value` are for `ready`. Only for a thread with the turn.
Waited waitInOrder(Thread* thread, Ready ready, const volatile void* object, uint64_t value, uint64_t until);

// The same in a call that is a cancellation point, and that goes on after a signal only if the handler says
// so.
Waited waitInCall(Thread* thread, Ready ready, const volatile void* object, uint64_t value, uint64_t until);

uint64_t scheduleTime();
// The schedule's time at which an interval, or what is left until a time of that clock, is over.
uint64_t scheduleTimeIn(uint64_t nanoseconds);
uint64_t scheduleTimeAt(clockid_t clock, const timespec* time);
// Waits in real time, with the turn, until that clock shows it. False: a signal came before.
bool awaitClock(Thread* thread, clockid_t clock, const timespec* time);

// Whether the thread in the queue can go on now.
bool canGoOn(const Thread* thread);

// All threads of the program but the first, to find them by what pthread_create returned.
void addThread(Thread* thread);
Thread* threadOf(unsigned long handle); // null: unknown

} // namespace fl
