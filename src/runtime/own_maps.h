// What the program sees as /proc/self/maps: its own areas of memory, and nothing that lies there for the sake
// of recording or of experiments. A program that looks for the end of its stack there goes through it
// character by character: it must be the same text in a recording and in every repetition.
#pragma once

#include <stddef.h>

namespace fl {

// Leaves out what is not the program's; the size of what is left.
size_t keepOwnAreas(char* text, size_t size);

} // namespace fl
