#ifndef NEARFAR_LIVES_PARTS_H
#define NEARFAR_LIVES_PARTS_H

/* What lives.c and lives_entries.c share. */
#include "backend_sim/core/lives.h"

/* Of a request under way. */
struct life {
	double begin, over; /* cycles: it was sent; until when it is shown */
	double queued;      /* it came to the queue where it stands */
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
	struct life *all; /* [request] */
	struct stay *stays;
	size_t stay_count;
	uint32_t *lines; /* of PTX, by sender */
	size_t line_count;
	uint32_t launch; /* of the job */
	const char *launch_name;
	double launch_begin;
	uint32_t launch_span; /* TIMELINE_NONE: not yet */
	bool all_selected;
	/* the event: whose entries follow, and those that are taken up */
	uint32_t subject;
	const struct server_entry *taken;
	/* of queues: how many stand there, since when */
	uint32_t standing[SERVER_COUNT];
	double since[SERVER_COUNT];
};

/* By enum request_kind. */
extern const char *const lives_requests[];

/* NULL where it is none's that is recorded, or of another request by now. */
struct life *lives_of(const struct lives *l, uint32_t request);
struct timeline_span lives_span(const struct lives *l, const struct life *life,
	enum timeline_what what, double begin, double end);
/* A part of its life, as far as that part is not shown. */
void lives_show(struct lives *l, struct life *life, enum timeline_what what,
	const char *name, uint32_t server, double begin, double end);

#endif
