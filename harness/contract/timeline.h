#ifndef NEARFAR_TIMELINE_H
#define NEARFAR_TIMELINE_H

/*
 * What a run does, cycle by cycle, as a backend records it for `run --trace`:
 * spans of warps, of requests and of what servers do, and how many stand in
 * line at the servers of a kind. Times are cycles of the backend's clock. Who
 * asks for it says what is of interest and how much may be kept; what is
 * beyond the window is cut off, what is beyond the limit is counted. Memory is
 * bounded by the limit.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_LIMIT     100000u   /* events, where none is given */
#define TIMELINE_LIMIT_MAX 10000000u /* 900 MB of memory */
#define TIMELINE_SMS_MAX   1024u
#define TIMELINE_KINDS_MAX 64u /* of servers */
#define TIMELINE_NONE      UINT32_MAX

/* What a span is of, the text in files, and where it is shown: its process. */
#define TIMELINE_SPANS(S)                                                      \
	S(LAUNCH, "launch", LAUNCHES)                                          \
	S(WARP, "warp", SM)       /* resident, or in a region */               \
	S(WAIT, "wait", SM)       /* of a warp */                              \
	S(REQUEST, "request", SM) /* from its warp until it is answered */     \
	S(WAY, "way", SM)         /* of it: to the next server, and back */    \
	S(QUEUE, "queue", SM)     /* of it: in line for a server */            \
	S(SERVICE, "service", SM) /* of it */                                  \
	S(WORK, "work", SERVER)   /* the same, as the server sees it */

enum timeline_what {
#define TIMELINE_ENUM(name, text, where) TIMELINE_##name,
	TIMELINE_SPANS(TIMELINE_ENUM)
#undef TIMELINE_ENUM
		TIMELINE_SPAN_COUNT
};

extern const char *const timeline_names[TIMELINE_SPAN_COUNT];

struct timeline_span {
	double begin, end; /* cycles */
	const char *name;  /* static, or timeline_text()'s */
	uint64_t address;  /* of a request's line */
	uint32_t what;     /* enum timeline_what */
	uint32_t place;    /* the SM, or the number of the server */
	uint32_t thread;   /* of the SM: where the warp is; of a request: its
			      number, from 0 */
	uint32_t warp;     /* of its launch; TIMELINE_NONE: none's */
	uint32_t line;     /* of PTX; 0: none */
	uint32_t server;   /* its kind; of a way the one that it leads to;
			      TIMELINE_NONE: none */
	uint32_t sectors;  /* that a request asks for */
	uint32_t launch;   /* of the job; spans of LAUNCH and WAIT */
};

/* How many stand in line at the servers of a kind and how many are served, on
   the mean of each step. */
struct timeline_servers {
	const char *name, *of;  /* static; NULL: none of them did anything */
	float *queued, *served; /* [step]; owned: cycles, not yet a mean */
};

struct timeline {
	/* what is asked for */
	double from, until; /* cycles; nothing is cut off: 0, INFINITY */
	bool some_sms;      /* only those: */
	uint64_t sms[TIMELINE_SMS_MAX / 64];
	uint32_t warp;  /* of its launch; TIMELINE_NONE: all */
	uint32_t line;  /* of PTX; 0: all */
	uint32_t limit; /* events, spans and counters together; 1000 at least */

	/* what there was */
	double clock_hz;
	struct timeline_span *spans; /* owned */
	size_t count, capacity;
	uint64_t left_out; /* spans beyond the limit */
	struct timeline_servers servers[TIMELINE_KINDS_MAX];
	double origin;      /* of the first step */
	double step_cycles; /* a power of two; 0: there is no step yet */
	uint32_t steps_max; /* for which there is room */
	char **texts;       /* owned */
	size_t text_count;
	bool failed; /* without memory: what is there is not all */
};

/* Asks for everything. */
void timeline_init(struct timeline *t);
void timeline_free(struct timeline *t);

static inline bool timeline_has_sm(const struct timeline *t, uint32_t sm)
{
	return !t->some_sms ||
	       (sm < TIMELINE_SMS_MAX && (t->sms[sm / 64] >> (sm % 64) & 1));
}

static inline bool timeline_has_warp(const struct timeline *t, uint32_t warp)
{
	return t->warp == TIMELINE_NONE || t->warp == warp;
}

static inline bool timeline_has_line(const struct timeline *t, uint32_t line)
{
	return !t->line || t->line == line;
}

/* Counters have a quarter of the limit at the most, and launches a 64th. */

/* Appends what lies within the window. Its index, or TIMELINE_NONE where
   nothing does or the limit is reached. */
uint32_t timeline_add(struct timeline *t, const struct timeline_span *span);
/* A span that goes on until then, or longer. */
void timeline_extend(struct timeline *t, uint32_t span, double end);

/* A kind of servers, before what follows. So many more stand in line at them,
   or one more is served, between two cycles. */
void timeline_server(
	struct timeline *t, uint32_t server, const char *name, const char *of);
void timeline_queued(struct timeline *t, uint32_t server, uint32_t count,
	double begin, double end);
void timeline_served(
	struct timeline *t, uint32_t server, double begin, double end);

/* A copy that lives as long as the timeline; "" without memory. */
const char *timeline_text(struct timeline *t, const char *text);

#endif
