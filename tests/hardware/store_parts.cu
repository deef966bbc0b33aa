// Stores of whole sectors, of parts, and of parts one after the other: a thread
// a sector of 32 bytes, or a line. What ncu counts of them is in
// results/kernels/parts.tsv: the number of threads (of sectors, or of lines) is
// in the name of the job.
extern "C" __global__ void whole(float4 *to) {
	size_t i = 64 * (size_t)blockIdx.x * 8 + 64 * (threadIdx.x / 32) + threadIdx.x % 32;
	float4 v = make_float4(1, 2, 3, 4);
	to[i] = v; to[i + 32] = v;
}
extern "C" __global__ void half_only(float4 *to) {
	size_t i = 2 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
	to[i] = make_float4(1, 2, 3, 4);
}
extern "C" __global__ void half_twice(volatile float *to) {
	size_t i = 2 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
	asm volatile("st.global.v4.f32 [%0], {%1,%1,%1,%1};" :: "l"(to + 4 * i), "f"(1.f) : "memory");
	asm volatile("st.global.v4.f32 [%0], {%1,%1,%1,%1};" :: "l"(to + 4 * i), "f"(2.f) : "memory");
}
extern "C" __global__ void half_pair(float4 *to) {
	size_t i = 2 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
	to[i] = make_float4(1, 2, 3, 4);
	to[i + 1] = make_float4(1, 2, 3, 4);
}
extern "C" __global__ void half_apart(float *to) {
	size_t i = 2 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
	asm volatile("st.global.v4.f32 [%0], {%1,%1,%1,%1};" :: "l"(to + 4 * i), "f"(1.f) : "memory");
	__syncthreads();
	__nanosleep(2000);
	asm volatile("st.global.v4.f32 [%0], {%1,%1,%1,%1};" :: "l"(to + 4 * i + 4), "f"(2.f) : "memory");
}
extern "C" __global__ void word_only(float *to) {
	size_t i = 8 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
	to[i] = 1;
}
extern "C" __global__ void eight_only(float2 *to) {
	size_t i = 4 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
	to[i] = make_float2(1, 2);
}
extern "C" __global__ void eight_four(float2 *to) {
	size_t i = 4 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
	for (int k = 0; k < 4; k++) {
	asm volatile("st.global.v2.f32 [%0], {%1,%1};" :: "l"(to + i + k), "f"(1.f) : "memory");
	}
}
extern "C" __global__ void word_eight(float *to) {
	size_t i = 8 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
	for (int k = 0; k < 8; k++)
		asm volatile("st.global.f32 [%0], %1;" :: "l"(to + i + k), "f"(1.f) : "memory");
}
// A thread a line of 128 bytes: a part of each of 32 lines by a store of a warp.
extern "C" __global__ void line_word(float *to) {
	to[32 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x)] = 1;
}
extern "C" __global__ void line_half(float4 *to) {
	to[8 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x)] = make_float4(1, 2, 3, 4);
}
extern "C" __global__ void line_eight(float *to) {
	size_t i = 32 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
	for (int k = 0; k < 8; k++)
		asm volatile("st.global.f32 [%0], %1;" :: "l"(to + i + k), "f"(1.f) : "memory");
}
// The eight words of a sector by eight warps, as transpose_naive stores them.
extern "C" __global__ void line_warps(float *to) {
	size_t line = (size_t)blockIdx.x * 32 + threadIdx.x % 32;
	to[32 * line + threadIdx.x / 32] = 1;
}
// Half a line by four lanes: two whole sectors of each of eight lines.
extern "C" __global__ void line_quarter(float4 *to) {
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	to[i / 4 * 8 + i % 4] = make_float4(1, 2, 3, 4);
}
