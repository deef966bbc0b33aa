#ifndef NEARFAR_HELP_BENCH_H
#define NEARFAR_HELP_BENCH_H

/*
 * `nearfar help BENCH`: what it does, its axis and the points of its default
 * sweep, its metrics, its options, two examples. What an option changes in axis
 * and metrics is tried: each word of each choice, alone.
 */
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/error.h"

/* Whether there is a bench of that name. */
bool bench_help_has(const char *name);

/* `name`: of a bench. ERR_FAILED without memory. */
int bench_help_put(const char *name, FILE *out, struct error *error);

#endif
