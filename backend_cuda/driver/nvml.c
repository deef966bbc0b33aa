#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda/driver/library.h"
#include "backend_cuda/driver/nvml.h"

#define LIBRARY                 "libnvidia-ml.so.1"
#define CLOCK_SM                1u
#define CLOCK_MEMORY            2u
#define SENSOR_GPU              0u
#define PROCESSES_MAX           64
#define ERROR_INSUFFICIENT_SIZE 7u /* the count is right all the same */

/* NVML's numbers of what its ECC counters count. */
enum ecc_kind { ECC_CORRECTED, ECC_UNCORRECTED };
#define ECC_AGGREGATE 1u /* since it was made; volatile: since the boot */

enum need { REQUIRED, OPTIONAL };

static const struct symbol {
	const char *name;
	size_t offset;
	enum need need;
} symbols[] = {
#define NVML_SYMBOL(name, symbol, need, parameters)                            \
	{#symbol, offsetof(struct nvml, name), need},
#include "backend_cuda/driver/nvml_symbols.def"
#undef NVML_SYMBOL
};

/* Bits of "clocks event reasons", as in NVML's manual. */
static const struct {
	unsigned long long bit;
	const char *name;
	bool throttles; /* against the user's will */
} reasons[] = {
	{0x1, "gpu-idle", false},
	{0x2, "applications-clocks-setting", false},
	{0x4, "software-power-cap", true},
	{0x8, "hardware-slowdown", true},
	{0x10, "sync-boost", false},
	{0x20, "software-thermal-slowdown", true},
	{0x40, "hardware-thermal-slowdown", true},
	{0x80, "hardware-power-brake", true},
	{0x100, "display-clock-setting", false},
};

#define REASONS (sizeof(reasons) / sizeof(reasons[0]))

static const char *resolve(struct nvml *nvml)
{
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *found = dlsym(nvml->library, symbols[i].name);

		if (!found && symbols[i].need == REQUIRED)
			return symbols[i].name;
		memcpy((char *)nvml + symbols[i].offset, &found, sizeof(found));
	}
	return NULL;
}

__attribute__((format(printf, 2, 3))) static void give_up(
	struct nvml *nvml, const char *format, ...)
{
	char absence[sizeof(nvml->absence)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(absence, sizeof(absence), format, arguments);
	va_end(arguments);
	if (nvml->library)
		dlclose(nvml->library);
	memset(nvml, 0, sizeof(*nvml));
	memcpy(nvml->absence, absence, sizeof(absence));
}

static unsigned int count_processes(const struct nvml *nvml)
{
	struct nvml_process processes[PROCESSES_MAX];
	unsigned int count = PROCESSES_MAX;
	nvml_result result;

	memset(processes, 0, sizeof(processes));
	if (!nvml->nvmlDeviceGetComputeRunningProcesses)
		return 0;
	result = nvml->nvmlDeviceGetComputeRunningProcesses(
		nvml->device, &count, processes);
	return result && result != ERROR_INSUFFICIENT_SIZE ? 0 : count;
}

static void start(struct nvml *nvml, const char *path, const char *uuid,
	const char *bus_id)
{
	const char *missing = resolve(nvml);

	if (missing) {
		give_up(nvml, "it has no '%s'", missing);
		return;
	}
	if (nvml->nvmlInit()) {
		give_up(nvml, "%s does not start", path);
		return;
	}
	if (nvml->nvmlDeviceGetHandleByUUID(uuid, &nvml->device) &&
		nvml->nvmlDeviceGetHandleByPciBusId(bus_id, &nvml->device)) {
		nvml->nvmlShutdown();
		give_up(nvml, "it does not know the device at '%s'", bus_id);
		return;
	}
	nvml->process_count = count_processes(nvml);
}

int nvml_open(struct nvml *nvml, const char *uuid, const char *bus_id,
	struct error *error)
{
	const char *path = getenv("NEARFAR_LIBNVML");

	memset(nvml, 0, sizeof(*nvml));
	if (!path || !*path)
		path = LIBRARY;
	if (library_open(path, &nvml->library, error) == ERR_FAILED)
		return ERR_FAILED;
	if (nvml->library)
		start(nvml, path, uuid, bus_id);
	else
		give_up(nvml, "%s was not found", path);
	return 0;
}

void nvml_close(struct nvml *nvml)
{
	if (nvml->library) {
		nvml->nvmlShutdown();
		dlclose(nvml->library);
	}
	memset(nvml, 0, sizeof(*nvml));
}

void nvml_note_context(struct nvml *nvml)
{
	if (nvml->library)
		nvml->context_count = count_processes(nvml);
}

double nvml_sm_clock_max_hz(const struct nvml *nvml)
{
	unsigned int mhz = 0;

	if (!nvml->library ||
		nvml->nvmlDeviceGetMaxClockInfo(nvml->device, CLOCK_SM, &mhz))
		return 0;
	return mhz * 1e6;
}

double nvml_sm_clock_hz(const struct nvml *nvml)
{
	unsigned int mhz = 0;

	if (!nvml->library ||
		nvml->nvmlDeviceGetClockInfo(nvml->device, CLOCK_SM, &mhz))
		return 0;
	return mhz * 1e6;
}

static int add_clocks(const struct nvml *nvml, struct facts *facts)
{
	static const struct {
		const char *key, *key_max;
		unsigned int type;
	} clocks[] = {
		{"clock.sm_mhz", "clock.sm_mhz_max", CLOCK_SM},
		{"clock.memory_mhz", "clock.memory_mhz_max", CLOCK_MEMORY},
	};
	unsigned int mhz;
	int code = 0;
	size_t i;

	for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (!nvml->nvmlDeviceGetClockInfo(
			    nvml->device, clocks[i].type, &mhz))
			code |= facts_add(facts, clocks[i].key, "%u", mhz);
		if (!nvml->nvmlDeviceGetMaxClockInfo(
			    nvml->device, clocks[i].type, &mhz))
			code |= facts_add(facts, clocks[i].key_max, "%u", mhz);
	}
	return code;
}

/* False where they cannot be read. */
static bool read_reasons(const struct nvml *nvml, unsigned long long *bits)
{
	nvml_result (*read)(nvmlDevice_t, unsigned long long *) =
		nvml->nvmlDeviceGetCurrentClocksEventReasons;

	if (!read)
		read = nvml->nvmlDeviceGetCurrentClocksThrottleReasons;
	return read && !read(nvml->device, bits);
}

static int add_reasons(const struct nvml *nvml, struct facts *facts)
{
	unsigned long long bits;
	char text[320] = "";
	size_t i, length = 0;

	if (!read_reasons(nvml, &bits))
		return 0;
	for (i = 0; i < REASONS; i++)
		if (bits & reasons[i].bit)
			length += (size_t)snprintf(text + length,
				sizeof(text) - length, "%s%s",
				length ? " " : "", reasons[i].name);
	return facts_add(
		facts, "clock.event_reasons", "%s", length ? text : "none");
}

unsigned nvml_disturbances(const struct nvml *nvml)
{
	unsigned long long bits = 0;
	unsigned found = 0;
	size_t i;

	if (!nvml->library)
		return 0;
	if (!read_reasons(nvml, &bits))
		bits = 0;
	for (i = 0; i < REASONS; i++)
		if (reasons[i].throttles && bits & reasons[i].bit)
			found |= DISTURBED_THROTTLED;
	if (nvml->process_count || count_processes(nvml) > nvml->context_count)
		found |= DISTURBED_SHARED;
	return found;
}

static const char *on_off(unsigned int value)
{
	return value ? "on" : "off";
}

static int add_modes(const struct nvml *nvml, struct facts *facts)
{
	unsigned int now, pending;
	int code = 0;

	if (nvml->nvmlDeviceGetEccMode &&
		!nvml->nvmlDeviceGetEccMode(nvml->device, &now, &pending))
		code |= facts_add(facts, "ecc", "%s", on_off(now));
	if (nvml->nvmlDeviceGetMigMode &&
		!nvml->nvmlDeviceGetMigMode(nvml->device, &now, &pending))
		code |= facts_add(facts, "mig", "%s", on_off(now));
	if (nvml->nvmlDeviceGetPersistenceMode &&
		!nvml->nvmlDeviceGetPersistenceMode(nvml->device, &now))
		code |= facts_add(facts, "persistence", "%s", on_off(now));
	return code;
}

static int add_power(const struct nvml *nvml, struct facts *facts)
{
	struct nvml_utilization rates;
	unsigned int value;
	int code = 0;

	if (nvml->nvmlDeviceGetTemperature &&
		!nvml->nvmlDeviceGetTemperature(
			nvml->device, SENSOR_GPU, &value))
		code |= facts_add(facts, "temperature_celsius", "%u", value);
	if (nvml->nvmlDeviceGetPowerUsage &&
		!nvml->nvmlDeviceGetPowerUsage(nvml->device, &value))
		code |= facts_add(facts, "power_watts", "%.1f", value / 1e3);
	if (nvml->nvmlDeviceGetEnforcedPowerLimit &&
		!nvml->nvmlDeviceGetEnforcedPowerLimit(nvml->device, &value))
		code |= facts_add(
			facts, "power_limit_watts", "%.1f", value / 1e3);
	if (nvml->nvmlDeviceGetUtilizationRates &&
		!nvml->nvmlDeviceGetUtilizationRates(nvml->device, &rates))
		code |= facts_add(
			facts, "utilization_percent", "%u", rates.gpu);
	return code;
}

/* Which one it is, beside its UUID, and how it is connected. */
static int add_board(const struct nvml *nvml, struct facts *facts)
{
	char text[96] = "";
	unsigned int value;
	int code = 0;

	if (nvml->nvmlDeviceGetVbiosVersion &&
		!nvml->nvmlDeviceGetVbiosVersion(
			nvml->device, text, sizeof(text)))
		code |= facts_add(facts, "vbios", "%s", text);
	if (nvml->nvmlDeviceGetSerial &&
		!nvml->nvmlDeviceGetSerial(nvml->device, text, sizeof(text)))
		code |= facts_add(facts, "serial", "%s", text);
	if (nvml->nvmlDeviceGetCurrPcieLinkGeneration &&
		!nvml->nvmlDeviceGetCurrPcieLinkGeneration(
			nvml->device, &value))
		code |= facts_add(facts, "pcie.generation", "%u", value);
	if (nvml->nvmlDeviceGetCurrPcieLinkWidth &&
		!nvml->nvmlDeviceGetCurrPcieLinkWidth(nvml->device, &value))
		code |= facts_add(facts, "pcie.lanes", "%u", value);
	return code;
}

/* What its memory has suffered: errors since it was made, and rows that others
   stand in for. */
static int add_damage(const struct nvml *nvml, struct facts *facts)
{
	static const char *const keys[] = {
		[ECC_CORRECTED] = "ecc.corrected_total",
		[ECC_UNCORRECTED] = "ecc.uncorrected_total",
	};
	unsigned long long errors;
	unsigned int corrected, uncorrected, pending, failed, kind;
	int code = 0;

	for (kind = 0; kind < sizeof(keys) / sizeof(keys[0]); kind++)
		if (nvml->nvmlDeviceGetTotalEccErrors &&
			!nvml->nvmlDeviceGetTotalEccErrors(
				nvml->device, kind, ECC_AGGREGATE, &errors))
			code |= facts_add(facts, keys[kind], "%llu", errors);
	if (!nvml->nvmlDeviceGetRemappedRows ||
		nvml->nvmlDeviceGetRemappedRows(nvml->device, &corrected,
			&uncorrected, &pending, &failed))
		return code;
	code |= facts_add(
		facts, "rows.remapped", "%u", corrected + uncorrected);
	code |= facts_add(facts, "rows.pending", "%s", pending ? "yes" : "no");
	return code |
	       facts_add(facts, "rows.failed", "%s", failed ? "yes" : "no");
}

int nvml_facts(const struct nvml *nvml, struct facts *facts)
{
	char version[96] = "";
	int code;

	if (!nvml->library)
		return facts_add(facts, "nvml", "absent: %s", nvml->absence);
	code = facts_add(facts, "nvml", "present");
	if (!nvml->nvmlSystemGetDriverVersion(version, sizeof(version)))
		code |= facts_add(facts, "driver.version", "%s", version);
	code |= add_clocks(nvml, facts);
	code |= add_reasons(nvml, facts);
	code |= add_modes(nvml, facts);
	code |= add_power(nvml, facts);
	code |= add_board(nvml, facts);
	code |= add_damage(nvml, facts);
	if (nvml->nvmlDeviceGetComputeRunningProcesses)
		code |= facts_add(
			facts, "processes.others", "%u", nvml->process_count);
	return code ? ERR_FAILED : 0;
}
