#include <stdio.h>

#include "harness/program/permute.h"
#include "tests/support/program_persisting.h"

#define LANES      8u
#define PASS_BYTES (LANES * PROGRAM_LINE_BYTES) /* of a warp's access */
#define HOT_BYTES  (64u << 10)
#define COLD_BYTES (256u << 10)
#define PROBES     48u

struct maker {
	struct program *p;
	uint32_t seed, draws;
	bool windowed; /* the last window is one */
};

static uint32_t draw(struct maker *m, uint32_t count)
{
	return permute_draw(m->seed, 17, m->draws++, count);
}

static bool one_in(struct maker *m, uint32_t count)
{
	return draw(m, count) == 0;
}

static const char *word(struct maker *m, const char *const *words)
{
	uint32_t count = 0;

	while (words[count])
		count++;
	return words[draw(m, count)];
}

/* ---- host actions ---- */

static void carve_out(struct maker *m)
{
	program_step(m->p, STEP_CARVEOUT)->bytes = 16384u * draw(m, 5);
}

/* Over a part of the hot lines, or none. */
static void set_window(struct maker *m)
{
	struct step *step = program_step(m->p, STEP_WINDOW);

	m->windowed = !one_in(m, 6);
	if (!m->windowed)
		return;
	step->base_bytes = 4096u * draw(m, 8);
	step->bytes = 4096u * (1 + draw(m, 12));
	step->hit_ratio = draw(m, 11) / 10.0;
	step->hit = (uint8_t)(one_in(m, 2) ? PROPERTY_PERSISTING
					   : draw(m, PROPERTY_COUNT));
	step->miss = (uint8_t)draw(m, PROPERTY_PERSISTING);
}

static void reset(struct maker *m)
{
	program_step(m->p, STEP_RESET);
}

static void act(struct maker *m)
{
	static void (*const actions[])(struct maker * m) = {
		carve_out, set_window, reset, reset};

	if (one_in(m, 2))
		actions[draw(m, 4)](m);
}

/* ---- launches ---- */

static void begin(struct maker *m, const char *name)
{
	struct role *role;

	program_launch(m->p, name);
	role = program_role(m->p, name);
	role->place = PLACE_SMS;
	role->sm_count = 1;
	role->threads = LANES;
	role->lanes = LANES;
}

static void set_affine(struct insn *insn, uint8_t buffer, uint64_t loop_bytes)
{
	insn->address.mode = ADDRESS_AFFINE;
	insn->address.buffer = buffer;
	insn->address.lane_bytes = PROGRAM_LINE_BYTES;
	insn->address.loop_bytes[0] = loop_bytes;
}

static void create_policy(struct maker *m)
{
	static const char *const spellings[] = {
		"createpolicy.fractional.L2::evict_last.b64",
		"createpolicy.fractional.L2::evict_first.b64",
		"createpolicy.fractional.L2::evict_last.L2::evict_first.b64",
		"createpolicy.fractional.L2::evict_normal.L2::evict_first.b64",
		"createpolicy.range.global.L2::evict_last.b64",
		"createpolicy.range.global.L2::evict_last.L2::evict_first.b64",
		"createpolicy.range.global.L2::evict_normal.L2::evict_first."
		"b64",
		"createpolicy.range.global.L2::evict_last.L2::evict_unchanged"
		".b64",
		"createpolicy.cvt.L2.b64",
		NULL,
	};
	struct insn *insn = program_ptx(m->p, word(m, spellings));

	if (insn->q[Q_KIND] == QV_KIND_fractional)
		insn->fraction = (1 + draw(m, 8)) / 8.0;
	if (insn->q[Q_KIND] == QV_KIND_cvt)
		insn->total = draw(m, PROPERTY_COUNT);
	if (insn->q[Q_KIND] != QV_KIND_range)
		return;
	insn->address.mode = ADDRESS_AFFINE;
	insn->address.base_bytes = 4096u * draw(m, 8);
	insn->count = 4096u * (1 + draw(m, 8));
	insn->total = insn->count + 4096u * draw(m, 8);
}

static void load_hot(struct maker *m)
{
	static const char *const plain[] = {"ld.global.cg.b32",
		"ld.global.cg.b32", "ld.global.ca.b32", "ld.global.cs.b32",
		NULL};
	bool hinted = one_in(m, m->windowed ? 4 : 1);

	begin(m, "hot");
	if (hinted)
		create_policy(m);
	program_repeat(m->p, HOT_BYTES / PASS_BYTES / (1 + draw(m, 3)));
	set_affine(program_ptx(m->p, hinted ? "ld.global.L2::cache_hint.b32"
					    : word(m, plain)),
		0, PASS_BYTES);
	program_end(m->p);
}

static void stream(struct maker *m)
{
	static const char *const loads[] = {"ld.global.cg.b32",
		"ld.global.ca.b32", "ld.global.cs.b32", "st.global.b32", NULL};

	begin(m, "stream");
	program_repeat(m->p, (48u + draw(m, 209)) * 1024 / PASS_BYTES);
	set_affine(program_ptx(m->p, word(m, loads)), 1, PASS_BYTES);
	program_end(m->p);
}

static void probe(struct maker *m)
{
	struct insn *insn;

	begin(m, "probe");
	m->p->roles[m->p->role_count - 1].threads = 1;
	m->p->roles[m->p->role_count - 1].lanes = 1;
	program_timed(m->p, PROBES, TIMING_EACH, "measure");
	insn = program_ptx(m->p, "ld.global.cg.b32");
	set_affine(insn, 0, HOT_BYTES / PROBES / 128 * 128);
	program_end(m->p);
}

void program_persisting(struct program *p, uint32_t seed)
{
	struct maker m = {.p = p, .seed = seed};

	program_init(p, "persisting", permute_mix(seed));
	program_buffer(p, &(struct buffer){.name = "hot", .bytes = HOT_BYTES});
	program_buffer(
		p, &(struct buffer){.name = "cold", .bytes = COLD_BYTES});
	if (!one_in(&m, 3))
		carve_out(&m);
	if (one_in(&m, 2))
		set_window(&m);
	load_hot(&m);
	act(&m);
	stream(&m);
	if (one_in(&m, 2)) {
		act(&m);
		stream(&m);
	}
	probe(&m);
}
