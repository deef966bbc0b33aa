// Reductions on one hot word beside others that miss L2, beside loads and
// beside stores, for results/kernels/hot_words.tsv: 524,288 threads, each with a
// sector of its own in `cold` (64 MiB), a lane of each warp on the hot word.
//
//   nvcc -arch=sm_90 -ptx tests/hardware/hot_words.cu, and a job of each:
//   buffer hot bytes=4KiB
//   buffer cold bytes=64MiB
//   launch hot_red grid=2048 block=256 args=hot,cold
//
// by tests/hardware/kernels.py. The rows add_power* and add_below* are
// scatter_add of tests/kernels, small, with indices drawn by another power or
// below another bound.
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define HOT                                                                    \
	if (threadIdx.x % 32 == 0)                                             \
	atomicAdd(hot, THREAD)

extern "C" __global__ void hot_alone(unsigned *hot, unsigned *cold)
{
	HOT;
}
extern "C" __global__ void hot_load(unsigned *hot, unsigned *cold)
{
	unsigned v = __ldcg(&cold[8 * THREAD]);

	HOT;
	if (v == 77u)
		cold[0] = v;
}
extern "C" __global__ void hot_red(unsigned *hot, unsigned *cold)
{
	atomicAdd(&cold[8 * THREAD], THREAD);
	HOT;
}
extern "C" __global__ void hot_store(unsigned *hot, unsigned *cold)
{
	cold[8 * THREAD] = THREAD;
	HOT;
}
extern "C" __global__ void red_alone(unsigned *hot, unsigned *cold)
{
	atomicAdd(&cold[8 * THREAD], THREAD);
}
extern "C" __global__ void red_lines(unsigned *hot, unsigned *cold)
{
	atomicAdd(&cold[32 * THREAD], THREAD);
}
extern "C" __global__ void red_words(unsigned *hot, unsigned *cold)
{
	atomicAdd(&cold[THREAD], THREAD);
}
