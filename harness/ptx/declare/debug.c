/* What compilers say of sources, and pragmas. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/declare.h"

/* ---- .file and .loc ---- */

int reader_file(struct reader *r)
{
	struct ptx_module *m = r->module;
	const struct ptx_place place = r->token.place;
	struct ptx_name name;
	uint64_t number, what;
	bool more = true;
	uint32_t i;
	int code = reader_take_count(r, "the number of a file", &number);

	if (!code && r->token.kind != TOKEN_STRING)
		return reader_expected(r, "the name of a file");
	if (!code && ptx_file(m, (uint32_t)number))
		return reader_refuse(r, &place,
			"there are two files of number %" PRIu64, number);
	name = r->token.text;
	if (!code)
		code = reader_next(r);
	if (!code)
		code = reader_grow(r, &m->files, &m->file_capacity,
			m->file_count, sizeof(*m->files));
	if (!code)
		m->files[m->file_count++] =
			(struct ptx_file_name){(uint32_t)number, name};
	/* the time of its last change, and its size */
	for (i = 0; !code && more && i < 2; i++) {
		code = reader_skip_mark(r, ',', &more);
		if (!code && more)
			code = reader_take_number(
				r, "a time and a size", &what);
	}
	return code;
}

/* `1 22 5`: a file, a line, a column. */
static int take_source(struct reader *r, struct source *s)
{
	uint64_t file = 0, line = 0, column = 0;
	int code = reader_take_count(r, "the number of a file", &file);

	if (!code)
		code = reader_take_count(r, "a line", &line);
	if (!code)
		code = reader_take_count(r, "a column", &column);
	*s = (struct source){
		true, (uint32_t)file, (uint32_t)line, (uint32_t)column};
	return code;
}

/* The source's place among those that are seen, or a free one. */
static struct source *find_source(struct sources *all, const struct source *s)
{
	uint32_t at = (s->file * 31 + s->line) * 2654435761u + s->column * 97;

	for (;; at++) {
		struct source *has = &all->seen[at & (all->capacity - 1)];

		if (!has->is_there ||
			(has->file == s->file && has->line == s->line &&
				has->column == s->column))
			return has;
	}
}

static int keep_source(struct reader *r, const struct source *s)
{
	struct sources *all = &r->sources, old = *all;
	uint32_t i;

	if (2 * all->count >= all->capacity) {
		all->capacity = old.capacity ? 2 * old.capacity : 64;
		all->seen = calloc(all->capacity, sizeof(*all->seen));
		if (!all->seen) {
			*all = old;
			return error_set(r->error, ERR_FAILED, "out of memory");
		}
		for (i = 0; i < old.capacity; i++)
			if (old.seen[i].is_there)
				*find_source(all, &old.seen[i]) = old.seen[i];
		free(old.seen);
	}
	all->count += !find_source(all, s)->is_there;
	*find_source(all, s) = *s;
	return 0;
}

static int take_word(struct reader *r, const char *word, const char *what)
{
	return r->token.kind == TOKEN_NAME && ptx_name_is(&r->token.text, word)
		       ? reader_next(r)
		       : reader_expected(r, what);
}

/* `name+4` */
static int take_label(struct reader *r)
{
	uint64_t offset;
	bool plus = false;
	int code;

	if (r->token.kind != TOKEN_NAME)
		return reader_expected(r, "a label of a section");
	code = reader_next(r);
	if (!code)
		code = reader_skip_mark(r, '+', &plus);
	return code || !plus ? code
			     : reader_take_number(r, "an offset", &offset);
}

/* `, function_name $L__info_string0, inlined_at 1 2 3` */
static int take_inlined(struct reader *r, struct source *inlined)
{
	struct sources *all = &r->sources;
	const struct ptx_place place = r->token.place;
	const struct source *at;
	struct source s;
	int code = take_word(r, "function_name", "'function_name'");

	if (!code)
		code = reader_grow(r, &all->labels, &all->label_capacity,
			all->label_count, sizeof(*all->labels));
	if (!code)
		all->labels[all->label_count++] = r->token;
	if (!code)
		code = take_label(r);
	if (!code)
		code = reader_take_mark(r, ',');
	if (!code)
		code = take_word(r, "inlined_at", "'inlined_at'");
	if (!code)
		code = take_source(r, &s);
	if (code)
		return code;
	at = all->count ? find_source(all, &s) : NULL;
	if (at && at->is_there) {
		if (inlined->file == at->outer_file)
			return 0;
		inlined->outer_file = at->outer_file;
		inlined->outer_line = at->outer_line;
		return 0;
	}
	return reader_refuse(r, &place,
		"there is no .loc %u %u %u before, as 'inlined_at' says",
		s.file, s.line, s.column);
}

int reader_location(struct reader *r)
{
	struct source s;
	bool more = false;
	int code = take_source(r, &s);

	if (!code)
		code = reader_skip_mark(r, ',', &more);
	s.outer_file = s.file;
	s.outer_line = s.line;
	if (!code && more)
		code = take_inlined(r, &s);
	r->source_file = s.outer_file;
	r->source_line = s.outer_line;
	return code ? code : keep_source(r, &s);
}

int reader_check_sources(struct reader *r)
{
	uint32_t i;

	for (i = 0; i < r->sources.label_count; i++) {
		const struct token *t = &r->sources.labels[i];
		const struct symbol *s = names_find(r, &t->text);

		if (!s || s->kind != SYMBOL_SECTION)
			return reader_refuse(r, &t->place,
				"there is no label '%.*s' in a section",
				(int)t->text.length, t->text.text);
	}
	return 0;
}

void reader_free_sources(struct reader *r)
{
	free(r->sources.seen);
	free(r->sources.labels);
}

/* ---- .section ---- */

/* `-1`, of so many bytes: with a sign or without. */
static int take_value(struct reader *r, unsigned bytes)
{
	const struct ptx_place place = r->token.place;
	const unsigned bits = 8 * bytes;
	uint64_t number;
	bool minus;
	int code = reader_skip_mark(r, '-', &minus);

	if (!code)
		code = reader_take_number(r, "a number or a label", &number);
	if (code || bytes > 2)
		return code;
	if (minus ? number > UINT64_C(1) << (bits - 1) : number >> bits)
		return reader_refuse(
			r, &place, "expected a number of %u bits", bits);
	return 0;
}

/* `.debug_abbrev`, `.debug_abbrev+4`, `L`, `L+4`, `L1-L2` */
static int take_reference(struct reader *r)
{
	bool minus = false;
	int code;

	if (r->token.kind == TOKEN_DOT) {
		r->token.kind = TOKEN_NAME;
		return take_label(r);
	}
	code = take_label(r);
	if (!code)
		code = reader_skip_mark(r, '-', &minus);
	if (code || !minus)
		return code;
	return r->token.kind == TOKEN_NAME
		       ? reader_next(r)
		       : reader_expected(r, "a label of a section");
}

/* `.b8 1, 2`, `.b64 L` */
static int take_data(struct reader *r)
{
	const enum ptx_type type = r->token.kind == TOKEN_DOT
					   ? reader_type(&r->token.text)
					   : PTX_UNTYPED;
	const unsigned bytes = ptx_types[type].bytes;
	bool more = true;
	int code;

	if (ptx_types[type].kind != 'b' || bytes > 8)
		return reader_expected(r, "'.b8', '.b16', '.b32' or '.b64'");
	code = reader_next(r);
	if (!code && bytes > 2 &&
		(r->token.kind == TOKEN_NAME || r->token.kind == TOKEN_DOT))
		return take_reference(r);
	while (!code && more) {
		code = take_value(r, bytes);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	return code;
}

/* `L:` */
static int take_section_label(struct reader *r)
{
	const struct ptx_name name = r->token.text;
	const struct symbol *s = names_find(r, &name);
	int code;

	if (s && s->kind == SYMBOL_SECTION)
		return reader_refuse(r, &r->token.place,
			"'%.*s' stands for two things", (int)name.length,
			name.text);
	code = names_shadow(r, &name, SYMBOL_SECTION, 0);
	if (!code)
		code = reader_next(r);
	return code ? code : reader_take_mark(r, ':');
}

int reader_section(struct reader *r)
{
	int code;

	if (r->token.kind != TOKEN_DOT || reader_is_variable(r))
		return reader_expected(r, "the name of a section");
	code = reader_next(r);
	if (!code)
		code = reader_take_mark(r, '{');
	while (!code && !reader_is_mark(r, '}')) {
		if (r->token.kind != TOKEN_NAME) {
			code = take_data(r);
			continue;
		}
		code = take_section_label(r);
	}
	return code ? code : reader_next(r);
}

/* ---- .pragma ---- */

static const struct pragma {
	const char *text;
	uint8_t version;
	bool has_number, in_functions_alone;
} pragmas[] = {
	{"nounroll", 20, false, false},
	{"abi_param_reg", 20, false, false},
	{"used_bytes_mask", 83, true, true},
	{"frequency", 90, true, true},
	{"enable_smem_spilling", 90, false, true},
};

/* In a function others are passed over, as ptxas has it. */
static int check_pragma(struct reader *r)
{
	const struct token *t = &r->token;
	const char *number;
	char *end;
	size_t i, length = 0;

	for (i = 0; i < sizeof(pragmas) / sizeof(*pragmas); i++) {
		length = strlen(pragmas[i].text);
		if (t->text.length >= length &&
			!memcmp(t->text.text, pragmas[i].text, length) &&
			(t->text.length == length ||
				t->text.text[length] == ' '))
			break;
	}
	if (i == sizeof(pragmas) / sizeof(*pragmas))
		return r->where == IN_MODULE
			       ? reader_expected(r, "a pragma that is known")
			       : 0;
	if (pragmas[i].in_functions_alone && r->where != IN_BODY)
		return reader_expected(r, "a pragma of a module or an entry");
	if (pragmas[i].version > r->module->version)
		return reader_refuse(r, &t->place,
			"the pragma '%s' needs .version %u.%u", pragmas[i].text,
			pragmas[i].version / 10u, pragmas[i].version % 10u);
	if (!pragmas[i].has_number)
		return 0;
	number = t->text.text + length;
	strtoull(number, &end, 0);
	if (end > number && end == t->text.text + t->text.length)
		return 0;
	return reader_refuse(r, &t->place,
		"expected a number behind the pragma '%s'", pragmas[i].text);
}

int reader_pragma(struct reader *r, bool *stays_rolled)
{
	bool more = true;
	int code = 0;

	while (!code && more) {
		if (r->token.kind != TOKEN_STRING)
			return reader_expected(r, "a string");
		code = check_pragma(r);
		if (code)
			return code;
		/* Others change nothing that is modelled. */
		if (stays_rolled && ptx_name_is(&r->token.text, "nounroll"))
			*stays_rolled = true;
		code = reader_next(r);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	return code ? code : reader_take_mark(r, ';');
}
