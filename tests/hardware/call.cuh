// A call of the CUDA runtime that must succeed, for the programs beside this.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define DO(call)                                                               \
	do {                                                                   \
		cudaError_t e = (call);                                        \
		if (e) {                                                       \
			fprintf(stderr, "%s: %s\n", #call,                     \
				cudaGetErrorString(e));                        \
			exit(1);                                               \
		}                                                              \
	} while (0)
