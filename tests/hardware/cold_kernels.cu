// What a kernel costs beside its work, for results/kernels/cold.tsv: code of 32
// to 8192 instructions, and loads, stores, copies, reductions and barriers by 1
// to 16896 blocks, read by Nsight with cold and with warm caches:
//
//   nvcc -arch=sm_90 -O3 tests/hardware/cold_kernels.cu -o cold
//   ncu --clock-control none --cache-control all|none
//       --metrics sm__cycles_elapsed.max --csv ./cold
#include <cstdio>
template <int N> __global__ void code(float *p, float y)
{
	float a = threadIdx.x, b = 1, c = 2, d = 3;
#pragma unroll
	for (int i = 0; i < N / 4; i++) {
		asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(a) : "f"(y));
		asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(b) : "f"(y));
		asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(c) : "f"(y));
		asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(d) : "f"(y));
	}
	if (a + b + c + d == 123456.f)
		*p = a;
}
__global__ void load1(const float *p, float *q)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = p[i];
	if (v == 123456.f)
		*q = v;
}
__global__ void load4(const float *p, float *q)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int n = gridDim.x * blockDim.x;
	float v = p[i] + p[i + n] + p[i + 2 * n] + p[i + 3 * n];
	if (v == 123456.f)
		*q = v;
}
__global__ void load16(const float4 *p, float *q)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int n = gridDim.x * blockDim.x;
	float s = 0;
#pragma unroll
	for (int k = 0; k < 4; k++) {
		float4 v = p[i + k * n];
		s += v.x + v.y + v.z + v.w;
	}
	if (s == 123456.f)
		*q = s;
}
__global__ void store1(float *q)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	q[i] = i;
}
__global__ void store4(float4 *q)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	q[i] = make_float4(i, i, i, i);
}
__global__ void copy1(const float *p, float *q)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	q[i] = p[i];
}
__global__ void copy4(const float4 *p, float4 *q)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	q[i] = p[i];
}
__global__ void redu(int *q, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	atomicAdd(q + (i * 97) % m, 1);
}
__global__ void bar(float *q, int n)
{
	for (int i = 0; i < n; i++)
		__syncthreads();
	if (n == 12345)
		*q = 1;
}
__global__ void chase(int *p, int n)
{
	int i = 0;
	for (int k = 0; k < n; k++)
		i = p[i * 32];
	if (i == 123456)
		*p = i;
}
int main()
{
	char *p, *q;
	size_t B = 512u << 20;
	cudaMalloc(&p, B);
	cudaMalloc(&q, B);
	cudaMemset(p, 0, B);
	cudaMemset(q, 0, B);
	for (int b : {1, 132, 1056}) {
		code<32><<<b, 256>>>((float *)q, 1);
		code<128><<<b, 256>>>((float *)q, 1);
		code<512><<<b, 256>>>((float *)q, 1);
		code<2048><<<b, 256>>>((float *)q, 1);
		code<8192><<<b, 256>>>((float *)q, 1);
		code<2048><<<b, 32>>>((float *)q, 1);
	}
	for (int b : {1, 16, 132, 528, 1056, 4224, 16896}) {
		load1<<<b, 256>>>((float *)p, (float *)q);
		load4<<<b, 256>>>((float *)p, (float *)q);
		load16<<<b, 256>>>((float4 *)p, (float *)q);
		store1<<<b, 256>>>((float *)q);
		store4<<<b, 256>>>((float4 *)q);
		copy1<<<b, 256>>>((float *)p, (float *)q);
		copy4<<<b, 256>>>((float4 *)p, (float4 *)q);
		redu<<<b, 256>>>((int *)q, 1 << 20);
	}
	for (int b : {1, 132})
		for (int t : {32, 256, 1024}) {
			bar<<<b, t>>>((float *)q, 100);
			bar<<<b, t>>>((float *)q, 1000);
		}
	chase<<<1, 1>>>((int *)p, 1000);
	cudaDeviceSynchronize();
	puts(cudaGetErrorString(cudaGetLastError()));
}
