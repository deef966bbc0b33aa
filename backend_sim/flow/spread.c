/* A queue of instructions, and who reads a register. */
#include <stdlib.h>

#include "backend_sim/flow/spread.h"
#include "backend_sim/flow/uses.h"

static uint32_t count_readers(const struct flat *f, uint32_t *first)
{
	uint32_t i, k, count = 0;
	struct uses u;

	for (i = 0; i < f->count; i++) {
		uses_of(f, i, &u);
		for (k = 0; k < u.read_count; k++)
			first[u.reads[k] + 2]++;
		count += u.read_count;
	}
	for (i = 2; i < f->register_count + 2; i++)
		first[i] += first[i - 1];
	return count;
}

static void list_readers(const struct flat *f, struct spread *s)
{
	struct uses u;
	uint32_t i, k;

	for (i = 0; i < f->count; i++) {
		uses_of(f, i, &u);
		for (k = 0; k < u.read_count; k++)
			s->readers[s->first[u.reads[k] + 1]++] = i;
	}
}

int spread_make(struct spread *s, const struct flat *f, struct error *error)
{
	uint32_t i;

	*s = (struct spread){.count = f->count,
		.first = calloc(
			(size_t)f->register_count + 3, sizeof(*s->first)),
		.queue = calloc((size_t)f->count + 1, sizeof(*s->queue)),
		.is_queued =
			calloc((size_t)f->count + 1, sizeof(*s->is_queued))};
	if (s->first)
		s->readers = calloc((size_t)count_readers(f, s->first) + 1,
			sizeof(*s->readers));
	if (!s->first || !s->readers || !s->queue || !s->is_queued)
		return error_set(error, ERR_FAILED, "out of memory");
	list_readers(f, s);
	for (i = 0; i < s->count; i++)
		spread_insn(s, i);
	return 0;
}

void spread_free(struct spread *s)
{
	free(s->first);
	free(s->readers);
	free(s->queue);
	free(s->is_queued);
}

bool spread_next(struct spread *s, uint32_t *insn)
{
	if (!s->queued)
		return false;
	*insn = s->queue[s->head];
	s->head = s->head + 1 == s->count ? 0 : s->head + 1;
	s->queued--;
	s->is_queued[*insn] = false;
	return true;
}

void spread_insn(struct spread *s, uint32_t insn)
{
	const uint64_t at = (uint64_t)s->head + s->queued;

	if (s->is_queued[insn])
		return;
	s->is_queued[insn] = true;
	s->queue[at < s->count ? at : at - s->count] = insn;
	s->queued++;
}

void spread_register(struct spread *s, uint32_t reg)
{
	uint32_t i;

	for (i = s->first[reg]; i < s->first[reg + 1]; i++)
		spread_insn(s, s->readers[i]);
}
