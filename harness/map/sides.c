#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/map/map.h"

#define TAIL_SHARE              0.001
#define CONTRADICTION_SHARE_MAX 0.05 /* more: there are no two sides */
#define SPLIT_SHARE_MIN         0.85 /* less: so; a flat spread has 0.75 */
#define ROUNDS_MAX              8

/* The cut of ascending values that leaves least variance on its sides, and
   which share of the variance that leaves out. */
static double otsu(const double *sorted, size_t count, double *share)
{
	double total = 0, squares = 0, below = 0, best = -1, split = sorted[0];
	size_t i;

	for (i = 0; i < count; i++)
		total += sorted[i];
	for (i = 0; i < count; i++)
		squares += pow(sorted[i] - total / (double)count, 2);
	for (i = 1; i < count; i++) {
		double rest = (double)(count - i), apart, between;

		below += sorted[i - 1];
		apart = below / (double)i - (total - below) / rest;
		between = (double)i * rest * apart * apart;
		if (between > best) {
			best = between;
			split = (sorted[i - 1] + sorted[i]) / 2;
		}
	}
	*share = squares > 0 ? best / (double)count / squares : 0;
	return split;
}

static int find_split(
	const struct map_cells *cells, double *split, double *share)
{
	size_t count = cells->sms * cells->lines;
	size_t tail = (size_t)((double)count * TAIL_SHARE);
	double *sorted = calloc(count, sizeof(*sorted));

	if (!sorted)
		return ERR_FAILED;
	memcpy(sorted, cells->cycles, count * sizeof(*sorted));
	stats_sort(sorted, count);
	*split = otsu(sorted + tail, count - 2 * tail, share);
	free(sorted);
	return 0;
}

static bool is_far(const struct map_cells *cells, const struct map_sides *s,
	size_t sm, size_t line)
{
	return cells->cycles[sm * cells->lines + line] > s->split_cycles;
}

static void vote_homes(const struct map_cells *cells, struct map_sides *s)
{
	size_t sm, line, votes;

	for (line = 0; line < cells->lines; line++) {
		votes = 0;
		for (sm = 0; sm < cells->sms; sm++)
			votes += is_far(cells, s, sm, line) ^ s->sm[sm];
		s->line[line] = votes * 2 > cells->sms;
	}
}

/* Returns whether an SM changed its side. */
static bool vote_sides(const struct map_cells *cells, struct map_sides *s)
{
	size_t sm, line, votes;
	bool changed = false;

	for (sm = 0; sm < cells->sms; sm++) {
		uint8_t was = s->sm[sm];

		votes = 0;
		for (line = 0; line < cells->lines; line++)
			votes += is_far(cells, s, sm, line) ^ s->line[line];
		s->sm[sm] = votes * 2 > cells->lines;
		changed |= s->sm[sm] != was;
	}
	return changed;
}

/* SM 0 names the first side: at first, its own cells are the homes. */
static void vote(const struct map_cells *cells, struct map_sides *s)
{
	size_t i, round = 0;
	bool changed;

	for (i = 0; i < cells->lines; i++)
		s->line[i] = is_far(cells, s, 0, i);
	do {
		changed = vote_sides(cells, s);
		vote_homes(cells, s);
	} while (changed && ++round < ROUNDS_MAX);
	for (i = 0; s->sm[0] && i < cells->sms + cells->lines; i++) {
		uint8_t *side =
			i < cells->sms ? &s->sm[i] : &s->line[i - cells->sms];

		*side ^= 1;
	}
}

static void widen(struct map_range *range, double value)
{
	if (!(range->low <= value))
		range->low = value;
	if (!(range->high >= value))
		range->high = value;
}

static void measure(const struct map_cells *cells, struct map_sides *s)
{
	size_t sm, line;

	s->near = s->far = (struct map_range){NAN, NAN};
	s->contradictions = 0;
	for (sm = 0; sm < cells->sms; sm++)
		for (line = 0; line < cells->lines; line++) {
			bool far = s->sm[sm] != s->line[line];

			if (s->count == 2 && is_far(cells, s, sm, line) != far)
				s->contradictions++;
			else
				widen(far ? &s->far : &s->near,
					cells->cycles[sm * cells->lines +
						      line]);
		}
}

static void count_members(const struct map_cells *cells, struct map_sides *s)
{
	size_t i;

	memset(s->sm_count, 0, sizeof(s->sm_count));
	memset(s->line_count, 0, sizeof(s->line_count));
	s->pairs = s->pairs_split = 0;
	for (i = 0; i < cells->sms; i++) {
		s->sm_count[s->sm[i]]++;
		if (i % 2) {
			s->pairs++;
			s->pairs_split += s->sm[i] != s->sm[i - 1];
		}
	}
	for (i = 0; i < cells->lines; i++)
		s->line_count[s->line[i]]++;
}

int map_sides_find(const struct map_cells *cells, struct map_sides *sides)
{
	struct map_sides s = {.count = 2};
	double count = (double)cells->sms * (double)cells->lines, share;

	s.sm = calloc(cells->sms, 1);
	s.line = calloc(cells->lines, 1);
	if (!s.sm || !s.line || find_split(cells, &s.split_cycles, &share)) {
		map_sides_free(&s);
		return ERR_FAILED;
	}
	vote(cells, &s);
	count_members(cells, &s);
	measure(cells, &s);
	if (!s.sm_count[0] || !s.sm_count[1] || share < SPLIT_SHARE_MIN ||
		(double)s.contradictions > CONTRADICTION_SHARE_MAX * count) {
		s.count = 1;
		s.split_cycles = NAN;
		memset(s.sm, 0, cells->sms);
		memset(s.line, 0, cells->lines);
		count_members(cells, &s);
		measure(cells, &s);
	}
	*sides = s;
	return 0;
}

void map_sides_free(struct map_sides *sides)
{
	free(sides->sm);
	free(sides->line);
	*sides = (struct map_sides){0};
}
