#ifndef NEARFAR_PROFILE_TABLE_PARTS_H
#define NEARFAR_PROFILE_TABLE_PARTS_H

/* What the files that print profiles for people share. */
#include "harness/base/text_table.h"
#include "harness/profile/profile.h"

#define PROFILE_SOURCE_BYTES 256

/* "-" for a share of nothing, or the mean of nothing. */
void profile_add_share(struct text_table *t, double part, double whole);
void profile_add_mean(struct text_table *t, double sum, uint64_t count);

/* ---- table_servers.c ---- */
void profile_put_answers(
	FILE *out, const struct profile *p, enum text_style style);
void profile_put_servers(
	FILE *out, const struct profile *p, enum text_style style);
/* The lines that cause the most, at a server each. */
void profile_put_queues(
	FILE *out, const struct profile *p, enum text_style style);

#endif
