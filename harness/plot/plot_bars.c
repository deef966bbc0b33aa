#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plot/plot_cells.h"
#include "harness/stats/histogram.h"

#define MARGIN      9 /* columns of labels */
#define FRAME_ROWS  4
#define ROWS_LEAST  4
#define EIGHTHS     8
#define LABEL_EVERY 16 /* columns */

/* A column of a bar is as many eighths high. */
static void put_bar(size_t eighths, bool unicode, FILE *out)
{
	static const char *const blocks[] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

	if (unicode)
		fputs(blocks[eighths], out);
	else
		fputc(eighths > EIGHTHS / 2 ? '#' : eighths ? '.' : ' ', out);
}

static size_t height_of(
	const struct histogram *bins, size_t bin, uint64_t most, size_t rows)
{
	const double share = (double)bins->counts[bin] / (double)most;
	const size_t eighths = (size_t)lround(share * (double)rows * EIGHTHS);

	return bins->counts[bin] && !eighths ? 1 : eighths;
}

static void put_row(const struct histogram *bins, size_t row, size_t rows,
	bool unicode, FILE *out)
{
	const uint64_t most = histogram_most(bins);
	const double top = 100.0 * (double)most / (double)bins->total *
			   (double)(rows - row) / (double)rows;
	const size_t below = (rows - 1 - row) * EIGHTHS;
	size_t bin, last = 0;

	if (row % 4 == 0)
		fprintf(out, "%*.2f %s", MARGIN - 3, top, unicode ? "┤" : "+");
	else
		fprintf(out, "%*s %s", MARGIN - 3, "", unicode ? "│" : "|");
	for (bin = 0; bin < bins->bin_count; bin++)
		if (height_of(bins, bin, most, rows) > below)
			last = bin + 1;
	for (bin = 0; bin < last; bin++) {
		const size_t high = height_of(bins, bin, most, rows);

		put_bar(high <= below            ? 0
			: high - below > EIGHTHS ? EIGHTHS
						 : high - below,
			unicode, out);
	}
	fputc('\n', out);
}

static void put_axis(const struct histogram *bins, bool unicode, FILE *out)
{
	size_t bin, used = 0;

	fprintf(out, "%*s %s", MARGIN - 3, "", unicode ? "└" : "+");
	for (bin = 0; bin < bins->bin_count; bin++)
		fputs(bin % LABEL_EVERY ? (unicode ? "─" : "-")
					: (unicode ? "┬" : "+"),
			out);
	fprintf(out, "\n%*s", MARGIN - 1, "");
	for (bin = 0; bin < bins->bin_count; bin += LABEL_EVERY) {
		char label[32];

		snprintf(label, sizeof(label), "%.6g",
			bins->first + (double)bin * bins->width);
		if (used > bin)
			continue;
		fprintf(out, "%*s%s", (int)(bin - used), "", label);
		used = bin + strlen(label);
	}
	fputc('\n', out);
}

/* "^ 297.0" below its place; marks that would touch go to a line of their
   own. */
static void put_marks(const struct histogram *bins,
	const struct plot_mark *marks, size_t count, FILE *out)
{
	size_t used = 0, i;

	if (!count)
		return;
	fprintf(out, "%*s", MARGIN - 1, "");
	for (i = 0; i < count; i++) {
		const double place = (marks[i].x - bins->first) / bins->width;
		const size_t at = place > 0 ? (size_t)place : 0;

		if (i && at < used + 1) {
			fprintf(out, "\n%*s", MARGIN - 1, "");
			used = 0;
		}
		fprintf(out, "%*s^ %s", (int)(at - used), "", marks[i].text);
		used = at + 2 + strlen(marks[i].text);
	}
	fputc('\n', out);
}

int plot_put_histogram(const struct plot *window, const char *x_name,
	const double *values, size_t count, const struct plot_mark *marks,
	size_t mark_count, FILE *out, struct error *error)
{
	const size_t rows = window->height > FRAME_ROWS + ROWS_LEAST
				    ? (window->height - FRAME_ROWS) / 2
				    : ROWS_LEAST;
	struct histogram bins;
	size_t row;

	if (!count)
		return 0;
	if (histogram_make(values, count, histogram_range_of(values, count),
		    window->width - MARGIN, &bins))
		return error_set(error, ERR_FAILED, "out of memory");
	fprintf(out, "%*s percent of the samples, by %s\n", MARGIN - 3, "",
		x_name);
	for (row = 0; row < rows; row++)
		put_row(&bins, row, rows, window->unicode, out);
	put_axis(&bins, window->unicode, out);
	put_marks(&bins, marks, mark_count, out);
	if (bins.below || bins.above)
		fprintf(out, "%*s outside: %llu below, %llu above\n",
			MARGIN - 3, "", (unsigned long long)bins.below,
			(unsigned long long)bins.above);
	histogram_free(&bins);
	return 0;
}
