/* Statements of one lane, and of lanes that talk to each other. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>

#include "tests/unit/backend_sim/kernel/drawn_words.h"

uint32_t drawn_number(struct drawn *d, uint32_t below)
{
	d->state =
		d->state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(d->state >> 33) % below;
}

void drawn_put(struct drawn *d, const char *format, ...)
{
	va_list arguments;

	if (d->quiet)
		return;
	va_start(arguments, format);
	d->used += (size_t)vsnprintf(d->text + d->used,
		sizeof(d->text) - d->used, format, arguments);
	va_end(arguments);
	cr_assert_lt(d->used, sizeof(d->text));
}

unsigned drawn_register(struct drawn *d)
{
	return 4 + drawn_number(d, 8);
}

/* ---- what a lane does by itself ---- */

static uint32_t result(unsigned op, uint32_t a, uint32_t b)
{
	switch (op) {
	case 0:
		return a + b;
	case 1:
		return a - b;
	case 2:
		return a * b;
	case 3:
		return a ^ b;
	case 4:
		return a & b;
	case 5:
		return a | b;
	case 6:
		return a < b ? a : b;
	default:
		return (int32_t)a > (int32_t)b ? a : b;
	}
}

void drawn_put_operation(struct drawn *d)
{
	static const char *const ops[] = {"add.u32", "sub.u32", "mul.lo.u32",
		"xor.b32", "and.b32", "or.b32", "min.u32", "max.s32"};
	const unsigned op = drawn_number(d, 8), to = drawn_register(d),
		       a = drawn_register(d);
	const unsigned b = drawn_register(d), number = drawn_number(d, 100000);
	const bool by_register = drawn_number(d, 2);

	drawn_put(d, "%s %%r%u, %%r%u, ", ops[op], to, a);
	drawn_put(d, by_register ? "%%r%u;\n" : "%u;\n",
		by_register ? b : number);
	EACH_LANE(l)
	{
		d->r[to][l] = result(
			op, d->r[a][l], by_register ? d->r[b][l] : number);
	}
}

/* Into the predicate. */
void drawn_put_comparison(struct drawn *d, unsigned p)
{
	static const char *const ways[] = {"lt", "ge", "ne", "gt"};
	const unsigned way = drawn_number(d, 4), a = drawn_register(d),
		       b = drawn_register(d);

	drawn_put(d, "setp.%s.u32 %%p%u, %%r%u, %%r%u;\n", ways[way], p, a, b);
	EACH_LANE(l)
	{
		const uint32_t x = d->r[a][l], y = d->r[b][l];

		d->p[p][l] = way == 0   ? x < y
			     : way == 1 ? x >= y
			     : way == 2 ? x != y
					: x > y;
	}
}

void drawn_put_choice(struct drawn *d)
{
	const unsigned p = drawn_number(d, 4), to = drawn_register(d),
		       a = drawn_register(d);
	const unsigned b = drawn_register(d), number = drawn_number(d, 999);
	const bool selects = drawn_number(d, 2), negated = drawn_number(d, 2);

	drawn_put_comparison(d, p);
	if (selects)
		drawn_put(d, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", to, a, b,
			p);
	else
		drawn_put(d, "@%s%%p%u add.u32 %%r%u, %%r%u, %u;\n",
			negated ? "!" : "", p, to, a, number);
	EACH_LANE(l)
	{
		if (selects)
			d->r[to][l] = d->p[p][l] ? d->r[a][l] : d->r[b][l];
		else if (d->p[p][l] != negated)
			d->r[to][l] = d->r[a][l] + number;
	}
}

/* Element i of a is i. */
void drawn_put_memory(struct drawn *d)
{
	const unsigned what = drawn_number(d, 4), reg = drawn_register(d);

	drawn_put(d,
		what == 0   ? "ld.global.u32 %%r%u, [%%d3];\n"
		: what == 1 ? "ld.global.u32 %%r%u, [%%d3+512];\n"
		: what == 2 ? "st.global.u32 [%%d4], %%r%u;\n"
			    : "ld.global.u32 %%r%u, [%%d4];\n",
		reg);
	EACH_LANE(l)
	{
		if (what == 2)
			d->b[l] = d->r[reg][l];
		else
			d->r[reg][l] = what == 0   ? l
				       : what == 1 ? l + 128
						   : d->b[l];
	}
}

/* ---- what lanes say to each other ---- */

/* Of the lane's warp: those that take part and for which it is so. */
uint32_t drawn_ballot(const struct drawn *d, const bool *is_so, unsigned lane)
{
	uint32_t bits = 0, i;

	for (i = lane & ~31u; i <= (lane | 31u); i++)
		bits |= (uint32_t)(d->mask[i] && is_so[i]) << (i & 31);
	return bits;
}

static uint32_t sum(const struct drawn *d, const uint32_t *of, unsigned lane)
{
	uint32_t all = 0, i;

	for (i = lane & ~31u; i <= (lane | 31u); i++)
		all += d->mask[i] ? of[i] : 0;
	return all;
}

static uint32_t same(const struct drawn *d, const uint32_t *of, unsigned lane)
{
	uint32_t bits = 0, i;

	for (i = lane & ~31u; i <= (lane | 31u); i++)
		bits |= (uint32_t)(d->mask[i] && of[i] == of[lane]) << (i & 31);
	return bits;
}

/* What a lane brings is in %r16, or in %p4; what it gets is there, too. */
void drawn_put_talk(struct drawn *d, enum talk kind, unsigned by)
{
	static const char *const words[TALKS_COUNT] = {
		"vote.sync.ballot.b32 %r16, %p4, -1;\n", "",
		"redux.sync.add.u32 %r16, %r16, -1;\n",
		"match.any.sync.b32 %r16, %r16, -1;\n", "barrier.sync 0;\n"};

	if (kind == SHUFFLE)
		drawn_put(d, "shfl.sync.bfly.b32 %%r16, %%r16, %u, 31, -1;\n",
			by);
	else
		drawn_put(d, "%s", words[kind]);
}

void drawn_do_talk(struct drawn *d, enum talk kind, unsigned by)
{
	uint32_t got[DRAWN_THREADS];

	EACH_LANE(l)
	{
		got[l] = kind == VOTE      ? drawn_ballot(d, d->p[4], l)
			 : kind == SHUFFLE ? d->r[16][l ^ by]
			 : kind == SUM     ? sum(d, d->r[16], l)
			 : kind == MATCH   ? same(d, d->r[16], l)
					   : d->r[16][l];
	}

	EACH_LANE(l)
	{
		d->r[16][l] = got[l];
	}
}

/* What a lane that has ended would bring is not known. */
enum talk drawn_kind(struct drawn *d)
{
	const enum talk kind = drawn_number(d, TALKS_COUNT);

	return kind == SHUFFLE && d->ended ? SUM : kind;
}

void drawn_put_brought(struct drawn *d)
{
	const unsigned from = drawn_register(d);

	drawn_put(d, "mov.b32 %%r16, %%r%u;\n", from);
	EACH_LANE(l)
	{
		d->r[16][l] = d->r[from][l];
	}

	drawn_put_comparison(d, 4);
}

void drawn_put_taken(struct drawn *d)
{
	const unsigned to = drawn_register(d);

	drawn_put(d, "xor.b32 %%r%u, %%r%u, %%r16;\n", to, to);
	EACH_LANE(l)
	{
		d->r[to][l] ^= d->r[16][l];
	}
}
