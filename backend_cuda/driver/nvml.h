#ifndef NEARFAR_NVML_H
#define NEARFAR_NVML_H

/*
 * NVIDIA's management library, read only: clocks, what throttles them, ECC and
 * its errors, remapped rows, MIG, temperature, power, VBIOS, other processes.
 * It is loaded at run time as "libnvidia-ml.so.1" (NEARFAR_LIBNVML names
 * another file); a machine without it is no error, the facts then say so.
 * Nothing here changes a setting.
 */
#include "harness/contract/backend.h"

typedef unsigned int nvml_result; /* nvmlReturn_t; 0: success */
typedef struct nvmlDevice_st *nvmlDevice_t;

struct nvml_process { /* nvmlProcessInfo_t */
	unsigned int pid;
	unsigned long long usedGpuMemory;
	unsigned int gpuInstanceId, computeInstanceId;
};

struct nvml_utilization {         /* nvmlUtilization_t */
	unsigned int gpu, memory; /* per cent */
};

struct nvml {
	void *library; /* NULL: absent */
	nvmlDevice_t device;
	char absence[160];          /* why, where `library` is NULL */
	unsigned int process_count; /* that computed on it at nvml_open */
	unsigned int context_count; /* and with this process's context */
#define NVML_SYMBOL(name, symbol, need, parameters)                            \
	nvml_result(*name) parameters;
#include "backend_cuda/driver/nvml_symbols.def"
#undef NVML_SYMBOL
};

/* The device with this UUID ("GPU-...") or else at this PCI address. To be
   called before this process has a context on it: the processes that are
   there by then are others, whatever namespace their numbers belong to. Only a
   lack of memory is an error; an NVML that is not there says why. */
int nvml_open(struct nvml *nvml, const char *uuid, const char *bus_id,
	struct error *error);
void nvml_close(struct nvml *nvml);

/* To be called when this process has its context. */
void nvml_note_context(struct nvml *nvml);

/* The SM clock at this moment, and the highest; 0 where it cannot be read. */
double nvml_sm_clock_hz(const struct nvml *nvml);
double nvml_sm_clock_max_hz(const struct nvml *nvml);

/* What disturbs at this moment: a set of DISTURBED_THROTTLED and _SHARED. */
unsigned nvml_disturbances(const struct nvml *nvml);

/* Appends what can be read: "nvml", "clock.*", "ecc", "mig", ... */
int nvml_facts(const struct nvml *nvml, struct facts *facts);

#endif
