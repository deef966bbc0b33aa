#include <inttypes.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/base/output.h"
#include "harness/command/run/run_jobs.h"
#include "harness/kernel/compare.h"

int run_job_dump(
	const struct job *job, bool ptx, FILE *out, struct error *error)
{
	size_t i;

	if (!ptx)
		job_print(job, out);
	for (i = 0; ptx && i < job->module_count; i++)
		fputs(job->modules[i].text, out);
	return ferror(out) ? error_set(error, ERR_FAILED,
				     "the text was not written")
			   : 0;
}

void run_job_list(const struct job *job, FILE *out)
{
	size_t i;

	for (i = 0; i < job->launch_count; i++) {
		const struct job_launch *l = &job->launches[i];

		fprintf(out,
			"%s launch=%s blocks=%" PRIu64 " threads=%" PRIu32
			" warmups=%" PRIu32 " repeats=%" PRIu32 "\n",
			job->name, l->entry, job_grid_blocks(l),
			job_block_threads(l), l->warmups, l->repeats);
	}
}

/* ---- digests ---- */

/* Of a buffer, as the run found it; NULL: it was not run. */
static const char *found_digest(
	const struct series *series, const struct job_buffer *b)
{
	char key[JOB_BUFFER_BYTES + 16];

	snprintf(key, sizeof(key), "job.buffer.%s", b->name);
	return facts_find(&series->provenance, key);
}

static int write_digests(const char *path, const struct plan *plans,
	size_t plan_count, const struct series_list *list, struct error *error)
{
	struct output output;
	size_t i, k;
	int code = output_open(&output, path, error);

	if (code)
		return code;
	for (i = 0; i < plan_count && i < list->count; i++)
		for (k = 0; k < plans[i].job->buffer_count; k++) {
			const struct job_buffer *b = &plans[i].job->buffers[k];
			const char *digest = found_digest(&list->items[i], b);

			if (digest)
				fprintf(output.stream, "%s\t%s\t%s\n",
					plans[i].job->name, b->name, digest);
		}
	return output_commit(&output, error);
}

/* The digest in the line of that job and buffer, which it ends; NULL: there
   is no such line. */
static char *expected_digest(
	char *text, const char *job, const char *buffer, char *digest)
{
	const size_t job_bytes = strlen(job), buffer_bytes = strlen(buffer);
	const char *line, *at;

	for (line = text; *line;
		line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, job, job_bytes) || line[job_bytes] != '\t')
			continue;
		at = line + job_bytes + 1;
		if (strncmp(at, buffer, buffer_bytes) ||
			at[buffer_bytes] != '\t')
			continue;
		snprintf(digest, DIGEST_BYTES, "%.*s",
			(int)strcspn(at + buffer_bytes + 1, "\r\n"),
			at + buffer_bytes + 1);
		return digest;
	}
	return NULL;
}

struct tally {
	size_t checked, skipped, failed;
};

static int check_job(char *text, const char *path, const struct job *job,
	const struct series *series, struct tally *tally, struct error *error)
{
	char expected[DIGEST_BYTES];
	size_t i;
	int code = 0;

	for (i = 0; i < job->buffer_count; i++) {
		const struct job_buffer *b = &job->buffers[i];
		const char *found = found_digest(series, b);
		struct error reason;

		if (!found) {
			tally->skipped++;
			continue;
		}
		tally->checked++;
		if (!expected_digest(text, job->name, b->name, expected))
			return error_set(error, ERR_USAGE,
				"'%s' has no digest of buffer '%s' of job "
				"'%s'",
				path, b->name, job->name);
		code = compare_digests(b, expected, found, &reason);
		if (code == ERR_USAGE)
			return error_set(error, code, "job '%s': %s", job->name,
				reason.text);
		if (code && !tally->failed++)
			error_set(error, ERR_GATE, "job '%s': %s", job->name,
				reason.text);
	}
	return 0;
}

static int check_digests(const char *path, const struct plan *plans,
	size_t plan_count, const struct series_list *list, struct error *error)
{
	struct tally tally = {0};
	struct content content;
	size_t i;
	int code =
		content_read_text(path, CONTENT_WRITTEN_MOST, &content, error);

	if (code)
		return error_prefix(error, code, "--check: ");
	for (i = 0; !code && i < plan_count && i < list->count; i++)
		code = check_job(content.text, path, plans[i].job,
			&list->items[i], &tally, error);
	content_free(&content);
	if (code)
		return code;
	if (tally.failed > 1)
		error_prefix(error, ERR_GATE,
			"%zu of %zu buffers differ: ", tally.failed,
			tally.checked);
	if (tally.failed)
		return ERR_GATE;
	if (tally.skipped && !tally.checked)
		return error_set(error, ERR_SKIPPED,
			"no job ran, so that no digest was checked");
	return 0;
}

/* ---- after ---- */

int run_jobs_finish(const struct run_options *o, const struct plan *plans,
	size_t plan_count, const struct series_list *list, int code,
	struct error *error)
{
	struct error unwritten;
	int written = 0;

	if (o->digests)
		written = write_digests(
			o->digests, plans, plan_count, list, &unwritten);
	if (written) {
		*error = unwritten;
		return written;
	}
	if (!code && o->check)
		code = check_digests(o->check, plans, plan_count, list, error);
	return code;
}
