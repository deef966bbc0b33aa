#include <stdio.h>
#include <string.h>

#include "bench/probe.h"

void probe_buffer(
	struct program *p, struct probe_lines *lines, const char *name)
{
	struct buffer buffer = {
		.bytes = lines->count * lines->stride_bytes,
		.memory = (uint8_t)lines->memory,
		.fill = FILL_ZERO,
	};

	snprintf(buffer.name, sizeof(buffer.name), "%s", name);
	lines->buffer = program_buffer(p, &buffer);
}

void probe_launch(struct program *p, const struct probe_lines *lines,
	const char *name, unsigned lanes)
{
	struct role *role;

	program_launch(p, name);
	role = program_role(p, name);
	role->place = PLACE_SMS;
	role->sm_first = lines->sm;
	role->sm_count = 1;
	role->threads = lanes;
	role->lanes = lanes;
}

struct insn *probe_access(struct program *p, const struct probe_lines *lines,
	const char *spelling, uint64_t offset)
{
	struct insn *insn = program_ptx(p, spelling);

	insn->address.mode = ADDRESS_AFFINE;
	insn->address.buffer = (uint8_t)lines->buffer;
	insn->address.base_bytes = offset;
	insn->address.loop_bytes[0] = lines->stride_bytes;
	return insn;
}

void probe_touch(struct program *p, const struct probe_lines *lines,
	const char *spelling, uint64_t offset)
{
	program_repeat(p, lines->count);
	probe_access(p, lines, spelling, offset);
	program_end(p);
}

void probe_time(struct program *p, const struct probe_lines *lines,
	const char *region, const char *spelling, uint64_t offset)
{
	program_timed(p, lines->count, TIMING_EACH, region);
	probe_access(p, lines, spelling, offset)->guard =
		p->roles[p->role_count - 1].lanes > 1 ? GUARD_LANE0 : GUARD_ALL;
	program_end(p);
}

void probe_settle(struct program *p)
{
	program_insn(p, OP_DELAY)->count = PROBE_SETTLE_CYCLES;
}

void probe_yardsticks(
	struct program *p, const struct probe_lines *lines, uint64_t offset)
{
	static const struct {
		const char *region, *word;
	} rows[] = {{"dram", "ld.cg"}, {"near", "ld.cg"}, {"home", "atom.add"}};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		probe_launch(p, lines, rows[i].region, 1);
		probe_time(p, lines, rows[i].region,
			probe_spelling(rows[i].word), offset);
	}
	program_step(p, STEP_FLUSH);
}

const char *probe_spelling(const char *word)
{
	static const struct {
		const char *word, *spelling;
	} rows[] = {
#define PROBE_ROW(word, spelling) {word, spelling},
		PROBE_LOADS(PROBE_ROW) PROBE_OTHERS(PROBE_ROW)
#undef PROBE_ROW
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].word, word))
			return rows[i].spelling;
	return NULL;
}
