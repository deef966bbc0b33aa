#include <string.h>

#include "harness/observe/rotation.h"

#define TPCS_MAX   (CHIP_SMS_MAX / 2)
#define LEAST      4 /* TPCs of a GPC, where a rotation is made up */
#define MOST       9
#define PLAIN_MOST 12 /* where each has as many */
#define NOBODY     255

/* A rotation: how many TPCs each GPC has of it, 0 for as many as there are. */
struct rotation {
	uint32_t gpcs;
	uint8_t tpcs[CHIP_GPCS_MAX];
	uint64_t sides;
};

static uint32_t tpc_count(const struct chip *chip)
{
	return (chip->device.sm_count + chip->sms_per_tpc - 1) /
	       chip->sms_per_tpc;
}

static unsigned side_of_tpc(const struct chip *chip, uint32_t tpc)
{
	return chip->side[tpc * chip->sms_per_tpc];
}

/* ---- what a rotation gives ---- */

/* The GPC of each TPC, NOBODY for what is left over. */
static void deal(const struct rotation *r, uint32_t tpcs, uint8_t *owner)
{
	uint8_t has[CHIP_GPCS_MAX] = {0};
	uint32_t gpc = r->gpcs - 1, tpc, step;

	for (tpc = 0; tpc < tpcs; tpc++) {
		for (step = 0; step < r->gpcs; step++) {
			gpc = (gpc + 1) % r->gpcs;
			if (!r->tpcs[gpc] || has[gpc] < r->tpcs[gpc])
				break;
		}
		owner[tpc] = step < r->gpcs ? (uint8_t)gpc : NOBODY;
		has[gpc] += step < r->gpcs;
	}
}

/* Side 0 is that of SM 0 in a map, and any in a machine. */
static bool gives_sides(
	const struct chip *chip, const struct rotation *r, uint32_t rest)
{
	uint8_t owner[TPCS_MAX];
	const uint32_t tpcs = tpc_count(chip);
	unsigned flip;
	uint32_t tpc;

	deal(r, tpcs, owner);
	flip = r->sides >> owner[0] & 1;
	for (tpc = 0; tpc < tpcs; tpc++) {
		uint32_t gpc = owner[tpc] == NOBODY ? rest : owner[tpc];

		if ((r->sides >> gpc & 1) != (side_of_tpc(chip, tpc) ^ flip))
			return false;
	}
	return true;
}

/* The chip's, if its rotation deals as many TPCs to each GPC. */
static uint64_t sides_of_first_round(const struct chip *chip, uint32_t gpcs)
{
	uint64_t sides = 0;
	uint32_t gpc;

	for (gpc = 0; gpc < gpcs && gpc < tpc_count(chip); gpc++)
		sides |= (uint64_t)side_of_tpc(chip, gpc) << gpc;
	return sides;
}

/* ---- one that gives the sides ---- */

struct search {
	const struct chip *chip;
	uint32_t tpcs, gpcs;
	uint64_t sides;
	uint8_t has[CHIP_GPCS_MAX];
};

/* Deals on from a TPC, the turn being that of `gpc`; those in `left` have all
   of their own. A GPC leaves as late as it can. */
static bool deal_on(struct search *s, uint32_t tpc, uint32_t gpc, uint32_t left)
{
	uint32_t steps;

	if (tpc == s->tpcs)
		return true;
	for (steps = 0; left >> gpc & 1; steps++) {
		if (steps == s->gpcs)
			return false;
		gpc = (gpc + 1) % s->gpcs;
	}
	if ((s->sides >> gpc & 1) == side_of_tpc(s->chip, tpc) &&
		s->has[gpc] < MOST) {
		s->has[gpc]++;
		if (deal_on(s, tpc + 1, (gpc + 1) % s->gpcs, left))
			return true;
		s->has[gpc]--;
	}
	return s->has[gpc] >= LEAST &&
	       deal_on(s, tpc, (gpc + 1) % s->gpcs, left | 1u << gpc);
}

static bool make_up(
	const struct chip *chip, uint32_t gpcs, struct rotation *rotation)
{
	struct search s = {chip, tpc_count(chip), gpcs, 0, {0}};
	uint32_t i, most = 0, least = MOST;

	if (s.tpcs < gpcs * LEAST || s.tpcs > gpcs * MOST)
		return false;
	for (i = 0; i < gpcs; i++)
		s.sides |= (uint64_t)side_of_tpc(chip, i) << i;
	if (!deal_on(&s, 0, 0, 0))
		return false;
	*rotation = (struct rotation){.gpcs = gpcs, .sides = s.sides};
	for (i = 0; i < gpcs; i++) {
		most = s.has[i] > most ? s.has[i] : most;
		least = s.has[i] < least ? s.has[i] : least;
	}
	/* Nobody has to leave where all have as many, or the first have one
	   more. */
	memcpy(rotation->tpcs, s.has, sizeof(s.has));
	if (most - least <= 1) {
		struct rotation plain = {.gpcs = gpcs, .sides = s.sides};

		if (gives_sides(chip, &plain, 0))
			*rotation = plain;
	}
	return true;
}

/* ---- the choice ---- */

static struct rotation known_rotation(const struct model_parameters *known)
{
	struct rotation r = {
		.gpcs = (uint32_t)chip_known(known, "gpc_count"),
		.sides = (uint64_t)chip_known(known, "gpc_side_mask"),
	};
	const uint64_t tpcs = (uint64_t)chip_known(known, "gpc_tpcs");
	uint32_t i;

	if (r.gpcs > CHIP_GPCS_MAX)
		r.gpcs = CHIP_GPCS_MAX;
	for (i = 0; i < r.gpcs; i++)
		r.tpcs[i] = tpcs >> 4 * i & 15;
	return r;
}

static void take(struct chip *chip, const struct rotation *r, uint32_t rest)
{
	uint32_t i;

	chip->gpc_count = r->gpcs;
	chip->gpc_side_mask = chip->partitions == 2 ? r->sides : 0;
	chip->gpc_of_rest = rest;
	chip->gpc_tpcs = 0;
	for (i = 0; i < r->gpcs; i++)
		chip->gpc_tpcs |= (uint64_t)r->tpcs[i] << 4 * i;
}

/* One in which all have as many, or the first have one more. */
static bool is_plain(
	const struct chip *chip, uint32_t gpcs, struct rotation *rotation)
{
	const struct rotation plain = {
		.gpcs = gpcs, .sides = sides_of_first_round(chip, gpcs)};

	if (tpc_count(chip) < gpcs * LEAST ||
		tpc_count(chip) > gpcs * PLAIN_MOST ||
		!gives_sides(chip, &plain, 0))
		return false;
	*rotation = plain;
	return true;
}

/* The known number of GPCs first, then the fewest: what gives the sides with
   some number gives them with twice as many, too. */
static bool find_other(
	struct chip *chip, const struct rotation *known, struct rotation *found)
{
	uint32_t gpcs;

	if (make_up(chip, known->gpcs, found))
		return true;
	for (gpcs = 1; gpcs <= CHIP_GPCS_MAX; gpcs++)
		if (gpcs != known->gpcs && (is_plain(chip, gpcs, found) ||
						   make_up(chip, gpcs, found)))
			return true;
	return false;
}

void rotation_choose(struct chip *chip, const struct model_parameters *known)
{
	const uint32_t rest = (uint32_t)chip_known(known, "gpc_of_rest");
	struct rotation r = known_rotation(known), other;

	/* Another number of SMs is another rotation. */
	if (chip->device.sm_count != chip_known(known, "sm_count"))
		memset(r.tpcs, 0, sizeof(r.tpcs));
	chip->rotation_is_known = true;
	if (chip->partitions == 2 && !gives_sides(chip, &r, rest)) {
		r.sides = sides_of_first_round(chip, r.gpcs);
		chip->rotation_is_known = false;
	}
	chip->rotation_fits =
		chip->partitions == 1 || gives_sides(chip, &r, rest);
	if (!chip->rotation_fits && find_other(chip, &r, &other)) {
		chip->rotation_is_known = false;
		chip->rotation_fits = true;
		take(chip, &other, 0);
	} else {
		take(chip, &r, rest);
	}
}
