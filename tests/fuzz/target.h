#ifndef NEARFAR_FUZZ_TARGET_H
#define NEARFAR_FUZZ_TARGET_H

/*
 * Fuzz targets for libFuzzer: one program holds all of them, and FUZZ_TARGET in
 * the environment names the one that runs. A target gives its input to a
 * reader. Nothing may crash, leak, hang or take more than the memory that
 * libFuzzer allows; a refusal has a sentence; what a reader takes survives
 * being written and read again.
 */
#include <stddef.h>

#include "harness/base/error.h"

struct input {
	char *text; /* followed by a zero byte; a target may change it */
	size_t bytes;
	const char *path; /* a file that holds the same */
};

struct target {
	const char *name;
	void (*try)(const struct input *input);
};

/* The end of the process, with what was wrong. */
_Noreturn void fuzz_fail(const char *what);

/* A refusal: its sentence must be there. It is taken away, so that the next
   refusal must have its own. */
void fuzz_refused(struct error *error);

void fuzz_program(const struct input *input);
void fuzz_machine(const struct input *input);
void fuzz_series(const struct input *input);
void fuzz_table(const struct input *input);
void fuzz_plot(const struct input *input);
void fuzz_map(const struct input *input);
void fuzz_samples(const struct input *input);
void fuzz_import(const struct input *input);
void fuzz_job(const struct input *input);
void fuzz_ptx(const struct input *input);
void fuzz_trace(const struct input *input);
void fuzz_profile(const struct input *input);
void fuzz_state(const struct input *input);
void fuzz_kept(const struct input *input);
void fuzz_suite(const struct input *input);
void fuzz_gates(const struct input *input);
void fuzz_device(const struct input *input);
void fuzz_fingerprint(const struct input *input);
void fuzz_words(const struct input *input);

#endif
