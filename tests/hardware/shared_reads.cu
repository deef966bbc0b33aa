// Which SMs share lookups in L2, and how often SMs that read the same lines one
// after the other do. For results/probes/shared_reads.tsv:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/shared_reads.cu -o shared_reads
//   ncu --cache-control none --clock-control none --csv --page raw --metrics \
//       lts__t_sectors_srcunit_tex_op_read.sum,\
//       l1tex__m_xbar2l1tex_read_sectors.sum,sm__cycles_elapsed.max \
//       --kernel-name regex:'pair|reads' ./shared_reads
//
// First a kernel for each SM: it and SM 0 load 200 lines that L2 has, each at the
// same step of the chip's clock; 800 sectors are looked up if they share, 1,600
// if they do not. Then kernels whose blocks of 1,024 threads read slabs of 16 KiB,
// 16 bytes a thread, four loads at once, each named on a line before it runs.
#include "both_sides.cuh"
#include "call.cuh"
#include "cycles.cuh"
#define SMS     132u
#define ROUNDS  200u
#define LINE    128u
#define SLAB    (16u << 10)
#define WAIT_NS 30000
#define STEP_NS 2048
#define ALONE   (200 << 10) // shared memory: a block an SM

// The first SM says when, by atomics, which are not among the reads.
__global__ void pair(const char *memory, unsigned a, unsigned b, u64 *start,
	unsigned *out)
{
	extern __shared__ volatile u64 at[];
	unsigned sum = 0;
	if (sm_id() != a && sm_id() != b)
		return;
	if (!threadIdx.x && sm_id() == a)
		atomicExch(start, nanoseconds() + WAIT_NS);
	if (!threadIdx.x)
		while (!(at[0] = atomicAdd(start, 0)))
			;
	__syncwarp();
	for (unsigned i = 0; i < ROUNDS; i++) {
		while (nanoseconds() < at[0] + i * STEP_NS)
			;
		sum += load(memory + (i * 37 + 11) * 4 * LINE % MEMORY +
			threadIdx.x * 4);
	}
	if (sum == 12345)
		*out = sum;
}

__global__ void reads(const char *memory, unsigned step, unsigned loads,
	unsigned *out)
{
	unsigned at = blockIdx.x * SLAB + threadIdx.x * 16, sum = 0;
	for (unsigned i = 0; i < loads; i += 4) {
		uint4 v[4];
#pragma unroll
		for (int k = 0; k < 4; k++) {
			asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
				     : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z),
				     "=r"(v[k].w)
				     : "l"(memory + at % MEMORY));
			at += step;
		}
#pragma unroll
		for (int k = 0; k < 4; k++)
			sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
	}
	if (sum == 12345)
		*out = sum;
}

int main()
{
	static const struct { const char *name; unsigned step; } walks[] = {
		{"own slabs", SMS * SLAB},
		{"the same slab again", 0},
		{"what the next block has just read", SLAB}};
	char *memory;
	unsigned *out;
	u64 *start;

	DO(cudaMalloc(&memory, MEMORY));
	DO(cudaMemset(memory, 0, MEMORY));
	DO(cudaMalloc(&out, sizeof(*out)));
	DO(cudaMalloc(&start, sizeof(*start)));
	DO(cudaFuncSetAttribute(pair,
		cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
	read_by_both(memory, out);
	for (unsigned sm = 1; sm < SMS; sm++) {
		DO(cudaMemset(start, 0, sizeof(*start)));
		printf("SM 0 and %u\n", sm);
		pair<<<SMS, 32, ALONE>>>(memory, 0, sm, start, out);
		DO(cudaDeviceSynchronize());
	}
	for (auto &walk : walks)
		for (unsigned blocks : {33u, 66u, SMS})
			for (unsigned loads : {12u, 96u}) {
				printf("%s, %u blocks, %u loads\n", walk.name,
					blocks, loads);
				reads<<<blocks, 1024>>>(memory, walk.step, loads,
					out);
				DO(cudaDeviceSynchronize());
			}
}
