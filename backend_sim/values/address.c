/* Addresses of shared memory in a cluster: the rank of the block in bits 24 to
   31, as an H200 has it, whether there is such a block or not. */
#include "backend_sim/values/value.h"

#define RANK_SHIFT 24
#define RANK_BITS  UINT64_C(0xff000000)

VALUE32(map_narrow, (IN_u32(0) & (uint32_t)~RANK_BITS) | IN_u32(1)
								 << RANK_SHIFT)
VALUE64(map_wide,
	(IN_u64(0) & ~RANK_BITS) | (uint32_t)(IN_u32(1) << RANK_SHIFT))
VALUE32(rank_narrow, IN_u32(0) >> RANK_SHIFT)
VALUE32(rank_wide, IN_u64(0) >> RANK_SHIFT & 255)

value_fn value_address(const struct ptx_insn *insn)
{
	const bool wide = ptx_types[insn->type].bytes == 8;

	switch (insn->op) {
	case PTXO_MAPA:
		return wide ? map_wide : map_narrow;
	case PTXO_GETCTARANK:
		return wide ? rank_wide : rank_narrow;
	default:
		return NULL;
	}
}
