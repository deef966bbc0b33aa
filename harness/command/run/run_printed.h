#ifndef NEARFAR_RUN_PRINTED_H
#define NEARFAR_RUN_PRINTED_H

/* What kernels print goes to standard error. */
#include <stdbool.h>
#include <stddef.h>

void run_printed(const char *text, size_t bytes, bool more);

#endif
