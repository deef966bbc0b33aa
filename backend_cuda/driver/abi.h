#ifndef NEARFAR_CUDA_ABI_H
#define NEARFAR_CUDA_ABI_H

/*
 * The part of the CUDA driver's binary interface that we call: names of
 * handles, constants and fields as in NVIDIA's driver API manual. Declared
 * here so that no toolkit is needed to build; tests/unit/backend_cuda/abi.c
 * holds every line against cuda.h where that file exists.
 *
 * The driver's enumerations have no negative members, so they are unsigned
 * int in its interface, and here.
 */
#include <stddef.h>
#include <stdint.h>

typedef unsigned int cuda_result; /* CUresult */
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

/* One list makes the enumerators and their test. */
#define CUDA_CONSTANTS(C)                                                      \
	C(CUDA_SUCCESS, 0)                                                     \
	C(CUDA_ERROR_INVALID_VALUE, 1)                                         \
	C(CUDA_ERROR_OUT_OF_MEMORY, 2)                                         \
	C(CUDA_ERROR_STUB_LIBRARY, 34)                                         \
	C(CUDA_ERROR_NO_DEVICE, 100)                                           \
	C(CUDA_ERROR_UNSUPPORTED_LIMIT, 215)                                   \
	C(CUDA_ERROR_NOT_READY, 600)                                           \
	C(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912)                                \
	C(CUDA_ERROR_NOT_SUPPORTED, 801)                                       \
	C(CU_CTX_SCHED_AUTO, 0)                                                \
	C(CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 1)                         \
	C(CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 3)                  \
	C(CU_MEMHOSTALLOC_PORTABLE, 1)                                         \
	C(CU_MEMHOSTALLOC_DEVICEMAP, 2)                                        \
	C(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                                  \
	C(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                        \
	C(CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32)                                 \
	C(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36)                           \
	C(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37)                     \
	C(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                               \
	C(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)              \
	C(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                    \
	C(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                    \
	C(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)        \
	C(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 82)            \
	C(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)           \
	C(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102)        \
	C(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 106)              \
	C(CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED, 107)              \
	C(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 108)               \
	C(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, 109)              \
	C(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 111)           \
	C(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 5)                                \
	C(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 6)                                \
	C(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                              \
	C(CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                       \
	C(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)                  \
	C(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9)               \
	C(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 11)                        \
	C(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 12)                       \
	C(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 13)                        \
	C(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14)             \
	C(CU_JIT_INFO_LOG_BUFFER, 3)                                           \
	C(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, 4)                                \
	C(CU_JIT_ERROR_LOG_BUFFER, 5)                                          \
	C(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)                               \
	C(CU_JIT_OPTIMIZATION_LEVEL, 7)                                        \
	C(CU_ACCESS_PROPERTY_NORMAL, 0)                                        \
	C(CU_ACCESS_PROPERTY_STREAMING, 1)                                     \
	C(CU_ACCESS_PROPERTY_PERSISTING, 2)                                    \
	C(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, 1)                         \
	C(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2)                                  \
	C(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4)                            \
	C(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6)            \
	C(CU_STREAM_NON_BLOCKING, 1)                                           \
	C(CU_STREAM_WAIT_VALUE_GEQ, 0)                                         \
	C(CU_MEM_ALLOCATION_TYPE_PINNED, 1)                                    \
	C(CU_MEM_ALLOCATION_COMP_GENERIC, 1)                                   \
	C(CU_MEM_LOCATION_TYPE_DEVICE, 1)                                      \
	C(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)                               \
	C(CU_MEM_ALLOC_GRANULARITY_RECOMMENDED, 1)

#ifndef CUDA_ABI_NO_CONSTANTS /* the test has them from cuda.h */
enum cuda_constant {
#define CUDA_CONSTANT_ENUM(name, value) name = (value),
	CUDA_CONSTANTS(CUDA_CONSTANT_ENUM)
#undef CUDA_CONSTANT_ENUM
};
#endif

struct cuda_uuid { /* CUuuid */
	char bytes[16];
};

struct cuda_mem_location { /* CUmemLocation */
	unsigned int type;
	int id; /* the device's ordinal */
};

struct cuda_mem_allocation_prop { /* CUmemAllocationProp */
	unsigned int type;
	unsigned int requestedHandleTypes;
	struct cuda_mem_location location;
	void *win32HandleMetaData;
	struct {
		unsigned char compressionType;
		unsigned char gpuDirectRDMACapable;
		unsigned short usage;
		unsigned char reserved[4];
	} allocFlags;
};

struct cuda_mem_access_desc { /* CUmemAccessDesc */
	struct cuda_mem_location location;
	unsigned int flags;
};

struct cuda_access_policy_window { /* CUaccessPolicyWindow */
	void *base_ptr;
	size_t num_bytes;
	float hitRatio;
	unsigned int hitProp, missProp;
};

struct cuda_cluster_dim { /* CUlaunchAttributeValue.clusterDim */
	unsigned int x, y, z;
};

struct cuda_launch_attribute { /* CUlaunchAttribute */
	unsigned int id;
	char pad[4];
	union {
		char pad[64];
		struct cuda_access_policy_window accessPolicyWindow;
		int cooperative;
		struct cuda_cluster_dim clusterDim;
		int programmaticStreamSerializationAllowed;
	} value;
};

struct cuda_tensor_map { /* CUtensorMap */
	_Alignas(128) uint64_t opaque[16];
};

struct cuda_launch_config { /* CUlaunchConfig */
	unsigned int gridDimX, gridDimY, gridDimZ;
	unsigned int blockDimX, blockDimY, blockDimZ;
	unsigned int sharedMemBytes;
	CUstream hStream;
	struct cuda_launch_attribute *attrs;
	unsigned int numAttrs;
};

#endif
