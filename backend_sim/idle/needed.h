#ifndef NEARFAR_NEEDED_H
#define NEARFAR_NEEDED_H

/*
 * Runs in which values that decide nothing are left out (flow/needs.h). What
 * memory holds is right where grid.needs says that it decides. So an access
 * that is computed may read there alone, and one that is idle must not write
 * there: each is looked at, for an address may come from elsewhere than its
 * registers say.
 */
#include "backend_sim/grid/copies.h"
#include "backend_sim/grid/access.h"

/*
 * What decides in any of a job's launches: space.needs from then on, which is
 * `needs`. `*all`: everything does, and space.needs stays NULL. ERR_USAGE,
 * ERR_FAILED as code_make().
 */
int needed_find(struct space *space, const struct job *job,
	const struct job_wishes *wishes, struct needs *needs, bool *all,
	struct error *error);

/* The access's lanes are found. `reads` and `writes`: what it does if it is
   computed. False: the run has failed, with the reason. */
bool needed_access(const struct access_of *a, bool reads, bool writes);
/* The same of lanes side by side in one region of global memory. */
bool needed_run(
	const struct access_of *a, uint64_t offset, bool reads, bool writes);
/* And of a copy. */
bool needed_copy(struct execution *x, const struct copy_order *o);

#endif
