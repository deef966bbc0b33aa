#ifndef NEARFAR_WANTED_H
#define NEARFAR_WANTED_H

/* What a user wants to see in a trace, in the words of `run --trace`. */
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/contract/timeline.h"

/* All zero: nothing is traced; with a path alone: everything is. */
struct wanted {
	const char *path;
	double from, until; /* cycles; `until` 0: no end */
	bool some_sms;
	uint64_t sms[TIMELINE_SMS_MAX / 64];
	bool has_warp;
	uint32_t warp, line, limit; /* 0: all lines, the usual limit */
	const char *last; /* the last option beside --trace; NULL: none */
};

/* The options, in the order of their keys. */
#define WANTED_OPTIONS(O)                                                      \
	O(PATH, "--trace")                                                     \
	O(WINDOW, "--trace-window")                                            \
	O(SMS, "--trace-sm")                                                   \
	O(WARP, "--trace-warp")                                                \
	O(LINE, "--trace-line")                                                \
	O(LIMIT, "--trace-limit")

enum wanted_option {
#define WANTED_ENUM(name, text) WANTED_##name,
	WANTED_OPTIONS(WANTED_ENUM)
#undef WANTED_ENUM
		WANTED_COUNT
};

/* ERR_USAGE. */
int wanted_take(struct wanted *wanted, enum wanted_option option,
	const char *text, struct error *error);
/* Makes a timeline empty that asks for it. */
void wanted_begin(const struct wanted *wanted, struct timeline *timeline);

#endif
