/* Spellings of atomics of narrow reals and of vectors, of barriers and fences.
 */
#include <string.h>

#include "harness/program/qualifiers.h"
#include "harness/ptx/reader.h"

/* What atomics of narrow reals have, which access programs don't. */
bool narrow_word(struct ptx_insn *insn, const struct ptx_name *word)
{
	const uint8_t type = (uint8_t)reader_type(word);

	if (insn->op != PTXO_ATOM && insn->op != PTXO_RED)
		return false;
	if (ptx_is_real(type) && ptx_types[type].kind != 'f')
		insn->type = type;
	return type ? insn->type == type : ptx_name_is(word, "noftz");
}

/* As in the assembler: narrow reals alone are not flushed, and have minima and
   maxima as vectors alone; of other types vectors of f32 are added. */
int narrow_check(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const bool narrow =
		ptx_is_real(insn->type) && ptx_types[insn->type].kind != 'f';
	const uint8_t op = insn->qualifiers[Q_ATOMIC];
	const bool bounds = op == QV_ATOMIC_min || op == QV_ATOMIC_max;
	bool said = false;
	uint32_t i;

	if (insn->op != PTXO_ATOM && insn->op != PTXO_RED)
		return 0;
	for (i = 0; i < s->count; i++)
		said |= ptx_name_is(&s->words[i], "noftz");
	if (narrow != said)
		return reader_refuse(r, &s->place,
			"'%.*s': expected .noftz with .f16, .bf16 and two of "
			"them, and nowhere else",
			(int)s->all.length, s->all.text);
	if (insn->vector > 1 &&
		(insn->space == PTX_SHARED ||
			(narrow ? ptx_types[insn->type].bytes * insn->vector >
						16
				: insn->type != PTX_f32 || insn->vector > 4)))
		return reader_refuse(r, &s->place,
			"'%.*s': expected a vector of f32 or of narrow reals, "
			"of 16 bytes at most, in global memory",
			(int)s->all.length, s->all.text);
	if ((narrow || insn->vector > 1) && op != QV_ATOMIC_add &&
		!(narrow && bounds && insn->vector > 1))
		return reader_refuse(r, &s->place,
			"'%.*s' is not an operation of this type",
			(int)s->all.length, s->all.text);
	return 0;
}

static void exchange(struct spelling *s, uint32_t i, uint32_t k)
{
	const struct ptx_name word = s->words[i];

	s->words[i] = s->words[k];
	s->words[k] = word;
}

/* `.sat` of cvt.pack stands at any place behind it, and more than once. */
static void respell_packed(struct spelling *s)
{
	uint32_t i, k = 3, sat = 0;

	if (!ptx_name_is(&s->words[0], "cvt") || s->count < 3 ||
		!ptx_name_is(&s->words[1], "pack"))
		return;
	for (i = s->count; --i > 1;)
		if (ptx_name_is(&s->words[i], "sat"))
			sat = i;
	if (!sat)
		return;
	for (; sat > 2; sat--)
		exchange(s, sat, sat - 1);
	for (i = 3; i < s->count; i++)
		if (!ptx_name_is(&s->words[i], "sat"))
			s->words[k++] = s->words[i];
	s->count = k;
}

/* The word, if it is there, at place `k`, and the others in their order. */
static void bring(struct spelling *s, const char *word, uint32_t k)
{
	uint32_t i = k;

	while (i < s->count && !ptx_name_is(&s->words[i], word))
		i++;
	for (; i < s->count && i > k; i--)
		exchange(s, i, i - 1);
}

/* Words of a fence stand in any order, but for .proxy, which is the first. */
static void respell_fence(struct spelling *s)
{
	if (!ptx_name_is(&s->words[0], "fence") || s->count < 2 ||
		ptx_name_is(&s->words[1], "proxy"))
		return;
	bring(s, "mbarrier_init", 1);
	bring(s, "sync_restrict::shared::cta", 1);
	bring(s, "sync_restrict::shared::cluster", 1);
	if (strncmp(s->words[1].text, "sync_restrict::", 15) != 0)
		return;
	bring(s, "acquire", 1);
	bring(s, "release", 1);
}

/* The barriers of a block are those of `.cta`, said or not. */
void reader_respell(struct spelling *s)
{
	uint32_t i;

	/* Words that ops.def has elsewhere. */
	if (ptx_name_is(&s->words[0], "testp") && s->count > 2 &&
		reader_type(&s->words[1]))
		exchange(s, 1, 2);
	if ((ptx_name_is(&s->words[0], "min") ||
		    ptx_name_is(&s->words[0], "max")) &&
		s->count == 3 && ptx_name_is(&s->words[1], "s16x2"))
		exchange(s, 1, 2);
	respell_packed(s);
	respell_fence(s);
	/* What all threads load alike is a load. */
	if (ptx_name_is(&s->words[0], "ldu"))
		s->words[0].length = 2;
	if (s->count < 2 || !ptx_name_is(&s->words[1], "cta") ||
		(!ptx_name_is(&s->words[0], "bar") &&
			!ptx_name_is(&s->words[0], "barrier")))
		return;
	s->count--;
	for (i = 1; i < s->count; i++)
		s->words[i] = s->words[i + 1];
}
