#ifndef NEARFAR_LAYOUT_H
#define NEARFAR_LAYOUT_H

/* Where the spans of a timeline are shown: processes and threads. */
#include "harness/contract/timeline.h"

#define LAYOUT_LAUNCHES 1u     /* the process of launches; */
#define LAYOUT_SMS      100u   /* of the first SM; */
#define LAYOUT_SERVERS  10000u /* of the first kind of servers */
/* Threads of an SM: places of warps, from 1 on; then requests. */
#define LAYOUT_REQUESTS 1000000u

struct layout {
	uint32_t *order;   /* of spans: by begin, the longer one first; owned */
	uint32_t *lanes;   /* [span] of requests: a thread where no two overlap;
			      owned */
	uint64_t *threads; /* process << 32 | thread, ascending; owned */
	size_t thread_count;
};

/* Less than 0 without memory; layout_free() then, too. */
int layout_make(struct layout *l, const struct timeline *t);
void layout_free(struct layout *l);

uint32_t layout_process(const struct timeline_span *s);
uint32_t layout_thread(
	const struct layout *l, const struct timeline *t, size_t span);

#endif
