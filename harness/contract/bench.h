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

/* A name, the column of files, and what it is. How a metric follows from
   samples stands in metrics.c. */
/* clang-format off */
#define METRICS(M) \
	M(LATENCY_CYCLES, "latency_cycles", \
		"SM cycles of one access of a chain in which each waits for the one before") \
	M(LATENCY_NS, "latency_ns", \
		"latency_cycles in nanoseconds, by the SM clock") \
	M(LONE_LATENCY_CYCLES, "lone_latency_cycles", \
		"SM cycles of an access of one thread while no other thread runs") \
	M(USEFUL_GB_PER_S, "useful_gb_per_s", \
		"bytes that lanes asked for, over the time from the first warp to the last") \
	M(MOVED_GB_PER_S, "moved_gb_per_s", \
		"bytes of the sectors that the accesses touch, over the time from the first warp to the last") \
	M(BYTES_PER_CYCLE, "bytes_per_cycle", \
		"bytes that lanes asked for, over the SM cycles of the region") \
	M(SECTORS_PER_REQUEST, "sectors_per_request", \
		"sectors of 32 bytes that an access of a warp touches") \
	M(LOADS_PER_CYCLE, "loads_per_cycle", \
		"accesses of lanes, over the SM cycles of the region") \
	M(ATOMICS_PER_CYCLE, "atomics_per_cycle", \
		"atomic operations of lanes, over the SM cycles of the region") \
	M(SHARE_L1, "share_l1", \
		"share of the probed lines that L1 answered") \
	M(SHARE_NEAR, "share_near", \
		"share that the L2 partition of the reader answered; of far memory, the L2 of the peer") \
	M(SHARE_FAR, "share_far", \
		"share that the other L2 partition answered") \
	M(SHARE_DRAM, "share_dram", \
		"share that the memory behind L2 answered") \
	M(LOAD_GB_PER_S, "load_gb_per_s", \
		"bytes that the loading SMs ask for beside the chase, over their time") \
	M(USEFUL_SHARE, "useful_share", \
		"bytes that lanes asked for, over the bytes of the sectors that the accesses touch") \
	M(ELAPSED_CYCLES, "elapsed_cycles", \
		"SM cycles from the start of a kernel to its end") \
	M(ELAPSED_NS, "elapsed_ns", \
		"elapsed_cycles in nanoseconds") \
	M(COPY_GB_PER_S, "copy_gb_per_s", \
		"bytes copied, each counted once, over the time of all copies") \
	M(COPY_NS, "copy_ns", \
		"nanoseconds from the start of the first copy to the end of the last")
/* clang-format on */

enum metric {
#define METRIC_ENUM(name, column, meaning) METRIC_##name,
	METRICS(METRIC_ENUM)
#undef METRIC_ENUM
		METRIC_COUNT,
	/* Counters are metrics where a user asks for one: a point has the value
	   of its first repeat. No run measures them as such. */
	METRIC_COUNTERS = METRIC_COUNT,
	METRIC_ALL = METRIC_COUNTERS + COUNTER_COUNT
};

_Static_assert((int)METRIC_ALL <= 64, "sets of metrics have 64 bits");

/* What Nsight Compute calls elapsed_cycles. */
#define METRIC_ELAPSED_NSIGHT "sm__cycles_elapsed.max"

#define METRIC_BIT(metric) (UINT64_C(1) << (metric))

struct bench {
	const char *name;
	const char *summary;                /* one line */
	const char *about;                  /* what it does: a paragraph */
	const char *examples[2];            /* words of `nearfar run` */
	const struct bench_option *options; /* ends with name == NULL */

	/* The axis and the metrics (a bit set of 1 << METRIC_*) of a run. */
	const struct axis *(*axis)(const struct bench_args *args);
	uint32_t (*metrics)(const struct bench_args *args);
	/* The metric that is shown where none is asked for; of a run that lacks
	   it, its first one: series_primary(). */
	enum metric headline;

	/* Which level serves a point, by the size of its data: "L2"; NULL where
	   that does not tell. The member is NULL where it never does. */
	const char *(*served_by)(const struct bench_args *args,
		const struct device *device, double x);

	/* The program of one point. ERR_USAGE for options that do not go
	   together, ERR_SKIPPED for a point that the device cannot hold. */
	int (*build)(const struct bench_args *args, const struct device *device,
		double x, struct program *program, struct error *error);
};

/* The benches, in the order of `list benches`; ends with NULL. */
extern const struct bench *const benches[];

#endif
