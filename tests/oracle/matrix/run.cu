// Runs kernels of a module on a GPU, and leaves a file of words of each: for
// pack.py. Build: nvcc -o run run.cu -lcuda
// usage: run MODULE.ptx NAMES OUT SEED BLOCKS THREADS BYTES (of a block)
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static void check(CUresult result, const char *what)
{
	if (!result)
		return;
	fprintf(stderr, "%s: the driver's error %d\n", what, result);
	exit(1);
}

int main(int argc, char **argv)
{
	if (argc != 8)
		return 2;
	unsigned seed = (unsigned)atoi(argv[4]);
	const int blocks = atoi(argv[5]), threads = atoi(argv[6]);
	const size_t bytes = (size_t)blocks * atoi(argv[7]);
	std::vector<char> words(bytes);
	char name[100];
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUdeviceptr memory;
	FILE *names = fopen(argv[2], "r");

	check(cuInit(0), "init");
	check(cuDeviceGet(&device, 0), "device");
	check(cuDevicePrimaryCtxRetain(&context, device), "context");
	check(cuCtxSetCurrent(context), "context");
	check(cuModuleLoad(&module, argv[1]), argv[1]);
	check(cuMemAlloc(&memory, bytes), "memory");
	while (names && fscanf(names, "%99s", name) == 1) {
		void *arguments[] = {&memory, &seed};
		CUfunction kernel;

		check(cuModuleGetFunction(&kernel, module, name), name);
		check(cuMemsetD8(memory, 0, bytes), name);
		check(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, 0,
			      arguments, 0),
			name);
		check(cuCtxSynchronize(), name);
		check(cuMemcpyDtoH(words.data(), memory, bytes), name);
		FILE *to = fopen((std::string(argv[3]) + "/" + name + ".bin")
					 .c_str(),
			"wb");
		if (!to || fwrite(words.data(), 1, bytes, to) != bytes)
			return 1;
		fclose(to);
	}
	return 0;
}
