#ifndef NEARFAR_COUNTER_H
#define NEARFAR_COUNTER_H

#define BACKEND_COUNTERS_MAX 48

/* Named as in Nsight Compute where it has the quantity. */
struct counter {
	const char *name; /* static */
	double value;
};

/* All that backends count: counters.def. */
enum counter_id {
#define COUNTER(field, ...)  COUNTER_ID_##field,
#define RUN_COUNTER(ID, ...) COUNTER_ID_##ID,
#include "harness/contract/counters.def"
	COUNTER_COUNT
};

/* Of a program's last launch, or of a launch of a job: registers of a thread,
   and blocks of its first role that an SM holds at once; of a launch of a
   job, instructions of warps. */
#define COUNTER_REGISTERS (counter_kinds[COUNTER_ID_REGISTERS].name)
#define COUNTER_BLOCKS    (counter_kinds[COUNTER_ID_BLOCKS].name)
#define COUNTER_EXECUTED  (counter_kinds[COUNTER_ID_EXECUTED].name)

struct counter_kind {
	const char *name, *unit, *meaning;
};

extern const struct counter_kind counter_kinds[COUNTER_COUNT];

#endif
