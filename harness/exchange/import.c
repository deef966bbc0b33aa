#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/exchange/import.h"
#include "harness/exchange/import_known.h"

#define IMPORTERS(I)                                                           \
	I(likwid)                                                              \
	I(mt4g)                                                                \
	I(mt4g_raw)                                                            \
	I(gpu_benches_latency)                                                 \
	I(gpu_benches_l2)                                                      \
	I(gpu_benches_strides)

#define IMPORTER_DECLARE(name) extern const struct importer importer_##name;
IMPORTERS(IMPORTER_DECLARE)

const struct importer *const importers[] = {
#define IMPORTER_ROW(name) &importer_##name,
	IMPORTERS(IMPORTER_ROW) NULL,
};

/* ---- what all series share ---- */

static void part_of(const char *path, unsigned up, const char **from, int *size)
{
	const char *end = path + strlen(path);
	const char *start;

	for (;; up--) {
		for (start = end; start > path && start[-1] != '/'; start--)
			;
		if (!up)
			break;
		if (start == path) { /* no folder of that height */
			end = start;
			break;
		}
		end = start - 1;
	}
	*from = start;
	*size = (int)(end - start);
}

void import_name(
	const struct import_file *file, unsigned up, char *name, size_t bytes)
{
	static const char *const endings[] = {".gz", ".txt", ".json"};
	const char *from;
	int size;
	size_t i;

	part_of(file->source, up, &from, &size);
	for (i = 0; !up && i < sizeof(endings) / sizeof(endings[0]); i++) {
		const int length = (int)strlen(endings[i]);

		if (size > length && !strncmp(from + size - length, endings[i],
					     (size_t)length))
			size -= length;
	}
	snprintf(name, bytes, "%.*s", size, from);
}

static uint64_t digest(const struct import_file *file)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < file->bytes; i++)
		value = (value ^ (unsigned char)file->text[i]) *
			UINT64_C(0x100000001b3);
	return value;
}

static int add_provenance(struct facts *facts, const struct import_file *file,
	const struct import_origin *origin)
{
	const char *name = strrchr(file->source, '/');
	const char *gpu = file->gpu ? file->gpu : origin->gpu;
	const char *const *bias = origin->biases;
	int code = facts_add(facts, "version", "%s", NEARFAR_VERSION) ||
		   facts_add(facts, "backend", "import") ||
		   facts_add(facts, "tool", "%s", origin->tool) ||
		   facts_add(facts, "tool.version", "%s", origin->version) ||
		   facts_add(facts, "source", "%s", origin->source) ||
		   facts_add(facts, "file", "%s",
			   name ? name + 1 : file->source) ||
		   facts_add(facts, "file.fnv1a", "%016" PRIx64, digest(file));

	if (!code && gpu && *gpu)
		code = facts_add(facts, "device.name", "%s", gpu) ||
		       facts_add(facts, "device.name.from", "%s",
			       file->gpu ? "the command line"
					 : origin->gpu_from);
	for (; !code && bias && *bias; bias++)
		code = facts_add(facts, "bias", "%s", *bias);
	return code;
}

struct series *import_series(const struct import_file *file,
	const struct import_origin *origin, const struct import_curve *curve,
	struct series_list *list, struct error *error)
{
	struct series *series = series_list_add(list);
	const char *const *option = curve->options;
	int code = !series;

	if (!code) {
		series->bench = strdup(curve->bench);
		series->axis = strdup(curve->axis);
		series->metrics = curve->metrics;
		code = !series->bench || !series->axis ||
		       add_provenance(&series->provenance, file, origin);
	}
	for (; !code && option && *option; option += 2)
		code = facts_add(&series->options, option[0], "%s", option[1]);
	if (code) {
		error_set(error, ERR_FAILED, "out of memory");
		return NULL;
	}
	return series;
}

int import_single(
	struct point *point, int metric, double value, struct error *error)
{
	struct metric_values *reading = point_add_metric(point, metric);

	if (!reading)
		return error_set(error, ERR_FAILED, "out of memory");
	reading->summary.count = 1;
	reading->summary.median = value;
	return 0;
}

int import_repeats(struct point *point, int metric,
	const struct values *repeats, struct error *error)
{
	struct metric_values *reading;

	if (repeats->count == 1)
		return import_single(point, metric, repeats->items[0], error);
	reading = point_add_metric(point, metric);
	if (!reading || stats_summarize(repeats->items, repeats->count, 1,
				&reading->summary))
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

/* ---- which importer ---- */

static void names(char *text, size_t bytes)
{
	size_t i, used = 0;

	for (i = 0; importers[i] && used < bytes; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s",
			i ? ", " : "", importers[i]->name);
}

static int find(const struct import_file *file, const char *format,
	const struct importer **found, struct error *error)
{
	const char *const what = format ? NULL : import_known(file);
	char known[256];
	size_t i;

	if (what)
		return error_set(
			error, ERR_USAGE, "'%s' %s", file->source, what);
	for (i = 0; importers[i]; i++)
		if (format ? !strcmp(importers[i]->name, format)
			   : importers[i]->detect(file)) {
			*found = importers[i];
			return 0;
		}
	names(known, sizeof(known));
	return format ? error_set(error, ERR_USAGE,
				"there is no format '%s', only %s", format,
				known)
		      : error_set(error, ERR_USAGE,
				"%s:1:1: expected the beginning of one of %s "
				"(-f names it)",
				file->source, known);
}

static int take(struct series_list *list, struct series_list *more)
{
	struct series *items = realloc(
		list->items, (list->count + more->count + 1) * sizeof(*items));

	if (!items)
		return ERR_FAILED;
	if (more->count)
		memcpy(items + list->count, more->items,
			more->count * sizeof(*items));
	list->items = items;
	list->count += more->count;
	free(more->items); /* the series themselves have moved */
	*more = (struct series_list){0};
	return 0;
}

int import_read(const char *path, const char *format, const char *gpu,
	struct series_list *list, struct error *error)
{
	const struct importer *importer = NULL;
	struct series_list more = {0};
	struct import_file file;
	struct content content;
	int code = content_read_text(path, CONTENT_MOST, &content, error);

	if (code)
		return code;
	file = (struct import_file){
		content.source, content.text, content.bytes, gpu};
	code = content_check_values(&content, ",[{ \n", error);
	if (!code)
		code = find(&file, format, &importer, error);
	if (!code)
		code = importer->read(&file, &more, error);
	if (!code && take(list, &more))
		code = error_set(error, ERR_FAILED, "out of memory");
	series_list_free(&more);
	content_free(&content);
	return code;
}
