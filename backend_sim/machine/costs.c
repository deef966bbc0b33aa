#include <math.h>

#include "backend_sim/machine/costs.h"
#include "harness/program/program.h"

uint32_t costs_ticks(double cycles)
{
	return (uint32_t)lround(cycles * TICKS_A_CYCLE);
}

void costs_init(struct costs *costs, const struct machine *machine)
{
#define SET_COUNT(stem, value)     costs->stem = machine_whole(value)
#define SET_FLAG(stem, value)      costs->stem = (value) > 0
#define SET_MASK(stem, value)      costs->stem = (uint64_t)(value)
#define SET_BYTES(stem, value)     costs->stem##_bytes = (uint64_t)(value)
#define SET_SHARE(stem, value)     costs->stem##_share = (value)
#define SET_CYCLES(stem, value)    costs->stem##_cycles = machine_whole(value)
#define SET_TICKS(stem, value)     costs->stem##_ticks = costs_ticks(value)
#define SET_FINE(stem, value)      costs->stem##_cycles = (value)
#define SET_HZ(stem, value)        costs->stem##_hz = (value)
#define SET_BANDWIDTH(stem, value) costs->stem##_bytes_per_s = (value)
#define SET_RATE(stem, value)                                                  \
	costs->stem##_bytes_per_cycle = (value);                               \
	costs->stem##_sector_ticks = costs_ticks(PROGRAM_SECTOR_BYTES / (value))
#define PARAMETER(kind, stem, name, ...)                                       \
	SET_##kind(stem, machine->value[PARAMETER_##name]);
#include "backend_sim/machine/parameters.def"
#undef PARAMETER
}
