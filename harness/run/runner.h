#ifndef NEARFAR_RUNNER_H
#define NEARFAR_RUNNER_H

/*
 * Executes plans: every point of every plan is a task, and so is a job: its
 * launches are the points of its series, and its identity is in the provenance.
 * Workers, each with its own instance of the backend, take tasks, the last
 * first where there are several. What comes out does not depend on the number
 * of workers. Hardware has one worker a device, near it, which takes the tasks
 * of that device in order.
 *
 * With a journal (kept.h) each point is in it before it counts as finished;
 * points that the journal held are not run again, and those that failed in an
 * earlier run come last.
 */
#include <stdatomic.h>

#include "harness/judge/repeats.h"
#include "harness/run/opened.h"
#include "harness/run/plan.h"
#include "harness/series/series.h"

struct kept;

/* The buffer of that name becomes that file, after the first run. */
struct job_dump {
	const char *buffer, *path;
};

struct run_config {
	const struct opened *opened;   /* the first worker's instance; of
					  hardware, one a device */
	size_t device_count;           /* of those; 0: one */
	struct backend_config backend; /* of further ones */
	unsigned jobs, warmups;
	struct repeats repeats; /* of a point */
	uint32_t seed;
	bool without_samples; /* series keep their summaries only */
	bool digests;         /* of jobs' buffers, into the provenance */
	const struct job_dump *dumps; /* of jobs' buffers, into files */
	size_t dump_count;
	bool profiles;       /* of jobs' launches, into their points */
	uint64_t max_cycles; /* of a job's launch, on the model; 0: no limit */
	bool races;          /* stale words are counted; needs `profiles` */
	bool unchecked;      /* jobs' copies, on the model: job_result.h */
	bool as_written;     /* jobs' code, on the model: job_result.h */
	enum job_values values;    /* likewise */
	struct timeline *timeline; /* of the only task's first run; or NULL */
	/* What the kernels of a run of a job print; `more` was left out. */
	void (*printed)(const char *text, size_t bytes, bool more);
	bool part; /* series lack points that somebody else runs: what follows
		      from all of them (marks_add_series) is left out */
	const char *label; /* of the progress; NULL: "points" */
	atomic_int *stop;  /* nonzero: take no new point */
	struct kept *kept; /* the journal, or NULL */
};

/* How many devices; at least one. */
static inline size_t run_devices(const struct run_config *config)
{
	return config->device_count ? config->device_count : 1;
}

struct run_report {
	size_t points;   /* of all plans */
	size_t finished; /* measured or skipped, now or in the journal */
	size_t skipped;  /* of those */
	size_t resumed;  /* of those that are finished: from the journal */
	bool abandoned;  /* a worker did not stop in time and still uses what
			    it was given: plans and the instance must not be
			    freed before the process ends */
};

/*
 * Fills one series per plan, in order, with the points that are finished. A
 * point that the device cannot run becomes a skipped point with its reason; one
 * that fails is left out, and the others are run all the same unless their
 * device is lost. The error is that of the first point that failed, or
 * ERR_INTERRUPTED when stopped. Without memory for the series the list is
 * empty. `list` and `facts` (what each device says of itself) are the caller's
 * to free, also after an error; the report counts.
 */
int runner_run(const struct run_config *config, struct plan *plans,
	size_t plan_count, struct series_list *list, struct facts *facts,
	struct run_report *report, struct error *error);

#endif
