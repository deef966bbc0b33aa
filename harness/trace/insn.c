/* Blocks, warps and instructions of a trace. */
#include <stdlib.h>
#include <string.h>

#include "harness/trace/parts.h"

/* ---- blocks and warps ---- */

static int read_equals(struct trace_reader *r, const char *what, uint32_t *to)
{
	uint64_t value = 0;
	int status;

	if (!trace_skip(r, "="))
		return trace_fail(r, "expected '='");
	status = trace_number(r, 10, INT32_MAX, what, &value);
	*to = (uint32_t)value;
	return status;
}

static int read_block(struct trace_reader *r, struct trace_part *part)
{
	uint64_t value = 0;
	int status = read_equals(r, "a block", &part->block[0]), i;

	for (i = 1; !status && i < 3; i++) {
		if (!trace_skip(r, ","))
			return trace_fail(r, "expected a block as x,y,z");
		status = trace_number(r, 10, INT32_MAX, "a block", &value);
		part->block[i] = (uint32_t)value;
	}
	return status;
}

/* The block's place; its rank and its cluster's number follow from it. */
static int read_cluster(struct trace_reader *r, struct trace_part *part)
{
	part->is_place = trace_skip(r, "cta");
	if (!part->is_place && !trace_skip(r, "id") && !trace_skip(r, "rank"))
		return trace_fail(r, "expected 'cluster id', 'cta' or 'rank'");
	return part->is_place ? read_block(r, part) : 0;
}

static int read_warp(struct trace_reader *r, struct trace_part *part)
{
	int status = read_equals(r, "a warp", &part->warp);

	if (status)
		return status;
	trace_end_line(r);
	if (!trace_next_line(r) || !trace_skip(r, "insts"))
		return trace_fail(r, "expected 'insts = COUNT'");
	return read_equals(r, "a number of instructions", &part->insns);
}

int trace_read_part(struct trace_reader *r, struct trace_part *part)
{
	int status;

	part->item = TRACE_END;
	if (!trace_next_line(r))
		return 0;
	if (trace_skip(r, "thread block")) {
		part->item = TRACE_BLOCK;
		status = read_block(r, part);
	} else if (trace_skip(r, "cluster")) {
		part->item = TRACE_CLUSTER;
		memset(part->block, 0, sizeof(part->block));
		status = read_cluster(r, part);
	} else if (trace_skip(r, "warp")) {
		part->item = TRACE_WARP;
		status = read_warp(r, part);
	} else {
		return trace_fail(r, "expected 'thread block' or 'warp'");
	}
	if (!status)
		trace_end_line(r);
	return status;
}

/* ---- instructions ---- */

/* Kinds of registers, the longer names first. */
static const struct {
	const char *name;
	uint16_t first, count;
} kinds[] = {
	{"UR", TRACE_UNIFORM, 64},
	{"UP", TRACE_UNIFORM_BRANCH, 8},
	{"R", 0, 256},
	{"P", TRACE_PREDICATE, 8},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static int read_register(struct trace_reader *r, uint16_t *number)
{
	uint64_t value = 0;
	size_t i;
	int status;

	trace_has_word(r);
	for (i = 0; i < KINDS; i++)
		if (!strncmp(r->at, kinds[i].name, strlen(kinds[i].name)))
			break;
	if (i == KINDS)
		return trace_fail(r, "expected a register R0 to R255");
	r->at += strlen(kinds[i].name);
	status = trace_number(r, 10, kinds[i].count - 1u, "a register", &value);
	*number = (uint16_t)(kinds[i].first + value);
	return status;
}

static int read_registers(
	struct trace_reader *r, uint16_t *registers, uint8_t *count)
{
	uint64_t value = 0;
	int status = trace_number(
		r, 10, TRACE_REGISTERS, "a number of registers", &value);
	uint8_t i;

	*count = (uint8_t)value;
	for (i = 0; !status && i < *count; i++)
		status = read_register(r, &registers[i]);
	return status;
}

static int read_opcode(struct trace_reader *r, struct trace_insn *insn)
{
	trace_has_word(r);
	insn->opcode = r->at;
	insn->opcode_bytes = (uint32_t)strcspn(r->at, " \t\r\n");
	r->at += insn->opcode_bytes;
	return insn->opcode_bytes ? 0 : trace_fail(r, "expected an opcode");
}

/* A stride, or the way to the next lane: may go back. */
static int read_way(struct trace_reader *r, uint64_t *way)
{
	uint64_t value = 0;
	bool back;
	int status;

	trace_has_word(r);
	back = trace_skip(r, "-");
	status = trace_number(r, 10, INT64_MAX, "a distance", &value);
	*way = back ? -value : value;
	return status;
}

enum { EACH, STRIDE, WAYS }; /* how addresses are written */

static int read_addresses(struct trace_reader *r, struct trace_insn *insn)
{
	uint64_t mode = 0, address = 0, way = 0;
	int status =
		trace_number(r, 10, WAYS, "a form of addresses, 0 to 2", &mode);
	uint32_t rest;

	for (rest = insn->mask; !status && rest; rest &= rest - 1) {
		bool first = rest == insn->mask;

		if (first || mode == EACH)
			status = trace_number(
				r, 16, UINT64_MAX, "an address", &address);
		else if (mode == WAYS)
			status = read_way(r, &way);
		if (!first && mode != EACH)
			address += way;
		if (!status && first && mode == STRIDE)
			status = read_way(r, &way);
		if (!status && address % insn->bytes)
			status = trace_fail(r,
				"address 0x%llx is no multiple of the access's "
				"%u bytes",
				(unsigned long long)address, insn->bytes);
		insn->address[__builtin_ctz(rest)] = address;
	}
	return status;
}

static int read_access(struct trace_reader *r, struct trace_insn *insn)
{
	uint64_t bytes = 0;
	int status = trace_number(r, 10, 16, "bytes of an access", &bytes);

	if (!status && bytes & (bytes - 1))
		status = trace_fail(r, "an access has 1, 2, 4, 8 or 16 bytes");
	insn->bytes = (uint8_t)bytes;
	return status || !bytes ? status : read_addresses(r, insn);
}

/* ---- version 6 ---- */

#define VERSION_GROUPS 6u

static bool begins_with(const struct trace_insn *insn, const char *text)
{
	return !strncmp(insn->opcode, text, strlen(text));
}

/* A copy of the tensor memory accelerator has fields of its own. */
static bool is_copy(const struct trace_insn *insn)
{
	return begins_with(insn, "UTMA") || begins_with(insn, "UBLK");
}

static int read_group(struct trace_reader *r, const struct trace_head *head,
	struct trace_insn *insn)
{
	uint64_t value = 0;
	int status;

	insn->says_group = insn->ends_group = false;
	if (head->version < VERSION_GROUPS || insn->opcode_bytes < 5 ||
		memcmp(insn->opcode + 1, "GMMA", 4) != 0)
		return 0;
	status = trace_number(r, 10, 1, "whether a group ends, 0 or 1", &value);
	insn->says_group = true;
	insn->ends_group = value;
	return status;
}

/* They stand last, if they are there. */
static void read_immediates(
	struct trace_reader *r, uint32_t most, struct trace_insn *insn)
{
	char *end;

	insn->immediate_count = 0;
	while (insn->immediate_count < most && trace_has_word(r) &&
		*r->at >= '0' && *r->at <= '9') {
		insn->immediates[insn->immediate_count++] =
			strtoull(r->at, &end, 10);
		r->at = end;
	}
}

int trace_read_insn(struct trace_reader *r, const struct trace_head *head,
	struct trace_insn *insn)
{
	uint64_t value = 0;
	int status = 0;

	if (!trace_next_line(r))
		return trace_fail(r, "the trace ends within a warp");
	if (head->has_source_lines)
		status = trace_number(
			r, 10, UINT32_MAX, "a source line", &value);
	if (!status)
		status = trace_number(r, 16, UINT32_MAX, "a PC", &insn->pc);
	if (!status)
		status = trace_number(
			r, 16, UINT32_MAX, "a mask of lanes", &value);
	insn->mask = (uint32_t)value;
	if (!status)
		status = read_registers(r, insn->written, &insn->written_count);
	if (!status)
		status = read_opcode(r, insn);
	if (!status)
		status = read_registers(r, insn->read, &insn->read_count);
	if (!status)
		status = read_group(r, head, insn);
	insn->bytes = insn->immediate_count = 0;
	if (!status && !is_copy(insn)) {
		status = read_access(r, insn);
		read_immediates(r,
			head->version < VERSION_GROUPS ? 1 : TRACE_IMMEDIATES,
			insn);
	}
	if (!status)
		trace_end_line(r);
	return status;
}
