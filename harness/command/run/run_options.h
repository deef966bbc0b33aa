#ifndef NEARFAR_RUN_OPTIONS_H
#define NEARFAR_RUN_OPTIONS_H

/*
 * The command line of `nearfar run`: its own options and, from the benches'
 * tables, theirs.
 */
#include "harness/contract/backend.h"
#include "harness/contract/bench.h"
#include "harness/options/options.h"
#include "harness/run/plan.h"
#include "harness/program/text/program_files.h"
#include "harness/run/runner.h"
#include "harness/series/io.h"
#include "harness/timeline/wanted.h"
#include "harness/whatif/choice.h"

#define RUN_BENCHES_MAX 32
#define RUN_SETS_MAX    64
#define RUN_GIVEN_MAX   64
#define RUN_DUMPS_MAX   16
#define RUN_CYCLES_MAX  ((uint64_t)1 << 52) /* of --max-cycles */
#define RUN_DEVICES_MAX 64

struct run_options {
	const struct bench *benches[RUN_BENCHES_MAX];
	size_t bench_count;
	struct program_files programs; /* --program: run these, no benches */
	struct program_files kernels;  /* --kernel: run these */
	bool warm;                     /* each launch once more before */
	const char *digests, *check;   /* files of digests */
	const char *profile;           /* a file: where the time went */
	uint64_t max_cycles;           /* of a launch; 0: no limit */
	bool unchecked;                /* asynchronous copies are not */
	bool as_written;               /* code without passes */
	bool races;                    /* stale words are reported */
	const char *values;            /* of job_values_names; NULL: hardware */
	struct wanted trace;           /* --trace and what it is of */
	struct job_dump dumps[RUN_DUMPS_MAX];
	size_t dump_count;
	const struct backend_ops *ops;
	const char *machine;
	const char *sets[RUN_SETS_MAX]; /* those of one value */
	size_t set_count;
	struct choice_list set_choices; /* all of --set */
	struct choice_list variables;   /* --var */
	struct choice_axis axis;        /* -x set: or var:; empty without */
	const char *like;               /* --like: partners of this file */
	int devices[RUN_DEVICES_MAX]; /* --device: indices of GPUs; one is 0 if
					 none is given */
	size_t device_count;
	bool all_devices; /* --device all */
	int peer_number;  /* --peer: 1 + its index; 0: the next one */
	const char *sweep;
	struct given_option given[RUN_GIVEN_MAX];
	size_t given_count;
	unsigned repeats, warmups, jobs; /* repeats 0: the backend's default */
	uint32_t seed;
	enum series_format format;
	const char *output, *raw;
	const char *suite;          /* --suite: nothing else is given, but */
	const char *part, *scratch; /* these, and words for each row; the */
	bool whole_series;          /* output is a folder */
	struct options_words of_rows;
	bool dry_run, dump_program, dump_ptx, stats, no_samples, resume, force,
		strict;
};

extern const struct options_table run_options;

/* As options_parse(). On failure, too, run_options_free. */
int run_options_parse(int argc, char **argv, struct run_options *options,
	struct error *error);

/* The same of words that do not come from a command line of run, of which some
   options are no part (run_together.h). Nothing ends the process: wrong options
   return ERR_USAGE, too. */
int run_options_parse_words(int argc, char **argv, options_before *refuses,
	struct run_options *options, struct error *error);

void run_options_free(struct run_options *options);

#endif
