// Barriers and copies as CUDA's own library has them.
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace device = cuda::device::experimental;

#define THREADS 128
#define TILE    1024

extern "C" __global__ void given(const int *from, int *to, int tiles)
{
	__shared__ alignas(128) int tile[2][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ barrier full[2];
	const int *mine = from + (size_t)blockIdx.x * tiles * TILE;
	int sum = 0;

	if (threadIdx.x == 0) {
		init(&full[0], blockDim.x);
		init(&full[1], blockDim.x);
		device::fence_proxy_async_shared_cta();
	}
	__syncthreads();
	for (int i = 0; i < tiles; i++) {
		const int s = i % 2;
		barrier::arrival_token token;

		if (threadIdx.x == 0) {
			cuda::device::memcpy_async_tx(tile[s],
				mine + (size_t)i * TILE,
				cuda::aligned_size_t<16>(sizeof(tile[0])),
				full[s]);
			token = cuda::device::barrier_arrive_tx(
				full[s], 1, sizeof(tile[0]));
		} else {
			token = full[s].arrive();
		}
		full[s].wait(std::move(token));
		for (int k = threadIdx.x; k < TILE; k += THREADS)
			sum += tile[s][k] * (k % 7);
		__syncthreads();
	}
	to[blockIdx.x * THREADS + threadIdx.x] = sum;
}
