#ifndef NEARFAR_SERIES_JSON_H
#define NEARFAR_SERIES_JSON_H

/*
 * The parts of the JSON reader, each a table of rules. What was read so far is
 * in the list, for the caller to free where the reader fails.
 */
#include "harness/json/json_stream.h"
#include "harness/series/series.h"

/* What the rules fill: what begins in the document is at hand until it ends. */
struct series_reader {
	struct series_list *list;
	size_t points; /* of the file, so far */
	struct series *series;
	struct facts *facts; /* options or provenance of the series */
	struct point *point;
	struct metric_values *metric;
	struct span_row *span;
	size_t column;               /* of the samples */
	size_t rows[SAMPLE_COLUMNS]; /* that the point's columns have */
	uint32_t constant;           /* columns that are one number: a set */
	uint64_t count;              /* of rows, as the file says */
};

/* An element of "points". */
extern const struct json_rule series_point_rules[];
int series_begin_point(void *reader, struct json_stream *stream,
	const struct json_value *value);
int series_end_point(void *reader, struct json_stream *stream);

/* The first metric of the series that the point of that index should have and
   has not; -1 where it has all. */
int series_lacks_metric(const struct series *series, size_t index);

/* What the members "samples" and "spans" of a point hold. */
extern const struct json_rule series_samples_rules[];
extern const struct json_rule series_spans_rule[];

int series_begin_samples(void *reader, struct json_stream *stream,
	const struct json_value *value);
int series_end_samples(void *reader, struct json_stream *stream);
/* Whether each sample and span of the point at hand has a region; asked once
   the regions are known. */
int series_check_regions(
	const struct series_reader *reader, struct json_stream *stream);

/* `items`, with room for one more than `count` of that size; NULL without
   memory. */
void *series_make_room(void *items, size_t count, size_t size);

#endif
