#ifndef NEARFAR_CREW_H
#define NEARFAR_CREW_H

/* The workers of a run, and what they share; for runner.c alone. */
#include <pthread.h>
#include <stdbool.h>

#include "harness/run/measure.h"
#include "harness/run/runner.h"

struct task {
	size_t plan, index;
	struct point point;
	struct measured further; /* of a job */
	bool done;
	bool tried; /* in an earlier run, where it failed */
	int code;   /* why it is not done; 0: it was not run */
	char *why;  /* the sentence of `code`; owned */
};

struct crew;

/* What a worker is given. */
struct employed {
	struct crew *crew;
	size_t device; /* of config.opened */
};

struct crew {
	struct run_config config;
	struct plan *plans;
	struct task *tasks;
	size_t task_count;
	struct task **order; /* those to run; owned */
	size_t order_count, ended;
	size_t *next; /* of the order, by device; owned */
	pthread_mutex_t lock;
	pthread_cond_t moved;      /* a task has ended, or a worker left */
	struct employed *employed; /* owned */
	size_t working;
	bool lent;      /* a worker has the instance that is open already */
	bool abandoned; /* nobody waits for the workers any longer */
	struct facts *facts; /* of each device, after the runs; owned */
	int code;            /* why no further task is taken */
	struct error error;
};

/* Runs the tasks in crew->order. ERR_FAILED if nobody could be employed. */
int crew_work(struct crew *crew, struct error *error);

#endif
