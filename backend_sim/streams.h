#ifndef NEARFAR_STREAMS_H
#define NEARFAR_STREAMS_H

/*
 * Launches of a job that are alive at the same time: those of different
 * streams, and those that need not wait for the end of the one before. Each
 * execution of a launch is a run.
 *
 * A run is called when the one before it in its stream is over, or, if it is
 * after=programmatic, when all blocks of that one have executed
 * griddepcontrol.launch_dependents or have ended. It gets slots of the
 * execution of its own, and its blocks take the SMs that have room beside the
 * blocks of others, run after run in the order of their starts
 * (streams_room.c). A run is over when its blocks have ended and all that it
 * sent has been answered.
 *
 * Events belong to the run whose warp or request they are about: before each of
 * them streams_enter() makes its grid the execution's, and what is counted
 * until the next one is the run's.
 */
#include "backend_sim/engine.h"
#include "backend_sim/grid/grid.h"

#define NO_RUN UINT32_MAX

enum run_state {
	RUN_WAITS,  /* for the one before it */
	RUN_CALLED, /* it has an event */
	RUN_ALIVE,
	RUN_OVER
};

struct run {
	const struct job_launch *launch;
	int64_t repeat;
	uint32_t before, next; /* in its stream; NO_RUN: none */
	size_t result;         /* index of its result; SIZE_MAX: none */
	uint8_t state;         /* enum run_state */
	bool drains;           /* its blocks have ended */
	bool rushes;           /* a block let others begin, or has ended, before
				  it had waited */
	uint32_t turn;         /* in its stream, from 0 */
	struct shade *shade;   /* of its stream, if its accesses are looked at;
				  or NULL */
	struct grid grid;
	const struct step *window; /* `own_window`, or NULL */
	struct step own_window;
	uint64_t looked;       /* when it found too many alive; 0: it did not */
	uint64_t first;        /* its blocks start then at the earliest */
	uint64_t ended;        /* blocks */
	uint64_t triggered;    /* blocks, ended ones included */
	uint64_t last_trigger; /* when the chip knew of it */
	uint64_t loose;        /* of one that drains: stores under way */
	uint32_t waiting;      /* a list: warps at griddepcontrol.wait */
	struct counts counts;
	uint64_t executed; /* instructions, once it is over */
	uint64_t over;     /* when that was */
	bool *seen;        /* [SM]: it had a block; owned, as these: */
	uint16_t *on_sm;   /* [SM]: its blocks */
	uint32_t *free;    /* slots of its clusters' first blocks */
	uint32_t free_count;
};

/* What blocks of an SM hold of it. */
struct sm_use {
	uint32_t blocks, warps, registers;
	uint64_t shared_bytes;
	uint64_t carved_bytes; /* of L1, for shared memory: as the first block
				  of an idle SM wants it */
	uint64_t from; /* the last place that was left is free from then on */
};

static inline bool run_is_programmatic(const struct run *run)
{
	return run->launch->after == JOB_AFTER_PROGRAMMATIC;
}

struct streams {
	struct engine *e;
	struct space *space;
	const struct job *job;
	const struct job_wishes *wishes;
	struct job_result *result;
	struct error *error;
	struct run *runs; /* owned, as the others */
	uint32_t run_count;
	uint32_t alive[GRIDS_MAX]; /* runs, in the order of their starts */
	uint32_t alive_count;
	struct run *places[GRIDS_MAX]; /* by grid.number */
	struct run *owner;             /* whose event it is, or NULL */
	uint32_t last;                 /* the run that was over last */
	struct counts since;           /* what had been counted when it came */
	bool is_cold;                  /* at the first start */
	struct kernel_sm *sms;
	struct server ends;
	struct sm_use *uses; /* [SM] */
	bool *taken;         /* [SM]: in the round that is dealt */
	struct shade *shades[JOB_STREAMS_MAX]; /* streams_shade.h; or NULL */
	struct races *races;                   /* streams_races.h; or NULL */
	bool has_round;                        /* an event: places are dealt */
	uint32_t draining;                     /* runs */
	uint32_t put_off; /* runs that found too many alive */
	int code;         /* why the core has failed, if that was here */
};

/* ---- streams.c ---- */

/* Executes runs of the job, in the order of the job, that overlap. */
int streams_execute(struct engine *e, struct space *space,
	const struct job *job, const struct job_run *runs, size_t count,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error);

/* ---- streams_whose.c ---- */

extern const struct sequencer sequencer_streams;

/* What comes now is the run's, or nobody's: NULL. */
void streams_enter(struct streams *s, struct run *run);
/* What was counted since the last one came is his; what is nobody's, of the
   first that is alive, or else of the last that was. */
void streams_keep_counts(struct streams *s);
/* Before an event: it is whose it is. False: of one that is over. */
bool streams_before(struct streams *s, uint64_t event);

/* ---- streams_runs.c ---- */

/* After an event: a run may be over. */
void streams_after(struct streams *s);
/* The run begins at a cycle. */
void streams_call(struct streams *s, uint32_t run, uint64_t cycle);
/* What one that is alive holds. */
void streams_free_run(struct streams *s, struct run *run);

/* ---- streams_room.c ---- */

/* Slots for the run, of which nobody else has any; ERR_FAILED if there are too
   many. */
int streams_slots(struct streams *s, struct run *run, struct error *error);
/* Its blocks take all the room that there is. */
void streams_deal(struct streams *s);
/* The same a little later, when the chip looks for places. */
void streams_deal_later(struct streams *s);
/* The place of a cluster's blocks is free. */
void streams_leave(
	struct streams *s, struct run *run, uint32_t slot, uint64_t cycle);
/* ---- streams_check.c ---- */

/* Accesses of a run that starts are looked at from now on, if they need be;
   ERR_FAILED without memory. */
int streams_check_begin(struct streams *s, struct run *run);
void streams_check_end(struct streams *s);
/* The warp's block, and its cluster, has waited. */
void streams_waited(struct execution *x, uint32_t warp);
/* As beside.touches. */
bool streams_touch(struct execution *x, uint32_t warp, uint32_t pc,
	const struct beside_access *access);

/* ---- job.c ---- */

/* All of a result but what is counted, which counts for cycles, too. */
int job_report(struct engine *e, struct grid *g, const struct counts *counts,
	struct job_launch_result *r, struct error *error);
/* Counters of the result, beside those that job_report() gave. */
void job_count(const struct counts *counts, uint64_t executed,
	struct job_launch_result *r);
enum finds job_finds(const struct engine *e, const struct job *job,
	const struct job_launch *launch, int64_t repeat);
/* Why the events ended before they should, if they did. */
int job_fault(
	struct engine *e, const struct job_launch *launch, struct error *error);

#endif
