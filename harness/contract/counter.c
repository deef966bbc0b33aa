#include "harness/contract/counter.h"

const struct counter_kind counter_kinds[COUNTER_COUNT] = {
#define COUNTER(field, name, unit, meaning)                                    \
	[COUNTER_ID_##field] = {name, unit, meaning},
#define RUN_COUNTER(ID, name, unit, meaning)                                   \
	[COUNTER_ID_##ID] = {name, unit, meaning},
#include "harness/contract/counters.def"
};
