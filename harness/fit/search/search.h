#ifndef NEARFAR_SEARCH_H
#define NEARFAR_SEARCH_H

/*
 * Fitting a machine to measured series, in two stages.
 *
 * Read-offs: for each row of a table an observable of a few points (a plateau,
 * a knee, the gap between two modes, a term of the floor plan) is compared
 * with the model's, and one parameter is moved by a bracketing secant until
 * they agree. Fits: groups of parameters, each with the series that inform it,
 * are searched by NLopt within bounds; what a group finds (or half of the way
 * there) is kept if the objective over some points of all series has fallen,
 * too. Both tables stand in measures.def.
 *
 * With rounds, each parameter has a row of its own: the first stage is made
 * again until nothing moves, and there is no second one. What no value within
 * the bounds gives is not read off, nor is a rate, or a number of what may be
 * under way, that its row does not need: one that gives what was measured from
 * half its upper bound on; what was read
 * off is taken back where the row and the series of the parameter's group are
 * further off with it than with the start.
 *
 * The objective of a group is the sum over its points of twice Huber's loss
 * (bend at 3) of these residuals:
 *
 *   value         ln(model / target) over the point's noise, half its 95 %
 *                 interval or 1 %, whichever is larger
 *   share         the difference over 0.02
 *   shape         of parameters that say where steps are (rows of choices):
 *                 the same with the points' common level taken off, and 0.25 %
 *                 as the least noise, for the level is other parameters'
 *   distribution  where every load has its sample: Wasserstein-1 distance of
 *                 the samples over their mean, over 1 %; the value is then
 *                 the mean, not the median
 *
 * The interval of a parameter is where the objective has risen by
 *   (N / M) * max(1, Q / N)
 * from its least value Q, N being the residuals and M how many of them are
 * independent: neighbours on a curve err together, so a series of n residuals
 * with the autocorrelation a at a distance of one (their variance taken as the
 * noise's at least) counts as n * (1 - a) / (1 + a). Where the model does not
 * describe the points within their noise the interval so widens with the
 * misfit. It is found by moving one parameter alone; what others of its group
 * can make good (by the derivatives of the residuals at the ends) widens it
 * further. A parameter for which the objective does not rise so far within the
 * bounds is not constrained.
 *
 * A point that is held out enters neither stage; its program is run on the
 * start and on the result, and its errors printed. Where the squares of the
 * residuals of all that is held out, values and distributions, add up to more
 * than their number, and to no less than at the start, the start's values are
 * the result, without intervals. Everything is a function of the targets, the
 * start and the seed, whatever the number of workers, unless the budget is in
 * seconds. Each run of a point is appended to the state file when it is done:
 * what stands there is not run again, so a fit that was interrupted
 * goes on where it was and gives the same bytes, and so do several processes
 * that share the points (others.h).
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/contract/backend.h"

struct search_config {
	const struct backend_ops *ops;
	const char *machine; /* the start; NULL: the backend's default */
	const char *const *targets;
	size_t target_count;
	const char *const *held_out_targets; /* files of which no point is
						fitted */
	size_t held_out_target_count;
	/* BENCH[:KEY=VALUE]...: series that are held out; values are fnmatch
	   patterns */
	const char *const *hold_outs;
	size_t hold_out_count;
	unsigned hold_out_every; /* and each Nth point of the others, but for
				    their ends; 0: none */
	const char *const *free; /* fnmatch patterns of parameters; none: all
				    of the tables */
	size_t free_count;
	size_t evaluations; /* of the objective, in all groups; 0: a default */
	double seconds;     /* of both stages and the intervals, not of the
			       run of all points at the end; 0: no limit */
	unsigned rounds;    /* of read-offs and choices, at most; 0: one */
	uint64_t seed;
	unsigned jobs;
	const char *state;  /* file */
	const char *folder; /* of the journals of processes that do this
			       together (others.h); NULL: alone */
	size_t part_count;  /* of them */
	size_t part;        /* this one, from 1; 0: it runs nothing, and what
			       the others have run must be all */
	double patience_s;  /* with one that says nothing; 0: a default */
	bool resume;        /* go on with `state` if it exists */
	const char *output; /* NULL: nothing is written nor printed */
	const char *points; /* CSV of every point's errors, or NULL */
	bool next;          /* print what to measure next */
	bool stats;         /* to standard error: time by series */
	atomic_int *stop;   /* nonzero: stop; may be NULL */
};

/*
 * Writes the machine to config->output and the report to `out`. ERR_USAGE for
 * targets, patterns and states that cannot be used, ERR_INTERRUPTED when
 * stopped: the state then holds what was done.
 */
int search_run(
	const struct search_config *config, FILE *out, struct error *error);

/* Reads the targets and finds what may move, without running anything; the
   errors of search_run(). */
int search_look(const struct search_config *config, size_t *points,
	struct error *error);

#endif
