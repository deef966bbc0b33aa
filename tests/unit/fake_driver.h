#ifndef NEARFAR_TESTS_FAKE_DRIVER_H
#define NEARFAR_TESTS_FAKE_DRIVER_H

/* The CUDA driver without a GPU (tests/support/fake_cuda.c), compiled into a
   temporary folder by the test that asks for it. */
#include <stddef.h>

#include "harness/contract/backend.h"

#define FAKE_SOURCE "tests/support/fake_cuda.c"

/* With these flags of the compiler; the backend then finds it. */
void build_fake(const char *flags);
void remove_fake(void);
const char *fake_library(void);

/* The CUDA backend, open on it. */
struct backend *open_fake(void);

/* What the fake library says of itself, by one of its fake_cuda_ functions. */
int ask_fake(const char *name);
size_t fake_limit(unsigned int limit);

#endif
