#ifndef NEARFAR_RUN_TABLE_H
#define NEARFAR_RUN_TABLE_H

/* The options of `nearfar run` that are no bench's. */
#include <argp.h>

/* Keys of long options without a letter; the benches' own come after. */
enum {
	KEY_PROGRAM = 256,
	KEY_KERNEL,
	KEY_WARM,
	KEY_DUMP,
	KEY_DIGESTS,
	KEY_CHECK,
	KEY_PROFILE,
	KEY_MAX_CYCLES,
	KEY_UNCHECKED,
	KEY_AS_WRITTEN,
	KEY_RACES,
	KEY_VALUES,
	KEY_ENGINE,
	KEY_TRACE, /* these as enum wanted_option (timeline/wanted.h) */
	KEY_TRACE_WINDOW,
	KEY_TRACE_SM,
	KEY_TRACE_WARP,
	KEY_TRACE_LINE,
	KEY_TRACE_LIMIT,
	KEY_SET,
	KEY_SEED,
	KEY_RAW,
	KEY_DRY_RUN,
	KEY_DUMP_PROGRAM,
	KEY_DUMP_PTX,
	KEY_DEVICE,
	KEY_PEER,
	KEY_STATS,
	KEY_NO_SAMPLES,
	KEY_RESUME,
	KEY_STRICT,
	KEY_VAR,
	KEY_LIKE,
	KEY_SHARD,
	KEY_SCRATCH,
	KEY_BENCH,
};

#define RUN_OWN_OPTIONS 43

/* Ends with a zeroed row. */
extern const struct argp_option run_own_options[RUN_OWN_OPTIONS + 1];

#endif
