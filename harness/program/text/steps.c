#include <string.h>

#include "harness/program/text/fields.h"
#include "harness/program/text/steps.h"

static int parse_nothing(
	struct scan *scan, const struct step_names *names, struct step *step)
{
	(void)names;
	(void)step;
	return scan_expect_end(scan);
}

static int parse_size(
	struct scan *scan, const struct step_names *names, struct step *step)
{
	struct word word;
	int status = scan_word(scan, "", "a size", &word);

	(void)names;
	if (!status)
		status = scan_bytes(
			scan, &word, word.text, UINT64_MAX, &step->bytes);
	return status ? status : scan_expect_end(scan);
}

/* What is no ratio, where none is given. */
#define NO_RATIO (-1)

static int parse_window(
	struct scan *scan, const struct step_names *names, struct step *step)
{
	struct word word;
	int index;
	int status = scan_word(scan, "", "a buffer or 'none'", &word);

	if (status)
		return status;
	index = names->find(names->owner, word.text);
	if (index < 0 && !strcmp(word.text, "none"))
		return scan_expect_end(scan);
	if (index < 0)
		return scan_fail(scan, word.column,
			"expected a buffer or 'none', found '%s'", word.text);
	step->buffer = (uint16_t)index;
	step->hit_ratio = NO_RATIO;
	status = fields_parse(scan, window_fields, step);
	if (!status && !step->bytes)
		status = scan_fail(scan, word.column,
			"expected 'none', or a buffer and bytes= of 1 byte or "
			"more");
	return status;
}

static int parse_copied(struct scan *scan, const struct step_names *names,
	const char *what, uint16_t *buffer)
{
	struct word word;
	int status = scan_word(scan, "", what, &word);
	int index = status ? -1 : names->find(names->owner, word.text);

	if (status)
		return status;
	if (index < 0)
		return scan_fail(scan, word.column, "expected %s, found '%s'",
			what, word.text);
	*buffer = (uint16_t)index;
	return 0;
}

static int parse_copy(
	struct scan *scan, const struct step_names *names, struct step *step)
{
	int status = parse_copied(
		scan, names, "the buffer to copy from", &step->buffer);

	if (!status)
		status = parse_copied(
			scan, names, "the buffer to copy to", &step->target);
	return status ? status : fields_parse(scan, copy_fields, step);
}

static const struct {
	struct statement statement; /* without a word: no host action */
	int (*parse)(struct scan *scan, const struct step_names *names,
		struct step *step);
} actions[STEP_COUNT] = {
	[STEP_FLUSH] = {{"flush", "", "writes back and drops all in L1 and L2",
				NULL},
		parse_nothing},
	[STEP_RESET] = {{"reset", "", "turns persisting lines back to normal",
				NULL},
		parse_nothing},
	[STEP_GRANULARITY] = {{"granularity", "SIZE",
				      "the device limit on L2 fetches: 32, 64 "
				      "or 128",
				      NULL},
		parse_size},
	[STEP_CARVEOUT] = {{"carveout", "SIZE",
				   "bytes of L2 set aside for persisting lines",
				   NULL},
		parse_size},
	[STEP_WINDOW] = {{"window", "BUFFER | none",
				 "the access-policy window of the launches "
				 "behind it; none ends it",
				 window_fields},
		parse_window},
	[STEP_COPY] = {{"copy", "BUFFER BUFFER",
			       "copies from the first buffer to the second; "
			       "copies in a row go at the same time",
			       copy_fields},
		parse_copy},
};

int step_kind_find(const char *word)
{
	int kind;

	for (kind = 0; kind < STEP_COUNT; kind++)
		if (actions[kind].parse &&
			!strcmp(actions[kind].statement.word, word))
			return kind;
	return -1;
}

const char *step_word(enum step_kind kind)
{
	return actions[kind].statement.word;
}

void step_statements_put(FILE *out)
{
	int kind;

	for (kind = 0; kind < STEP_COUNT; kind++)
		if (actions[kind].parse)
			statement_put(out, &actions[kind].statement);
}

int step_parse(
	struct scan *scan, const struct step_names *names, struct step *step)
{
	return actions[step->kind].parse(scan, names, step);
}

void step_print(
	FILE *out, const struct step_names *names, const struct step *step)
{
	fputs(step_word(step->kind), out);
	if (step->kind == STEP_GRANULARITY || step->kind == STEP_CARVEOUT) {
		fputc(' ', out);
		bytes_print(out, step->bytes);
	} else if (step->kind == STEP_WINDOW && !step->bytes) {
		fputs(" none", out);
	} else if (step->kind == STEP_WINDOW) {
		fprintf(out, " %s", names->name(names->owner, step->buffer));
		fields_print(out, window_fields, step);
	} else if (step->kind == STEP_COPY) {
		fprintf(out, " %s %s", names->name(names->owner, step->buffer),
			names->name(names->owner, step->target));
		fields_print(out, copy_fields, step);
	}
	fputc('\n', out);
}
