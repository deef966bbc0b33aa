/* A copy of rows whose lengths the kernel alone knows: each block makes its
   tensor map in shared memory, and copies boxes by it. */
#include "box.cuh"

#define TILE 64 /* of 2 bytes */

static __device__ void make_map(unsigned map, const void *at, int columns,
	int rows, long long pitch)
{
	asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024."
		     "b64 [%0], %1;\n"
		     "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], "
		     "1;\n"
		     "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 "
		     "[%0], 0, %2;\n"
		     "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 "
		     "[%0], 1, %2;\n"
		     "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 "
		     "[%0], 0, %3;\n"
		     "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 "
		     "[%0], 1, %4;\n"
		     "tensormap.replace.tile.global_stride.shared::cta.b1024."
		     "b64 [%0], 0, %5;\n"
		     "tensormap.replace.tile.element_stride.shared::cta.b1024."
		     "b32 [%0], 0, 1;\n"
		     "tensormap.replace.tile.element_stride.shared::cta.b1024."
		     "b32 [%0], 1, 1;\n"
		     "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 "
		     "[%0], 1;\n"
		     "tensormap.replace.tile.interleave_layout.shared::cta."
		     "b1024.b32 [%0], 0;\n"
		     "tensormap.replace.tile.swizzle_mode.shared::cta.b1024."
		     "b32 [%0], 3;\n"
		     "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 "
		     "[%0], 0;\n" ::"r"(map),
		     "l"(at), "r"(TILE), "r"(columns), "r"(rows), "l"(pitch)
		     : "memory");
}

extern "C" __global__ void made_box(const unsigned short *from,
	unsigned short *to, tensor_map *maps, int columns, int rows, int pitch)
{
	__shared__ alignas(128) unsigned map[32];
	__shared__ alignas(1024) unsigned short tile[TILE][TILE];
	__shared__ unsigned long long barrier;
	tensor_map *own = &maps[2 * (blockIdx.y * gridDim.x + blockIdx.x)];
	int x = blockIdx.x * TILE, y = blockIdx.y * TILE;

	for (int i = 0; i < 2; i++) {
		const void *at = i ? (const void *)to : (const void *)from;

		if (threadIdx.x < 32) {
			map[threadIdx.x] = 0;
			__syncwarp();
			if (!threadIdx.x)
				make_map(shared_address(map), at, columns,
					rows, (long long)pitch * 2);
			__syncwarp();
			asm volatile(
				"tensormap.cp_fenceproxy.global.shared::cta."
				"tensormap::generic.release.gpu.sync.aligned "
				"[%0], [%1], 128;\n"
				"fence.proxy.tensormap::generic.acquire.gpu "
				"[%0], 128;" ::"l"(&own[i]),
				"r"(shared_address(map))
				: "memory");
		}
		__syncthreads();
	}
	if (!threadIdx.x) {
		barrier_make(&barrier);
		barrier_expect(&barrier, sizeof(tile));
		load_box(tile, &own[0], x, y, &barrier);
	}
	__syncthreads();
	barrier_wait(&barrier, 0);
	/* The box is swizzled in both maps: each element stays where it is. */
	for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
		tile[i / TILE][i % TILE] += 1;
	show_copies();
	if (!threadIdx.x) {
		store_box(&own[1], x, y, tile);
		wait_stores();
	}
}
