#ifndef NEARFAR_SPLIT_SLURM_H
#define NEARFAR_SPLIT_SLURM_H

/*
 * DIR/slurm.sh: a job array, a job a part, for `sbatch DIR/slurm.sh`. A job
 * that is killed or requeued goes on from its journals, and one that is
 * running gets SIGTERM half a minute before its time ends. Options on sbatch's
 * command line (--time, --partition, --gpus, --array) win over the script's.
 */
#include "harness/split/split.h"

/* What each job runs: `program` is nearfar itself, whose path and that of the
   suite become absolute, as the folder's does. */
struct slurm {
	const char *folder, *suite, *program;
	size_t part_count;
	bool whole_series;
	char *const *words; /* for each row */
	size_t word_count;
};

/* ERR_FAILED. */
int slurm_write(const struct slurm *slurm, struct error *error);

#endif
