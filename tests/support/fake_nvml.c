/*
 * A management library without a GPU, compiled by tests as a shared library
 * and named in NEARFAR_LIBNVML. FAKE_NVML in the environment chooses: "init"
 * does not start, "stranger" knows no such device, "pci" knows it by its
 * address alone, "calm" is neither throttled nor shared, "mig" is divided.
 * Compiled with -DFAKE_OLD it lacks the optional functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda/driver/nvml.h"

#define FAKE_EXPORT   __attribute__((visibility("default")))
#define NOT_FOUND     6u
#define NOT_SUPPORTED 3u

#define NVML_SYMBOL(name, symbol, need, parameters)                            \
	FAKE_EXPORT nvml_result symbol parameters;
#include "backend_cuda/driver/nvml_symbols.def"
#undef NVML_SYMBOL

static bool mode(const char *word)
{
	const char *chosen = getenv("FAKE_NVML");

	return chosen && !strcmp(chosen, word);
}

nvml_result nvmlInit_v2(void)
{
	return mode("init") ? 9 : 0;
}

nvml_result nvmlShutdown(void)
{
	return 0;
}

nvml_result nvmlSystemGetDriverVersion(char *text, unsigned int bytes)
{
	snprintf(text, bytes, "580.1");
	return 0;
}

nvml_result nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
	if (mode("stranger") || mode("pci") || strcmp(uuid, "GPU-1"))
		return NOT_FOUND;
	*device = NULL;
	return 0;
}

nvml_result nvmlDeviceGetHandleByPciBusId_v2(
	const char *bus_id, nvmlDevice_t *device)
{
	if (mode("stranger") || strncmp(bus_id, "0000:1", 6))
		return NOT_FOUND;
	*device = NULL;
	return 0;
}

nvml_result nvmlDeviceGetClockInfo(
	nvmlDevice_t device, unsigned int type, unsigned int *mhz)
{
	(void)device;
	*mhz = type == 1 ? 1500 : 3201;
	return 0;
}

nvml_result nvmlDeviceGetMaxClockInfo(
	nvmlDevice_t device, unsigned int type, unsigned int *mhz)
{
	(void)device;
	*mhz = type == 1 ? 1980 : 3201;
	return 0;
}

#ifndef FAKE_OLD
nvml_result nvmlDeviceGetCurrentClocksEventReasons(
	nvmlDevice_t device, unsigned long long *reasons)
{
	(void)device;
	*reasons = mode("calm") ? 0 : 0x24;
	return 0;
}

nvml_result nvmlDeviceGetEccMode(
	nvmlDevice_t device, unsigned int *current, unsigned int *pending)
{
	(void)device;
	*current = *pending = 1;
	return 0;
}

nvml_result nvmlDeviceGetPowerUsage(
	nvmlDevice_t device, unsigned int *milliwatts)
{
	(void)device;
	*milliwatts = 123456;
	return 0;
}

nvml_result nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device,
	unsigned int *count, struct nvml_process *processes)
{
	(void)device;
	processes[1].pid = 17;
	*count = mode("calm") ? 0 : 2;
	return 0;
}

nvml_result nvmlDeviceGetMigMode(
	nvmlDevice_t device, unsigned int *current, unsigned int *pending)
{
	(void)device;
	*current = *pending = 1;
	return mode("mig") ? 0 : NOT_SUPPORTED;
}

nvml_result nvmlDeviceGetVbiosVersion(
	nvmlDevice_t device, char *text, unsigned int bytes)
{
	(void)device;
	snprintf(text, bytes, "96.00.99");
	return 0;
}

nvml_result nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, unsigned int kind,
	unsigned int span, unsigned long long *count)
{
	(void)device;
	*count = 10 * span + kind;
	return 0;
}

nvml_result nvmlDeviceGetRemappedRows(nvmlDevice_t device,
	unsigned int *corrected, unsigned int *uncorrected,
	unsigned int *pending, unsigned int *failed)
{
	(void)device;
	*corrected = 2;
	*uncorrected = 1;
	*pending = 1;
	*failed = 0;
	return 0;
}
#endif
