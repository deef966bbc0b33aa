#ifndef NEARFAR_RUN_SHARD_H
#define NEARFAR_RUN_SHARD_H

/*
 * `nearfar run --shard DIR/N`: the points of shard N of the split in DIR, into
 * DIR/N.json.gz (harness/split/split.h). A shard whose file has all its points
 * is done, and nothing runs. One that was interrupted goes on from its
 * journals. Points that fail are missing in the file, and are tried again when
 * the shard is run again.
 */
#include "harness/command/run/run_options.h"
#include "harness/split/split.h"

/* Takes the place. `abandoned`: a worker did not stop, and uses the options
   until the process ends. */
int run_shard(const struct run_options *o, struct split_place *place,
	bool *abandoned, struct error *error);

#endif
