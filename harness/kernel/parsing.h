#ifndef NEARFAR_KERNEL_PARSING_H
#define NEARFAR_KERNEL_PARSING_H

/* What the files share that read a job's text, statement by statement. */
#include "harness/kernel/words.h"

struct parsing {
	struct scan scan;
	struct job *job;
};

int parsing_no_memory(struct parsing *p);
/* Room for one more item of an array, zeroed; NULL: no memory. */
void *parsing_grow(void **items, size_t *count, size_t bytes);
/* Reads a name: `what` it is. */
int parsing_name(
	struct parsing *p, const char *what, char *name, size_t name_bytes);

/* ---- steps.c: host actions ---- */
/* Reads the rest of the statement, and adds it to the job. */
int job_step_parse(struct parsing *p, enum step_kind kind);
void job_step_print(
	FILE *out, const struct job *job, const struct job_step *step);
/* ERR_USAGE with the rule that one of them breaks. */
int job_steps_check(const struct job *job, struct error *error);

/* ---- map.c: the statement `tensormap` ---- */
int map_parse(struct parsing *p);
void map_print(FILE *out, const struct job *job, const struct job_map *map);

#endif
