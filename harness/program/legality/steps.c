#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "harness/program/legality/parts.h"
#include "harness/program/step.h"

#define SM_IDS         65536 /* a sample's SM has 16 bits */
#define THREADS_MAX    1024
#define RING_SLOTS_MAX (UINT64_C(1) << 31) /* permute.h */

static int refuse_name(const char *name, const char *what, struct error *error)
{
	return error_set(error, ERR_USAGE,
		"'%.*s' is no name for %s: a name has 1 to %d letters, "
		"digits, '_', '-' or '.', and starts with a letter",
		PROGRAM_NAME_BYTES, name, what, PROGRAM_NAME_BYTES - 1);
}

int check_name(const char *name, const char *what, struct error *error)
{
	const char *end = memchr(name, '\0', PROGRAM_NAME_BYTES);
	const char *at;

	if (!end || !isalpha((unsigned char)name[0]))
		return refuse_name(name, what, error);
	for (at = name; at < end; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_-.", *at))
			return refuse_name(name, what, error);
	return 0;
}

/* ---- buffers ---- */

static const char *ring_mistake(const struct buffer *b)
{
	uint64_t part;

	if (b->element_bytes != 4 && b->element_bytes != 8)
		return "has elements that are not 4 or 8 bytes";
	if (!b->rings || b->bytes % b->rings)
		return "is not cut into equal rings";
	part = b->bytes / b->rings;
	if (!b->slot_bytes || b->slot_bytes % 8 || part % 8)
		return "has slots or rings that are not multiples of 8 bytes";
	if (part < b->slot_bytes)
		return "has rings that are smaller than a slot";
	if (part / b->slot_bytes > RING_SLOTS_MAX)
		return "has rings of more than 2^31 slots";
	if (b->element_bytes == 4 && b->bytes > UINT64_C(1) << 32)
		return "is larger than elements of 4 bytes can span";
	return NULL;
}

static bool cut_alike(const struct buffer *a, const struct buffer *b)
{
	return b->fill == FILL_RING && !b->through && a->bytes == b->bytes &&
	       a->slot_bytes == b->slot_bytes && a->order == b->order &&
	       a->seed == b->seed && a->rings == b->rings &&
	       b->element_bytes == 8;
}

/* Of a ring through several buffers, at the first of them. */
static const char *through_mistake(
	const struct program *p, const struct buffer *b)
{
	const uint32_t left = p->buffer_count - (uint32_t)(b - p->buffers);
	uint32_t i;

	if (!b->through)
		return NULL;
	if (b->fill != FILL_RING || b->element_bytes != 8 || b->through < 2)
		return "takes through= only with fill=ring, elements of 8 "
		       "bytes, and at least 2 buffers";
	if (b->through > left)
		return "is a ring through more buffers than follow it";
	for (i = 1; i < b->through; i++)
		if (!cut_alike(b, &b[i]))
			return "is a ring through buffers that are no rings "
			       "with the same bytes, slot, order, seed and "
			       "rings";
	return NULL;
}

static const char *buffer_mistake(
	const struct program *p, const struct buffer *b)
{
	const struct buffer *other;
	const char *mistake;

	for (other = p->buffers; other < b; other++)
		if (!strcmp(other->name, b->name))
			return "is declared twice";
	if (!strcmp(b->name, "shared") || !strcmp(b->name, "none"))
		return "has a name that the text form keeps for itself";
	if (!b->bytes)
		return "has no bytes";
	if (b->fill >= FILL_COUNT || b->order >= ORDER_COUNT ||
		b->memory >= MEMORY_COUNT)
		return "has an unknown fill, order or kind of memory";
	if (b->peer && b->memory != MEMORY_PEER)
		return "takes peer= only with memory=peer";
	if (b->random_bytes && (b->fill != FILL_RANDOM || b->random_bytes % 4 ||
				       b->random_bytes > PROGRAM_SECTOR_BYTES))
		return "takes random_bytes only with fill=random, a multiple "
		       "of 4 up to 32";
	mistake = b->fill == FILL_RING ? ring_mistake(b) : NULL;
	return mistake ? mistake : through_mistake(p, b);
}

int check_buffers(const struct program *p, struct error *error)
{
	uint32_t i;

	for (i = 0; i < p->buffer_count; i++) {
		const struct buffer *b = &p->buffers[i];
		const char *mistake;
		int status = check_name(b->name, "a buffer", error);

		if (status)
			return status;
		mistake = buffer_mistake(p, b);
		if (mistake)
			return error_set(error, ERR_USAGE, "buffer '%s' %s",
				b->name, mistake);
	}
	return 0;
}

/* ---- host actions ---- */

static const char *action_mistake(
	const struct program *p, const struct step *step)
{
	struct step_buffer of[2];
	const struct step_buffer *named[2] = {NULL};
	const uint32_t index[2] = {step->buffer, step->target};
	int i;

	for (i = 0; i < 2; i++)
		if (index[i] < p->buffer_count) {
			const struct buffer *b = &p->buffers[index[i]];

			of[i] = (struct step_buffer){b->bytes, b->memory};
			named[i] = &of[i];
		}
	return step_mistake(step, named[0], named[1]);
}

/* ---- roles ---- */

static const char *role_mistake(const struct role *role)
{
	if (!role->threads || role->threads > THREADS_MAX)
		return "takes 1 to 1024 threads a block";
	if (!role->lanes || role->lanes > PROGRAM_WARP_LANES ||
		role->lanes > role->threads)
		return "takes 1 to 32 lanes, at most its threads";
	if (!role->blocks)
		return "has no blocks";
	if (role->place >= PLACE_COUNT)
		return "has an unknown place";
	if (!role->insn_count)
		return "has no instructions";
	return NULL;
}

static int check_role(
	const struct program *p, const struct role *role, struct error *error)
{
	const char *mistake = role_mistake(role);
	int status = check_name(role->name, "a role", error);
	uint32_t depth = 0;
	uint32_t i;

	if (status)
		return status;
	if (mistake)
		return error_set(
			error, ERR_USAGE, "role '%s' %s", role->name, mistake);
	for (i = 0; i < role->insn_count; i++) {
		uint8_t op = p->insns[role->insn_first + i].op;

		if (op == OP_REPEAT && ++depth > PROGRAM_DEPTH_MAX)
			return error_set(error, ERR_USAGE,
				"role '%s' nests more than %d repeats",
				role->name, PROGRAM_DEPTH_MAX);
		if (op == OP_END && depth-- == 0)
			return error_set(error, ERR_USAGE,
				"role '%s' has an 'end' without a 'repeat'",
				role->name);
	}
	if (depth)
		return error_set(error, ERR_USAGE,
			"role '%s' has a 'repeat' without an 'end'",
			role->name);
	return 0;
}

/* ---- which SMs the roles of a launch name ---- */

struct claims {
	uint32_t all, others, listed; /* roles of each sort */
	uint8_t taken[SM_IDS / 8];
};

static int claim_list(
	const struct role *role, struct claims *claims, struct error *error)
{
	uint64_t sm = role->sm_first;
	uint32_t i;

	for (i = 0; i < role->sm_count; i++, sm += role->sm_stride) {
		uint8_t bit = (uint8_t)(1u << sm % 8);

		if (sm >= SM_IDS)
			return error_set(error, ERR_USAGE,
				"role '%s' names an SM beyond %d", role->name,
				SM_IDS - 1);
		if (claims->taken[sm / 8] & bit)
			return error_set(error, ERR_USAGE,
				"role '%s' names SM %" PRIu64
				", which is already taken in its launch",
				role->name, sm);
		claims->taken[sm / 8] |= bit;
	}
	return 0;
}

static int check_places(
	const struct program *p, const struct step *step, struct error *error)
{
	struct claims claims = {0};
	uint32_t r;
	int status = 0;

	for (r = 0; r < step->role_count && !status; r++) {
		const struct role *role = &p->roles[step->role_first + r];

		if (role->place == PLACE_OTHERS)
			claims.others++;
		if (role->place != PLACE_SMS)
			continue;
		claims.listed++;
		if (role->sm_count)
			status = claim_list(role, &claims, error);
		else
			claims.all++;
	}
	if (status)
		return status;
	if (claims.others > 1)
		return error_set(error, ERR_USAGE,
			"launch '%s' has more than one role with sms=others",
			step->name);
	if (claims.all && claims.listed + claims.others > 1)
		return error_set(error, ERR_USAGE,
			"launch '%s' has a role with sms=all beside another "
			"that names SMs",
			step->name);
	return 0;
}

static int check_launch(
	const struct program *p, const struct step *step, struct error *error)
{
	const struct step *other;
	uint32_t r, s, foreground = 0;
	int status = check_name(step->name, "a launch", error);

	for (other = p->steps; other < step && !status; other++)
		if (other->kind == STEP_LAUNCH &&
			!strcmp(other->name, step->name))
			return error_set(error, ERR_USAGE,
				"launch '%s' stands twice", step->name);
	for (r = 0; r < step->role_count && !status; r++) {
		const struct role *role = &p->roles[step->role_first + r];

		for (s = 0; s < r; s++)
			if (!strcmp(p->roles[step->role_first + s].name,
				    role->name))
				return error_set(error, ERR_USAGE,
					"launch '%s' has two roles '%s'",
					step->name, role->name);
		foreground += !role->background;
		status = check_role(p, role, error);
	}
	if (!status && !foreground)
		return error_set(error, ERR_USAGE,
			"launch '%s' needs a role that is not background",
			step->name);
	if (!status && step->turns && step->role_count != 1)
		return error_set(error, ERR_USAGE,
			"launch '%s' takes turns, so it has a single role",
			step->name);
	if (!status && step->turns && step->start == START_FREE)
		return error_set(error, ERR_USAGE,
			"launch '%s' takes turns, so it does not start free",
			step->name);
	if (!status && step->registers &&
		(step->registers < 16 || step->registers > 255))
		return error_set(error, ERR_USAGE,
			"launch '%s' has %u registers a thread; PTX allows 16 "
			"to 255",
			step->name, (unsigned)step->registers);
	return status ? status : check_places(p, step, error);
}

int check_steps(const struct program *p, struct error *error)
{
	uint32_t i, launches = 0; /* and copies */
	int status = 0;

	for (i = 0; i < p->step_count && !status; i++) {
		const struct step *step = &p->steps[i];
		const char *mistake = NULL;

		launches +=
			step->kind == STEP_LAUNCH || step->kind == STEP_COPY;
		if (step->kind == STEP_LAUNCH)
			status = check_launch(p, step, error);
		else
			mistake = action_mistake(p, step);
		if (mistake)
			return error_set(error, ERR_USAGE, "%s", mistake);
	}
	if (!status && !launches)
		return error_set(error, ERR_USAGE, "program '%s' has no launch",
			p->name);
	return status;
}
