/* One instruction: guard, spelling, operands. */
#include <stdio.h>
#include <string.h>

#include "harness/program/qualifiers.h"
#include "harness/program/spelling.h"
#include "harness/ptx/reader.h"

static int take_spelling(struct reader *r, struct spelling *s)
{
	int code = 0;

	*s = (struct spelling){.all = r->token.text, .place = r->token.place};
	if (r->token.kind != TOKEN_NAME)
		return reader_expected(r, "an instruction");
	do {
		if (s->count == WORDS_MAX)
			return reader_expected(r, "fewer modifiers");
		s->words[s->count++] = r->token.text;
		s->all.length = (uint32_t)(r->token.text.text +
					   r->token.text.length - s->all.text);
		code = reader_next(r);
	} while (!code && r->token.kind == TOKEN_DOT);
	return code;
}

/* How many words of the spelling `text` is; 0: it begins otherwise. */
static uint32_t matches(const struct spelling *s, const char *text)
{
	uint32_t i, j;

	for (i = 0; i < s->count; i++) {
		const struct ptx_name *w = &s->words[i];

		for (j = 0; j < w->length; j++)
			if (*text++ != w->text[j])
				return 0;
		if (!*text)
			return i + 1;
		if (*text++ != '.')
			return 0;
	}
	return 0;
}

static int find_op(
	struct reader *r, const struct spelling *s, uint8_t *op, uint32_t *used)
{
	const struct ptx_refusal *refusal;
	uint32_t words;
	int i;

	*used = 0;
	for (i = 0; i < PTXO_COUNT; i++) {
		words = matches(s, ptx_ops[i].text);
		if (words > *used) {
			*used = words;
			*op = (uint8_t)i;
		}
	}
	for (refusal = ptx_refusals; refusal->text; refusal++)
		if (matches(s, refusal->text) > *used)
			return reader_unmodelled(r, &s->place, "'%.*s': %s",
				(int)s->all.length, s->all.text,
				refusal->reason);
	if (*used)
		return 0;
	return reader_refuse(r, &s->place,
		"'%.*s' is not an instruction of PTX that is known",
		(int)s->all.length, s->all.text);
}

/* ---- what is spelled by words.def ---- */

static bool take_word(struct ptx_insn *insn, const struct ptx_name *word)
{
	const uint64_t classes = ptx_ops[insn->op].classes;
	int i;

	for (i = 1; i < PTXW_COUNT; i++) {
		const struct ptx_word_info *w = &ptx_words[i];

		if (classes >> w->class & 1 &&
			(!insn->word[w->class] || insn->word[w->class] == i) &&
			ptx_name_is(word, w->text)) {
			insn->word[w->class] = (uint8_t)i;
			return true;
		}
	}
	return false;
}

static int take_words(struct reader *r, struct ptx_insn *insn,
	const struct spelling *s, uint32_t used)
{
	const struct ptx_op_info *info = &ptx_ops[insn->op];
	uint32_t types = 0, i;

	for (i = used; i < s->count; i++) {
		enum ptx_type type = reader_type(&s->words[i]);

		if (!type && (take_word(insn, &s->words[i]) ||
				     reader_shape(insn, &s->words[i])))
			continue;
		if (!type || types == info->types ||
			!ptx_takes_kind(info->kinds, type))
			return reader_unmodelled(r, &s->place,
				"'.%.*s' of '%.*s' is not modelled",
				(int)s->words[i].length, s->words[i].text,
				(int)s->all.length, s->all.text);
		*reader_place_of_type(insn, types++) = (uint8_t)type;
	}
	if (types == info->types || reader_matrix_types(insn, types))
		return 0;
	return reader_refuse(r, &s->place,
		"expected a type at the end of "
		"'%.*s'",
		(int)s->all.length, s->all.text);
}

/* ---- what is spelled by qualifiers.def ---- */

static const struct {
	const char *text;
	enum ptx_space space;
	const char *instead; /* for spelling.h */
} spaces[] = {
	{"const", PTX_CONST, ""},
	{"param", PTX_PARAM, ""},
	{"shared", PTX_SHARED, ".shared"},
	{"shared::cta", PTX_SHARED, ".shared"},
	{"shared::cluster", PTX_SHARED, ".shared"},
	{"global", PTX_GLOBAL, ".global"},
	{"local", PTX_LOCAL, ".local"},
	{"param::entry", PTX_PARAM, NULL},
	{"param::func", PTX_PARAM, NULL},
};

/* The spelling with the spaces that spelling.h knows. */
static void translate(const struct spelling *s, struct ptx_insn *insn,
	char *text, size_t bytes)
{
	size_t length = 0;
	uint32_t i, j;

	for (i = 0; i < s->count; i++) {
		const struct ptx_name *w = &s->words[i];
		const char *instead = NULL;

		/* What is mapped from elsewhere is read as what is here. */
		if (i && (narrow_word(insn, w) || ptx_name_is(w, "mmio")))
			instead = "";
		for (j = 0; j < sizeof(spaces) / sizeof(*spaces); j++)
			if (ptx_name_is(w, spaces[j].text)) {
				insn->space = (uint8_t)spaces[j].space;
				insn->is_cluster =
					ptx_name_is(w, "shared::cluster");
				instead = spaces[j].instead;
			}
		length += (size_t)(instead ? snprintf(text + length,
						     bytes - length, "%s",
						     instead)
					   : snprintf(text + length,
						     bytes - length, "%s%.*s",
						     i ? "." : "",
						     (int)w->length, w->text));
		if (length >= bytes)
			length = bytes - 1;
	}
}

static int take_qualifiers(
	struct reader *r, struct ptx_insn *insn, const struct spelling *s)
{
	struct insn memory;
	char text[256];
	struct ptx_name type;
	int code;

	translate(s, insn, text, sizeof(text));
	code = insn_from_spelling(text, &memory, r->error);
	/* It is a form of PTX. */
	if (code)
		return reader_unmodelled(r, &s->place, "'%.*s' is not modelled",
			(int)s->all.length, s->all.text);
	memcpy(insn->qualifiers, memory.q, sizeof(memory.q));
	insn->access = memory.op;
	insn->vector = memory.q[Q_VEC] == QV_VEC_v2   ? 2
		       : memory.q[Q_VEC] == QV_VEC_v4 ? 4
		       : memory.q[Q_VEC]              ? 8
						      : 1;
	if (!memory.q[Q_TYPE])
		return narrow_check(r, insn, s);
	type.text = qualifiers[memory.q[Q_TYPE]].text;
	type.length = (uint32_t)strlen(type.text);
	insn->type = (uint8_t)reader_type(&type);
	if (insn->type)
		return narrow_check(r, insn, s);
	return reader_unmodelled(r, &s->place,
		"'.%s' of '%.*s' is not modelled", type.text,
		(int)s->all.length, s->all.text);
}

/* ---- operands ---- */

/* The other register of a pair, a|p. */
static int take_second(struct reader *r, struct ptx_insn *insn)
{
	bool pair = false;
	int code = reader_skip_mark(r, '|', &pair);

	if (!code && pair)
		code = reader_operand(r, insn->op, &insn->second);
	return !code && pair && insn->second.kind == PTX_NOTHING &&
			       insn->operands[0].kind == PTX_NOTHING
		       ? reader_expected(r, "a register on one side of '|'")
		       : code;
}

/* name[2] is where memory is accessed, and an address elsewhere. */
static void place_element(struct ptx_insn *insn)
{
	struct ptx_operand *o = &insn->operands[insn->operand_count - 1];

	if (ptx_ops[insn->op].memory && o->kind == PTX_VARIABLE &&
		o->is_element)
		o->kind = PTX_PLACED;
}

/* The vector of [name, {%r1, %r2}], and what ends it. */
static int take_place(struct reader *r, struct ptx_insn *insn)
{
	int code;

	if (!insn->operands[insn->operand_count - 1].has_place)
		return 0;
	if (insn->operand_count == PTX_OPERANDS_MAX || !reader_is_mark(r, '{'))
		return reader_expected(r, "a vector of coordinates, {x, y}");
	code = reader_operand(
		r, insn->op, &insn->operands[insn->operand_count++]);
	return code ? code : reader_take_mark(r, ']');
}

static int take_operands(struct reader *r, struct ptx_insn *insn)
{
	uint32_t use = r->use_count;
	bool more = !reader_is_mark(r, ';');
	int code = 0;

	while (!code && more) {
		if (insn->operand_count == PTX_OPERANDS_MAX)
			return reader_expected(r, "';'");
		code = reader_operand(
			r, insn->op, &insn->operands[insn->operand_count++]);
		if (!code)
			place_element(insn);
		if (!code)
			code = take_place(r, insn);
		if (!code && insn->operand_count == 1)
			code = take_second(r, insn);
		for (; use < r->use_count; use++) {
			r->uses[use].insn = r->function->insn_count;
			r->uses[use].operand = insn->operand_count - 1u;
		}
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	return code;
}

/* `@%p1`, `@!%p1` */
static int take_guard(struct reader *r, struct ptx_insn *insn)
{
	struct ptx_operand guard;
	int code = reader_skip_mark(r, '@', &insn->guarded);

	if (code || !insn->guarded)
		return code;
	code = reader_operand(r, PTXO_COUNT, &guard);
	if (code)
		return code;
	if (guard.kind != PTX_REGISTER ||
		r->function->registers[guard.index].type != PTX_pred)
		return reader_refuse(
			r, &insn->place, "expected a predicate behind '@'");
	insn->guard = guard.index;
	insn->guard_negated = guard.negated;
	return 0;
}

/* What the words say. */
static int take_meaning(struct reader *r, struct ptx_insn *insn,
	const struct spelling *s, uint32_t used)
{
	if (ptx_ops[insn->op].reason)
		return reader_unmodelled(r, &s->place, "'%.*s': %s",
			(int)s->all.length, s->all.text,
			ptx_ops[insn->op].reason);
	return ptx_ops[insn->op].memory ? take_qualifiers(r, insn, s)
					: take_words(r, insn, s, used);
}

/* The types of what is not modelled, for its operands to be checked. */
static void take_types(
	struct ptx_insn *insn, const struct spelling *s, uint32_t used)
{
	uint32_t i;

	insn->type = insn->from = PTX_UNTYPED;
	for (i = used; i < s->count; i++) {
		const enum ptx_type type = reader_type(&s->words[i]);

		if (type && insn->type)
			insn->from = (uint8_t)type;
		else if (type)
			insn->type = (uint8_t)type;
	}
}

/* Up to what ends it; `*unmodelled`: the function has kept why. */
static int take_insn(struct reader *r, struct ptx_insn *insn,
	struct spelling *s, const char **operands, bool *unmodelled)
{
	uint32_t used = 0;
	int code = take_guard(r, insn);

	if (!code)
		code = take_spelling(r, s);
	if (!code)
		reader_respell(s);
	if (!code)
		code = find_op(r, s, &insn->op, &used);
	if (!code)
		code = form_find(r, s, insn->op, used, operands);
	if (code)
		return code;
	code = take_meaning(r, insn, s, used);
	reader_matrix_space(insn);
	*unmodelled = code == ERR_SKIPPED;
	if (*unmodelled) {
		take_types(insn, s, used);
		code = reader_keep_unmodelled(r, r->function);
	}
	return code ? code : take_operands(r, insn);
}

/* The function keeps why it is of no use, and the rest is read all the same. */
static int pass_over(struct reader *r, uint32_t use)
{
	int code = reader_keep_unmodelled(r, r->function);

	r->use_count = use;
	return code ? code : reader_skip_statement(r);
}

int reader_insn(struct reader *r)
{
	const uint32_t use = r->use_count;
	struct ptx_insn insn = {
		.place = r->token.place,
		.source_file = r->source_file,
		.source_line = r->source_line,
		.stays_rolled = r->stays_rolled,
		.vector = 1,
	};
	struct spelling s;
	const char *operands = NULL;
	bool unmodelled = false;
	int code = take_insn(r, &insn, &s, &operands, &unmodelled);

	if (code == ERR_SKIPPED)
		return pass_over(r, use);
	if (!code)
		code = reader_take_mark(r, ';');
	if (!code && unmodelled) {
		r->use_count = use;
		return form_check(r, &insn, &s, operands);
	}
	if (!code)
		code = reader_prepare(r, &insn);
	if (!code)
		code = reader_check(r, &insn, &s.all);
	if (!code)
		code = form_check(r, &insn, &s, operands);
	if (!code)
		code = reader_emit(r, &insn, use);
	r->stays_rolled = false;
	if (code != ERR_SKIPPED)
		return code;
	r->use_count = use;
	return reader_keep_unmodelled(r, r->function);
}
