#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/help/pages.h"
#include "harness/command/topics/topics.h"
#include "harness/options/man.h"

/* ---- what pages point to ---- */

static void put_references(
	const struct help_commands *commands, const char *but, FILE *out)
{
	const struct topic *topic;
	size_t i;

	man_section("SEE ALSO", out);
	fputs(but ? "\\fBnearfar\\fR(1)" : "", out);
	for (i = 0; i < commands->count; i++)
		if (!but || strcmp(commands->tables[i]->name, but) != 0)
			fprintf(out, "%s\\fBnearfar\\-%s\\fR(1)",
				i || but ? ",\n" : "",
				commands->tables[i]->name);
	for (topic = topics; topic->name; topic++)
		if (!but || strcmp(topic->name, but) != 0)
			fprintf(out, ",\n\\fBnearfar\\-%s\\fR(%d)", topic->name,
				topic_section(topic));
	fputc('\n', out);
}

/* ---- the program ---- */

static const char *const examples[] = {
	"nearfar run pointer-chase -o model.json",
	"nearfar run pointer-chase -b cuda -o gpu.json",
	"nearfar compare gpu.json model.json",
	"nearfar explain bandwidth -x 64",
	"nearfar report gpu.json model.json -o page.html",
	NULL,
};

static const char *const files[] = {"FILE.json, FILE.json.gz",
	"series: what run writes and the other commands read", "FILE.journal",
	"finished points of a run that is not at its end", "FILE.yaml",
	"a machine of the model", "fleet.sqlite",
	"the fingerprints of nearfar-fleet(1)", NULL};

static void put_commands(const struct help_commands *commands, FILE *out)
{
	char tag[96];
	size_t i;

	man_section("COMMANDS", out);
	for (i = 0; i < commands->count; i++) {
		snprintf(tag, sizeof(tag), "\\fB%s\\fR",
			commands->tables[i]->name);
		man_item(tag, commands->tables[i]->summary, out);
	}
	man_item("\\fBhelp\\fR [\\fINAME\\fR]", "a command, a bench or a topic",
		out);
	man_item("\\fB\\-\\-version\\fR", "the version", out);
}

static void put_program(
	const struct help_commands *commands, const char *version, FILE *out)
{
	size_t i;

	man_head(&(struct man_page){"nearfar", 1,
			 "measures GPU memory hierarchies", version},
		out);
	man_section("SYNOPSIS", out);
	fputs(".B nearfar\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n", out);
	man_section("DESCRIPTION", out);
	man_text("Measures GPU memory hierarchies: the same programs on a "
		 "cycle model and on a GPU.",
		out);
	put_commands(commands, out);
	man_section("EXAMPLES", out);
	man_code(true, out);
	for (i = 0; examples[i]; i++)
		man_line(examples[i], out);
	man_code(false, out);
	man_statuses(out);
	man_section("FILES", out);
	for (i = 0; files[i]; i += 2) {
		fputs(".TP\n.I ", out);
		man_line(files[i], out);
		man_line(files[i + 1], out);
	}
	put_references(commands, NULL, out);
}

/* ---- a topic ---- */

static bool is_heading(const char *line)
{
	const char *c;

	for (c = line; *c; c++)
		if (!isupper((unsigned char)*c) && *c != ' ')
			return false;
	return *line && *line != ' ';
}

/* The column of the meaning in "term   meaning"; 0 of another line. */
static size_t meaning_column(const char *line)
{
	const char *gap = memmem(line, strcspn(line, "\n"), "  ", 2);

	return gap && gap > line ? (size_t)(gap - line) + strspn(gap, " ") : 0;
}

/* The same behind the indentation, where the meaning of a long term may stand
   in the next line alone. */
static size_t item_column(const char *text)
{
	const size_t column = meaning_column(text + 4);
	const char *next = strchr(text, '\n');
	size_t blanks;

	if (column || text[4] == ' ' || !next)
		return column;
	blanks = strspn(next + 1, " ");
	return blanks > 4 && next[1 + blanks] != '\n' ? blanks - 4 : 0;
}

/* Whether the text begins with indented lines that are all terms, or go on with
   a meaning in its column. What a command prints is none. */
static bool is_list(const char *text)
{
	const size_t column = !strncmp(text, "    ", 4) && text[4] != '$'
				      ? item_column(text)
				      : 0;

	if (!column)
		return false;
	for (; !strncmp(text, "    ", 4); text += *text == '\n') {
		if (strspn(text, " ") != 4 + column &&
			item_column(text) != column)
			return false;
		text += strcspn(text, "\n");
	}
	return true;
}

static void put_term(char *line, size_t column, FILE *out)
{
	char *gap = strstr(line, "  ");

	if (gap)
		*gap = '\0';
	fputs(".TP\n.B ", out);
	man_line(line, out);
	if (gap)
		man_line(line + column, out);
}

/* Lines as topics.h says; `text` is cut into them. */
static void put_lines(char *text, FILE *out)
{
	bool code = false, paragraph = true;
	size_t column = 0;
	char *line;

	while (text) {
		const size_t item =
			!code && is_list(text) ? item_column(text) : 0;
		bool indented;

		line = strsep(&text, "\n") + (item ? 4 : 0);
		indented = !strncmp(line, "    ", 4);
		if (column && strspn(line, " ") == column) {
			man_line(line + column, out);
			continue;
		}
		if (code != indented && (*line || !code)) {
			man_code(indented, out);
			code = indented;
		}
		column = item ? item : indented ? 0 : meaning_column(line);
		if (column) {
			put_term(line, column, out);
			column += item ? 4 : 0;
		} else if (code)
			man_line(*line ? line + 4 : "", out);
		else if (is_heading(line))
			man_section(line, out);
		else if (*line && paragraph)
			man_text(line, out);
		else if (*line)
			man_line(line, out);
		paragraph = !*line || is_heading(line) || code;
	}
	if (code)
		man_code(false, out);
}

static int put_topic(const struct help_commands *commands,
	const struct topic *topic, const char *version, FILE *out,
	struct error *error)
{
	char name[64], *text = NULL, *rest;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	int code = memory ? topic_put(topic, memory, error)
			  : error_set(error, ERR_FAILED, "out of memory");

	if (memory && fclose(memory) && !code)
		code = error_set(error, ERR_FAILED, "out of memory");
	if (code) {
		free(text);
		return code;
	}
	snprintf(name, sizeof(name), "nearfar-%s", topic->name);
	rest = text;
	man_head(&(struct man_page){name, topic_section(topic),
			 strsep(&rest, "\n"), version},
		out);
	man_section("DESCRIPTION", out);
	if (rest)
		put_lines(rest, out);
	if (!strstr(topic->text, "\nSEE ALSO\n"))
		put_references(commands, topic->name, out);
	free(text);
	return 0;
}

/* ---- all ---- */

int pages_put(const struct help_commands *commands, const char *name,
	const char *version, FILE *out, struct error *error)
{
	const struct topic *topic = name ? topic_find(name) : NULL;
	size_t i;

	if (!name) {
		put_program(commands, version, out);
		return 0;
	}
	for (i = 0; i < commands->count; i++)
		if (!strcmp(commands->tables[i]->name, name)) {
			man_command(commands->tables[i], version, out);
			put_references(commands, name, out);
			return 0;
		}
	if (topic)
		return put_topic(commands, topic, version, out, error);
	return error_set(error, ERR_USAGE,
		"there is no command and no topic '%s'", name);
}

void pages_list(const struct help_commands *commands, FILE *out)
{
	const struct topic *topic;
	size_t i;

	for (i = 0; i < commands->count; i++)
		fprintf(out, "1 %s\n", commands->tables[i]->name);
	for (topic = topics; topic->name; topic++)
		fprintf(out, "%d %s\n", topic_section(topic), topic->name);
}
