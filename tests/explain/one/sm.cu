// Kernels that keep one server of the SM busy, and nothing else. A comment
// `// binds KERNEL` marks the line whose instructions it serves.

typedef unsigned int word;

static __device__ void leave(word *to, word value)
{
	to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Two multiply-adds, which have two pipes, to each operation of the ALU: the
// scheduler issues in each cycle, and no pipe is full.
extern "C" __global__ void issue(word *to, int rounds, float a, float b, word m)
{
	float v[8];
	word w[4];

	for (int i = 0; i < 8; i++)
		v[i] = threadIdx.x + i;
	for (int i = 0; i < 4; i++)
		w[i] = threadIdx.x + i;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 32; i++) {
			v[i % 8] = v[i % 8] * a + b; // binds issue
			if (i % 2)
				w[i / 2 % 4] ^= m + i;
		}
	}
	word sum = 0;
	for (int i = 0; i < 8; i++)
		sum += __float_as_uint(v[i]) + w[i / 2];
	leave(to, sum);
}

// Products of integers go through one of the two pipes of multiply-adds.
extern "C" __global__ void multiply(word *to, int rounds, word a, word b)
{
	word v[8];

	for (int i = 0; i < 8; i++)
		v[i] = threadIdx.x + i;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 32; i++)
			v[i % 8] = v[i % 8] * a + b; // binds multiply
	}
	word sum = 0;
	for (int i = 0; i < 8; i++)
		sum += v[i];
	leave(to, sum);
}

extern "C" __global__ void doubles(word *to, int rounds, double a, double b)
{
	double v[8], sum = 0;

	for (int i = 0; i < 8; i++)
		v[i] = threadIdx.x + i;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 32; i++)
			v[i % 8] = v[i % 8] * a + b; // binds doubles
	}
	for (int i = 0; i < 8; i++)
		sum += v[i];
	leave(to, sum);
}

extern "C" __global__ void special(word *to, int rounds)
{
	float v[8], sum = 0;

	for (int i = 0; i < 8; i++)
		v[i] = threadIdx.x + i;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 8; i++)
			asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(v[i])); // binds special
	}
	for (int i = 0; i < 8; i++)
		sum += v[i];
	leave(to, sum);
}

// Products of matrices, eight of them under way in a warp.
extern "C" __global__ void matrices(word *to, int rounds)
{
	float c[8][4] = {};
	word a[4], b[2], sum = 0;

	for (int i = 0; i < 4; i++)
		a[i] = threadIdx.x * 0x3c00 + i;
	for (int i = 0; i < 2; i++)
		b[i] = threadIdx.x * 0x3c00 + i;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 8; i++)
			asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
				     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, "
				     "{%8, %9}, {%0, %1, %2, %3};"
				: "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]),
				"+f"(c[i][3])
				: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
				"r"(b[0]), "r"(b[1])); // binds matrices
	}
	for (int i = 0; i < 8; i++)
		sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
	leave(to, sum);
}

// All lanes read one bank, each another word.
extern "C" __global__ void bank_conflicts(word *to, int rounds)
{
	__shared__ word words[32 * 32];
	word sum = 0;

	for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x)
		words[i] = i;
	__syncthreads();
	const volatile word *mine = words + threadIdx.x % 32 * 32;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 16; i++)
			sum += mine[i]; // binds bank_conflicts
	}
	leave(to, sum);
}

// Each lane reads a bank of its own: what is left is the pipe of loads.
extern "C" __global__ void shared_loads(word *to, int rounds)
{
	__shared__ word words[32 * 32];
	word sum = 0;

	for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x)
		words[i] = i;
	__syncthreads();
	const volatile word *mine = words + threadIdx.x % 32;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < 32; i++)
			sum += mine[i * 32]; // binds shared_loads
	}
	leave(to, sum);
}

// All lanes of all warps add to one word of shared memory, each lane by itself.
extern "C" __global__ void shared_atomics(word *to, int rounds)
{
	__shared__ word total;
	word sum = 0;

	if (threadIdx.x == 0)
		total = 0;
	__syncthreads();
#pragma unroll 1
	for (int r = 0; r < rounds; r++)
		sum += atomicExch(&total, sum + r); // binds shared_atomics
	leave(to, sum);
}

// Each lane of a warp goes its own way, in turn: no server is busy.
extern "C" __global__ void divergence(word *to, int rounds, float a, float b)
{
	float v = threadIdx.x;

#pragma unroll 1
	for (int r = 0; r < rounds; r++)
		switch ((threadIdx.x + r) % 32) { // binds divergence
#define WAY(n)                                                                 \
	case n:                                                                \
		v = v * a + n;                                                 \
		v = v * v + b;                                                 \
		v = v * a - n;                                                 \
		v = v * v - b;                                                 \
		break;
#define WAYS(n) WAY(n) WAY(n + 1) WAY(n + 2) WAY(n + 3)
			WAYS(0) WAYS(4) WAYS(8) WAYS(12)
			WAYS(16) WAYS(20) WAYS(24) WAYS(28)
		}
	leave(to, __float_as_uint(v));
}

// One warp of eight works between two barriers, the others wait for it.
extern "C" __global__ void imbalance(word *to, int rounds, float a, float b)
{
	float v = threadIdx.x;

#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		if (threadIdx.x < 32)
#pragma unroll 1
			for (int i = 0; i < 100; i++) // binds imbalance
				v = v * a + b; // binds imbalance
		__syncthreads(); // binds imbalance
	}
	leave(to, __float_as_uint(v));
}

// Code that nobody executes twice: 1,024 instructions in eight chains, by four
// warps of each SM, which have a scheduler each.
#define STEP(i)  x[i] = (x[i] ^ a) * b;
#define STEPS_8  STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
#define STEPS_64                                                               \
	STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8
extern "C" __global__ void code(word *to, word a, word b)
{
	word x[8], sum = 0;

	for (int i = 0; i < 8; i++)
		x[i] = threadIdx.x + i;
	STEPS_64 STEPS_64 STEPS_64 STEPS_64 STEPS_64 STEPS_64 STEPS_64 STEPS_64 // binds code
	for (int i = 0; i < 8; i++)
		sum += x[i];
	leave(to, sum);
}
