#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/calibrate/parts.h"
#include "harness/calibrate/shards.h"

#define PATIENCE_S    60
#define PAUSE_LEAST_S 0.001
#define PAUSE_MOST_S  0.05

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory for the shards");
}

static int open_journals(struct shards *shards, const char *folder,
	struct memo *memo, struct error *error)
{
	char *path;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < shards->count; i++) {
		if (i == shards->own)
			continue;
		if (asprintf(&path, "%s/%zu.journal", folder, i + 1) < 0)
			return no_memory(error);
		code = memo_follow(memo, path, &shards->journals[i], error);
		free(path);
	}
	return code;
}

int shards_open(struct shards *shards, const struct calibrate_config *config,
	struct memo *memo, struct error *error)
{
	const size_t count = config->shard_count;
	int code;

	*shards = (struct shards){.count = count,
		.own = config->shard ? config->shard - 1 : count,
		.patience_s = config->patience_s > 0 ? config->patience_s
						     : PATIENCE_S};
	if (!count)
		return 0;
	shards->journals = calloc(count, sizeof(*shards->journals));
	shards->heard_s = calloc(count, sizeof(*shards->heard_s));
	shards->gone = calloc(count, sizeof(*shards->gone));
	if (!shards->journals || !shards->heard_s || !shards->gone)
		code = no_memory(error);
	else
		code = open_journals(shards, config->folder, memo, error);
	if (code)
		shards_close(shards);
	return code;
}

void shards_close(struct shards *shards)
{
	size_t i;

	for (i = 0; shards->journals && i < shards->count; i++)
		journal_follow_close(&shards->journals[i]);
	free(shards->journals);
	free(shards->heard_s);
	free(shards->gone);
	*shards = (struct shards){0};
}

int shards_hear(struct shards *shards, bool *heard, struct error *error)
{
	size_t i;
	int code = 0;

	*heard = false;
	for (i = 0; !code && i < shards->count; i++) {
		struct journal_follow *journal = &shards->journals[i];
		const size_t records = journal->reading.records;

		if (i == shards->own)
			continue;
		code = journal_follow_read(journal, error);
		if (journal->reading.records == records)
			continue;
		shards->heard_s[i] = calibrate_now_s();
		*heard = true;
	}
	return code;
}

void shards_look(struct shards *shards, double since_s)
{
	const double now_s = calibrate_now_s();
	size_t i;

	for (i = 0; i < shards->count; i++)
		shards->gone[i] = i != shards->own &&
				  (now_s - fmax(shards->heard_s[i], since_s) >
						  shards->patience_s ||
					  !journal_follow_is_written(
						  &shards->journals[i]));
}

void shards_wait(struct shards *shards, bool heard)
{
	struct timespec pause = {0};

	shards->pause_s = heard ? PAUSE_LEAST_S
				: fmin(fmax(2 * shards->pause_s, PAUSE_LEAST_S),
					  PAUSE_MOST_S);
	pause.tv_nsec = (long)(shards->pause_s * 1e9);
	nanosleep(&pause, NULL);
}
