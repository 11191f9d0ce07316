// Every hook of abi/hooks.h is there: a missing one stops this library's own link, not the user's.
#include "abi/hooks.h"

#include "runtime/runtime.h"

#define FL_DECLARE(name, convention, result, parameters) extern "C" void name();
FL_HOOKS(FL_DECLARE)
#undef FL_DECLARE

namespace fl {
// Kept, so that the references are.
__attribute__((used)) void (*const kHooks[])() = {
#define FL_ADDRESS(name, convention, result, parameters) name,
    FL_HOOKS(FL_ADDRESS)
#undef FL_ADDRESS
};
} // namespace fl
