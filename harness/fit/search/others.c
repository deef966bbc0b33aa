#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/fit/search/parts.h"
#include "harness/fit/search/others.h"

#define PATIENCE_S    60
#define PAUSE_LEAST_S 0.001
#define PAUSE_MOST_S  0.05

static int no_memory(struct error *error)
{
	return error_set(
		error, ERR_FAILED, "out of memory for the other parts");
}

static int open_journals(struct others *others, const char *folder,
	struct memo *memo, struct error *error)
{
	char *path;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < others->count; i++) {
		if (i == others->own)
			continue;
		if (asprintf(&path, "%s/%zu.journal", folder, i + 1) < 0)
			return no_memory(error);
		code = memo_follow(memo, path, &others->journals[i], error);
		free(path);
	}
	return code;
}

int others_open(struct others *others, const struct search_config *config,
	struct memo *memo, struct error *error)
{
	const size_t count = config->part_count;
	int code;

	*others = (struct others){.count = count,
		.own = config->part ? config->part - 1 : count,
		.patience_s = config->patience_s > 0 ? config->patience_s
						     : PATIENCE_S};
	if (!count)
		return 0;
	others->journals = calloc(count, sizeof(*others->journals));
	others->heard_s = calloc(count, sizeof(*others->heard_s));
	others->gone = calloc(count, sizeof(*others->gone));
	if (!others->journals || !others->heard_s || !others->gone)
		code = no_memory(error);
	else
		code = open_journals(others, config->folder, memo, error);
	if (code)
		others_close(others);
	return code;
}

void others_close(struct others *others)
{
	size_t i;

	for (i = 0; others->journals && i < others->count; i++)
		journal_follow_close(&others->journals[i]);
	free(others->journals);
	free(others->heard_s);
	free(others->gone);
	*others = (struct others){0};
}

int others_hear(struct others *others, bool *heard, struct error *error)
{
	size_t i;
	int code = 0;

	*heard = false;
	for (i = 0; !code && i < others->count; i++) {
		struct journal_follow *journal = &others->journals[i];
		const size_t records = journal->reading.records;

		if (i == others->own)
			continue;
		code = journal_follow_read(journal, error);
		if (journal->reading.records == records)
			continue;
		others->heard_s[i] = search_now_s();
		*heard = true;
	}
	return code;
}

void others_look(struct others *others, double since_s)
{
	const double now_s = search_now_s();
	size_t i;

	for (i = 0; i < others->count; i++)
		others->gone[i] = i != others->own &&
				  (now_s - fmax(others->heard_s[i], since_s) >
						  others->patience_s ||
					  !journal_follow_is_written(
						  &others->journals[i]));
}

void others_wait(struct others *others, bool heard)
{
	struct timespec pause = {0};

	others->pause_s = heard ? PAUSE_LEAST_S
				: fmin(fmax(2 * others->pause_s, PAUSE_LEAST_S),
					  PAUSE_MOST_S);
	pause.tv_nsec = (long)(others->pause_s * 1e9);
	nanosleep(&pause, NULL);
}
