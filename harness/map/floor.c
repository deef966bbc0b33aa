#include <math.h>
#include <stdlib.h>

#include "harness/map/map.h"
#include "harness/map/rank_one.h"

/* The near cells of one side; first the cycles, then what is left of them. */
struct block {
	size_t sms, lines;
	double *cells;     /* [sm * lines + line] */
	double *sm, *line; /* terms */
};

static void subtract_mean(struct block *b, double mean)
{
	size_t i;

	for (i = 0; i < b->sms * b->lines; i++)
		b->cells[i] -= mean;
}

/* In a complete block the means of rows and columns are the least squares. */
static void subtract_terms(struct block *b)
{
	size_t s, l;

	for (s = 0; s < b->sms; s++)
		for (l = 0; l < b->lines; l++) {
			double rest = b->cells[s * b->lines + l];

			b->sm[s] += rest / (double)b->lines;
			b->line[l] += rest / (double)b->sms;
		}
	for (s = 0; s < b->sms; s++)
		for (l = 0; l < b->lines; l++)
			b->cells[s * b->lines + l] -= b->sm[s] + b->line[l];
}

static void fit(struct block *b, struct map_floor *floor)
{
	double count = (double)(b->sms * b->lines), total, rest, product;

	*floor = (struct map_floor){NAN, NAN, NAN, NAN, NAN, NAN};
	if (count == 0)
		return;
	floor->mean_cycles = stats_mean(b->cells, b->sms * b->lines);
	subtract_mean(b, floor->mean_cycles);
	total = square_sum(b->cells, b->sms * b->lines);
	subtract_terms(b);
	rest = square_sum(b->cells, b->sms * b->lines);
	floor->sm_share = square_sum(b->sm, b->sms) * (double)b->lines / total;
	floor->line_share =
		square_sum(b->line, b->lines) * (double)b->sms / total;
	product = rank_one_fit(b->cells, b->sms, b->lines, b->sm, b->line);
	rest = rest > product ? rest - product : 0;
	floor->product_share = product / total;
	floor->rest_share = rest / total;
	floor->rest_cycles = sqrt(rest / count);
	if (!(total > 0))
		floor->sm_share = floor->line_share = floor->product_share =
			floor->rest_share = NAN;
}

int map_floor_fit(const struct map_cells *cells, const struct map_sides *sides,
	unsigned side, struct map_floor *floor)
{
	struct block b = {
		.sms = sides->sm_count[side],
		.lines = sides->line_count[side],
	};
	size_t sm, line, at = 0;
	int code = ERR_FAILED;

	b.cells = calloc(b.sms * b.lines + 1, sizeof(*b.cells));
	b.sm = calloc(b.sms + 1, sizeof(*b.sm));
	b.line = calloc(b.lines + 1, sizeof(*b.line));
	if (b.cells && b.sm && b.line) {
		for (sm = 0; sm < cells->sms; sm++)
			for (line = 0; line < cells->lines; line++)
				if (sides->sm[sm] == side &&
					sides->line[line] == side)
					b.cells[at++] =
						cells->cycles
							[sm * cells->lines +
								line];
		fit(&b, floor);
		code = 0;
	}
	free(b.cells);
	free(b.sm);
	free(b.line);
	return code;
}
