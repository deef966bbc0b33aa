#ifndef NEARFAR_TESTS_VALUE_H
#define NEARFAR_TESTS_VALUE_H

/* What an operation of ops.def makes of its sources, on the host. */
#include <stdbool.h>
#include <stdint.h>

#include "tests/values/values.h"

uint64_t value_of(enum row op, const uint64_t sources[4], uint32_t number);

bool value_f_is_nan(uint64_t bits);
bool value_g_is_nan(uint64_t bits);

#endif
