// A thread that lives as long as this process. The kernel ends a child that asked for it (PR_SET_PDEATHSIG)
// when the thread that made it has ended, not the process: what is to be used by others is made here.
#pragma once

#include <functional>

namespace faultline {

// Comes back when it is done. One at a time; `work` must not ask for more of it.
void onLastingThread(const std::function<void()>& work);

} // namespace faultline
