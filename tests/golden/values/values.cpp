#include "values.h"

golden::Objects* objects;
