#ifndef NEARFAR_CUDA_MODULE_H
#define NEARFAR_CUDA_MODULE_H

/*
 * Kernels compiled by the driver from PTX text. The text is the key, so that
 * repeats of a program do not compile again; the module used longest ago
 * makes room. A run needs far fewer modules than there is room for, so the
 * functions of a run stay valid until its end.
 */
#include "backend_cuda/driver/abi.h"
#include "harness/base/error.h"

#define CUDA_MODULES_MAX 64

struct cuda_module {
	char *text;
	CUmodule module;
	CUfunction function;
	uint64_t used; /* when, in loads */
};

struct cuda_modules {
	struct cuda_module items[CUDA_MODULES_MAX];
	size_t count;
	uint64_t loads;
};

struct backend;

/* The kernel "nearfar" of `text`; ERR_FAILED with the compiler's log. */
int cuda_module_load(struct backend *b, const char *text, CUfunction *function,
	struct error *error);

/* A module that the caller unloads; ERR_FAILED with the compiler's log. */
int cuda_module_compile(struct backend *b, const char *text, CUmodule *module,
	struct error *error);

void cuda_module_free(struct backend *b);

#endif
