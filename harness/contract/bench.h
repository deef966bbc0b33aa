#ifndef NEARFAR_BENCH_H
#define NEARFAR_BENCH_H

/*
 * The contract of a benchmark: a table of options, one or more axes, the
 * metrics it reports, and a pure function that builds the access program of
 * one point. A bench measures nothing itself: it names the region called
 * "measure", and metrics.h knows how each metric follows from the samples.
 */
#include "harness/contract/backend.h"
#include "harness/base/error.h"
#include "harness/program/program.h"

enum option_type {
	OPTION_CHOICE, /* one word of `choices` */
	OPTION_BYTES,  /* a size, "4KiB" */
	OPTION_COUNT,  /* a whole number */
	OPTION_FLAG,   /* present or not; default "no" */
	OPTION_REAL,
};

struct bench_option {
	const char *name; /* "op" for --op */
	enum option_type type;
	const char *initial;     /* the default, as the user would write it */
	const char *choices;     /* OPTION_CHOICE: "a|b|c" */
	const char *help;        /* one line; the unit where there is one */
	double minimum, maximum; /* of a number; both 0: not bounded */
};

#define BENCH_OPTIONS_MAX 16

/* Options of one run, in the order of the bench's table. */
struct bench_args {
	const struct bench_option *options; /* ends with name == NULL */
	struct {
		const char *text; /* the user's or the default's words */
		double number;    /* BYTES, COUNT, REAL; FLAG: 0 or 1;
				     CHOICE: its index in `choices` */
	} values[BENCH_OPTIONS_MAX];
	uint32_t seed; /* of this repeat: rings and draws derive from it */
};

/* By name; a name that is not in the table is a bug and aborts. */
double bench_number(const struct bench_args *args, const char *name);
const char *bench_text(const struct bench_args *args, const char *name);

enum axis_unit { AXIS_BYTES, AXIS_COUNT };

struct axis {
	const char *name; /* the CSV column, unit included: "footprint_bytes" */
	enum axis_unit unit;
	const char *initial; /* the default of -x; %S stands for the number
				of SMs, %S-N for N fewer ("1,2,4,%S") */
	const char *help;
};

/* How a metric follows from samples stands in metrics.c. */
#define METRICS(M)                                                             \
	M(LATENCY_CYCLES, "latency_cycles")                                    \
	M(LATENCY_NS, "latency_ns")                                            \
	M(USEFUL_GB_PER_S, "useful_gb_per_s")                                  \
	M(MOVED_GB_PER_S, "moved_gb_per_s")                                    \
	M(BYTES_PER_CYCLE, "bytes_per_cycle")                                  \
	M(SECTORS_PER_REQUEST, "sectors_per_request")                          \
	M(LOADS_PER_CYCLE, "loads_per_cycle")                                  \
	M(ATOMICS_PER_CYCLE, "atomics_per_cycle")                              \
	M(SHARE_L1, "share_l1")                                                \
	M(SHARE_NEAR, "share_near")                                            \
	M(SHARE_FAR, "share_far")                                              \
	M(SHARE_DRAM, "share_dram")                                            \
	M(LOAD_GB_PER_S, "load_gb_per_s")                                      \
	M(USEFUL_SHARE, "useful_share")                                        \
	M(ELAPSED_CYCLES, "elapsed_cycles")                                    \
	M(ELAPSED_NS, "elapsed_ns")                                            \
	M(COPY_GB_PER_S, "copy_gb_per_s")                                      \
	M(COPY_NS, "copy_ns")

enum metric {
#define METRIC_ENUM(name, column) METRIC_##name,
	METRICS(METRIC_ENUM)
#undef METRIC_ENUM
		METRIC_COUNT
};

struct bench {
	const char *name;
	const char *summary;                /* one line */
	const struct bench_option *options; /* ends with name == NULL */

	/* The axis and the metrics (a bit set of 1 << METRIC_*) of a run. */
	const struct axis *(*axis)(const struct bench_args *args);
	uint32_t (*metrics)(const struct bench_args *args);

	/* The program of one point. ERR_USAGE for options that do not go
	   together, ERR_SKIPPED for a point that the device cannot hold. */
	int (*build)(const struct bench_args *args, const struct device *device,
		double x, struct program *program, struct error *error);
};

/* The benches, in the order of `list benches`; ends with NULL. */
extern const struct bench *const benches[];

#endif
