/* plan.json, written. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/content.h"
#include "harness/base/emit.h"
#include "harness/base/output.h"
#include "harness/base/stream.h"
#include "harness/split/split.h"

static void put_words(char *const *words, size_t count, FILE *out)
{
	size_t i;

	fputc('[', out);
	for (i = 0; i < count; i++) {
		fputs(i ? ", " : "", out);
		emit_json_string(out, words[i]);
	}
	fputc(']', out);
}

static void put_row(const struct split_row *row, FILE *out)
{
	size_t i;

	fputs("{\"name\": ", out);
	emit_json_string(out, row->name);
	fputs(",\n \"words\": ", out);
	put_words(row->words, row->word_count, out);
	fprintf(out,
		",\n \"seed\": %" PRIu32 ", \"work\": \"%016" PRIx64
		"\",\n \"series\": [",
		row->seed, row->work);
	for (i = 0; i < row->series_count; i++) {
		const struct split_series *series = &row->series[i];

		fputs(i ? ",\n  {\"bench\": " : "\n  {\"bench\": ", out);
		emit_json_string(out, series->bench);
		fputs(", \"axis\": ", out);
		emit_json_string(out, series->axis);
		fprintf(out, ", \"points\": %zu}", series->point_count);
	}
	fputs("]}", out);
}

static void put_shard(const struct split_shard *shard, FILE *out)
{
	size_t i;

	fputs("{\"cost\": ", out);
	emit_json_number(out, shard->cost);
	fputs(", \"parts\": [", out);
	for (i = 0; i < shard->part_count; i++) {
		const struct split_part *part = &shard->parts[i];

		fprintf(out,
			"%s\n {\"row\": %zu, \"series\": %zu, \"first\": %zu, "
			"\"count\": %zu, \"cost\": ",
			i ? "," : "", part->row, part->series, part->first,
			part->count);
		emit_json_number(out, part->cost);
		fputc('}', out);
	}
	fputs("]}", out);
}

static void put(const struct split *split, FILE *out)
{
	size_t i;

	fputs("{\"schema\": \"" SPLIT_SCHEMA "\",\n\"version\": ", out);
	emit_json_string(out, NEARFAR_VERSION);
	fputs(",\n\"build\": ", out);
	emit_json_string(out, split->build);
	fprintf(out, ",\n\"suite\": \"%016" PRIx64 "\",\n", split->suite);
	if (split->calibrate) {
		fputs("\"calibrate\": ", out);
		put_words(split->calibrate, split->calibrate_count, out);
		fputs(",\n", out);
	}
	fputs("\"rows\": [\n", out);
	for (i = 0; i < split->row_count; i++) {
		fputs(i ? ",\n" : "", out);
		put_row(&split->rows[i], out);
	}
	fputs("],\n\"shards\": [\n", out);
	for (i = 0; i < split->shard_count; i++) {
		fputs(i ? ",\n" : "", out);
		put_shard(&split->shards[i], out);
	}
	fputs("]}\n", out);
}

/* 0 where the file is not there or holds this text. */
static int check_there(const char *path, const char *text, struct error *error)
{
	struct content content;
	bool same;
	int code;

	if (access(path, F_OK))
		return 0;
	code = content_read(path, CONTENT_MOST, &content, error);
	if (code)
		return code;
	same = !strcmp(content.text, text);
	content_free(&content);
	return same ? 0
		    : error_set(error, ERR_FAILED,
			      "'%s' is another plan: a split needs a folder of "
			      "its own",
			      path);
}

static int write_text(const char *path, const char *text, struct error *error)
{
	struct output output;
	int code = output_open(&output, path, error);

	if (code)
		return code;
	fputs(text, output.stream);
	return output_commit(&output, error);
}

int split_write(
	const char *folder, const struct split *split, struct error *error)
{
	char *path = split_path(folder, "plan.json"), *text = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&text, &bytes);
	int code = 0;

	if (out) {
		put(split, out);
		fclose(out); /* without memory there is no text */
	}
	if (!path || !text)
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code && mkdir(folder, 0777) && errno != EEXIST)
		code = error_set(error, ERR_FAILED,
			"cannot make the folder '%s': %s", folder,
			strerror(errno));
	if (!code)
		code = check_there(path, text, error);
	if (!code)
		code = write_text(path, text, error);
	free(text);
	free(path);
	return code;
}
