// cuda::pipeline in a block: copies of four stages, which the library makes of
// what the chip has.
#include <cooperative_groups.h>
#include <cuda/pipeline>

#define THREADS 256
#define TILE    512
#define STAGES  4

extern "C" __global__ void stages(const float *from, float *to, int tiles)
{
	__shared__ alignas(16) float tile[STAGES][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES>
		state;
	auto block = cooperative_groups::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	const float *mine = from + (size_t)blockIdx.x * tiles * TILE;
	float sum = 0;

	for (int i = 0, ahead = 0; i < tiles; i++) {
		for (; ahead < tiles && ahead < i + STAGES; ahead++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, tile[ahead % STAGES],
				mine + (size_t)ahead * TILE,
				cuda::aligned_size_t<16>(sizeof(tile[0])),
				pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		for (int k = threadIdx.x; k < TILE; k += THREADS)
			sum += tile[i % STAGES][k];
		pipe.consumer_release();
	}
	to[blockIdx.x * THREADS + threadIdx.x] = sum;
}
