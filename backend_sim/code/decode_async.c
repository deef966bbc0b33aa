/* Asynchronous barriers, bulk copies and their groups, proxies' fences. */
#include "backend_sim/code/decode.h"

static bool is_address(const struct ptx_operand *o)
{
	return o->kind == PTX_ADDRESS || o->kind == PTX_PLACED;
}

int bind_place(struct decoder *d, const struct flat_insn *flat,
	struct code_insn *c, const struct ptx_operand *o, unsigned i,
	struct row *row, uint64_t *offset)
{
	bool has_base, is_launch;
	int code =
		decode_address(d, flat, o, row, &has_base, offset, &is_launch);

	if (!decode_is_narrow(d, flat, o))
		c->count |= (uint8_t)(1u << i);
	bind_wait(c, row);
	return code;
}

int bind_value(struct decoder *d, const struct flat_insn *flat,
	struct code_insn *c, const struct ptx_operand *o, uint8_t type,
	struct row *row)
{
	int code = bind_operand(d, flat, o, type, row);

	bind_wait(c, row);
	c->sources++;
	return code;
}

/* ---- barriers ---- */

static bool waits_for_state(const struct ptx_insn *insn)
{
	return insn->op == PTXO_MBARRIER_TEST || insn->op == PTXO_MBARRIER_TRY;
}

static int bind_result(struct decoder *d, const struct flat_insn *flat,
	struct code_insn *c, const struct ptx_operand *o)
{
	const uint8_t op = flat->insn->op;
	const uint8_t type =
		op == PTXO_MBARRIER_ARRIVE || op == PTXO_MBARRIER_DROP ? PTX_b64
		: op == PTXO_MBARRIER_PENDING                          ? PTX_b32
					      : PTX_pred;
	int code;

	if (o->kind == PTX_NOTHING)
		return 0;
	if (o->kind != PTX_REGISTER)
		return flat_refuse(d->flat, flat->insn, d->error,
			"expected a register that is written as operand 1");
	code = bind_operand(d, flat, o, type, &c->d);
	bind_write(c, &c->d);
	return code;
}

/* d: what is written; s[0] the address, s[1] a count, bytes, a state or a
   parity, s[2] the time that it may take. */
static int decode_mbarrier(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o = insn->operands;
	uint32_t i = !is_address(&o[0]), n = 1;
	int code = i ? bind_result(d, flat, c, &o[0]) : 0;

	c->kind = CODE_MBARRIER;
	c->space = insn->word[PTX_CLASS_SPACE] ? PTX_SHARED : PTX_GENERIC;
	if (!code && insn->op == PTXO_MBARRIER_PENDING)
		return bind_value(d, flat, c, &o[1], PTX_b64, &c->s[1]);
	if (!code)
		code = bind_place(d, flat, c, &o[i++], 0, &c->s[0], &c->offset);
	for (; !code && i < insn->operand_count; i++, n++)
		code = bind_value(d, flat, c, &o[i],
			n == 1 && waits_for_state(insn) ? PTX_b64 : PTX_u32,
			&c->s[n]);
	return code;
}

/* ---- copies ---- */

#define BULK_UNIT 16u

/* Of its operands: to, from, bytes, the barrier. */
enum { TO, FROM, BYTES, BARRIER };

static bool is_size(const struct ptx_operand *o)
{
	return o->kind != PTX_NUMBER || !(o->bits % BULK_UNIT);
}

static bool goes_to_global(const struct ptx_insn *insn)
{
	return insn->word[PTX_CLASS_SPACE] == PTXW_SPACE_global;
}

/* `.global.shared::cta`, and not the other way round. */
static bool is_way(const struct ptx_insn *insn)
{
	const uint8_t to = insn->word[PTX_CLASS_SPACE];
	const uint8_t from = insn->word[PTX_CLASS_FROM];

	if (from == PTXW_FROM_global)
		return to == PTXW_SPACE_shared_cluster ||
		       to == PTXW_SPACE_shared_cta;
	return from == PTXW_FROM_shared_cta &&
	       (to == PTXW_SPACE_global || to == PTXW_SPACE_shared_cluster);
}

int bind_hint(struct decoder *d, const struct flat_insn *flat,
	struct code_insn *c, uint32_t at)
{
	const struct ptx_operand *o = &flat->insn->operands[at];

	c->has_policy = true;
	if (o->kind != PTX_REGISTER ||
		ptx_types[flat_type(d->flat, flat->instance, o->index)].bytes !=
			8)
		return flat_refuse(d->flat, flat->insn, d->error,
			"expected a policy, a register of 64 bits, as operand "
			"%u",
			at + 1);
	return bind_value(d, flat, c, o, PTX_b64, &c->s[3]);
}

int bind_ranks(struct decoder *d, const struct flat_insn *flat,
	struct code_insn *c, uint32_t at, struct row *row)
{
	const struct ptx_operand *o = &flat->insn->operands[at];

	if (o->kind != PTX_REGISTER ||
		ptx_types[flat_type(d->flat, flat->instance, o->index)].bytes !=
			2)
		return flat_refuse(d->flat, flat->insn, d->error,
			"expected a mask of blocks, a register of 16 bits, as "
			"operand %u",
			at + 1);
	return bind_value(d, flat, c, o, PTX_u16, row);
}

/* s[0] where it goes, s[1] where it comes from, s[2] its bytes, s[3] its
   policy, rows[0] its barrier, rows[1] the ranks of a multicast. */
static int decode_bulk(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o = insn->operands;
	const bool is_many = insn->word[PTX_CLASS_MULTICAST] != 0;
	const uint32_t many =
		goes_to_global(insn) ? BARRIER : BARRIER + 1 + is_many;
	int code;

	if (!is_way(insn))
		return flat_refuse(d->flat, insn, d->error,
			"a bulk copy goes from .global to .shared::cluster or "
			".shared::cta, or from .shared::cta to .global or "
			".shared::cluster");
	if (insn->operand_count != many + ptx_has_policy(insn))
		return flat_refuse(d->flat, insn, d->error,
			"expected %u operands", many + ptx_has_policy(insn));
	if (!is_size(&o[BYTES]))
		return flat_refuse(d->flat, insn, d->error,
			"expected a multiple of 16 bytes as operand 3");
	c->bytes = ptx_types[insn->type].bytes;
	code = bind_place(d, flat, c, &o[TO], TO, &c->s[TO], &c->offset);
	if (!code)
		code = bind_place(d, flat, c, &o[FROM], FROM, &c->s[FROM],
			&c->second_offset);
	if (!code)
		code = bind_value(d, flat, c, &o[BYTES], PTX_u32, &c->s[BYTES]);
	c->rows[0] = (struct row){.slot = NO_SLOT, .is_constant = true};
	if (!code && many > BARRIER)
		code = bind_place(d, flat, c, &o[BARRIER], BARRIER, &c->rows[0],
			&c->third_offset);
	if (!code && is_many)
		code = bind_ranks(d, flat, c, BARRIER + 1, &c->rows[1]);
	if (!code && ptx_has_policy(insn))
		code = bind_hint(d, flat, c, many);
	return code;
}

/* s[1] where it comes from, s[2] its bytes, s[3] its policy. */
static int decode_prefetch(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o = insn->operands;
	int code;

	if (insn->operand_count != 2u + ptx_has_policy(insn))
		return flat_refuse(d->flat, insn, d->error,
			"expected %u operands", 2u + ptx_has_policy(insn));
	if (!is_size(&o[1]))
		return flat_refuse(d->flat, insn, d->error,
			"expected a multiple of 16 bytes as operand 2");
	code = bind_place(
		d, flat, c, &o[0], FROM, &c->s[FROM], &c->second_offset);
	if (!code)
		code = bind_value(d, flat, c, &o[1], PTX_u32, &c->s[BYTES]);
	if (!code && ptx_has_policy(insn))
		code = bind_hint(d, flat, c, 2);
	return code;
}

/* ---- st.async, red.async ---- */

static uint32_t elements(const struct ptx_insn *insn)
{
	const uint8_t word = insn->word[PTX_CLASS_VECTOR];

	return word == PTXW_VECTOR_v4 ? 4 : word == PTXW_VECTOR_v2 ? 2 : 1;
}

/* s[0] where it goes, rows[] what, results[0] the barrier. */
static int decode_sent(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o = insn->operands;
	const uint32_t count = elements(insn);
	int code;

	c->kind = CODE_BULK;
	c->bytes = ptx_types[insn->type].bytes;
	if ((o[1].kind == PTX_VECTOR ? o[1].count : 1) != count)
		return flat_refuse(d->flat, insn, d->error,
			"expected %u values as operand 2", count);
	code = bind_items(d, flat, &o[1], insn->type, false, c);
	c->moved = (uint8_t)(c->bytes * count);
	c->count = 0;
	if (!code)
		code = bind_place(d, flat, c, &o[0], TO, &c->s[TO], &c->offset);
	if (!code)
		code = bind_place(d, flat, c, &o[2], BARRIER, &c->results[0],
			&c->third_offset);
	return code;
}

/* ---- proxies ---- */

/* s[0] and offset: the map that is acquired, if there is one. It is read from
   its bytes each time: nothing keeps what was there before, and nothing waits
   for its address. */
static int decode_proxy(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	bool has_base, is_launch;

	c->kind = CODE_PROXY;
	if (insn->operand_count < 2)
		return 0;
	if (!decode_is_narrow(d, flat, &insn->operands[0]))
		c->count = 1;
	if (insn->operands[1].bits == 128)
		return decode_address(d, flat, &insn->operands[0], &c->s[0],
			&has_base, &c->offset, &is_launch);
	return flat_refuse(d->flat, insn, d->error,
		"expected 128 bytes, those of a tensor map, as operand 2");
}

int decode_async(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	c->count = 0;
	switch (flat->insn->op) {
	case PTXO_CP_BULK:
	case PTXO_CP_BULK_REDUCE:
		c->kind = CODE_BULK;
		return decode_bulk(d, flat, c);
	case PTXO_CP_BULK_PREFETCH:
		c->kind = CODE_BULK;
		return decode_prefetch(d, flat, c);
	case PTXO_CP_BULK_COMMIT:
		c->kind = CODE_BULK;
		return 0;
	case PTXO_CP_BULK_WAIT:
		c->kind = CODE_BULK;
		c->offset = flat->insn->operands[0].bits;
		return 0;
	case PTXO_ST_ASYNC:
	case PTXO_RED_ASYNC:
		return decode_sent(d, flat, c);
	case PTXO_FENCE_PROXY:
	case PTXO_FENCE_ACQUIRE_SHARED:
	case PTXO_FENCE_RELEASE_SHARED:
	case PTXO_FENCE_MBARRIER:
		return decode_proxy(d, flat, c);
	default:
		return decode_mbarrier(d, flat, c);
	}
}
