#ifndef NEARFAR_FRAME_H
#define NEARFAR_FRAME_H

/*
 * What the commands have in common that read files of series and write what
 * they make of them: the files, a metric, -f, -o, a window, marks.
 *
 *   frame_begin -> frame_read ... -> frame_put -> frame_judge
 *
 * A command's struct begins with its struct frame, which is what the rows
 * below write to.
 */
#include "harness/figure/destination.h"
#include "harness/options/options.h"
#include "harness/series/io.h"

struct frame {
	struct options_words files;
	const char *metric_name; /* NULL: none was asked for */
	int metric;              /* of metric_name, or -1 */
	int format;              /* -1: what the output's name says */
	const char *output;      /* NULL: standard output */
	bool no_plot, strict;
};

/* clang-format off */
#define FRAME_INITIAL {.metric = -1, .format = -1}
#define FRAME_FORMATS ((1u << FORMAT_COUNT) - 1) /* all */

/* The name of a metric that is not known is for frame_metric() to refuse. */
#define FRAME_METRIC(what) \
	{"metric", 0, TAKES_OWN, "NAME", what, .take = frame_take_metric, \
		.values = VALUES_METRICS, .example = "latency_cycles"}
#define FRAME_FORMAT \
	{"format", 'f', TAKES_CHOICE, "FORMAT", "", \
		OPTIONS_AT(struct frame, format), \
		.choices = SERIES_FORMAT_CHOICES, .values = VALUES_CHOICES, \
		.example = "csv"}
#define FRAME_OUTPUT(figures) \
	{"output", 'o', TAKES_TEXT, "FILE", \
		"write there; the name chooses the format if -f does not" \
		figures, OPTIONS_AT(struct frame, output), \
		.values = VALUES_FILES}
#define FRAME_FIGURES ", and svg, pdf or png make a figure"
#define FRAME_NO_PLOT(what) \
	{"no-plot", 0, TAKES_NOTHING, NULL, what, \
		OPTIONS_AT(struct frame, no_plot)}
#define FRAME_STRICT \
	{"strict", 0, TAKES_NOTHING, NULL, \
		"fail with status 3 if a point is marked", \
		OPTIONS_AT(struct frame, strict)}

/* As if the window were so many characters wide and, for those that plot in
   it, high: they stand for COLUMNS and LINES. */
#define FRAME_WIDTH \
	{"width", 0, TAKES_OWN, "CHARACTERS", \
		"as if the window were so wide (default: the terminal's)", \
		.take = frame_take_window, .example = "80"}
#define FRAME_WINDOW \
	FRAME_WIDTH, {"height", 0, TAKES_OWN, "LINES", "height of a plot", \
		.take = frame_take_window, .example = "20"}
#define FRAME_FILES(fewest, greatest, sentence) \
	.words = offsetof(struct frame, files), .least = (fewest), \
	.most = (greatest), .needed = (sentence), \
	.first = {VALUES_FILES, NULL}, .rest = {VALUES_FILES, NULL}
/* clang-format on */

int frame_take_metric(void *frame, const struct options_row *row, char *text,
	struct error *error);
int frame_take_window(void *frame, const struct options_row *row, char *text,
	struct error *error);

/* ERR_USAGE if the output is one of the files that are read, or of `others`
   (which end with NULL; `others` may be NULL). */
int frame_begin(const struct frame *frame, const char *const *others,
	struct error *error);

/* ERR_USAGE if a metric was asked for that nobody knows. */
int frame_metric(const struct frame *frame, struct error *error);

/* The series of a file, by its index, and the counter that was asked for as
   their metric. The errors of series_read(). */
int frame_read(const struct frame *frame, size_t index,
	struct series_list *list, struct error *error);

/* Opens where results go, lets `put` write there, and closes it. The errors of
   `put` and of destination_open(); ERR_GATE of `put` keeps what it wrote. */
typedef int frame_writer(
	void *context, const struct destination *to, struct error *error);
int frame_put(const struct frame *frame, struct destination_forms forms,
	frame_writer *put, void *context, FILE *out, struct error *error);

/* --strict: ERR_GATE if a point is marked. */
int frame_judge(const struct frame *frame, const struct series_list *list,
	struct error *error);

#endif
