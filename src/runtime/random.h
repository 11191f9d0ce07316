// Random numbers of a run that is to be repeated exactly (world.cpp): each repetition draws the same ones, in
// the same order.
#pragma once

#include <stddef.h>

namespace fl {

// Whether they are given, and not the machine's.
bool isRandomGiven();
void drawRandom(void* to, size_t size);
// Where the program opens /dev/urandom or /dev/random.
bool isRandomDevice(const char* path);
// A file with such numbers; a negative error.
long openRandom();

} // namespace fl
