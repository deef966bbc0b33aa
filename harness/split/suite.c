#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/split/suite.h"

#define SPACES " \t\r"
#define NAME_CHARACTERS                                                        \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-"

extern const struct {
	const char *name, *text, *end;
} suites[];

struct reading {
	struct split *split;
	const char *source;
	const char *const *more;
	size_t more_count;
	size_t *lines, line;
	struct error *error;
};

static int no_memory(struct reading *r)
{
	return error_set(r->error, ERR_FAILED, "out of memory");
}

static int check_name(const struct reading *r, const char *name)
{
	size_t i;

	if (*name == '.' || name[strspn(name, NAME_CHARACTERS)])
		return error_set(r->error, ERR_USAGE,
			"%s:%zu: the name '%s' must be letters, digits, '.', "
			"'_', '+' and '-', and not begin with '.'",
			r->source, r->line, name);
	for (i = 0; i < r->split->row_count; i++)
		if (!strcmp(r->split->rows[i].name, name))
			return error_set(r->error, ERR_USAGE,
				"%s:%zu: the name '%s' stands in line %zu "
				"already",
				r->source, r->line, name, r->lines[i]);
	return 0;
}

static int add_word(struct reading *r, struct split_row *row, const char *word)
{
	char **words;

	if (row->word_count == SPLIT_WORDS_MAX)
		return error_set(r->error, ERR_USAGE,
			"%s:%zu: a row has at most %d words", r->source,
			r->line, SPLIT_WORDS_MAX);
	words = reallocarray(row->words, row->word_count + 1, sizeof(*words));
	if (!words)
		return no_memory(r);
	row->words = words;
	words[row->word_count] = strdup(word);
	return words[row->word_count++] ? 0 : no_memory(r);
}

/* Room for one more row, zeroed; NULL without memory. */
static struct split_row *add_row(struct reading *r)
{
	struct split *split = r->split;
	const size_t count = split->row_count + 1;
	struct split_row *rows =
		reallocarray(split->rows, count, sizeof(*rows));
	size_t *lines = reallocarray(r->lines, count, sizeof(*lines));

	if (rows)
		split->rows = rows;
	if (lines)
		r->lines = lines;
	if (!rows || !lines)
		return NULL;
	rows[split->row_count] = (struct split_row){0};
	lines[split->row_count] = r->line;
	return &rows[split->row_count];
}

static int read_line(struct reading *r, char *line)
{
	char *rest, *word = strtok_r(line, SPACES, &rest);
	struct split_row *row;
	size_t i;
	int code;

	if (!word || *word == '#')
		return 0;
	if (r->split->row_count == SPLIT_ROWS_MAX)
		return error_set(r->error, ERR_USAGE,
			"%s:%zu: a suite has at most %d rows", r->source,
			r->line, SPLIT_ROWS_MAX);
	code = check_name(r, word);
	if (code)
		return code;
	row = add_row(r);
	if (!row)
		return no_memory(r);
	row->name = strdup(word);
	r->split->row_count++;
	if (!row->name)
		return no_memory(r);
	while (!code && (word = strtok_r(NULL, SPACES, &rest)))
		code = add_word(r, row, word);
	for (i = 0; !code && i < r->more_count; i++)
		code = add_word(r, row, r->more[i]);
	return code;
}

static int read_text(struct reading *r, char *text)
{
	char *at, *next;
	int code = 0;

	for (at = text; !code && at; at = next) {
		next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		r->line++;
		code = read_line(r, at);
	}
	return code;
}

int suite_read(const char *path, const char *const *more, size_t more_count,
	struct split *split, size_t **lines, struct error *error)
{
	struct reading r = {
		.split = split, .more = more, .more_count = more_count};
	struct content content = {.source = path};
	int code = 0;

	if (strcmp(path, SUITE_DEFAULT) != 0)
		code = content_read_written(path, &content, error);
	else if (!(content.text = strdup(suites[0].text)))
		code = error_set(error, ERR_FAILED, "out of memory");
	if (code)
		return error_prefix(error, code, "suite: ");
	r.source = content.source;
	r.error = error;
	code = read_text(&r, content.text);
	if (!code && !split->row_count)
		code = error_set(error, ERR_USAGE,
			"'%s' has no rows: a row is a name and the words of "
			"'nearfar run'",
			content.source);
	content_free(&content);
	*lines = r.lines;
	return code;
}

char *suite_words(const char *name)
{
	const size_t length = strlen(name);
	const char *at = suites[0].text;

	for (; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
		if (!strncmp(at, name, length) && at[length] == ' ') {
			at += length + strspn(at + length, " ");
			return strndup(at, strcspn(at, "\n"));
		}
	return NULL;
}
