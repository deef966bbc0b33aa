/* Where lanes part and meet, and the kernel around it. */
#include <string.h>

#include "tests/unit/backend_sim/kernel/drawn_words.h"
#include "tests/unit/backend_sim/kernel/fixture.h"

#define DEPTH_MAX 3
#define LOOPS_MAX 2

/* %r4 to %r11 hold values; %r12 and %r13 count loops, %r14 and %r15 are their
   bounds, %p6 and %p7 their predicates; %r18 names lanes. */
#define COUNTER 12u
#define BOUND   14u
#define NAMED   18u
#define GOES_ON 6u

/* ---- where lanes part ---- */

static void put_some(struct drawn *d, unsigned most);

/* A side of a branch, whose lanes are those where the predicate is `way`. */
static void put_side(
	struct drawn *d, const bool *come, const bool *p, bool way, bool talks)
{
	unsigned l;

	for (l = 0; l < DRAWN_THREADS; l++)
		d->mask[l] = come[l] && p[l] == way;
	put_some(d, 4);
	if (talks)
		drawn_put_brought(d);
}

/* Both sides may say the same to each other. */
static void put_branch(struct drawn *d)
{
	const unsigned label = d->labels++, by = 1 + drawn_number(d, 31);
	const enum talk kind = drawn_kind(d);
	const bool both = drawn_number(d, 2), negated = drawn_number(d, 2);
	const bool together = d->together;
	const bool talks = drawn_number(d, 2) && both && together;
	lane_set come, p;

	drawn_put_comparison(d, 5);
	drawn_put(d, "@%s%%p5 bra A%u;\n", negated ? "!" : "", label);
	memcpy(come, d->mask, sizeof(come));
	memcpy(p, d->p[5], sizeof(p));
	d->together = false;
	put_side(d, come, p, negated, talks);
	if (talks)
		drawn_put_talk(d, kind, by);
	if (both) {
		drawn_put(d, "bra B%u;\nA%u:\n", label, label);
		put_side(d, come, p, !negated, talks);
	}
	if (talks)
		drawn_put_talk(d, kind, by);
	drawn_put(d, "%c%u:\n", both ? 'B' : 'A', label);
	memcpy(d->mask, come, sizeof(come));
	d->together = together;
	if (!talks)
		return;
	drawn_do_talk(d, kind, by);
	drawn_put_taken(d);
}

/* How often: each lane as it likes, or all as often. */
static void put_bound(struct drawn *d, unsigned loop, bool own, uint32_t step)
{
	const unsigned times = 1 + drawn_number(d, 12), bound = BOUND + loop;

	if (own)
		drawn_put(d,
			"and.b32 %%r%u, %%r0, 7;\nadd.u32 %%r%u, %%r%u, 1;\n",
			bound, bound, bound);
	else
		drawn_put(d, "mov.u32 %%r%u, %u;\n", bound, times);
	drawn_put(d, "mul.lo.u32 %%r%u, %%r%u, %u;\nmov.u32 %%r%u, 0;\n", bound,
		bound, step, COUNTER + loop);
	EACH_LANE(l)
	{
		d->r[bound][l] = (own ? (l & 7) + 1 : times) * step;
		d->r[COUNTER + loop][l] = 0;
	}
}

/* Those that go on name each other. */
static void put_names(struct drawn *d, unsigned loop)
{
	lane_set goes_on;

	drawn_put(d,
		"vote.sync.ballot.b32 %%r18, %%p%u, %%r18;\n"
		"add.u32 %%r%u, %%r%u, %%r18;\n",
		GOES_ON + loop, 4 + loop, 4 + loop);
	memcpy(goes_on, d->p[GOES_ON + loop], sizeof(goes_on));
	EACH_LANE(l)
	{
		d->r[NAMED][l] = drawn_ballot(d, goes_on, l);
		d->r[4 + loop][l] += d->r[NAMED][l];
	}
}

struct loop {
	unsigned number, label;
	uint32_t step;
	bool is_less, reads, names;
};

static void put_round(struct drawn *d, const struct loop *loop)
{
	const unsigned p = GOES_ON + loop->number, at = COUNTER + loop->number;
	const unsigned bound = BOUND + loop->number;
	unsigned to, from;

	put_some(d, 4);
	drawn_put(d, "add.u32 %%r%u, %%r%u, %u;\n", at, at, loop->step);
	drawn_put(d, "setp.%s.u32 %%p%u, %%r%u, %%r%u;\n",
		loop->is_less ? "lt" : "ne", p, at, bound);
	EACH_LANE(l)
	{
		d->r[at][l] += loop->step;
		d->p[p][l] = loop->is_less ? d->r[at][l] < d->r[bound][l]
					   : d->r[at][l] != d->r[bound][l];
	}
	to = drawn_register(d);
	from = drawn_register(d);
	if (loop->reads) {
		drawn_put(d, "selp.b32 %%r%u, %%r%u, 7, %%p%u;\n", to, from, p);
		EACH_LANE(l)
		{
			d->r[to][l] = d->p[p][l] ? d->r[from][l] : 7;
		}
	}
	if (loop->names)
		put_names(d, loop->number);
	drawn_put(d, "@%%p%u bra L%u;\n", p, loop->label);
}

/* Who is left for another round. */
static bool is_left(struct drawn *d, const struct loop *loop)
{
	bool left = false;
	unsigned l;

	for (l = 0; l < DRAWN_THREADS; l++) {
		d->mask[l] = d->mask[l] && d->p[GOES_ON + loop->number][l];
		left |= d->mask[l];
	}
	return left;
}

static void put_rounds(struct drawn *d, const struct loop *loop)
{
	const uint64_t state = d->state;
	const unsigned labels = d->labels;
	const bool quiet = d->quiet;

	put_round(d, loop);
	d->quiet = true;
	while (is_left(d, loop)) {
		d->state = state;
		d->labels = labels;
		put_round(d, loop);
	}
	d->quiet = quiet;
}

/* Where no lane comes, the text is drawn all the same. */
static void put_loop(struct drawn *d)
{
	static const uint32_t steps[] = {1, 3, 4, 100, 1 << 20, 0x0a000000};
	const bool own = drawn_number(d, 2), together = d->together;
	const struct loop loop = {
		.number = d->loops++,
		.label = d->labels++,
		.step = steps[drawn_number(d, 6)],
		.is_less = drawn_number(d, 2),
		.reads = drawn_number(d, 3) == 0,
		.names = drawn_number(d, 2) && own && together && d->loops == 1,
	};
	lane_set come;

	put_bound(d, loop.number, own, loop.step);
	if (loop.names)
		drawn_put(d, "mov.u32 %%r18, -1;\n");
	drawn_put(d, "L%u:\n", loop.label);
	memcpy(come, d->mask, sizeof(come));
	d->together = together && !own;
	put_rounds(d, &loop);
	memcpy(d->mask, come, sizeof(come));
	d->together = together;
	d->loops--;
}

static void put_one(struct drawn *d)
{
	const unsigned what = drawn_number(d, 10);

	if (what == 0 && d->loops < LOOPS_MAX && d->depth < DEPTH_MAX) {
		put_loop(d);
	} else if (what <= 2 && d->depth < DEPTH_MAX) {
		put_branch(d);
	} else if (what == 3 && d->together) {
		const enum talk kind = drawn_kind(d);
		const unsigned by = 1 + drawn_number(d, 31);

		drawn_put_brought(d);
		drawn_put_talk(d, kind, by);
		drawn_do_talk(d, kind, by);
		drawn_put_taken(d);
	} else if (what <= 5) {
		drawn_put_choice(d);
	} else if (what == 6) {
		drawn_put_memory(d);
	} else {
		drawn_put_operation(d);
	}
}

static void put_some(struct drawn *d, unsigned most)
{
	unsigned count = 1 + drawn_number(d, most);

	d->depth++;
	while (count--)
		put_one(d);
	d->depth--;
}

/* ---- a kernel ---- */

static void put_begin(struct drawn *d)
{
	unsigned i;

	drawn_put(d, "%s", HEAD);
	for (i = 4; i < 12; i++) {
		const unsigned by = drawn_number(d, 50),
			       first = drawn_number(d, 1000);

		drawn_put(d, "mad.lo.u32 %%r%u, %%r0, %u, %u;\n", i, by, first);
		EACH_LANE(l)
		{
			d->r[i][l] = l % DRAWN_BLOCK * by + first;
		}
	}
}

/* Some end. */
static void put_exit(struct drawn *d)
{
	const unsigned from = drawn_number(d, DRAWN_BLOCK);

	drawn_put(d,
		"setp.gt.u32 %%p4, %%r0, %u;\nst.global.u32 [%%d4+1024], "
		"%%r4;\n@%%p4 ret;\n",
		from);
	EACH_LANE(l)
	{
		d->b[l + 256] = d->r[4][l];
		d->mask[l] = l % DRAWN_BLOCK <= from;
	}
	d->ended = true;
}

void drawn_kernel(struct drawn *d, unsigned seed)
{
	unsigned i;

	memset(d, 0, sizeof(*d));
	d->state = seed * UINT64_C(0x9e3779b97f4a7c15);
	d->together = true;
	for (i = 0; i < DRAWN_THREADS; i++)
		d->mask[i] = true;
	put_begin(d);
	for (i = 0; i < 4; i++) {
		d->depth = 0;
		put_some(d, 4);
		if (drawn_number(d, 8) == 0)
			put_exit(d);
	}
	for (i = 5; i < 12; i++) {
		drawn_put(d, "mad.lo.u32 %%r4, %%r4, 31, %%r%u;\n", i);
		EACH_LANE(l)
		{
			d->r[4][l] = d->r[4][l] * 31 + d->r[i][l];
		}
	}
	drawn_put(d, "st.global.u32 [%%d4], %%r4;\n%s", TAIL);
	EACH_LANE(l)
	{
		d->b[l] = d->r[4][l];
	}
}
