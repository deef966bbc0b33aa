/*
 * Our declarations of the driver's interface against NVIDIA's own, on
 * machines that have a toolkit. Everything is asserted while compiling.
 */
#include <criterion/criterion.h>

#if __has_include(<cuda.h>)
#define CUDA_HEADER <cuda.h>
#elif __has_include("/usr/local/cuda/include/cuda.h")
#define CUDA_HEADER "/usr/local/cuda/include/cuda.h"
#endif

#ifdef CUDA_HEADER

#define __CUDA_API_VERSION_INTERNAL /* declares older versions of calls */
#include CUDA_HEADER
#define CUDA_ABI_NO_CONSTANTS
#include "backend_cuda/driver/abi.h"

#define SAME_VALUE(name, value) _Static_assert((name) == (value), #name);
CUDA_CONSTANTS(SAME_VALUE)

#define SAME_SIZE(ours, theirs)                                                \
	_Static_assert(sizeof(ours) == sizeof(theirs), #theirs)
#define SAME_FIELD(ours, theirs, field)                                        \
	_Static_assert(offsetof(ours, field) == offsetof(theirs, field) &&     \
			       sizeof(((ours *)0)->field) ==                   \
				       sizeof(((theirs *)0)->field),           \
		#theirs "." #field)

SAME_SIZE(struct cuda_uuid, CUuuid);

SAME_SIZE(struct cuda_mem_location, CUmemLocation);
SAME_FIELD(struct cuda_mem_location, CUmemLocation, type);
SAME_FIELD(struct cuda_mem_location, CUmemLocation, id);

SAME_SIZE(struct cuda_mem_allocation_prop, CUmemAllocationProp);
SAME_FIELD(struct cuda_mem_allocation_prop, CUmemAllocationProp, type);
SAME_FIELD(struct cuda_mem_allocation_prop, CUmemAllocationProp,
	requestedHandleTypes);
SAME_FIELD(struct cuda_mem_allocation_prop, CUmemAllocationProp, location);
SAME_FIELD(struct cuda_mem_allocation_prop, CUmemAllocationProp,
	win32HandleMetaData);
SAME_FIELD(struct cuda_mem_allocation_prop, CUmemAllocationProp,
	allocFlags.compressionType);
SAME_FIELD(
	struct cuda_mem_allocation_prop, CUmemAllocationProp, allocFlags.usage);

SAME_SIZE(struct cuda_mem_access_desc, CUmemAccessDesc);
SAME_FIELD(struct cuda_mem_access_desc, CUmemAccessDesc, location);
SAME_FIELD(struct cuda_mem_access_desc, CUmemAccessDesc, flags);

SAME_SIZE(struct cuda_access_policy_window, CUaccessPolicyWindow);
SAME_FIELD(struct cuda_access_policy_window, CUaccessPolicyWindow, base_ptr);
SAME_FIELD(struct cuda_access_policy_window, CUaccessPolicyWindow, num_bytes);
SAME_FIELD(struct cuda_access_policy_window, CUaccessPolicyWindow, hitRatio);
SAME_FIELD(struct cuda_access_policy_window, CUaccessPolicyWindow, hitProp);
SAME_FIELD(struct cuda_access_policy_window, CUaccessPolicyWindow, missProp);

SAME_SIZE(struct cuda_launch_attribute, CUlaunchAttribute);
SAME_FIELD(struct cuda_launch_attribute, CUlaunchAttribute, id);
SAME_FIELD(struct cuda_launch_attribute, CUlaunchAttribute, value);
SAME_FIELD(struct cuda_launch_attribute, CUlaunchAttribute, value.cooperative);
SAME_FIELD(struct cuda_launch_attribute, CUlaunchAttribute, value.clusterDim);
SAME_FIELD(struct cuda_launch_attribute, CUlaunchAttribute, value.clusterDim.z);

SAME_SIZE(struct cuda_launch_config, CUlaunchConfig);
SAME_FIELD(struct cuda_launch_config, CUlaunchConfig, gridDimX);
SAME_FIELD(struct cuda_launch_config, CUlaunchConfig, gridDimZ);
SAME_FIELD(struct cuda_launch_config, CUlaunchConfig, blockDimX);
SAME_FIELD(struct cuda_launch_config, CUlaunchConfig, blockDimZ);
SAME_FIELD(struct cuda_launch_config, CUlaunchConfig, sharedMemBytes);
SAME_FIELD(struct cuda_launch_config, CUlaunchConfig, hStream);
SAME_FIELD(struct cuda_launch_config, CUlaunchConfig, attrs);
SAME_FIELD(struct cuda_launch_config, CUlaunchConfig, numAttrs);

SAME_SIZE(struct cuda_tensor_map, CUtensorMap);
SAME_FIELD(struct cuda_tensor_map, CUtensorMap, opaque);
_Static_assert(_Alignof(struct cuda_tensor_map) >= _Alignof(CUtensorMap),
	"CUtensorMap");

/* From here on our names of structs mean NVIDIA's, so that the parameters of
   each function in the table are held against the header's prototype. */
#define cuda_uuid                 CUuuid_st
#define cuda_mem_allocation_prop  CUmemAllocationProp_st
#define cuda_mem_access_desc      CUmemAccessDesc_st
#define cuda_access_policy_window CUaccessPolicyWindow_st
#define cuda_launch_config        CUlaunchConfig_st
#define cuda_tensor_map           CUtensorMap_st

#define CUDA_SYMBOL(name, symbol, need, parameters)                            \
	_Static_assert(__builtin_types_compatible_p(                           \
			       __typeof__(&symbol), CUresult(*) parameters),   \
		#symbol);
#include "backend_cuda/driver/driver_symbols.def"
#undef CUDA_SYMBOL

Test(cuda_abi, agrees_with_cuda_h)
{
	/* The assertions above are the test. */
	cr_assert(CUDA_VERSION >= 11000);
}

#else

Test(cuda_abi, agrees_with_cuda_h)
{
	cr_skip_test("no cuda.h on this machine");
}

#endif
