#ifndef NEARFAR_LIVES_PARTS_H
#define NEARFAR_LIVES_PARTS_H

/* What lives.c and lives_entries.c share. */
#include "backend_sim/lives/lives.h"

/* Of a request under way. */
struct course {
	double begin, over; /* cycles: it was sent; until when it is shown */
	double queued;      /* it came to the queue where it stands, of: */
	uint32_t queue;     /* enum server_id; SERVER_COUNT: none */
	uint32_t line;      /* of the request that it is of */
	uint32_t span;      /* of the whole; TIMELINE_NONE: not yet */
	uint32_t warp, ptx; /* whose it is; its line of PTX */
	uint16_t sm, sectors;
	uint8_t kind;
	bool recorded;
	bool asked; /* for its span */
};

/* Of a warp's place. */
struct stay {
	uint32_t span; /* of the warp; TIMELINE_NONE: not yet */
	bool asked;
};

struct lives {
	const struct core *core;
	struct timeline *timeline;
	struct course *all; /* [request] */
	struct stay *stays;
	size_t stay_count;
	uint32_t *lines; /* of PTX, by sender */
	size_t line_count;
	uint32_t launch; /* of the job */
	const char *launch_name;
	double launch_begin;
	uint32_t launch_span; /* TIMELINE_NONE: not yet */
	bool all_selected;
	const struct server_entry *taken; /* of the log: up to here */
	/* until when a server's work is shown; by key; owned */
	double *shown[SERVER_COUNT];
	uint32_t shown_count[SERVER_COUNT];
	lives_warp_fn warp_of;
	const void *warps;
	/* of queues: how many stand there, since when */
	uint32_t standing[SERVER_COUNT];
	double since[SERVER_COUNT];
};

/* By enum request_kind. */
extern const char *const lives_requests[];

/* NULL where it is none's that is recorded, or of another request by now. */
struct course *lives_of(const struct lives *l, uint32_t request);
struct timeline_span lives_span(const struct lives *l,
	const struct course *life, enum timeline_what what, double begin,
	double end);
/* It has been sent: its note is written. */
void lives_sent(struct lives *l, uint32_t request);
/* A part of its life, as far as that part is not shown. */
void lives_show(struct lives *l, struct course *life, enum timeline_what what,
	const char *name, uint32_t server, double begin, double end);

#endif
