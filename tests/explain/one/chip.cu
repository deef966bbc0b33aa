// Kernels that keep one server busy, and nothing else, in other ways than those of
// sm.cu and memory.cu. A comment `// binds KERNEL` marks the line whose instructions it
// serves.

typedef unsigned int word;

static __device__ int thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

// Comparisons go through the ALU alone, which takes a warp every other cycle.
extern "C" __global__ void least(word *to, int rounds, word a, word b)
{
	word v[8], sum = 0;

	for (int i = 0; i < 8; i++)
		v[i] = threadIdx.x * a + i;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 32; i++)
			asm("max.u32 %0, %0, %1;" : "+r"(v[i % 8]) : "r"(v[(i + 3) % 8] ^ b)); // binds least
	}
	for (int i = 0; i < 8; i++)
		sum += v[i];
	to[thread()] = sum;
}

// Conversions have the pipe of special functions.
extern "C" __global__ void conversions(float *to, int rounds, float a)
{
	float v[8], sum = 0;

	for (int i = 0; i < 8; i++)
		v[i] = threadIdx.x * a + i;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 8; i++)
			asm("cvt.rpi.f32.f32 %0, %0;" : "+f"(v[i])); // binds conversions
#pragma unroll
		for (int i = 0; i < 8; i++)
			v[i] = v[i] * a;
	}
	for (int i = 0; i < 8; i++)
		sum += v[i];
	to[thread()] = sum;
}

// Each thread follows links in shared memory; one warp a scheduler.
extern "C" __global__ void shared_chain(word *to, int rounds, word step)
{
	__shared__ word links[1024];
	word at = threadIdx.x;

	for (int i = threadIdx.x; i < 1024; i += blockDim.x)
		links[i] = (i + step * 32) % 1024;
	__syncthreads();
	volatile word *all = links;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 8; i++)
			at = all[at]; // binds shared_chain
	}
	to[thread()] = at;
}

// All warps of large blocks come to a barrier at once, again and again.
extern "C" __global__ void barriers(word *to, int rounds)
{
	word sum = threadIdx.x;

#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		sum += r;
		__syncthreads(); // binds barriers
		sum ^= r;
		__syncthreads(); // binds barriers
	}
	to[thread()] = sum;
}

// Lines that L1 holds, 16 bytes a lane, side by side: the way into registers.
extern "C" __global__ void wide(const uint4 *from, word *to, int rounds)
{
	word sum = 0;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		const uint4 *mine = from + (r & 7) * 256 + threadIdx.x;
#pragma unroll
		for (int i = 0; i < 8; i++) {
			uint4 v;
			asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
				: "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
				: "l"(mine + i * 256)); // binds wide
			sum += v.x ^ v.y ^ v.z ^ v.w;
		}
	}
	to[thread()] = sum;
}

// All SMs read 4 MiB of L2, past L1, each from another place on.
extern "C" __global__ void reread(const uint4 *from, word *to, int rounds, int count)
{
	word sum = 0;
	int at = thread();

#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		uint4 v[8];
#pragma unroll
		for (int k = 0; k < 8; k++) {
			asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
				: "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w)
				: "l"(from + at)); // binds reread
			at += 16384;
			at -= at >= count ? count : 0;
		}
#pragma unroll
		for (int k = 0; k < 8; k++)
			sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
	}
	to[thread()] = sum;
}

// All SMs store to the same 4 MiB of L2.
extern "C" __global__ void restore(uint4 *to, int rounds, int count)
{
	uint4 v = {threadIdx.x, 1, 2, 3};
	int at = thread();

#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int k = 0; k < 8; k++) {
			to[at] = v; // binds restore
			at += 16384;
			at -= at >= count ? count : 0;
		}
		v.x++;
	}
}

// A word is stored, and its arrival waited for.
extern "C" __global__ void fences(word *to, int rounds)
{
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		*(volatile word *)(to + thread()) = r;
		__threadfence(); // binds fences
	}
}
