#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/output.h"
#include "harness/split/slurm.h"
#include "harness/split/suite.h"

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
	const struct slurm *s, const char *folder, const char *suite, FILE *out)
{
	size_t i;

	fprintf(out,
		"#!/bin/sh\n"
		"#SBATCH --job-name=nearfar\n"
		"#SBATCH --array=1-%zu\n"
		"#SBATCH --requeue\n"
		"#SBATCH --signal=B:TERM@30\n"
		"#SBATCH --output=/dev/null\n"
		"#SBATCH --error=/dev/null\n"
		"# A job a part. What it says is in K.log of the folder.\n"
		"folder=",
		s->part_count);
	put_quoted(folder, out);
	fputs("\nk=$SLURM_ARRAY_TASK_ID\n"
	      "exec 2>>\"$folder/$k.log\" >&2\n"
	      "exec ",
		out);
	put_quoted(s->program, out);
	fputs(" run --suite ", out);
	put_quoted(suite, out);
	fprintf(out,
		" --part \"$k/%zu\"%s -o \"$folder\" "
		"--jobs \"${SLURM_CPUS_PER_TASK:-1}\" --",
		s->part_count, s->whole_series ? " --whole-series" : "");
	for (i = 0; i < s->word_count; i++) {
		fputc(' ', out);
		put_quoted(s->words[i], out);
	}
	fputc('\n', out);
}

int slurm_write(const struct slurm *slurm, struct error *error)
{
	char *folder = realpath(slurm->folder, NULL);
	char *suite = strcmp(slurm->suite, SUITE_DEFAULT) != 0
			      ? realpath(slurm->suite, NULL)
			      : strdup(SUITE_DEFAULT);
	char *path = folder && suite ? split_path(folder, "slurm.sh") : NULL;
	struct output output;
	int code;

	if (!path)
		code = error_set(error, ERR_FAILED, "cannot find '%s': %s",
			folder ? slurm->suite : slurm->folder, strerror(errno));
	else
		code = output_open(&output, path, error);
	if (!code) {
		put(slurm, folder, suite, output.stream);
		code = output_commit(&output, error);
	}
	if (!code && chmod(path, 0755))
		code = error_set(error, ERR_FAILED,
			"cannot make '%s' executable: %s", path,
			strerror(errno));
	free(path);
	free(suite);
	free(folder);
	return code;
}
