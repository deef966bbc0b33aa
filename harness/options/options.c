#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/choices.h"
#include "harness/base/units.h"
#include "harness/options/options.h"
#include "harness/options/options_argp.h"

struct parsing {
	const struct options_table *table;
	const struct options_argp *made;
	options_before *before;
	void *into;
	struct error *error;
	int code;
};

/* ---- a value ---- */

/* "--jobs", or "-x" of an option that has a letter alone. */
static const char *shown_name(const struct options_row *row, char text[64])
{
	if (row->name)
		snprintf(text, 64, "--%s", row->name);
	else
		snprintf(text, 64, "-%c", row->letter);
	return text;
}

static int take_choice(struct parsing *p, const struct options_row *row,
	const char *text, int *value)
{
	const int index = choices_find(row->choices, text);
	char *list;
	int code;

	if (index >= 0) {
		*value = index;
		return 0;
	}
	list = options_list(row->choices, ", ");
	code = error_set(p->error, list ? ERR_USAGE : ERR_FAILED,
		"the %s '%s' is none of %s", row->name, text,
		list ? list : "those that there are");
	free(list);
	return code;
}

static int take_count(struct parsing *p, const struct options_row *row,
	const char *text, void *at)
{
	char name[64];
	uint64_t value = 0;
	int code = units_parse_count_within(shown_name(row, name), text,
		row->least, row->most, &value, p->error);

	if (code)
		return code;
	if (row->bytes == sizeof(uint64_t))
		*(uint64_t *)at = value;
	else
		*(unsigned *)at = (unsigned)value;
	return 0;
}

static int take(struct parsing *p, const struct options_row *row, char *text)
{
	void *at = (char *)p->into + row->at;

	switch (row->kind) {
	case TAKES_NOTHING:
		*(bool *)at = true;
		return 0;
	case TAKES_TEXT:
		*(const char **)at = text;
		return 0;
	case TAKES_CHOICE:
		return take_choice(p, row, text, at);
	case TAKES_COUNT:
		return take_count(p, row, text, at);
	case TAKES_OWN:
		break;
	}
	return row->take(p->into, row, text, p->error);
}

/* ---- a command line ---- */

static int refuses(struct parsing *p, const struct options_row *row)
{
	return p->before ? p->before(p->into, row, p->error) : 0;
}

static void hint(const struct options_row *row)
{
	fprintf(stderr,
		"nearfar: --%s is called --%s now; the next release does not "
		"know the old name\n",
		row->was, row->name);
}

/* The first form of the operands: enough to go on. */
static int say_needed(struct parsing *p)
{
	const struct options_table *t = p->table;
	const char *operands = t->operands ? t->operands : "";

	return error_set(p->error, ERR_USAGE, "%s: 'nearfar %s %.*s'",
		t->needed, t->name, (int)strcspn(operands, "\n"), operands);
}

static int take_words(struct parsing *p, char **items, size_t count)
{
	const struct options_table *t = p->table;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < count; i++)
		code = refuses(p, NULL);
	if (code)
		return code;
	if (count > t->most && !t->most)
		return error_set(p->error, ERR_USAGE,
			"'%s' is one argument too many", items[0]);
	if (count < t->least || count > t->most)
		return say_needed(p);
	if (t->most)
		*(struct options_words *)((char *)p->into + t->words) =
			(struct options_words){items, count};
	return 0;
}

/* The first mistake is the one that is told. */
static error_t on_key(int key, char *text, struct argp_state *state)
{
	struct parsing *p = state->input;
	const struct options_row *row;
	bool old = false;

	switch (key) {
	case ARGP_KEY_ARG:
		return ARGP_ERR_UNKNOWN; /* all together */
	case ARGP_KEY_ARGS:
		if (!p->code)
			p->code = take_words(p, state->argv + state->next,
				(size_t)(state->argc - state->next));
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (!p->code)
			p->code = take_words(p, NULL, 0);
		return 0;
	default:
		row = options_argp_row(p->made, key, &old);
	}
	if (!row)
		return ARGP_ERR_UNKNOWN;
	if (!p->code)
		p->code = refuses(p, row);
	if (!p->code && old)
		hint(row);
	if (!p->code)
		p->code = take(p, row, text);
	return 0;
}

/* ---- words that are no command line ---- */

static bool has_option(const struct argp_option *rows, const char *word)
{
	const size_t length = strcspn(word, "=") - 2;

	for (; rows->name || rows->doc || rows->key; rows++)
		if (rows->name && !strncmp(rows->name, word + 2, length))
			return true;
	return false;
}

static int refuse(const struct parsing *p, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strncmp(argv[i], "--", 2) &&
			!has_option(p->made->rows, argv[i]))
			return error_set(p->error, ERR_USAGE,
				"'nearfar %s' has no option '%s'",
				p->table->name, argv[i]);
	return error_set(p->error, ERR_USAGE,
		"these are no words of 'nearfar %s': an option is not known, "
		"or its value is missing",
		p->table->name);
}

static int parse(const struct options_table *table, int argc, char **argv,
	unsigned flags, struct parsing *p)
{
	struct options_argp made;
	struct argp argp = {.parser = on_key};
	int refused;

	if (options_argp_make(table, &made))
		return error_set(p->error, ERR_FAILED,
			"out of memory for the options of %s", table->name);
	p->table = table;
	p->made = &made;
	argp.options = made.rows;
	argp.args_doc = table->operands;
	argp.doc = made.text;
	argp_err_exit_status = error_status(ERR_USAGE);
	refused = argp_parse(&argp, argc, argv, flags, NULL, p);
	if (refused && (refused == ENOMEM || !flags) && !p->code)
		p->code = error_set(p->error, ERR_FAILED,
			"out of memory for the options of %s", table->name);
	else if (refused && !p->code)
		p->code = refuse(p, argc, argv);
	options_argp_free(&made);
	return p->code;
}

int options_parse(const struct options_table *table, int argc, char **argv,
	options_before *before, void *into, struct error *error)
{
	struct parsing p = {.before = before, .into = into, .error = error};

	return parse(table, argc, argv, 0, &p);
}

int options_parse_words(const struct options_table *table, int argc,
	char **argv, options_before *before, void *into, struct error *error)
{
	struct parsing p = {.before = before, .into = into, .error = error};

	return parse(table, argc, argv,
		ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP, &p);
}
