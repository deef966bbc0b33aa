/*
 * A CUDA driver without a GPU, so that the backend's paths can be tested
 * anywhere. Tests compile it as a shared library and name it in
 * NEARFAR_LIBCUDA; it is never linked into a program.
 *
 * Device memory is host memory. A kernel with an SM table "runs" by filling
 * its output with equal warp records; fills and flushes do nothing. A kernel of
 * a job, which is any that is not called "nearfar", adds one to the 32-bit word
 * that its first parameter points to, and takes 2 ms. Which world it is in is
 * chosen by FAKE_CUDA in the environment, words of this list:
 *
 *   init34 init100     it does not start
 *   old                it is of CUDA 10.2
 *   two, four          there are so many devices
 *   jit                no kernel compiles
 *   hang fault         a kernel does not end, or faults
 *   second             that befalls the second device alone
 *   silent             it writes nothing
 *   backwards          its clocks go back
 *   far-sm             it ran on SM 99999
 *   fast               its clock is of 10^23 Hz
 *   moves              its clock is of 2 and of 1 GHz in turn
 *   full small         there is no memory, or 8 MiB of it
 *   incompressible     no memory is compressible
 *   apart              no device reaches another one's memory
 *
 * FAKE_CUDA_VERSION is the version that it says, such as 11070.
 * FAKE_CUDA_FAULT="CALL:N" fails the N-th use of a function with an unknown
 * error, "CALL:N+" that and all later ones; FAKE_REPORT names a file that gets
 * a line "call CALL USES" for each. Compiled with -DFAKE_WITHOUT_LIMITS it
 * lacks a required symbol, with -DFAKE_OLD an optional one.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend_cuda/driver/abi.h"
#include "harness/lower/lower.h"

#define FAKE_EXPORT __attribute__((visibility("default")))

/* The prototypes come from the table that the backend loads by. */
#define CUDA_SYMBOL(name, symbol, need, parameters)                            \
	FAKE_EXPORT cuda_result symbol parameters;
#include "backend_cuda/driver/driver_symbols.def"
#undef CUDA_SYMBOL

/* For tests: what the backend has not given back. */
FAKE_EXPORT int fake_cuda_live(void);
FAKE_EXPORT size_t fake_cuda_limit(unsigned int limit);
FAKE_EXPORT int fake_cuda_compilations(void);
FAKE_EXPORT int fake_cuda_windows(void);
/* The last window: KiB, 1000 for each hit property, 10000 for each miss
   property, 100000 for each tenth of the ratio. */
FAKE_EXPORT int fake_cuda_last_window(void);
/* Preferred carve-outs of functions: 1 for each that is the driver's choice,
   100 for each that leaves shared memory something. */
FAKE_EXPORT int fake_cuda_carveouts(void);
FAKE_EXPORT int fake_cuda_reached(void);
FAKE_EXPORT int fake_cuda_owners(void);

#define DEVICES     4
#define LIMITS      8
#define PAGE_BYTES  4096
#define SMALL_BYTES ((size_t)8 << 20)

/* Devices are driven by threads of their own. */
static struct {
	atomic_int live, compilations, windows, launches;
	bool large_clusters;
	struct cuda_access_policy_window window;
	int carveouts;
	atomic_size_t taken_bytes;
	size_t limits[LIMITS];
} fake = {.limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64};

/* Of each device: its context, and whether a kernel was launched. */
static struct {
	atomic_bool running;
	atomic_int blocks; /* of its memory that were taken, ever */
} devices[DEVICES];

static _Thread_local __attribute__((tls_model("initial-exec")))
CUdevice current; /* whose context is the thread's */
/* By device: whether it was let at another one's memory. */
static atomic_bool reaches[DEVICES];

static bool mode(const char *word)
{
	const char *at = getenv("FAKE_CUDA");
	const size_t length = strlen(word);

	for (; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
		if (strcspn(at, " ") == length && !strncmp(at, word, length))
			return true;
	return false;
}

/* With "second", what befalls a device befalls the second alone. */
static bool befalls(const char *word)
{
	return devices[current].running && mode(word) &&
	       (current || !mode("second"));
}

/* ---- faults ---- */

enum call {
#define CUDA_SYMBOL(name, symbol, need, parameters) CALL_##symbol,
#include "backend_cuda/driver/driver_symbols.def"
#undef CUDA_SYMBOL
	CALL_COUNT
};

static const char *const call_names[] = {
#define CUDA_SYMBOL(name, symbol, need, parameters) #symbol,
#include "backend_cuda/driver/driver_symbols.def"
#undef CUDA_SYMBOL
};

#define UNKNOWN_ERROR 999

static atomic_ulong uses[CALL_COUNT];

static bool fails(enum call call)
{
	const char *fault = getenv("FAKE_CUDA_FAULT");
	const size_t length = strlen(call_names[call]);
	unsigned long at, use;
	char *end;

	use = ++uses[call];
	if (!fault || strncmp(fault, call_names[call], length) ||
		fault[length] != ':')
		return false;
	at = strtoul(fault + length + 1, &end, 10);
	return use == at || (*end == '+' && use > at);
}

#define CALL(name)                                                             \
	if (fails(CALL_##name))                                                \
	return UNKNOWN_ERROR

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("FAKE_REPORT");
	FILE *out = path ? fopen(path, "w") : NULL;
	int call;

	for (call = 0; out && call < CALL_COUNT; call++)
		fprintf(out, "call %s %lu\n", call_names[call], uses[call]);
	if (out)
		fclose(out);
}

/* ---- the driver ---- */

int fake_cuda_live(void)
{
	return fake.live;
}

size_t fake_cuda_limit(unsigned int limit)
{
	return fake.limits[limit];
}

int fake_cuda_compilations(void)
{
	return fake.compilations;
}

int fake_cuda_windows(void)
{
	return fake.windows;
}

int fake_cuda_last_window(void)
{
	const struct cuda_access_policy_window *w = &fake.window;

	return (int)(w->num_bytes / 1024 + 1000 * w->hitProp +
		       10000 * w->missProp) +
	       100000 * (int)(w->hitRatio * 10);
}

int fake_cuda_carveouts(void)
{
	return fake.carveouts;
}

int fake_cuda_reached(void)
{
	int i, count = 0;

	for (i = 0; i < DEVICES; i++)
		count += reaches[i];
	return count;
}

/* Bit i: device i has had memory taken. */
int fake_cuda_owners(void)
{
	int i, owners = 0;

	for (i = 0; i < DEVICES; i++)
		owners |= (devices[i].blocks > 0) << i;
	return owners;
}

cuda_result cuInit(unsigned int flags)
{
	CALL(cuInit);
	if (mode("init34"))
		return CUDA_ERROR_STUB_LIBRARY;
	if (mode("init100"))
		return CUDA_ERROR_NO_DEVICE;
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

cuda_result cuDriverGetVersion(int *version)
{
	CALL(cuDriverGetVersion);
	*version = getenv("FAKE_CUDA_VERSION")
			   ? atoi(getenv("FAKE_CUDA_VERSION"))
		   : mode("old") ? 10020
				 : 12080;
	return CUDA_SUCCESS;
}

cuda_result cuGetErrorName(cuda_result result, const char **name)
{
	CALL(cuGetErrorName);
	static const struct {
		cuda_result result;
		const char *name;
	} names[] = {
		{CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
		{218, "CUDA_ERROR_INVALID_PTX"},
		{700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].result == result) {
			*name = names[i].name;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_VALUE;
}

cuda_result cuDeviceGetCount(int *count)
{
	CALL(cuDeviceGetCount);
	*count = mode("four") ? 4 : mode("two") ? 2 : 1;
	return CUDA_SUCCESS;
}

cuda_result cuDeviceGet(CUdevice *device, int ordinal)
{
	CALL(cuDeviceGet);
	*device = ordinal;
	return CUDA_SUCCESS;
}

cuda_result cuDeviceGetName(char *name, int bytes, CUdevice device)
{
	CALL(cuDeviceGetName);
	snprintf(name, (size_t)bytes, device ? "Fake GPU %d" : "Fake GPU",
		device + 1);
	return CUDA_SUCCESS;
}

cuda_result cuDeviceGetUuid_v2(struct cuda_uuid *uuid, CUdevice device)
{
	CALL(cuDeviceGetUuid_v2);
	size_t i;

	for (i = 0; i < sizeof(uuid->bytes); i++)
		uuid->bytes[i] = (char)(0xf0 + i - 16 * device);
	return CUDA_SUCCESS;
}

cuda_result cuDeviceGetPCIBusId(char *bus_id, int bytes, CUdevice device)
{
	CALL(cuDeviceGetPCIBusId);
	snprintf(bus_id, (size_t)bytes, "0000:%d:00.0", 17 + device);
	return CUDA_SUCCESS;
}

cuda_result cuDeviceGetAttribute(
	int *value, unsigned int attribute, CUdevice device)
{
	CALL(cuDeviceGetAttribute);
	static const int values[] = {
		[CU_DEVICE_ATTRIBUTE_CLOCK_RATE] = 2000000,
		[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 4,
		[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = 1 << 20,
		[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] = 2048,
		[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 9,
		[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR] =
			228 << 10,
		[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = 227
									  << 10,
		[CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED] = 1,
		[CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED] = 1,
		[CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE] = 1 << 19,
		[CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE] = 1 << 20,
		[CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR] = 32,
		[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR] = 65536,
		[CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK] = 1024,
	};

	(void)device;
	if (attribute >= sizeof(values) / sizeof(values[0]))
		return CUDA_ERROR_INVALID_VALUE;
	*value = values[attribute];
	return CUDA_SUCCESS;
}

cuda_result cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	CALL(cuDeviceTotalMem_v2);
	(void)device;
	*bytes = mode("small") ? SMALL_BYTES : (size_t)1 << 30;
	return CUDA_SUCCESS;
}

cuda_result cuCtxCreate_v2(
	CUcontext *context, unsigned int flags, CUdevice device)
{
	CALL(cuCtxCreate_v2);
	(void)flags;
	*context = (CUcontext)&devices[device];
	current = device;
	fake.live++;
	return CUDA_SUCCESS;
}

cuda_result cuCtxDestroy_v2(CUcontext context)
{
	CALL(cuCtxDestroy_v2);
	(void)context;
	fake.live--;
	return CUDA_SUCCESS;
}

cuda_result cuCtxSetCurrent(CUcontext context)
{
	CALL(cuCtxSetCurrent);
	for (current = DEVICES - 1; current; current--)
		if ((const void *)context == (const void *)&devices[current])
			break;
	return CUDA_SUCCESS;
}

cuda_result cuCtxGetLimit(size_t *value, unsigned int limit)
{
	CALL(cuCtxGetLimit);
	*value = fake.limits[limit];
	return CUDA_SUCCESS;
}

#ifndef FAKE_WITHOUT_LIMITS
cuda_result cuCtxSetLimit(unsigned int limit, size_t value)
{
	CALL(cuCtxSetLimit);
	fake.limits[limit] = value;
	return CUDA_SUCCESS;
}
#endif

cuda_result cuCtxResetPersistingL2Cache(void)
{
	CALL(cuCtxResetPersistingL2Cache);
	return CUDA_SUCCESS;
}

/* Mapped, with its size in a page before it: a lost context's memory is its
   driver's affair, not a leak of the program. */
static cuda_result take(CUdeviceptr *pointer, size_t bytes)
{
	char *memory = MAP_FAILED;

	if (!mode("full") &&
		!(mode("small") && fake.taken_bytes + bytes > SMALL_BYTES))
		memory = mmap(NULL, bytes + PAGE_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(memory, &bytes, sizeof(bytes));
	memcpy(memory + sizeof(bytes), &current, sizeof(current));
	*pointer = (CUdeviceptr)(uintptr_t)memory + PAGE_BYTES;
	fake.taken_bytes += bytes;
	fake.live++;
	devices[current].blocks++;
	return CUDA_SUCCESS;
}

cuda_result cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes)
{
	CALL(cuMemAlloc_v2);
	return take(pointer, bytes);
}

static cuda_result give_back(CUdeviceptr pointer)
{
	char *memory = (char *)(uintptr_t)pointer - PAGE_BYTES;
	CUdevice device;
	size_t bytes;

	memcpy(&bytes, memory, sizeof(bytes));
	memcpy(&device, memory + sizeof(bytes), sizeof(device));
	if (device != current)
		return CUDA_ERROR_INVALID_VALUE;
	munmap(memory, bytes + PAGE_BYTES);
	fake.taken_bytes -= bytes;
	fake.live--;
	return CUDA_SUCCESS;
}

cuda_result cuMemFree_v2(CUdeviceptr pointer)
{
	CALL(cuMemFree_v2);
	return give_back(pointer);
}

cuda_result cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	CALL(cuDeviceCanAccessPeer);
	*can = device != peer && !mode("apart");
	return CUDA_SUCCESS;
}

cuda_result cuDeviceGetP2PAttribute(
	int *value, unsigned int attribute, CUdevice from, CUdevice to)
{
	CALL(cuDeviceGetP2PAttribute);
	*value = attribute == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
	return from == to ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

cuda_result cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	CALL(cuDevicePrimaryCtxRetain);
	*context = (CUcontext)&devices[device];
	fake.live++;
	return CUDA_SUCCESS;
}

cuda_result cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	CALL(cuDevicePrimaryCtxRelease_v2);
	(void)device;
	fake.live--;
	return CUDA_SUCCESS;
}

cuda_result cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	CALL(cuCtxEnablePeerAccess);
	if (flags || (const void *)peer == (const void *)&devices[current])
		return CUDA_ERROR_INVALID_VALUE;
	reaches[current] = true;
	return CUDA_SUCCESS;
}

cuda_result cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
	CALL(cuMemHostAlloc);
	CUdeviceptr address;
	cuda_result result;

	if (flags != (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP))
		return CUDA_ERROR_INVALID_VALUE;
	result = take(&address, bytes);
	if (!result)
		*pointer = (void *)(uintptr_t)address;
	return result;
}

cuda_result cuMemHostGetDevicePointer_v2(
	CUdeviceptr *pointer, void *host, unsigned int flags)
{
	CALL(cuMemHostGetDevicePointer_v2);
	*pointer = (CUdeviceptr)(uintptr_t)host;
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

cuda_result cuMemFreeHost(void *pointer)
{
	CALL(cuMemFreeHost);
	return give_back((CUdeviceptr)(uintptr_t)pointer);
}

cuda_result cuMemsetD8_v2(
	CUdeviceptr pointer, unsigned char value, size_t bytes)
{
	CALL(cuMemsetD8_v2);
	memset((void *)(uintptr_t)pointer, value, bytes);
	return CUDA_SUCCESS;
}

cuda_result cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
	CALL(cuMemcpyHtoD_v2);
	memcpy((void *)(uintptr_t)to, from, bytes);
	return CUDA_SUCCESS;
}

cuda_result cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
	CALL(cuMemcpyDtoH_v2);
	memcpy(to, (const void *)(uintptr_t)from, bytes);
	return CUDA_SUCCESS;
}

cuda_result cuMemGetAllocationGranularity(size_t *bytes,
	const struct cuda_mem_allocation_prop *prop, unsigned int option)
{
	CALL(cuMemGetAllocationGranularity);
	(void)prop;
	(void)option;
	*bytes = (size_t)2 << 20;
	return CUDA_SUCCESS;
}

cuda_result cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
	const struct cuda_mem_allocation_prop *prop, unsigned long long flags)
{
	CALL(cuMemCreate);
	(void)flags;
	if (prop->allocFlags.compressionType != CU_MEM_ALLOCATION_COMP_GENERIC)
		return CUDA_ERROR_INVALID_VALUE;
	return cuMemAlloc_v2(handle, bytes);
}

cuda_result cuMemRelease(CUmemGenericAllocationHandle handle)
{
	CALL(cuMemRelease);
	return cuMemFree_v2(handle);
}

cuda_result cuMemGetAllocationPropertiesFromHandle(
	struct cuda_mem_allocation_prop *prop,
	CUmemGenericAllocationHandle handle)
{
	CALL(cuMemGetAllocationPropertiesFromHandle);
	(void)handle;
	prop->allocFlags.compressionType =
		mode("incompressible") ? 0 : CU_MEM_ALLOCATION_COMP_GENERIC;
	return CUDA_SUCCESS;
}

cuda_result cuMemAddressReserve(CUdeviceptr *pointer, size_t bytes,
	size_t alignment, CUdeviceptr wanted, unsigned long long flags)
{
	CALL(cuMemAddressReserve);
	(void)alignment;
	(void)wanted;
	(void)flags;
	return cuMemAlloc_v2(pointer, bytes);
}

cuda_result cuMemAddressFree(CUdeviceptr pointer, size_t bytes)
{
	CALL(cuMemAddressFree);
	(void)bytes;
	return cuMemFree_v2(pointer);
}

cuda_result cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset,
	CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	CALL(cuMemMap);
	(void)pointer;
	(void)bytes;
	(void)offset;
	(void)handle;
	(void)flags;
	fake.live++;
	return CUDA_SUCCESS;
}

cuda_result cuMemUnmap(CUdeviceptr pointer, size_t bytes)
{
	CALL(cuMemUnmap);
	(void)pointer;
	(void)bytes;
	fake.live--;
	return CUDA_SUCCESS;
}

cuda_result cuMemSetAccess(CUdeviceptr pointer, size_t bytes,
	const struct cuda_mem_access_desc *access, size_t count)
{
	CALL(cuMemSetAccess);
	(void)pointer;
	(void)bytes;
	(void)access;
	return count == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Where the kernel's first region writes its blocks' records, by its text; 0:
   it has none. */
struct kernel {
	uint64_t block_offset;
	const char *entry; /* ".entry NAME(" and what follows; a job's */
	char *text;        /* of the module */
};

static struct kernel *make_kernel(const char *text)
{
	struct kernel *k = calloc(1, sizeof(*k));
	char stride[32];
	const char *at;

	if (!k)
		return NULL;
	snprintf(stride, sizeof(stride), ", %zu, %%d",
		sizeof(struct ptx_block_record));
	at = strstr(text, stride);
	if (at)
		at = strstr(at, "st.global.u64 [");
	if (at)
		at = strchr(at, '+');
	if (at)
		k->block_offset = strtoull(at + 1, NULL, 10);
	/* not by strdup(): what a lost context leaves behind is the driver's */
	k->text = malloc(strlen(text) + 1);
	if (k->text)
		return strcpy(k->text, text), k;
	free(k);
	return NULL;
}

cuda_result cuModuleLoadDataEx(CUmodule *module, const void *image,
	unsigned int count, unsigned int *options, void **values)
{
	CALL(cuModuleLoadDataEx);
	unsigned int i;

	if (!strstr(image, ".version "))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; mode("jit") && i < count; i++)
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			strcpy(values[i], "\nptxas application ptx input, "
					  "line 7; fatal\n\t: wrong\n");
	if (mode("jit"))
		return 218;
	for (i = 0; strstr(image, ", debug") && i < count; i++)
		if (options[i] == CU_JIT_OPTIMIZATION_LEVEL && values[i])
			return 218;
	*module = (CUmodule)make_kernel(image);
	if (!*module)
		return CUDA_ERROR_OUT_OF_MEMORY;
	fake.live++;
	fake.compilations++;
	return CUDA_SUCCESS;
}

cuda_result cuModuleUnload(CUmodule module)
{
	free(((struct kernel *)module)->text);
	free((void *)module);
	fake.live--;
	CALL(cuModuleUnload); /* what is its own is no leak of the program */
	return CUDA_SUCCESS;
}

cuda_result cuModuleGetFunction(
	CUfunction *function, CUmodule module, const char *name)
{
	CALL(cuModuleGetFunction);
	struct kernel *k = (struct kernel *)module;
	char entry[128];

	snprintf(entry, sizeof(entry), ".entry %s(", name);
	k->entry = strstr(k->text, entry);
	if (!k->entry)
		return 500;
	if (!strcmp(name, "nearfar"))
		k->entry = NULL;
	*function = (CUfunction)module;
	return CUDA_SUCCESS;
}

#ifndef FAKE_OLD
/* Scalar parameters, as they stand. */
cuda_result cuFuncGetParamInfo(
	CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
	CALL(cuFuncGetParamInfo);
	const struct kernel *k = (const struct kernel *)function;
	const char *at = k->entry, *end = strchr(k->entry, ')');
	size_t i;

	for (i = 0; i <= index; i++) {
		at = strstr(at + 1, ".param ");
		if (!at || at > end)
			return CUDA_ERROR_INVALID_VALUE;
	}
	*offset = 8 * index;
	/* ".u64", ".b8": the kind has one letter. */
	*bytes = strtoul(at + 9, NULL, 10) / 8;
	return CUDA_SUCCESS;
}
#endif

/* An event or a stream: there is nothing in it. */
static cuda_result make_thing(void **thing, unsigned int flags)
{
	*thing = malloc(1);
	if (!*thing)
		return CUDA_ERROR_OUT_OF_MEMORY;
	fake.live++;
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

cuda_result cuEventCreate(CUevent *event, unsigned int flags)
{
	CALL(cuEventCreate);
	return make_thing((void **)event, flags);
}

cuda_result cuEventDestroy_v2(CUevent event)
{
	free(event);
	CALL(cuEventDestroy_v2);
	fake.live--;
	return CUDA_SUCCESS;
}

cuda_result cuEventRecord(CUevent event, CUstream stream)
{
	CALL(cuEventRecord);
	(void)stream;
	return event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

cuda_result cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
	CALL(cuEventElapsedTime);
	*ms = 2;
	return start != end ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

cuda_result cuOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, CUfunction function, int threads, size_t shared_bytes)
{
	CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor);
	(void)function;
	(void)shared_bytes;
	*blocks = 2048 / threads;
	return CUDA_SUCCESS;
}

cuda_result cuFuncGetAttribute(
	int *value, unsigned int attribute, CUfunction function)
{
	CALL(cuFuncGetAttribute);
	(void)function;
	*value =
		attribute >= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH &&
				attribute <=
					CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH
			? 0
			: 16;
	return CUDA_SUCCESS;
}

cuda_result cuFuncSetAttribute(
	CUfunction function, unsigned int attribute, int value)
{
	CALL(cuFuncSetAttribute);
	(void)function;
	if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
		fake.large_clusters = value != 0;
	if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
		fake.carveouts += value < 0 ? 1 : value ? 100 : 0;
	return CUDA_SUCCESS;
}

cuda_result cuStreamCreate(CUstream *stream, unsigned int flags)
{
	CALL(cuStreamCreate);
	return make_thing((void **)stream, flags & ~CU_STREAM_NON_BLOCKING);
}

cuda_result cuStreamDestroy_v2(CUstream stream)
{
	free(stream);
	CALL(cuStreamDestroy_v2);
	fake.live--;
	return CUDA_SUCCESS;
}

cuda_result cuStreamWaitEvent(
	CUstream stream, CUevent event, unsigned int flags)
{
	CALL(cuStreamWaitEvent);
	(void)stream;
	return event && !flags ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

#ifndef FAKE_OLD
cuda_result cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr pointer,
	uint32_t value, unsigned int flags)
{
	CALL(cuStreamWaitValue32_v2);
	(void)value;
	return stream && pointer && flags == CU_STREAM_WAIT_VALUE_GEQ
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}
#endif

cuda_result cuMemcpyAsync(
	CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	CALL(cuMemcpyAsync);
	memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
	return stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

cuda_result cuStreamQuery(CUstream stream)
{
	CALL(cuStreamQuery);
	(void)stream;
	if (befalls("hang"))
		return CUDA_ERROR_NOT_READY;
	if (befalls("fault"))
		return 700;
	return CUDA_SUCCESS;
}

/* What the records say in another world. */
static void spoil(struct ptx_warp_record *warp, struct ptx_block_record *block)
{
	if (mode("backwards"))
		warp->stop_clock = warp->start_clock - 50;
	if (mode("far-sm"))
		block->sm = 99999;
	if (mode("fast"))
		block->last_clock = block->first_clock + (UINT64_C(1) << 60);
	if (mode("moves") && fake.launches++ % 2)
		block->last_ns += block->last_ns - block->first_ns;
}

cuda_result cuLaunchKernel(CUfunction function, unsigned int grid_x,
	unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
	unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
	CUstream stream, void **parameters, void **extra)
{
	CALL(cuLaunchKernel);
	const struct kernel *kernel = (const struct kernel *)function;
	struct ptx_warp_record warp = {100, 200100};
	struct ptx_block_record block = {2, 0, 50, 1000, 200050, 101000};
	uint64_t output, table;
	char *to, *end;

	(void)shared_bytes;
	(void)stream;
	(void)extra;
	if (kernel->entry) {
		uint32_t *word = *(uint32_t **)parameters[0];

		devices[current].running = true;
		if (grid_x * grid_y * grid_z == 0 ||
			block_x * block_y * block_z == 0)
			return CUDA_ERROR_INVALID_VALUE;
		++*word;
		return CUDA_SUCCESS;
	}
	if (!grid_x || grid_y != 1 || grid_z != 1 || !block_x || block_y != 1 ||
		block_z != 1)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&output, parameters[1], sizeof(output));
	memcpy(&table, parameters[2], sizeof(table));
	if (!table)
		return CUDA_SUCCESS;
	spoil(&warp, &block);
	devices[current].running = true;
	if (mode("silent"))
		return CUDA_SUCCESS;
	to = (char *)(uintptr_t)output;
	end = (char *)(uintptr_t)table;
	for (; to + sizeof(warp) <= end; to += sizeof(warp))
		memcpy(to, &warp, sizeof(warp));
	to = (char *)(uintptr_t)output + kernel->block_offset;
	for (; kernel->block_offset && to + sizeof(block) <= end;
		to += sizeof(block))
		memcpy(to, &block, sizeof(block));
	return CUDA_SUCCESS;
}

#ifndef FAKE_OLD
/* Each block of a cluster adds 100 to the kernel's word, a launch that need not
   wait for the end of the one before it 10000. */
static cuda_result take_cluster(const struct cuda_launch_config *config,
	const struct cuda_launch_attribute *attribute, CUfunction function,
	void **parameters)
{
	const struct cuda_cluster_dim *c = &attribute->value.clusterDim;
	const unsigned blocks = c->x * c->y * c->z;

	if (!blocks || config->gridDimX % c->x || config->gridDimY % c->y ||
		config->gridDimZ % c->z ||
		blocks > (fake.large_clusters ? 16 : 8))
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	if (((const struct kernel *)function)->entry)
		**(uint32_t **)parameters[0] += 100 * blocks;
	return CUDA_SUCCESS;
}

cuda_result cuLaunchKernelEx(const struct cuda_launch_config *config,
	CUfunction function, void **parameters, void **extra)
{
	CALL(cuLaunchKernelEx);
	cuda_result result = CUDA_SUCCESS;
	unsigned int i;

	for (i = 0; !result && i < config->numAttrs; i++) {
		const struct cuda_launch_attribute *a = &config->attrs[i];

		if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			result = take_cluster(config, a, function, parameters);
		else if (a->id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
			fake.windows++,
				fake.window = a->value.accessPolicyWindow;
		else if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE &&
			 a->value.cooperative == 1)
			**(uint32_t **)parameters[0] += 100000;
		else if (
			a->id ==
				CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
			a->value.programmaticStreamSerializationAllowed == 1 &&
			config->hStream)
			**(uint32_t **)parameters[0] += 10000;
		else
			result = CUDA_ERROR_INVALID_VALUE;
	}
	if (result)
		return result;
	return cuLaunchKernel(function, config->gridDimX, config->gridDimY,
		config->gridDimZ, config->blockDimX, config->blockDimY,
		config->blockDimZ, config->sharedMemBytes, config->hStream,
		parameters, extra);
}
#endif
