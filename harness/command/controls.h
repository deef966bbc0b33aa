#ifndef NEARFAR_CONTROLS_H
#define NEARFAR_CONTROLS_H

/*
 * Every way in which a program controls the caches, one row each: the cache
 * operators, orders, scopes, eviction priorities, sizes, hints and policies of
 * the PTX pages with the operations that take them, and the host's actions.
 * A row holds only what cannot be derived. What a control needs follows from
 * the legality table (legality.h), by way of a program that holds nothing but
 * the control; so does whether a device has it.
 */
#include <stdio.h>

#include "harness/program/legality/legality.h"

struct control {
	const char *text;       /* PTX spelling, or a statement of the host in
				   the text form (text.h) */
	const char *modelled;   /* the model's mechanism, in a few words */
	const char *unmeasured; /* why hardware does not show it; NULL: it
				   does */
	const char *shown_by;   /* the rest of a line "nearfar run ..."; NULL:
				   no program does, for the reason above */
};

extern const struct control instruction_controls[];
extern const size_t instruction_control_count;
extern const struct control host_controls[]; /* statements */
extern const size_t host_control_count;

/* The program of an instruction's row: the instruction, after the policy that
   it may need. It is not checked. */
void control_program(const struct control *control, struct program *p);

/* The program of a host's row; ERR_USAGE as program_parse. */
int control_host_program(
	const struct control *control, struct program *p, struct error *error);

/* All rows for a device. `format`: of series_format_names; ERR_USAGE for one
   that needs numbers. */
int controls_print(const struct device *device, const char *format, FILE *out,
	struct error *error);

#endif
