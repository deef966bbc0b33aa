/* Whether an instruction is written in one of the forms of forms.def. */
#include <string.h>

#include "harness/ptx/reader.h"

struct form {
	uint8_t op, ptx, sm;
	const char *types, *need, *may, *operands;
};

static const struct form forms[] = {
#define PTX_FORM(op, ptx, sm, types, need, may, operands)                      \
	{PTXO_##op, ptx, sm, types, need, may, operands},
#include "harness/ptx/forms/forms.def"
#include "harness/ptx/forms/accesses.def"
#include "harness/ptx/forms/others.def"
#include "harness/ptx/forms/matrix.def"
#include "harness/ptx/forms/cluster.def"
#include "harness/ptx/forms/async.def"
#undef PTX_FORM
};

#define FORMS (sizeof(forms) / sizeof(*forms))

/* ---- words and choices ---- */

/* A choice "rn|rz|rm" of a list "rn|rz|rm ftz". */
struct choice {
	const char *text;
	size_t length;
};

/* The next choice of the list, from `*at` on. */
static bool next_choice(const char **at, struct choice *c)
{
	*at += strspn(*at, " ");
	c->text = *at;
	c->length = strcspn(*at, " ");
	*at += c->length;
	return c->length > 0;
}

static bool choice_has(const struct choice *c, const struct ptx_name *word)
{
	const char *at = c->text, *end = c->text + c->length;

	while (at < end) {
		const char *bar = memchr(at, '|', (size_t)(end - at));
		size_t length = (size_t)((bar ? bar : end) - at);

		if (length == word->length && !memcmp(at, word->text, length))
			return true;
		at += length + 1;
	}
	return false;
}

/* Those that the reader knows, and others that PTX has. */
static bool is_type(const struct ptx_name *word)
{
	static const char names[] = "b128|u16x2|s16x2|tf32|e4m3x2|e5m2x2|e4m3|"
				    "e5m2|u8x4|s8x4|e2m1x2|e2m3x2|e3m2x2|"
				    "ue8m0x2|f32x2|u2|s2|u4|s4|b1";
	static const struct choice others = {names, sizeof(names) - 1};

	return reader_type(word) || choice_has(&others, word);
}

/* The words behind an operation's, and which of them are types. */
struct words {
	const struct ptx_name *at;
	uint32_t count, types;
};

static struct words words_of(const struct spelling *s, uint32_t used)
{
	struct words w = {s->words + used, s->count - used, 0};
	uint32_t i;

	for (i = 0; i < w.count; i++)
		w.types |= (uint32_t)is_type(&w.at[i]) << i;
	return w;
}

/* ---- one form ---- */

enum fit {
	FIT_NOTHING, /* another type */
	FIT_TYPES,   /* but a word that it does not take */
	FIT_WORDS,   /* but a word that it needs is not there */
	FIT_ALL,
};

static bool types_fit(const struct form *f, const struct words *w)
{
	const char *at = f->types;
	struct choice c;
	uint32_t i;

	for (i = 0; i < w->count; i++)
		if (w->types >> i & 1 &&
			(!next_choice(&at, &c) || !choice_has(&c, &w->at[i])))
			return false;
	return !next_choice(&at, &c);
}

/* The place of the first choice of the list, not `taken` yet, that has the
   word; -1: none. */
static int place_in(
	const char *list, const struct ptx_name *word, uint32_t taken)
{
	struct choice c;
	int i;

	for (i = 0; next_choice(&list, &c); i++)
		if (!(taken >> i & 1) && choice_has(&c, word))
			return i;
	return -1;
}

static bool is_same(const struct ptx_name *a, const struct ptx_name *b)
{
	return a->length == b->length && !memcmp(a->text, b->text, a->length);
}

/* Word `i` stands there once more, as ptxas takes it. */
static bool is_repeated(const struct form *f, const struct words *w, uint32_t i)
{
	static const char names[] = "sat|sync|approx|relu|shiftamt|cc|uni|NaN";
	static const struct choice often = {names, sizeof(names) - 1};
	uint32_t k;

	if (!choice_has(&often, &w->at[i]) ||
		(place_in(f->need, &w->at[i], 0) < 0 &&
			place_in(f->may, &w->at[i], 0) < 0))
		return false;
	for (k = 0; k < i; k++)
		if (is_same(&w->at[k], &w->at[i]))
			return true;
	return false;
}

/* Words that ptxas reads with the operation's name: they stand behind it. */
static bool is_in_place(uint8_t op, const struct words *w)
{
	static const struct choice modes = {"lo|hi|wide", 10};
	static const struct choice shifts = {"l|r", 3};
	const bool multiplies = op == PTXO_MUL || op == PTXO_MAD ||
				op == PTXO_MADC || op == PTXO_MUL24 ||
				op == PTXO_MAD24 || op == PTXO_DP2A;
	uint32_t i;

	for (i = 1; i < w->count; i++)
		if ((multiplies && choice_has(&modes, &w->at[i])) ||
			(op == PTXO_SHF && choice_has(&shifts, &w->at[i])))
			return false;
	return true;
}

/* `*missing`: the first choice that is needed and not there. */
static enum fit fit_of(
	const struct form *f, const struct words *w, struct choice *missing)
{
	uint32_t needed = 0, taken = 0, i;
	const char *at = f->need;
	int place;

	if (!types_fit(f, w) || !is_in_place(f->op, w))
		return FIT_NOTHING;
	for (i = 0; i < w->count; i++) {
		if (w->types >> i & 1)
			continue;
		place = place_in(f->need, &w->at[i], needed);
		if (place >= 0) {
			needed |= 1u << place;
			continue;
		}
		place = place_in(f->may, &w->at[i], taken);
		if (place < 0 && !is_repeated(f, w, i))
			return FIT_TYPES;
		if (place >= 0)
			taken |= 1u << place;
	}
	for (i = 0; next_choice(&at, missing); i++)
		if (!(needed >> i & 1))
			return FIT_WORDS;
	return FIT_ALL;
}

/* ---- all forms of an operation ---- */

static bool is_known(uint8_t op, const struct ptx_name *word)
{
	size_t i;

	for (i = 0; i < FORMS; i++)
		if (forms[i].op == op &&
			(place_in(forms[i].need, word, 0) >= 0 ||
				place_in(forms[i].may, word, 0) >= 0))
			return true;
	return false;
}

static int refuse_words(
	struct reader *r, const struct spelling *s, uint8_t op, uint32_t used)
{
	uint32_t i;

	for (i = used; i < s->count; i++)
		if (!is_type(&s->words[i]) && !is_known(op, &s->words[i]))
			return reader_refuse(r, &s->place,
				"'.%.*s' is not a modifier of '%s'",
				(int)s->words[i].length, s->words[i].text,
				ptx_ops[op].text);
	return reader_refuse(r, &s->place,
		"'%.*s' is not a form of '%s' that PTX has", (int)s->all.length,
		s->all.text, ptx_ops[op].text);
}

static int refuse_form(struct reader *r, const struct spelling *s, uint8_t op,
	uint32_t used, enum fit best, const struct choice *missing)
{
	if (best == FIT_WORDS)
		return reader_refuse(r, &s->place, "expected %s.%.*s in '%.*s'",
			memchr(missing->text, '|', missing->length) ? "one of "
								    : "",
			(int)missing->length, missing->text, (int)s->all.length,
			s->all.text);
	return refuse_words(r, s, op, used);
}

/* A form that fits, but for what the module says of itself. */
static int refuse_module(
	struct reader *r, const struct spelling *s, const struct form *f)
{
	const struct ptx_module *m = r->module;

	if (f->ptx > m->version)
		return reader_refuse(r, &s->place,
			"'%.*s' needs .version %u.%u, the module has %u.%u",
			(int)s->all.length, s->all.text, f->ptx / 10u,
			f->ptx % 10u, m->version / 10, m->version % 10);
	return reader_refuse(r, &s->place,
		"'%.*s' needs .target sm_%u, the module has sm_%u",
		(int)s->all.length, s->all.text, f->sm, m->target);
}

static int find(struct reader *r, const struct spelling *s, uint8_t op,
	uint32_t used, const char **operands)
{
	const struct words w = words_of(s, used);
	const struct form *other = NULL;
	struct choice missing = {NULL, 0}, lacks;
	enum fit best = FIT_NOTHING, fit;
	bool any = false;
	size_t i;

	for (i = 0; i < FORMS; i++) {
		const struct form *f = &forms[i];

		if (f->op != op)
			continue;
		any = true;
		fit = fit_of(f, &w, &lacks);
		if (fit == FIT_WORDS && best < FIT_WORDS)
			missing = lacks;
		best = fit > best ? fit : best;
		if (fit != FIT_ALL)
			continue;
		if (f->ptx <= r->module->version &&
			f->sm <= r->module->target) {
			*operands = f->operands;
			return 0;
		}
		other = f;
	}
	if (other)
		return refuse_module(r, s, other);
	return any ? refuse_form(r, s, op, used, best, &missing) : 0;
}

/* A module has few spellings, each of them often. */
int form_find(struct reader *r, const struct spelling *s, uint8_t op,
	uint32_t used, const char **operands)
{
	struct form_seen *seen = &r->forms[ptx_hash(&s->all) % READER_FORMS];
	int code;

	*operands = NULL;
	if (seen->spelling.text && is_same(&seen->spelling, &s->all)) {
		*operands = seen->operands;
		return 0;
	}
	code = find(r, s, op, used, operands);
	if (!code)
		*seen = (struct form_seen){s->all, *operands};
	return code;
}
