#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/units.h"
#include "harness/timeline/wanted.h"

#define CYCLES_MAX (UINT64_C(1) << 52)
#define LIMIT_MIN  1000

static const char *const names[WANTED_COUNT] = {
#define WANTED_NAME(name, text) [WANTED_##name] = (text),
	WANTED_OPTIONS(WANTED_NAME)
#undef WANTED_NAME
};

static int take_number(enum wanted_option option, const char *text,
	uint64_t least, uint64_t most, uint32_t *number, struct error *error)
{
	uint64_t value = 0;

	if (units_parse_count(text, &value, NULL) || value < least ||
		value > most)
		return error_set(error, ERR_USAGE,
			"%s: '%s' is no number from %" PRIu64 " to %" PRIu64,
			names[option], text, least, most);
	*number = (uint32_t)value;
	return 0;
}

static int take_window(
	struct wanted *wanted, const char *text, struct error *error)
{
	const size_t length = strcspn(text, ":");
	char first[32];
	uint64_t from = 0, until = 0;

	snprintf(first, sizeof(first), "%.*s", (int)length, text);
	if (length >= sizeof(first) || !text[length] ||
		units_parse_count(first, &from, NULL) ||
		units_parse_count(text + length + 1, &until, NULL) ||
		from >= until || until > CYCLES_MAX)
		return error_set(error, ERR_USAGE,
			"--trace-window: '%s' is not FIRST:END, two numbers of "
			"cycles of which the second is larger",
			text);
	wanted->from = (double)from;
	wanted->until = (double)until;
	return 0;
}

static int take_sms(
	struct wanted *wanted, const char *text, struct error *error)
{
	char word[32];
	size_t length;
	uint32_t sm = 0;
	int code;

	wanted->some_sms = true;
	do {
		length = strcspn(text, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		code = take_number(
			WANTED_SMS, word, 0, TIMELINE_SMS_MAX - 1, &sm, error);
		if (!code)
			wanted->sms[sm / 64] |= UINT64_C(1) << (sm % 64);
		text += length;
	} while (!code && *text++);
	return code;
}

int wanted_take(struct wanted *wanted, enum wanted_option option,
	const char *text, struct error *error)
{
	const uint32_t most = TIMELINE_NONE - 1;

	if (option != WANTED_PATH)
		wanted->last = names[option];
	switch (option) {
	case WANTED_PATH:
		wanted->path = text;
		return 0;
	case WANTED_WINDOW:
		return take_window(wanted, text, error);
	case WANTED_SMS:
		return take_sms(wanted, text, error);
	case WANTED_WARP:
		wanted->has_warp = true;
		return take_number(option, text, 0, most, &wanted->warp, error);
	case WANTED_LINE:
		return take_number(option, text, 1, most, &wanted->line, error);
	default:
		return take_number(option, text, LIMIT_MIN, TIMELINE_LIMIT_MAX,
			&wanted->limit, error);
	}
}

void wanted_begin(const struct wanted *wanted, struct timeline *timeline)
{
	timeline_init(timeline);
	timeline->from = wanted->from;
	if (wanted->until > 0)
		timeline->until = wanted->until;
	timeline->some_sms = wanted->some_sms;
	memcpy(timeline->sms, wanted->sms, sizeof(timeline->sms));
	if (wanted->has_warp)
		timeline->warp = wanted->warp;
	timeline->line = wanted->line;
	if (wanted->limit)
		timeline->limit = wanted->limit;
}
