#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/output.h"
#include "harness/split/slurm.h"

/* In quotes that a shell takes away again. */
static void put_quoted(const char *text, FILE *out)
{
	fputc('\'', out);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	fputc('\'', out);
}

static void put(
	const char *folder, size_t shard_count, const char *program, FILE *out)
{
	fprintf(out,
		"#!/bin/sh\n"
		"#SBATCH --job-name=nearfar\n"
		"#SBATCH --array=1-%zu\n"
		"#SBATCH --requeue\n"
		"#SBATCH --signal=B:TERM@30\n"
		"#SBATCH --output=/dev/null\n"
		"#SBATCH --error=/dev/null\n"
		"# A job a shard. What it says is in N.log of the folder.\n"
		"folder=",
		shard_count);
	put_quoted(folder, out);
	fputs("\nn=$SLURM_ARRAY_TASK_ID\n"
	      "exec 2>>\"$folder/$n.log\" >&2\n"
	      "exec ",
		out);
	put_quoted(program, out);
	fputs(" run --shard \"$folder/$n\" "
	      "--jobs \"${SLURM_CPUS_PER_TASK:-1}\"\n",
		out);
}

int slurm_write(const char *folder, size_t shard_count, const char *program,
	struct error *error)
{
	char *whole = realpath(folder, NULL);
	char *path = whole ? split_path(whole, "slurm.sh") : NULL;
	struct output output;
	int code;

	if (!path)
		code = error_set(error, ERR_FAILED,
			"cannot find the folder '%s': %s", folder,
			strerror(errno));
	else
		code = output_open(&output, path, error);
	if (!code) {
		put(whole, shard_count, program, output.stream);
		code = output_commit(&output, error);
	}
	if (!code && chmod(path, 0755))
		code = error_set(error, ERR_FAILED,
			"cannot make '%s' executable: %s", path,
			strerror(errno));
	free(path);
	free(whole);
	return code;
}
