#ifndef NEARFAR_PROFILE_H
#define NEARFAR_PROFILE_H

/*
 * Where the time of kernels went, as `run --kernel --profile` writes it: for
 * each launch what its warps waited for (enum job_wait), and the same by line
 * of PTX and by source line. job_result.h says what the numbers are.
 *
 * Files are JSON (schema nearfar-profile/1, which profile_read takes back), CSV
 * with a row for each line of PTX, and tables for people as text or Markdown.
 * A name that ends in ".gz" is gzipped; "-" is standard output.
 */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/contract/job_result.h"

#define PROFILE_SCHEMA "nearfar-profile/1"

/* Of one launch. All texts are owned, and so is `where`. */
struct profile {
	char *job, *kernel, *module; /* the module as the job names it */
	char *machine;               /* with what --set changed */
	uint32_t launch, repeat;     /* in the job, from 0; of this launch */
	char *launch_name;           /* NULL: it has none */
	double cycles;
	struct job_profile *where;
	char **texts; /* [where->lines]: the line of PTX, with single blanks */
	char **source_texts; /* [where->lines]: the same of the source line;
				NULL where nobody knows it */
};

struct profile_list {
	struct profile *items;
	size_t count;
};

/* Appends what a backend said of a job's run number `run` (job_runs()). `where`
   moves to the list also after an error; ERR_FAILED without memory. */
int profile_add(struct profile_list *list, const struct job *job, size_t run,
	const char *machine, double cycles, struct job_profile *where,
	struct error *error);
/* "launch 1", or "launch 1 'first'" where it has a name. */
#define PROFILE_LAUNCH_BYTES 96
void profile_launch(const struct profile *p, char text[PROFILE_LAUNCH_BYTES]);

/* sources.c, for profile_add(): texts of source lines, from the module's own
   source, or the files that `.file` names, where they are regular files and at
   most 16 MiB: beside the module, by their name, or where their whole path
   says. -1 without memory. */
int profile_take_sources(struct profile *p, const struct job_module *module);
/* A copy without blanks around it, and one where there were several; NULL
   without memory. */
char *profile_trimmed(const char *text, size_t length);
/* Appends an empty one; NULL without memory. */
struct profile *profile_list_add(struct profile_list *list);
void profile_list_free(struct profile_list *list);

/* A sentence for each line that reads what another SM has written since
   (job_line.stale_words), or one that says that there is none. */
int profile_print_races(
	const struct profile_list *list, FILE *out, struct error *error);

/* ---- what the lines amount to ---- */

/* By source line: `line` is 0 in each. Lines without a `.loc` are the first
   row, of source 0. The caller frees the rows; NULL without memory. */
struct job_line *profile_by_source(
	const struct job_profile *where, size_t *count);

/* The file and its line, "gather.cu:7"; "-" without. */
void profile_source(const struct job_profile *where,
	const struct job_line *line, char *text, size_t bytes);

/* What stands in the source line of a row of profile_by_source(), or of a line
   of PTX; NULL: nobody knows. */
const char *profile_source_text(
	const struct profile *p, const struct job_line *row);

double profile_waited(const double wait_cycles[JOB_WAIT_COUNT]);
/* The class with the most cycles; JOB_WAIT_COUNT if all are 0. */
enum job_wait profile_most(const double wait_cycles[JOB_WAIT_COUNT]);
/* Sectors of a line that were found anywhere. */
uint64_t profile_found(const struct job_line *line);

/* ---- who waited in line for whom ---- */

/* The first queue of line `line` (an index, or JOB_NO_LINE), or of those behind
   it. */
size_t profile_queues_from(const struct job_profile *where, uint32_t line);

/* What a line's queues add up to, at all servers. */
struct job_queue profile_queued(const struct job_profile *where, uint32_t line);

/* The same of all lines of a row of profile_by_source(). */
struct job_queue profile_queued_by_source(
	const struct job_profile *where, const struct job_line *row);

/* All cycles in line, by whomever. */
double profile_in_line(const struct job_profile *where);

/* Of the cycles in which servers can be busy: the share of one server, on the
   mean, or of the busiest one. */
double profile_busy_share(
	const struct job_profile *where, const struct job_server *server);
double profile_busiest_share(
	const struct job_profile *where, const struct job_server *server);

/* Of line_cycles, of the lines of servers; 0: nobody knows them. */
size_t profile_spans(const struct job_profile *where);

/* A line with fewer of a launch's waiting cycles, and without requests to
   memory, is left out where people read. */
#define PROFILE_SHARE_LEAST 0.005
bool profile_tells(const struct profile *p, const struct job_line *line);

/* ---- files ---- */

/* Name, ending, and writer. */
#define PROFILE_FORMATS(F)                                                     \
	F(TABLE, "table", ".txt", profile_put_table)                           \
	F(JSON, "json", ".json", profile_put_json)                             \
	F(CSV, "csv", ".csv", profile_put_csv)                                 \
	F(MD, "md", ".md", profile_put_md)

#define PROFILE_WRITER(name, text, ending, put)                                \
	int put(const struct profile_list *list, FILE *out);
PROFILE_FORMATS(PROFILE_WRITER)
#undef PROFILE_WRITER

/* ERR_USAGE for a name whose ending is no format's; a name without a dot and
   "-" are tables. */
int profile_check_path(const char *path, struct error *error);
/* As the path's ending says. ERR_FAILED. */
int profile_write_file(
	const struct profile_list *list, const char *path, struct error *error);

/* Whether a file begins as profile_put_json does; false if it cannot be read,
   and for standard input. */
bool profile_detect(const char *path);
/* ERR_USAGE for wrong content, with the JSON path. */
int profile_read(
	const char *path, struct profile_list *list, struct error *error);

#endif
