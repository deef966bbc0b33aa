/* Conversions between registers that are wider than the types. */
#include "backend_sim/values/value.h"

/* The lowest `bytes` of a number, extended to 64 bits. */
static uint64_t extended(uint64_t x, unsigned bytes, bool is_signed)
{
	unsigned shift = 64 - 8 * bytes;

	x <<= shift;
	return is_signed ? (uint64_t)((int64_t)x >> shift) : x >> shift;
}

static void widened(const struct value *v, unsigned bytes, bool cuts)
{
	const struct ptx_insn *insn = v->insn;
	bool is_signed = ptx_types[insn->type].kind == 's';
	uint32_t low[LANES], narrow[LANES];
	uint64_t wide[LANES];
	struct value inner = *v;
	unsigned l;

	for (l = 0; cuts && l < LANES; l++)
		low[l] = (uint32_t)IN_u64(0);
	if (cuts)
		inner.s[0] = low;
	inner.mask = UINT32_MAX;
	inner.d = ptx_types[insn->type].bytes == 8 ? (void *)wide
						   : (void *)narrow;
	value_convert(insn)(&inner);
	for (l = 0; l < LANES; l++) {
		if (ptx_types[insn->type].bytes < 8)
			wide[l] = extended(narrow[l],
				ptx_types[insn->type].bytes, is_signed);
		narrow[l] = (uint32_t)extended(
			wide[l], bytes < 4 ? bytes : 4, false);
	}
	if (bytes == 8)
		value_put64(v, wide);
	else
		value_put32(v, narrow);
}

#define WIDENED(bytes)                                                         \
	static void to_##bytes(const struct value *v)                          \
	{                                                                      \
		widened(v, bytes, false);                                      \
	}                                                                      \
	static void cut_to_##bytes(const struct value *v)                      \
	{                                                                      \
		widened(v, bytes, true);                                       \
	}

WIDENED(1)
WIDENED(2)
WIDENED(4)
WIDENED(8)

value_fn value_between(const struct ptx_insn *insn, unsigned source_bytes,
	unsigned destination_bytes)
{
	static const value_fn wider[9][2] = {[1] = {to_1, cut_to_1},
		[2] = {to_2, cut_to_2},
		[4] = {to_4, cut_to_4},
		[8] = {to_8, cut_to_8}};
	unsigned bytes = ptx_types[insn->type].bytes;
	bool cuts = source_bytes == 8 && ptx_types[insn->from].bytes < 8;
	bool grows =
		destination_bytes > bytes &&
		(ptx_types[insn->type].kind == 's' || destination_bytes == 8);
	value_fn f = value_convert(insn);

	return f && (cuts || grows) ? wider[destination_bytes][cuts] : f;
}
