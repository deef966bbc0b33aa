/* How full the SMs are: warps by time, and when SMs begin and end. */
#include <stdlib.h>

#include "backend_sim/lives/residents.h"

#define FIRST_SPAN_CYCLES 64u

/* Of an SM. */
struct resident_sm {
	uint64_t first, last; /* cycles; last 0: it had nothing */
	uint64_t worked;      /* a bit for each span */
};

_Static_assert(JOB_SPANS == 64, "a bit for each span");

struct residents {
	uint64_t begin;          /* the first span's */
	uint64_t span_cycles;    /* doubles as the launch goes on */
	double warps[JOB_SPANS]; /* warp-cycles */
	uint32_t sm_count;
	struct resident_sm sms[];
};

struct residents *residents_make(const struct core *core)
{
	const uint32_t count = core->cost.sm_count;
	struct residents *r = calloc(1, sizeof(*r) + count * sizeof(*r->sms));

	if (!r)
		return NULL;
	r->begin = core_now(core);
	r->span_cycles = FIRST_SPAN_CYCLES;
	r->sm_count = count;
	return r;
}

void residents_free(struct residents *r)
{
	free(r);
}

/* Neighbours become one. */
static uint64_t fold_bits(uint64_t bits)
{
	uint64_t folded = 0;
	unsigned i;

	for (i = 0; i < JOB_SPANS / 2; i++)
		folded |= (uint64_t)((bits >> 2 * i & 3) != 0) << i;
	return folded;
}

static void fold(struct residents *r)
{
	uint32_t i;

	for (i = 0; i < JOB_SPANS / 2; i++)
		r->warps[i] = r->warps[2 * i] + r->warps[2 * i + 1];
	for (; i < JOB_SPANS; i++)
		r->warps[i] = 0;
	for (i = 0; i < r->sm_count; i++)
		r->sms[i].worked = fold_bits(r->sms[i].worked);
	r->span_cycles *= 2;
}

void residents_warp(
	struct residents *r, uint32_t sm, uint64_t since, uint64_t now)
{
	struct resident_sm *s = &r->sms[sm];
	uint64_t at, next;

	since = since > r->begin ? since : r->begin;
	if (now <= since)
		return;
	s->first = !s->last || since < s->first ? since : s->first;
	s->last = now > s->last ? now : s->last;
	while (now - r->begin > r->span_cycles * JOB_SPANS)
		fold(r);
	for (at = since; at < now; at = next) {
		const uint64_t span = (at - r->begin) / r->span_cycles;

		next = r->begin + (span + 1) * r->span_cycles;
		next = next < now ? next : now;
		r->warps[span] += (double)(next - at);
		s->worked |= UINT64_C(1) << span;
	}
}

/* ---- what comes of it ---- */

/* The first begin, the first SM's and the last SM's end; false: there was no
   warp. */
static bool find_ends(const struct residents *r, uint64_t *begin,
	uint64_t *first, uint64_t *last)
{
	uint32_t i;

	*begin = *first = UINT64_MAX;
	*last = 0;
	for (i = 0; i < r->sm_count; i++) {
		const struct resident_sm *s = &r->sms[i];

		if (!s->last)
			continue;
		*begin = s->first < *begin ? s->first : *begin;
		*first = s->last < *first ? s->last : *first;
		*last = s->last > *last ? s->last : *last;
	}
	return *last;
}

static void add_spans(
	const struct residents *r, uint64_t last, struct job_occupancy *o)
{
	uint32_t i, k;

	o->span_cycles = (double)r->span_cycles;
	o->span_count = (uint32_t)((last - r->begin + r->span_cycles - 1) /
				   r->span_cycles);
	for (i = 0; i < o->span_count; i++) {
		o->spans[i].warps = r->warps[i] / o->span_cycles;
		for (k = 0; k < r->sm_count; k++)
			o->spans[i].sms += r->sms[k].worked >> i & 1;
	}
}

static void add_sms(
	const struct residents *r, uint64_t answered, struct job_occupancy *o)
{
	uint64_t begin, first, last;
	uint32_t i;

	if (!find_ends(r, &begin, &first, &last))
		return;
	o->cycles = (double)(last - begin);
	o->tail_cycles = (double)(last - first);
	o->drain_cycles = answered > last ? (double)(answered - last) : 0;
	for (i = 0; i < r->sm_count; i++) {
		const struct resident_sm *s = &r->sms[i];

		o->sms_used += s->last > 0;
		o->idle_cycles += s->last ? (double)(s->first - begin) +
						    (double)(last - s->last)
					  : o->cycles;
		o->start_cycles += s->last ? (double)(s->first - begin) : 0;
	}
	add_spans(r, last, o);
}

void residents_collect(
	const struct residents *r, uint64_t answered, struct job_occupancy *o)
{
	uint32_t i;

	add_sms(r, answered, o);
	for (i = 0; i < o->span_count; i++)
		o->warp_cycles += r->warps[i];
}
