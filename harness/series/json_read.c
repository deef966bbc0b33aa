#include <string.h>

#include "harness/series/formats.h"
#include "harness/series/json.h"

static int read_facts(
	const struct json_place *up, const char *key, struct facts *facts)
{
	const struct json_place place = place_key(up, key);
	int result = place_object(&place);
	const char *name, *text;
	json_t *value;
	size_t count, i;

	if (result)
		return result;
	json_object_foreach(place.value, name, value)
	{
		const struct json_place fact = place_key(&place, name);
		const bool array = json_is_array(value);

		count = array ? json_array_size(value) : 1;
		for (i = 0; i < count; i++) {
			const struct json_place item =
				array ? place_index(&fact, i) : fact;

			result = place_string(&item, &text);
			if (result)
				return result;
			if (facts->count == SERIES_FACTS_MAX)
				return place_fail(&item,
					"is one too many: a series has at most "
					"%d",
					SERIES_FACTS_MAX);
			if (facts_add(facts, name, "%s", text))
				return place_no_memory(&item);
		}
	}
	return 0;
}

static int read_metric_names(const struct json_place *up, uint32_t *metrics)
{
	const struct json_place place = place_key(up, "metrics");
	const char *name;
	size_t count, i;
	int result = place_array(&place, &count), metric;

	for (i = 0; !result && i < count; i++) {
		const struct json_place item = place_index(&place, i);

		result = place_string(&item, &name);
		if (result)
			return result;
		metric = metric_find(name);
		if (metric < 0)
			return place_fail(
				&item, "names no known metric: '%s'", name);
		*metrics |= 1u << metric;
	}
	return result;
}

/* `room`: points that the file may still have. */
static int read_series(
	const struct json_place *place, struct series *series, size_t *room)
{
	const struct json_place bench = place_key(place, "bench");
	const struct json_place axis = place_key(place, "axis");
	const struct json_place name = place_key(&axis, "name");
	const struct json_place points = place_key(place, "points");
	size_t count, i;
	int result;

	if ((result = place_object(place)) ||
		(result = place_copy(&bench, &series->bench)) ||
		(result = place_object(&axis)) ||
		(result = place_copy(&name, &series->axis)) ||
		(result = read_facts(place, "options", &series->options)) ||
		(result = read_facts(
			 place, "provenance", &series->provenance)) ||
		(result = read_metric_names(place, &series->metrics)) ||
		(result = place_array(&points, &count)))
		return result;
	if (!result && count > *room)
		return place_fail(&points,
			"has too many points: a file has at most %d",
			SERIES_POINTS_MAX);
	*room -= result ? 0 : count;
	for (i = 0; !result && i < count; i++) {
		const struct json_place item = place_index(&points, i);

		result = series_parse_point(&item, series);
	}
	return result;
}

static int read_document(
	const struct json_place *root, struct series_list *list)
{
	const struct json_place schema = place_key(root, "schema");
	const struct json_place all = place_key(root, "series");
	const char *name;
	size_t room = SERIES_POINTS_MAX, count, i;
	int result;

	if ((result = place_object(root)) ||
		(result = place_string(&schema, &name)))
		return result;
	if (strcmp(name, SERIES_SCHEMA))
		return place_fail(&schema, "is '%s', but only '%s' is known",
			name, SERIES_SCHEMA);
	result = place_array(&all, &count);
	for (i = 0; !result && i < count; i++) {
		const struct json_place item = place_index(&all, i);
		struct series *series = series_list_add(list);

		if (!series)
			return place_no_memory(&item);
		result = read_series(&item, series, &room);
	}
	return result;
}

int series_parse_json(const char *text, size_t bytes, const char *source,
	struct series_list *list, struct error *error)
{
	struct json_place root;
	int result = place_load(text, bytes, source, &root, error);

	if (result)
		return result;
	result = read_document(&root, list);
	json_decref(root.value);
	return result;
}
