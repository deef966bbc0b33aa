#ifndef NEARFAR_CALIBRATE_SHARDS_H
#define NEARFAR_CALIBRATE_SHARDS_H

/*
 * A calibration that several processes do together. All of them do the same
 * search, step by step, a step being a batch of points with the same values. Of
 * each step a process runs its own share of the points and takes the outcomes
 * of the others from their journals, DIR/N.journal, N from 1. What a point
 * gives depends on its values alone, so that a point which two of them have run
 * does no harm, and the result is that of one process.
 *
 * The share of a process that is not there, since it has died or has not begun
 * (nobody writes its journal), is run by the others, and so is that of one that
 * has said nothing for a while: nobody waits for ever. Whose a point is says its
 * hash (harness/split/part.h): that of its series' label, its series and its x.
 */
#include "harness/calibrate/calibrate.h"
#include "harness/keep/journal_follow.h"

struct memo;

struct shards {
	struct journal_follow *journals; /* of shard N: [N - 1]; not its own */
	double *heard_s;                 /* when a record last came */
	bool *gone;                      /* as shards_look() found them */
	size_t count;                    /* 0: the process is alone */
	size_t own;        /* index; `count`: it runs nothing, but reads */
	double patience_s; /* with one that says nothing */
	double pause_s;    /* until the next look */
};

/* The journals of the other processes, whose records go to `memo`. */
int shards_open(struct shards *shards, const struct calibrate_config *config,
	struct memo *memo, struct error *error);
void shards_close(struct shards *shards);

/* Takes what the others have written since; `heard`: there was something. */
int shards_hear(struct shards *shards, bool *heard, struct error *error);

/* Finds who is gone, of processes that were waited for since `since_s`. */
void shards_look(struct shards *shards, double since_s);

/* A pause, longer each time until something is heard. */
void shards_wait(struct shards *shards, bool heard);

#endif
