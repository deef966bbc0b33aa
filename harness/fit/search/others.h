#ifndef NEARFAR_SEARCH_OTHERS_H
#define NEARFAR_SEARCH_OTHERS_H

/*
 * A fit that several processes do together. All of them do the same
 * search, step by step, a step being a batch of points with the same values. Of
 * each step a process runs its own share of the points and takes the outcomes
 * of the others from their journals, DIR/N.journal, N from 1. What a point
 * gives depends on its values alone, so that a point which two of them have run
 * does no harm, and the result is that of one process.
 *
 * The share of a process that is not there, since it has died or has not begun
 * (nobody writes its journal), is run by the others, and so is that of one that
 * has said nothing for a while: nobody waits for ever. Whose a point is says
 * its hash (harness/split/part.h): that of its series' label, its series and
 * its x.
 */
#include "harness/fit/search/search.h"
#include "harness/keep/journal_follow.h"

struct memo;

struct others {
	struct journal_follow *journals; /* of part N: [N - 1]; not its own */
	double *heard_s;                 /* when a record last came */
	bool *gone;                      /* as others_look() found them */
	size_t count;                    /* 0: the process is alone */
	size_t own;        /* index; `count`: it runs nothing, but reads */
	double patience_s; /* with one that says nothing */
	double pause_s;    /* until the next look */
};

/* The journals of the other processes, whose records go to `memo`. */
int others_open(struct others *others, const struct search_config *config,
	struct memo *memo, struct error *error);
void others_close(struct others *others);

/* Takes what the others have written since; `heard`: there was something. */
int others_hear(struct others *others, bool *heard, struct error *error);

/* Finds who is gone, of processes that were waited for since `since_s`. */
void others_look(struct others *others, double since_s);

/* A pause, longer each time until something is heard. */
void others_wait(struct others *others, bool heard);

#endif
