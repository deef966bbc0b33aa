#ifndef NEARFAR_RUN_TABLE_H
#define NEARFAR_RUN_TABLE_H

/* The options of `nearfar run` that are no bench's. */
#include <limits.h>

#include "harness/command/run/run_options.h"
#include "harness/command/run/run_words.h"
#include "harness/options/options.h"

#define RUN_WARMUPS_USUAL UINT_MAX /* until the backend is known */

/* What the rows write to, while a command line is read. */
struct run_parsing {
	struct run_options options;
	struct options_words operands;
	const char **words; /* benches, or files: room for all; owned */
	size_t word_count;
	enum run_words kind;
	int format;             /* -1: not given */
	options_before *before; /* NULL: nothing is refused */
	/* The first that does not go with --shard. */
	bool crowded;
	const struct options_row *beside_shard;
};

extern const struct options_row run_rows[]; /* ends with `help` NULL */

/* The options of the benches as rows: one for each name. Those of a bench that
   the words name come first, and hide the others from --help. */
struct run_bench_rows {
	struct options_row *rows; /* ends with `help` NULL */
	char **helps;
	size_t count;
};

/* ERR_FAILED without memory; run_bench_rows_free() after success. */
int run_bench_rows_make(struct run_bench_rows *made, int argc, char **argv,
	struct error *error);
void run_bench_rows_free(struct run_bench_rows *made);

/* The help of an option: what it is, its words, its default. The caller frees
   it; NULL without memory. */
char *run_bench_help(const struct bench_option *option);

/* "SIZE", "WORD", "N", or NULL for a flag. */
const char *run_bench_argument(const struct bench_option *option);

#endif
