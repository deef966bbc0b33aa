/* Runs the loops of store_reads.py on one SM, by 1 to 32 warps: cycles of a
   round, of the warp in the middle, warm. `step` 0: each round at the same
   place. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 400.0

static void must(CUresult result)
{
	const char *text;

	if (!result)
		return;
	cuGetErrorString(result, &text);
	fprintf(stderr, "%s\n", text);
	exit(1);
}

static int by_size(const void *left, const void *right)
{
	const unsigned long a = *(const unsigned long *)left;
	const unsigned long b = *(const unsigned long *)right;

	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	CUdeviceptr data, out;
	CUdevice device;
	CUcontext context;
	CUmodule module;
	int i;

	must(cuInit(0));
	must(cuDeviceGet(&device, 0));
	must(cuDevicePrimaryCtxRetain(&context, device));
	must(cuCtxSetCurrent(context));
	must(cuModuleLoad(&module, argv[1]));
	must(cuMemAlloc(&data, 8 << 20));
	must(cuMemAlloc(&out, 65536));
	must(cuMemsetD8(data, 0, 8 << 20));
	printf("# loop\tstep\twarps\tcycles_a_round\n");
	for (i = 2; i < argc; i++) {
		CUfunction kernel;
		unsigned warps, step;

		must(cuModuleGetFunction(&kernel, module, argv[i]));
		for (step = 0; step <= 128; step += 128)
			for (warps = 1; warps <= 32; warps *= 2) {
				unsigned long zero = 0, took[32];
				void *arguments[] = {&data, &out, &step, &zero};
				int run;

				for (run = 0; run < 3; run++)
					must(cuLaunchKernel(kernel, 1, 1, 1,
						32 * warps, 1, 1, 0, NULL,
						arguments, NULL));
				must(cuMemcpyDtoH(took, out, 8ul * warps));
				qsort(took, warps, 8, by_size);
				printf("%s\t%u\t%u\t%.2f\n", argv[i], step,
					warps,
					(double)took[warps / 2] / ROUNDS);
			}
	}
	return 0;
}
