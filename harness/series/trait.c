/* The traits of one series, and in which of them two are apart. */
#include <string.h>

#include "harness/base/error.h"
#include "harness/series/identity.h"

const char *const trait_origins[] = {"backend", "machine", "device.name", NULL};

const char *const trait_details[] = {"axis", "seed", "machine.digest",
	"device.uuid", "tool", "file", "driver.version", "version", "repeats",
	"warmups", "date", NULL};

/* The value that the last --set gave the parameter; NULL if none did. What
   stands behind a '=' is no part of the name. */
static const char *find_set(const struct facts *provenance, const char *name)
{
	const size_t length = strcspn(name, "=");
	const char *value = NULL;
	size_t i;

	for (i = 0; i < provenance->count; i++) {
		const struct fact *fact = &provenance->items[i];

		if (!strcmp(fact->key, "set") &&
			!strncmp(fact->value, name, length) &&
			fact->value[length] == '=')
			value = fact->value + length + 1;
	}
	return value;
}

const char *series_trait(
	const struct series *series, enum trait_kind kind, const char *name)
{
	switch (kind) {
	case TRAIT_BENCH:
		return series->bench;
	case TRAIT_OPTION:
		return facts_find(&series->options, name);
	case TRAIT_SET:
		return find_set(&series->provenance, name);
	case TRAIT_DETAIL:
		if (!strcmp(name, "axis"))
			return series->axis;
		/* fallthrough */
	case TRAIT_ORIGIN:
		return facts_find(&series->provenance, name);
	case TRAIT_RUN:
		break;
	}
	return NULL;
}

const char *series_trait_named(const struct series *series, const char *name)
{
	static const enum trait_kind kinds[] = {
		TRAIT_OPTION, TRAIT_SET, TRAIT_ORIGIN, TRAIT_DETAIL};
	const char *value = NULL;
	size_t i;

	for (i = 0; !value && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		value = series_trait(series, kinds[i], name);
	return value;
}

bool series_same_kind(const struct series *a, const struct series *b)
{
	return !strcmp(a->bench, b->bench) && !strcmp(a->axis, b->axis);
}

size_t series_options_apart(const struct series *a, const struct series *b)
{
	size_t count = 0, i;

	for (i = 0; i < a->options.count; i++) {
		const struct fact *option = &a->options.items[i];
		const char *other = facts_find(&b->options, option->key);

		count += other && strcmp(other, option->value);
	}
	return count;
}

/* The `index`-th NAME=VALUE of --set; NULL after the last. */
static const char *nth_set(const struct series *series, size_t index)
{
	const struct facts *facts = &series->provenance;
	size_t i;

	for (i = 0; i < facts->count; i++)
		if (!strcmp(facts->items[i].key, "set") &&
			strchr(facts->items[i].value, '=') && !index--)
			return facts->items[i].value;
	return NULL;
}

int series_set_name(const struct series *series, size_t index, char **name)
{
	const char *set = nth_set(series, index);

	*name = set ? strndup(set, strcspn(set, "=")) : NULL;
	return set && !*name ? ERR_FAILED : 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Parameters of `a` that `b` has not, or has with another value. */
static size_t sets_apart(const struct series *a, const struct series *b)
{
	const char *set;
	size_t count = 0, i;

	for (i = 0; (set = nth_set(a, i)); i++)
		count += !same_text(find_set(&a->provenance, set),
			find_set(&b->provenance, set));
	return count;
}

size_t series_origins_apart(const struct series *a, const struct series *b)
{
	size_t count = sets_apart(a, b) + sets_apart(b, a), i;

	for (i = 0; trait_origins[i]; i++)
		count += !same_text(
			series_trait(a, TRAIT_ORIGIN, trait_origins[i]),
			series_trait(b, TRAIT_ORIGIN, trait_origins[i]));
	return count;
}
