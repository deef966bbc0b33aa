#ifndef NEARFAR_CODE_FIXTURE_H
#define NEARFAR_CODE_FIXTURE_H

/* The model's code of a kernel "k", for tests of its passes. */
#include "backend_sim/code/code.h"

struct made_code {
	struct ptx_module module;
	struct code code;
	uint64_t *variables;
};

/* Of the text HEAD BODY TAIL; the test fails where it is refused. */
void code_of(struct made_code *m, const char *head, const char *tail,
	const char *body);
void code_end(struct made_code *m);

/* Where the instruction of the text's line came to stand; the test fails where
   it is not there. */
uint32_t code_place(const struct made_code *m, uint32_t line);

/* A letter for each line of BODY, the first of which is the text's `line`: its
   slots, or '+' for any; the test fails where it has others. */
void code_takes(const char *head, const char *tail, const char *body,
	uint32_t line, const char *expected);

#endif
