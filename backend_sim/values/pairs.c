/* Two whole numbers of 16 bits in a register of 32. */
#include "backend_sim/values/value.h"

static uint32_t both(uint32_t low, uint32_t high)
{
	return (low & 65535) | high << 16;
}

#define U(i, half)      (IN_u32(i) >> (half)&65535)
#define S(i, half)      ((int16_t)U(i, half))
#define LESS(T, half)   (T(0, half) < T(1, half) ? T(0, half) : T(1, half))
#define MORE(T, half)   (T(0, half) > T(1, half) ? T(0, half) : T(1, half))
#define NOT_NEGATIVE(x) ((x) < 0 ? 0 : (x))

#define PAIR(name, F) VALUE32(name, both((uint32_t)(F(0)), (uint32_t)(F(16))))

#define ADD(half)      (U(0, half) + U(1, half))
#define MIN_U(half)    LESS(U, half)
#define MAX_U(half)    MORE(U, half)
#define MIN_S(half)    LESS(S, half)
#define MAX_S(half)    MORE(S, half)
#define MIN_RELU(half) NOT_NEGATIVE(LESS(S, half))
#define MAX_RELU(half) NOT_NEGATIVE(MORE(S, half))

PAIR(add, ADD)
PAIR(min_u16x2, MIN_U)
PAIR(max_u16x2, MAX_U)
PAIR(min_s16x2, MIN_S)
PAIR(max_s16x2, MAX_S)
PAIR(min_relu_s16x2, MIN_RELU)
PAIR(max_relu_s16x2, MAX_RELU)

value_fn value_pairs(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_ADD_U16X2:
	case PTXO_ADD_S16X2:
		return add;
	case PTXO_MIN_U16X2:
		return min_u16x2;
	case PTXO_MAX_U16X2:
		return max_u16x2;
	case PTXO_MIN_S16X2:
		return min_s16x2;
	case PTXO_MAX_S16X2:
		return max_s16x2;
	case PTXO_MIN_RELU_S16X2:
		return min_relu_s16x2;
	case PTXO_MAX_RELU_S16X2:
		return max_relu_s16x2;
	default:
		return NULL;
	}
}
