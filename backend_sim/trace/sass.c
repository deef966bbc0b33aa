#include <string.h>

#include "backend_sim/code/decode.h"
#include "backend_sim/trace/sass.h"

static const struct row_of {
	const char *name;
	uint8_t kind, op, type, from, words, space;
} rows[] = {
#define SASS(name, kind, op, type, from, words)                                \
	{#name, CODE_##kind, PTXO_##op, PTX_##type, PTX_##from, words,         \
		PTX_GLOBAL},
#define SASS_MEMORY(name, op, space)                                           \
	{#name, CODE_MEMORY, PTXO_##op, PTX_b32, PTX_b32, 1, PTX_##space},
#include "backend_sim/trace/sass.def"
#undef SASS
#undef SASS_MEMORY
};

/* What a modifier of an access asks of the caches, in PTX's words. */
static const struct {
	const char *name;
	uint8_t place, value;
} modifiers[] = {
	{"CONSTANT", Q_NC, QV_NC_nc},
	{"STRONG", Q_SEM, QV_SEM_relaxed},
	{"SM", Q_SCOPE, QV_SCOPE_cta},
	{"CTA", Q_SCOPE, QV_SCOPE_cta},
	{"GPU", Q_SCOPE, QV_SCOPE_gpu},
	{"SYS", Q_SCOPE, QV_SCOPE_sys},
	{"EF", Q_L1, QV_L1_evict_first},
	{"EL", Q_L1, QV_L1_evict_last},
	{"NA", Q_L1, QV_L1_no_allocate},
	{"LTC64B", Q_SIZE, QV_SIZE_64B},
	{"LTC128B", Q_SIZE, QV_SIZE_128B},
	{"LTC256B", Q_SIZE, QV_SIZE_256B},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The next word of an opcode, whose words have dots between them. */
static uint32_t word_bytes(const struct trace_insn *insn, uint32_t from)
{
	uint32_t end = from;

	while (end < insn->opcode_bytes && insn->opcode[end] != '.')
		end++;
	return end - from;
}

static bool is_word(const struct trace_insn *insn, uint32_t from,
	uint32_t bytes, const char *name)
{
	return strlen(name) == bytes &&
	       !memcmp(insn->opcode + from, name, bytes);
}

static const struct row_of *row_of(const struct trace_insn *insn)
{
	uint32_t bytes = word_bytes(insn, 0);
	size_t i;

	for (i = 0; i < COUNT(rows); i++)
		if (is_word(insn, 0, bytes, rows[i].name))
			return &rows[i];
	return NULL;
}

static bool has_modifier(const struct trace_insn *insn, const char *name)
{
	uint32_t at = word_bytes(insn, 0) + 1;

	for (; at < insn->opcode_bytes; at += word_bytes(insn, at) + 1)
		if (is_word(insn, at, word_bytes(insn, at), name))
			return true;
	return false;
}

static uint8_t access_of(uint8_t op)
{
	return op == PTXO_ST     ? OP_ST
	       : op == PTXO_ATOM ? OP_ATOM
	       : op == PTXO_RED  ? OP_RED
				 : OP_LD;
}

/* ---- registers ---- */

static void wait_for(struct code_insn *c, unsigned first, unsigned words)
{
	for (; words-- && first < TRACE_ZERO; first++)
		if (c->wait_count < COUNT(c->waits))
			c->waits[c->wait_count++] = (uint16_t)first;
}

static void write_to(struct code_insn *c, unsigned first, unsigned words)
{
	wait_for(c, first, words);
	for (; words-- && first < TRACE_ZERO; first++)
		if (c->write_count < COUNT(c->writes))
			c->writes[c->write_count++] = (uint16_t)first;
}

/* A trace names the first register of each operand. An address of memory comes
   first and has two (`.E`), what is stored comes last. */
static void take_registers(const struct trace_insn *insn,
	const struct row_of *row, struct code_insn *c)
{
	unsigned data = insn->bytes > 4 ? insn->bytes / 4u : 1, words, i;
	bool memory = row->kind == CODE_MEMORY;
	bool wide = has_modifier(insn, "WIDE");

	for (i = 0; i < insn->read_count; i++) {
		words = !memory ? row->words
			: i     ? data
				: 1u + has_modifier(insn, "E");
		wait_for(c, insn->read[i], words);
	}
	for (i = 0; i < insn->written_count; i++) {
		words = memory ? data : wide ? 2 : row->words;
		write_to(c, insn->written[i], words);
	}
}

/* ---- what it is ---- */

static void ask(const struct trace_insn *insn, struct ptx_insn *made)
{
	size_t i;

	for (i = 0; i < COUNT(modifiers); i++)
		if (has_modifier(insn, modifiers[i].name))
			made->qualifiers[modifiers[i].place] =
				modifiers[i].value;
}

/* A barrier that none waits at is another thing. */
static bool is_known(const struct trace_insn *insn, const struct row_of *row)
{
	if (!row || (row->kind == CODE_BARRIER && has_modifier(insn, "ARV")))
		return false;
	return insn->bytes ||
	       (row->kind != CODE_MEMORY && row->kind != CODE_COPY);
}

bool sass_code(const struct trace_insn *insn, uint32_t line,
	struct code_insn *c, struct ptx_insn *made)
{
	const struct row_of *row = row_of(insn);

	if (!is_known(insn, row))
		return false;
	*made = (struct ptx_insn){
		.op = row->op,
		.type = row->type,
		.from = row->from,
		.space = row->space,
		.access = access_of(row->op),
		.place = {line, 1},
	};
	ask(insn, made);
	*c = (struct code_insn){
		.kind = row->kind,
		.space = row->space,
		.bytes = insn->bytes,
		.moved = insn->bytes,
		.insn = made,
	};
	timing_of(made, c);
	take_registers(insn, row, c);
	/* A group of copies is closed; all groups are waited for. */
	if (row->kind == CODE_GROUP) {
		c->count = !strncmp(insn->opcode, "LDG", 3);
		c->has_base = !c->count;
	} else if (row->kind == CODE_MEMORY) {
		c->count = 1;
	}
	return true;
}
