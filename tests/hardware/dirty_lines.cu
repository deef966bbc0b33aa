// How much of L2 may wait to be written back: kernels that store whole lines, from
// a flush on, and a read of other memory behind each, which makes them leave. For
// results/probes/dirty_lines.tsv:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/dirty_lines.cu -o dirty
//   ncu --clock-control none --cache-control none --replay-mode application
//       --kernel-name "regex:^(fill|other)$" --csv --page raw --print-units base
//       --metrics sm__cycles_elapsed.max,dram__sectors_write.sum ./dirty
//
// In the order of the rows: MiB are filled, once and then once more the same, or
// after so many MiB of other memory were read.
#include "call.cuh"
#define MiB (1u << 20)

__global__ void flush(const uint4 *at, unsigned count, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

	for (; i < count; i += gridDim.x * blockDim.x)
		sum += at[i].x;
	if (sum == 123)
		*out = sum;
}

__global__ void other(const uint4 *at, unsigned count, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

	for (; i < count; i += gridDim.x * blockDim.x)
		sum += at[i].x;
	if (sum == 123)
		*out = sum;
}

__global__ void fill(uint4 *at, unsigned count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	for (; i < count; i += gridDim.x * blockDim.x)
		at[i] = make_uint4(i, i, i, i);
}

static uint4 *own, *others;
static unsigned *out;

static void fill_cold(unsigned mib, unsigned again)
{
	for (int k = 0; k < 2; k++)
		flush<<<528, 256>>>(others, 256 * (MiB / 16), out);
	for (unsigned k = 0; k <= again; k++)
		fill<<<528, 256>>>(own, mib * (MiB / 16));
	other<<<528, 256>>>(others, 80 * (MiB / 16), out);
	DO(cudaDeviceSynchronize());
}

int main()
{
	DO(cudaMalloc(&own, 256 * MiB));
	DO(cudaMalloc(&others, 256 * MiB));
	DO(cudaMalloc(&out, 4));
	DO(cudaMemset(others, 0, 256 * MiB));
	for (unsigned mib : {4, 8, 12, 16, 18, 20, 21, 22, 23, 24, 25, 26, 27,
		     28, 29, 30, 31, 32, 34, 36, 40, 48, 64, 96})
		fill_cold(mib, 0);
	for (unsigned mib : {16, 24, 32, 48})
		fill_cold(mib, 1);
	return 0;
}
