// wmma on drawn operands: loads from shared memory, whose rows are longer than
// the matrix, the product, and a store. A block is a warp and a case.
#include <mma.h>

#include "elements.cuh"

using namespace nvcuda::wmma;

template <typename T> struct kind;
template <> struct kind<__half> {
	static const int type = F16;
	typedef __half stored;
};
template <> struct kind<__nv_bfloat16> {
	static const int type = BF16;
	typedef __nv_bfloat16 stored;
};
template <> struct kind<precision::tf32> {
	static const int type = TF32;
	typedef float stored;
};
template <> struct kind<signed char> {
	static const int type = S8;
	typedef signed char stored;
};
template <> struct kind<unsigned char> {
	static const int type = U8;
	typedef unsigned char stored;
};
template <> struct kind<double> {
	static const int type = F64;
	typedef double stored;
};
template <> struct kind<float> {
	static const int type = F32;
	typedef float stored;
};
template <> struct kind<int> {
	static const int type = S32;
	typedef int stored;
};

template <typename L> struct is_column {
	static const bool value = false;
};
template <> struct is_column<col_major> {
	static const bool value = true;
};

template <typename T>
__device__ void draw(T *to, int rows, int columns, int pitch, bool by_column,
	int cls, uint32_t seed, int which)
{
	typedef typename kind<T>::stored S;

	for (int i = threadIdx.x; i < rows * columns; i += 32) {
		const int row = i / columns, column = i % columns;
		const uint64_t bits = element<kind<T>::type>(cls, seed, which,
			which == B ? column : row, which == B ? row : column, 14);
		S *at = (S *)to + (by_column ? column * pitch + row
					     : row * pitch + column);

		memcpy(at, &bits, sizeof(S));
	}
}

template <int M, int N, int K, typename T, typename TC, typename TD,
	typename LA, typename LB>
__device__ void product(void *out, uint32_t seed, layout_t lc, layout_t ld)
{
	typedef typename kind<T>::stored S;
	__shared__ __align__(32) S a[48 * 40], b[48 * 40];
	__shared__ __align__(32) TC c[48 * 40];
	const int cls = blockIdx.x % CLASSES;
	const uint32_t s = mix(seed, blockIdx.x);
	const bool a_columns = is_column<LA>::value;
	const bool b_columns = is_column<LB>::value;
	fragment<matrix_a, M, N, K, T, LA> x;
	fragment<matrix_b, M, N, K, T, LB> y;
	fragment<accumulator, M, N, K, TC> z;
	fragment<accumulator, M, N, K, TD> w;

	draw<T>((T *)a, M, K, 48, a_columns, cls, s, A);
	draw<T>((T *)b, K, N, 48, b_columns, cls, s, B);
	draw<TC>(c, M, N, 48, lc == mem_col_major, cls, s, C);
	__syncwarp();
	load_matrix_sync(x, a, 48);
	load_matrix_sync(y, b, 48);
	load_matrix_sync(z, c, 48, lc);
	mma_sync(w, x, y, z);
	store_matrix_sync((TD *)out + blockIdx.x * M * N, w,
		ld == mem_row_major ? N : M, ld);
}

#define WMMA(name, M, N, K, T, TC, TD, LA, LB, lc, ld)                         \
	extern "C" __global__ void wmma_##name(void *out, uint32_t seed)       \
	{                                                                      \
		product<M, N, K, T, TC, TD, LA##_major, LB##_major>(           \
			out, seed, mem_##lc##_major, mem_##ld##_major);        \
	}

#define SHAPES(name, T, TC, TD)                                                \
	WMMA(name##_16, 16, 16, 16, T, TC, TD, row, col, row, row)             \
	WMMA(name##_32, 32, 8, 16, T, TC, TD, col, row, col, row)              \
	WMMA(name##_8, 8, 32, 16, T, TC, TD, row, row, row, col)

SHAPES(f16_f32_f32, __half, float, float)
SHAPES(f16_f32_f16, __half, float, __half)
SHAPES(f16_f16_f32, __half, __half, float)
SHAPES(f16_f16_f16, __half, __half, __half)
SHAPES(bf16, __nv_bfloat16, float, float)
SHAPES(s8, signed char, int, int)
SHAPES(u8, unsigned char, int, int)
WMMA(tf32, 16, 16, 8, precision::tf32, float, float, row, col, row, row)
WMMA(tf32_columns, 16, 16, 8, precision::tf32, float, float, col, row, col, col)
WMMA(f64, 8, 8, 4, double, double, double, row, col, row, row)
WMMA(f64_columns, 8, 8, 4, double, double, double, col, row, col, col)
