#ifndef NEARFAR_SAMPLE_SETS_PARSE_H
#define NEARFAR_SAMPLE_SETS_PARSE_H

/*
 * The forms behind sample_sets.h, one function each. They may change the text
 * that they are given, and leave what they had read in the sets when they
 * fail.
 */
#include "harness/base/content.h"
#include "harness/series/pieces.h"
#include "harness/series/sample_sets.h"
#include "harness/series/series.h"

#define RAW_HEADER "series,x,repeat,region,sm,warp,iteration,cycles"

enum sample_form { SAMPLE_NOTHING, SAMPLE_NUMBERS, SAMPLE_RAW, SAMPLE_SERIES };

/* What the comments of a raw file say of its series. */
struct sample_head {
	char *bench, *axis;
};

/* A raw file that is read a piece at a time. */
struct sample_reader {
	const char *region;
	struct sample_sets *sets;
	struct sample_head *heads;
	size_t head_count;
	bool header_done;
};

void sample_reader_free(struct sample_reader *reader);

/* One piece. */
int sample_sets_parse_numbers(
	struct pieces *piece, struct sample_sets *sets, struct error *error);
int sample_sets_parse_raw(struct pieces *piece, struct sample_reader *reader,
	struct error *error);

/* Frees each point of the list as soon as its samples are in the sets.
   ERR_FAILED without memory, then sample_sets_no_memory has the sentence. */
int sample_sets_collect(
	struct series_list *list, const char *region, struct sample_sets *sets);

/* NULL without memory; what was added is freed with the sets. */
struct sample_set *sample_sets_add(struct sample_sets *sets, size_t series,
	const char *bench, const char *axis, double x);

/* The same; room for that many. */
int sample_set_reserve(struct sample_set *set, size_t capacity);
int sample_set_append(struct sample_set *set, double cycles);

int sample_sets_no_memory(const char *source, struct error *error);

#endif
