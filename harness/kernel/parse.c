#include <stdlib.h>
#include <string.h>

#include "harness/kernel/parsing.h"
#include "harness/program/text/steps.h"

#define NAME_BYTES                                                             \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

int parsing_no_memory(struct parsing *p)
{
	return error_set(p->scan.error, ERR_FAILED, "out of memory");
}

/* A word that becomes a text of its own. */
static int keep(struct parsing *p, const char *text, char **kept)
{
	*kept = strdup(text);
	return *kept ? 0 : parsing_no_memory(p);
}

void *parsing_grow(void **items, size_t *count, size_t bytes)
{
	char *larger = reallocarray(*items, *count + 1, bytes);

	if (!larger)
		return NULL;
	*items = larger;
	return memset(larger + bytes * (*count)++, 0, bytes);
}

int parsing_name(
	struct parsing *p, const char *what, char *name, size_t name_bytes)
{
	struct word word;
	int status = scan_word(&p->scan, "", what, &word);

	if (status)
		return status;
	if (word.text[strspn(word.text, NAME_BYTES)])
		return scan_fail(&p->scan, word.column,
			"expected %s of letters, digits, '_', '-' and '.'",
			what);
	if (strlen(word.text) >= name_bytes)
		return scan_fail(&p->scan, word.column,
			"expected %s of 1 to %zu bytes", what, name_bytes - 1);
	strcpy(name, word.text);
	return 0;
}

static int parse_name(struct parsing *p)
{
	int status =
		parsing_name(p, "a name", p->job->name, sizeof(p->job->name));

	return status ? status : scan_expect_end(&p->scan);
}

static int parse_module(struct parsing *p)
{
	struct job_module *module;
	struct word word;
	int status = scan_word(&p->scan, "", "a PTX file", &word);

	if (status)
		return status;
	if (p->job->module_count == JOB_MODULES_MAX)
		return scan_fail(&p->scan, word.column,
			"expected at most %u modules", JOB_MODULES_MAX);
	module = parsing_grow((void **)&p->job->modules, &p->job->module_count,
		sizeof(*module));
	if (!module)
		return parsing_no_memory(p);
	status = keep(p, word.text, &module->path);
	return status ? status : scan_expect_end(&p->scan);
}

static int parse_buffer(struct parsing *p)
{
	struct job_buffer *b;
	char name[JOB_BUFFER_BYTES];
	unsigned column;
	int status;

	scan_peek(&p->scan);
	column = scan_column(&p->scan);
	status = parsing_name(p, "the buffer's name", name, sizeof(name));
	if (status)
		return status;
	if (job_buffer_find(p->job, name) >= 0)
		return scan_fail(&p->scan, column,
			"expected another name: there is a buffer '%s'", name);
	if (p->job->buffer_count == JOB_BUFFERS_MAX)
		return scan_fail(&p->scan, column,
			"expected at most %u buffers", JOB_BUFFERS_MAX);
	b = parsing_grow(
		(void **)&p->job->buffers, &p->job->buffer_count, sizeof(*b));
	if (!b)
		return parsing_no_memory(p);
	strcpy(b->name, name);
	b->step = 1;
	b->power = 1;
	status = fields_parse(&p->scan, job_buffer_fields, b);
	if (!status && !b->bytes)
		status = scan_fail(&p->scan, scan_column(&p->scan),
			"expected bytes=SIZE of the buffer");
	return status;
}

static int parse_launch(struct parsing *p)
{
	struct job_launch *launch;
	struct word word;
	int status = scan_word(&p->scan, "", "the kernel's entry", &word);

	if (status)
		return status;
	launch = parsing_grow((void **)&p->job->launches, &p->job->launch_count,
		sizeof(*launch));
	if (!launch)
		return parsing_no_memory(p);
	launch->repeats = 1;
	status = keep(p, word.text, &launch->entry);
	if (!status)
		status = fields_parse(&p->scan, job_launch_fields, launch);
	if (!status && (!launch->grid[0] || !launch->block[0]))
		status = scan_fail(&p->scan, scan_column(&p->scan),
			"expected grid=X and block=X of the launch");
	return status;
}

/* ---- statements ---- */

static const struct {
	struct statement statement;
	int (*parse)(struct parsing *p);
} statements[] = {
	{{"name", "NAME",
		 "the job's name; default: its file's, without the ending",
		 NULL},
		parse_name},
	{{"module", "FILE",
		 "PTX, or a trace if it ends in .traceg; the path is relative "
		 "to the job's file",
		 NULL},
		parse_module},
	{{"buffer", "NAME", "an allocation that begins at a 2 MiB page",
		 job_buffer_fields},
		parse_buffer},
	{{"tensormap", "NAME",
		 "a buffer as a tensor of 1 to 5 dimensions, the innermost "
		 "first",
		 job_map_fields},
		map_parse},
	{{"launch", "ENTRY",
		 "executes a kernel: a .entry of exactly one of the modules",
		 job_launch_fields},
		parse_launch},
};

#define STATEMENTS (sizeof(statements) / sizeof(statements[0]))

void job_statements_put(FILE *out)
{
	size_t i;

	for (i = 0; i < STATEMENTS; i++)
		statement_put(out, &statements[i].statement);
	step_statements_put(out);
}

static int parse_statement(struct parsing *p)
{
	struct word word;
	size_t i;
	int kind, status = scan_word(&p->scan, "", "a statement", &word);

	if (status)
		return status;
	kind = step_kind_find(word.text);
	if (kind >= 0)
		return job_step_parse(p, (enum step_kind)kind);
	for (i = 0; i < STATEMENTS; i++)
		if (!strcmp(statements[i].statement.word, word.text))
			return statements[i].parse(p);
	return scan_fail(&p->scan, word.column,
		"expected name, module, buffer, tensormap, launch or a host "
		"action, found '%.40s'",
		word.text);
}

static int parse_header(struct scan *scan)
{
	static const char header[] = "nearfar-kernel";
	struct word word;
	int status;

	if (!scan_line(scan))
		return scan_fail(scan, 1, "expected '%s 1'", header);
	status = scan_word(scan, "", "'nearfar-kernel 1'", &word);
	if (!status && strcmp(word.text, header))
		return scan_fail(scan, word.column, "expected '%s 1'", header);
	if (!status)
		status = scan_word(scan, "", "the version 1", &word);
	if (!status && strcmp(word.text, "1"))
		return scan_fail(scan, word.column,
			"expected version 1, found '%.40s'", word.text);
	return status ? status : scan_expect_end(scan);
}

int job_parse(const char *text, const char *source, struct job *job,
	struct error *error)
{
	struct job result = {.module_count = 0};
	struct parsing p = {.job = &result};
	int status;

	scan_init(&p.scan, text, source, error);
	p.scan.owner = &result;
	status = parse_header(&p.scan);
	while (!status && scan_line(&p.scan))
		status = parse_statement(&p);
	if (status)
		job_free(&result);
	else
		*job = result;
	return status;
}
