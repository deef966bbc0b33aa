/* Requests of the copy engine. */
#include "backend_sim/rules/rules.h"
#include "backend_sim/sm/bulk.h"
#include "backend_sim/sm/qualifiers.h"

static unsigned sectors_of(const struct bulk_line *b)
{
	unsigned sectors = 0, i;

	for (i = 0; i < 4; i++)
		sectors |= (unsigned)(b->bytes[i] != 0) << i;
	return sectors;
}

/* Words of 4 bytes of which a sector has some, as a set of eight: a bit for
   each four bits, brought together. */
static uint32_t words_in(uint32_t bytes)
{
	uint32_t words = bytes | bytes >> 1;

	words = (words | words >> 2) & 0x11111111;
	words = (words | words >> 3) & 0x03030303;
	words = (words | words >> 6) & 0x000f000f;
	return (words | words >> 12) & 0xff;
}

static uint32_t words_of(const struct bulk_line *b)
{
	return words_in(b->bytes[0]) | words_in(b->bytes[1]) << 8 |
	       words_in(b->bytes[2]) << 16 | words_in(b->bytes[3]) << 24;
}

void bulk_send(struct execution *x, const struct bulk_line *b)
{
	struct core *core = x->core;
	const uint32_t page = translation_page(
		x->translation, b->insn->address.buffer, b->offset);
	const uint32_t index = request_take(core), words = words_of(b);
	struct request *r = &core->requests[index];

	*r = b->asks->form;
	r->warp = BULK_OWNER | b->copy;
	r->sm = b->sm & 2047;
	r->waits = WAITS_OTHER_STORE;
	r->l1_allocate = 0;
	if (!b->asks->l2_fixed)
		r->l2_class = qualifiers_bulk_class(
				      x, b->insn, b->policy, b->offset) &
			      3;
	translation_lead(x->translation, r, page, b->offset);
	r->demand = sectors_of(b) & SECTORS_ALL;
	r->passes = 1;
	if (r->kind == REQUEST_LOAD) {
		r->operands = FOUND_L1;
	} else {
		r->operands = (unsigned)__builtin_popcount(words) & 63;
		r->whole = stores_whole(b->bytes) & SECTORS_ALL;
	}
	if (b->asks->atomic)
		r->headed = RULE(ATOMIC_HEADS) && (words & (words - 1));
	core_sent(core, index, b->asks->sender);
	x->sms[b->sm].held++;
	l1_pass(x->l1, index, words);
}
