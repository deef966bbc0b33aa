#ifndef NEARFAR_KERNEL_WORDS_H
#define NEARFAR_KERNEL_WORDS_H

/*
 * The words of a job's text. Each table drives the parser, the printer and the
 * page of the manual; arguments are read and written in argument.c, words of
 * tensor maps in map.c. The owner of what is scanned is the job.
 */
#include <stdio.h>

#include "harness/kernel/job.h"
#include "harness/program/text/fields.h"
#include "harness/program/text/scan.h"

extern const struct field job_buffer_fields[];
extern const struct field job_map_fields[]; /* map.c */
extern const struct field job_launch_fields[];

/* "ulp:4": the words of `compare=`; that of JOB_COMPARE_ULP has its number
   behind a colon. */
extern const char *const job_compare_names[JOB_COMPARE_COUNT + 1];

/* Bytes of an argument, and what its offset is a multiple of. */
size_t job_argument_bytes(const struct job_argument *a);
size_t job_argument_alignment(const struct job_argument *a);

/* " args=a,f32:3", or nothing if there are none. */
void arguments_print(
	FILE *out, const struct job *job, const struct job_launch *launch);

/* Reads what follows "args="; `word` is the whole word. */
int arguments_parse(struct scan *scan, const struct word *word,
	const char *text, const struct job *job, struct job_launch *launch);

#endif
