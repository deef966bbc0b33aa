#include <stdbool.h>
#include <string.h>

#include "harness/command/run/run_table.h"
#include "harness/command/run/run_together.h"

static const int not_of_a_row[] = {'o', 'f', 'j', KEY_RAW, KEY_RESUME,
	KEY_STRICT, KEY_STATS, KEY_DRY_RUN, KEY_DUMP_PROGRAM, KEY_DUMP_PTX,
	KEY_KERNEL, KEY_SHARD, KEY_SCRATCH};

static const int not_of_explain[] = {'b', 'o', 'f', 'j', 'r', 'w', KEY_RAW,
	KEY_RESUME, KEY_STRICT, KEY_STATS, KEY_DRY_RUN, KEY_DUMP_PROGRAM,
	KEY_DUMP_PTX, KEY_SHARD, KEY_SCRATCH, KEY_LIKE, KEY_DEVICE, KEY_PEER,
	KEY_DUMP, KEY_DIGESTS, KEY_CHECK, KEY_PROFILE, KEY_RACES,
	KEY_NO_SAMPLES};

static const int beside_shard[] = {'j', KEY_SHARD, KEY_SCRATCH};

static bool has(const int *keys, size_t count, int key)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (keys[i] == key)
			return true;
	return false;
}

/* A bench's option has no name here. */
static const char *name_of(int key)
{
	const struct argp_option *option;

	for (option = run_own_options; option->name; option++)
		if (option->key == key)
			return option->name;
	return NULL;
}

int run_together_row(int key, struct error *error)
{
	if (!has(not_of_a_row, sizeof(not_of_a_row) / sizeof(int), key))
		return 0;
	return error_set(error, ERR_USAGE,
		"--%s does not go into a row of a suite", name_of(key));
}

int run_together_explain(int key, struct error *error)
{
	if (!has(not_of_explain, sizeof(not_of_explain) / sizeof(int), key))
		return 0;
	return error_set(error, ERR_USAGE,
		"--%s does not go with 'nearfar explain'", name_of(key));
}

int run_together_shard(int key, struct error *error)
{
	const char *name = name_of(key);

	if (has(beside_shard, sizeof(beside_shard) / sizeof(int), key))
		return 0;
	return error_set(error, ERR_USAGE,
		"--shard runs what its plan says: --jobs and --scratch alone "
		"go with it, not %s%s",
		name ? "--" : "", name ? name : "a bench or its options");
}

static bool has_option(const struct argp_option *table, const char *word)
{
	const size_t length = strcspn(word, "=") - 2;

	for (; table->name || table->doc; table++)
		if (table->name && !strncmp(table->name, word + 2, length))
			return true;
	return false;
}

int run_together_refuse(const struct argp_option *table, int argc, char **argv,
	struct error *error)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strncmp(argv[i], "--", 2) && !has_option(table, argv[i]))
			return error_set(error, ERR_USAGE,
				"'nearfar run' has no option '%s'", argv[i]);
	return error_set(error, ERR_USAGE,
		"these are no words of 'nearfar run': an option is not known, "
		"or its value is missing");
}
