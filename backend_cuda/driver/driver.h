#ifndef NEARFAR_DRIVER_H
#define NEARFAR_DRIVER_H

/*
 * The CUDA driver library, loaded at run time, as a struct of functions that
 * driver_symbols.def spells out. It is looked for as "libcuda.so.1", never as
 * "libcuda.so": toolkits install a library of that name without a driver
 * behind it. NEARFAR_LIBCUDA in the environment names another file.
 */
#include "backend_cuda/driver/abi.h"
#include "harness/base/error.h"

struct driver {
	void *library;
	int version; /* 12040: CUDA 12.4 */
#define CUDA_SYMBOL(name, symbol, need, parameters)                            \
	cuda_result(*name) parameters;
#include "backend_cuda/driver/driver_symbols.def"
#undef CUDA_SYMBOL
};

/* Loads and initialises. ERR_ABSENT with one sentence where this machine has
   no driver, one that lacks a required function, or no device. */
int driver_open(struct driver *driver, struct error *error);
void driver_close(struct driver *driver);

/*
 * 0 for CUDA_SUCCESS; else ERR_FAILED with "CALL failed: NAME (CODE) in
 * program 'PROGRAM'". `program` may be NULL.
 */
int driver_check(const struct driver *driver, cuda_result result,
	const char *call, const char *program, struct error *error);

/* "CUDA_ERROR_NO_DEVICE", or "an unknown error". */
const char *driver_error_name(const struct driver *driver, cuda_result result);

#endif
