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

/* ---- the words that are no plain fields ---- */

static int file_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct job_buffer *b = object;

	if (!*text)
		return scan_fail(&p->scan, word->column, "expected file=FILE");
	return keep(p, text, &b->file);
}

static int compare_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct job_buffer *b = object;
	int index;

	if (!strncmp(text, "ulp:", 4)) {
		b->compare = JOB_COMPARE_ULP;
		return scan_count(
			&p->scan, word, text + 4, UINT32_MAX, &b->ulps);
	}
	index = choice_index(job_compare_names, text);
	if (index < 0 || index == JOB_COMPARE_ULP)
		return scan_fail(&p->scan, word->column,
			"expected compare=exact|ulp:N|multiset|none");
	b->compare = (uint8_t)index;
	return 0;
}

/* "64", "16,16" or "4,4,4" */
static int extent_parse(struct parsing *p, const struct word *word,
	const char *text, uint32_t extent[3])
{
	uint64_t value = 0;
	int i, status;

	extent[1] = extent[2] = 1;
	for (i = 0; i < 3; i++) {
		char number[24];
		size_t length = strcspn(text, ",");

		if (length >= sizeof(number))
			break;
		memcpy(number, text, length);
		number[length] = '\0';
		status = scan_count(&p->scan, word, number, INT32_MAX, &value);
		if (status)
			return status;
		extent[i] = (uint32_t)value;
		text += length;
		if (!*text)
			return 0;
		text++;
	}
	return scan_fail(
		&p->scan, word->column, "expected one to three numbers, X,Y,Z");
}

static int grid_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct job_launch *launch = object;

	return extent_parse(p, word, text, launch->grid);
}

static int block_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct job_launch *launch = object;

	return extent_parse(p, word, text, launch->block);
}

static int cluster_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct job_launch *launch = object;

	return extent_parse(p, word, text, launch->cluster);
}

static int args_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	return arguments_parse(&p->scan, word, text, p->job, object);
}

/* "0" to "100" */
static int carveout_parse(struct parsing *p, const struct word *word,
	const char *text, void *object)
{
	struct job_launch *launch = object;
	uint64_t percent = 0;
	int status = scan_count(&p->scan, word, text, 100, &percent);

	launch->carveout_plus_1 = (uint8_t)(percent + 1);
	return status;
}

static const struct special buffer_specials[] = {
	{"file=", file_parse},
	{"compare=", compare_parse},
	{NULL, NULL},
};
static const struct special launch_specials[] = {
	{"grid=", grid_parse},
	{"block=", block_parse},
	{"cluster=", cluster_parse},
	{"args=", args_parse},
	{"shared_carveout=", carveout_parse},
	{NULL, NULL},
};

static const struct special *special_of(
	const struct special *specials, const struct word *word)
{
	for (; specials->key; specials++)
		if (!strncmp(specials->key, word->text, strlen(specials->key)))
			return specials;
	return NULL;
}

int parsing_words(struct parsing *p, const struct special *specials,
	const struct field *fields, void *object)
{
	uint32_t seen = 0, seen_special = 0;
	int status = 0;

	while (!status && scan_peek(&p->scan)) {
		const struct special *special;
		struct word word;
		uint32_t bit;

		status = scan_word(&p->scan, "", "key=value", &word);
		if (status)
			break;
		special = special_of(specials, &word);
		if (!special) {
			status = field_parse(
				&p->scan, fields, &word, object, &seen);
			continue;
		}
		bit = 1u << (special - specials);
		if (seen_special & bit)
			return scan_fail(&p->scan, word.column,
				"expected '%s' once", special->key);
		seen_special |= bit;
		status = special->parse(
			p, &word, word.text + strlen(special->key), object);
	}
	return status;
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
	status = parsing_words(p, buffer_specials, job_buffer_fields, b);
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
		status = parsing_words(
			p, launch_specials, job_launch_fields, launch);
	if (!status && (!launch->grid[0] || !launch->block[0]))
		status = scan_fail(&p->scan, scan_column(&p->scan),
			"expected grid=X and block=X of the launch");
	return status;
}

/* ---- statements ---- */

static int parse_statement(struct parsing *p)
{
	static const struct {
		const char *word;
		int (*parse)(struct parsing *p);
	} statements[] = {
		{"name", parse_name},
		{"module", parse_module},
		{"buffer", parse_buffer},
		{"tensormap", map_parse},
		{"launch", parse_launch},
	};
	struct word word;
	size_t i;
	int kind, status = scan_word(&p->scan, "", "a statement", &word);

	if (status)
		return status;
	kind = step_kind_find(word.text);
	if (kind >= 0)
		return job_step_parse(p, (enum step_kind)kind);
	for (i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (!strcmp(statements[i].word, word.text))
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
	status = parse_header(&p.scan);
	while (!status && scan_line(&p.scan))
		status = parse_statement(&p);
	if (status)
		job_free(&result);
	else
		*job = result;
	return status;
}
