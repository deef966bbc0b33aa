// Elements of matrices, drawn by a hash of what and where they are: the same
// words on every machine, and no file of operands.
#include <stdint.h>

enum { F16, BF16, TF32, E4M3, E5M2, F32, F64, S8, U8, S32 };

// How operands are drawn.
enum {
	BITS,    // any bits
	NEAR,    // of about the same size
	WIDE,    // exponents of the whole range, or nearly
	CANCEL,  // products that cancel another one, or nearly
	SMALL,   // subnormal ones, and sums that are
	SPECIAL, // infinities, none, the largest
	POWERS,  // of two, and zeros
	CLOSE,   // few exponents
	CLASSES
};

enum { A, B, C };

struct format {
	int mantissa, exponent, bytes;
};

__device__ constexpr format formats[] = {{10, 5, 2}, {7, 8, 2}, {23, 8, 4},
	{3, 4, 1}, {2, 5, 1}, {23, 8, 4}, {52, 11, 8}, {0, 0, 1}, {0, 0, 1},
	{0, 0, 4}};

__device__ __noinline__ uint32_t mix(uint32_t x, uint32_t y)
{
	x = (x ^ y * 0x9e3779b9u) + 0x7f4a7c15u;
	x = (x ^ x >> 16) * 0x21f0aaadu;
	x = (x ^ x >> 15) * 0x735a2d97u;
	return x ^ x >> 15;
}

__device__ inline uint32_t whole(int type, int cls, uint32_t h)
{
	if (type != S32)
		return cls & 1 ? h & 0xff : h & 7 ? h >> 8 & 0xff : h & 64 ? 0x80 : 0x7f;
	return cls == WIDE    ? (h & 0xffff) + 0x7fff0000u
	       : cls == SMALL ? (h & 0xffff) + 0x80000000u
	       : cls          ? h
			      : 0;
}

// Element (row, k) of A, (column, k) of B, (row, column) of C. `seed` is of the
// case; p: the spread of the products' exponents, for C.
template <int type>
__device__ __noinline__ uint64_t element(
	int cls, uint32_t seed, int which, int row, int k, int p)
{
	constexpr int mantissa = formats[type].mantissa;
	constexpr int bits = formats[type].exponent;
	constexpr int top = (1 << bits) - 1, bias = top >> 1;
	constexpr int wide = bits == 8 ? 60 : bits > 8 ? 300 : bias;
	bool partner = false;

	if (cls == CANCEL && which != C) {
		const int d = 1 << (seed >> 8) % 5;

		if (k & d && mix(seed, 100 + k) & 3) {
			partner = true;
			k ^= d;
		}
	}
	const uint32_t h = mix(mix(seed * 3 + which, row), k), r = mix(h, 1),
		       s = mix(h, 2);
	if (type >= S8)
		return whole(type, cls, h);
	uint64_t m = ((uint64_t)s << 32 | r) & (((uint64_t)1 << mantissa) - 1);
	uint32_t sign = h & 1;
	int e = bias;
	const uint32_t q = mix(h, 3);

	switch (cls) {
	case BITS:
		e = q & top;
		break;
	case NEAR:
		e = which == C ? bias - 4 + q % 9 : bias - 3 + q % 7;
		break;
	case WIDE:
		e = which == C && bits == 8 ? bias - 2 * p + q % (4 * p)
					    : bias - wide + 1 + q % (2 * wide);
		break;
	case CANCEL:
		e = which != C	? bias - 6 + q % 13
		    : bits == 5 ? bias - 12 + q % 20
				: bias - 20 + q % 33;
		break;
	case SMALL:
		e = bits < 8	 ? q % 4
		    : which == C ? q % 30
				 : bias / 2 - 12 + q % 24;
		if (s % 3 == 0)
			e = 0;
		break;
	case SPECIAL:
		e = bias + q % 4;
		if (q >> 8 & 15 && q >> 12 & 7)
			break;
		e = q >> 8 & 15 ? top - (type != E4M3) : top;
		m = q >> 8 & 15 || q >> 16 & 1 ? ((uint64_t)1 << mantissa) - 1 : 0;
		break;
	case POWERS:
		e = bias - 12 + q % 25;
		if (which == C && bits != 5)
			e = bias - 28 + q % 57;
		if (q >> 20 & 7)
			m = 0;
		if (q >> 24 & 1)
			e = m = 0;
		break;
	default:
		e = bias - 1 + q % 3;
		if (which == C && bits != 5)
			e = bias - 28 + q % 57;
		if (q >> 20 & 1)
			m = 0;
	}
	e = e < 0 ? 0 : e > top ? top : e;
	if (!e && cls != SMALL && cls != BITS)
		m = 0;
	uint64_t value = (uint64_t)e << mantissa | m;
	if (partner && which == A) {
		sign ^= 1;
		value ^= s % 16 == 0;
	}
	return (uint64_t)sign << (mantissa + bits) | value;
}

// A register of them, side by side.
template <int type>
__device__ inline uint32_t packed(
	int cls, uint32_t seed, int which, int row, int k, int p)
{
	constexpr int bytes = formats[type].bytes;
	uint32_t word = 0;

#pragma unroll
	for (int i = 0; i < 4 / bytes; i++)
		word |= (uint32_t)element<type>(cls, seed, which, row, k + i, p)
			<< 8 * bytes * i;
	return word;
}
