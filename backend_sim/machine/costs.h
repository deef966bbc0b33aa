#ifndef NEARFAR_COSTS_H
#define NEARFAR_COSTS_H

/*
 * A machine's parameters as the engine reads them: a field each, made from its
 * row in parameters.def by the row's kind.
 *
 *   COUNT, MASK, BYTES  whole numbers
 *   FLAG                bool
 *   CYCLES              whole cycles, the nearest: events happen at these
 *   TICKS               stem_ticks: the nearest tick, TICKS_A_CYCLE to a cycle,
 *                       so that a server's rate need not be a whole number
 *   RATE                stem_sector_ticks: to move a sector of 32 bytes, and
 *                       the rate itself
 *   SHARE, FINE, HZ, BANDWIDTH  as in the file
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/machine/machine.h"

#define TICKS_A_CYCLE 256u

/* In the table's order: there is one a machine, its padding costs nothing.
   NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct costs {
#define FIELD_COUNT(stem)     uint32_t stem;
#define FIELD_FLAG(stem)      bool stem;
#define FIELD_MASK(stem)      uint64_t stem;
#define FIELD_BYTES(stem)     uint64_t stem##_bytes;
#define FIELD_SHARE(stem)     double stem##_share;
#define FIELD_CYCLES(stem)    uint32_t stem##_cycles;
#define FIELD_TICKS(stem)     uint32_t stem##_ticks;
#define FIELD_FINE(stem)      double stem##_cycles;
#define FIELD_HZ(stem)        double stem##_hz;
#define FIELD_BANDWIDTH(stem) double stem##_bytes_per_s;
#define FIELD_RATE(stem)                                                       \
	uint32_t stem##_sector_ticks;                                          \
	double stem##_bytes_per_cycle;
#define PARAMETER(kind, stem, ...) FIELD_##kind(stem)
#include "backend_sim/machine/parameters.def"
#undef PARAMETER
};

void costs_init(struct costs *costs, const struct machine *machine);

/* The nearest tick. */
uint32_t costs_ticks(double cycles);

#endif
