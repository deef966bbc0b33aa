#ifndef NEARFAR_SPLIT_SLURM_H
#define NEARFAR_SPLIT_SLURM_H

/*
 * DIR/slurm.sh: a job array, a job a shard, for `sbatch DIR/slurm.sh`. A job
 * that is killed or requeued goes on from its journals, and one that is
 * running gets SIGTERM half a minute before its time ends. Options on sbatch's
 * command line (--time, --partition, --gpus, --array) win over the script's.
 */
#include "harness/split/split.h"

/* `program` is nearfar itself. Folder and program become absolute paths.
   ERR_FAILED. */
int slurm_write(const char *folder, size_t shard_count, const char *program,
	struct error *error);

#endif
