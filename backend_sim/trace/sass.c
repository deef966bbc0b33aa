#include <string.h>

#include "backend_sim/code/decode.h"
#include "backend_sim/trace/sass.h"

enum form { PLAIN, MEMORY, PRODUCT, TILES, OF, REFUSED };

static const struct row_of {
	const char *name;
	uint8_t form, kind, op, type, from, words, space;
	const char *why; /* it is refused */
} rows[] = {
#define SASS(name, kind, op, type, from, words)                                \
	{#name, PLAIN, CODE_##kind, PTXO_##op, PTX_##type, PTX_##from, words,  \
		PTX_GLOBAL, NULL},
#define SASS_MEMORY(name, op, space)                                           \
	{#name, MEMORY, CODE_MEMORY, PTXO_##op, PTX_b32, PTX_b32, 1,           \
		PTX_##space, NULL},
#define SASS_PRODUCT(name, op, from)                                           \
	{#name, PRODUCT, CODE_MATRIX, PTXO_##op, PTX_f32, PTX_##from, 0,       \
		PTX_GLOBAL, NULL},
#define SASS_TILES(name, op)                                                   \
	{#name, TILES, CODE_TILES, PTXO_##op, PTX_b16, PTX_b16, 0, PTX_SHARED, \
		NULL},
#define SASS_OF(name, kind, op)                                                \
	{name, OF, CODE_##kind, PTXO_##op, PTX_UNTYPED, PTX_UNTYPED, 0,        \
		PTX_GLOBAL, NULL},
#define SASS_REFUSED(name, why) {name, REFUSED, 0, 0, 0, 0, 0, 0, why},
#include "backend_sim/trace/sass.def"
#undef SASS
#undef SASS_MEMORY
#undef SASS_PRODUCT
#undef SASS_TILES
#undef SASS_OF
#undef SASS_REFUSED
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

/* The opcode begins with all words of the name. */
static bool begins_with(const struct trace_insn *insn, const char *name)
{
	const uint32_t bytes = (uint32_t)strlen(name);

	return insn->opcode_bytes >= bytes &&
	       !memcmp(insn->opcode, name, bytes) &&
	       (insn->opcode_bytes == bytes || insn->opcode[bytes] == '.');
}

/* The one with the most words. */
static const struct row_of *row_of(const struct trace_insn *insn)
{
	const struct row_of *found = NULL;
	size_t i;

	for (i = 0; i < COUNT(rows); i++)
		if (begins_with(insn, rows[i].name) &&
			(!found || strlen(rows[i].name) > strlen(found->name)))
			found = &rows[i];
	return found;
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
	for (; words-- && trace_holds(first); first++)
		if (c->wait_count < COUNT(c->waits))
			c->waits[c->wait_count++] = (uint16_t)first;
}

static void write_to(struct code_insn *c, unsigned first, unsigned words)
{
	wait_for(c, first, words);
	for (; words-- && trace_holds(first); first++)
		if (c->write_count < COUNT(c->writes))
			c->writes[c->write_count++] = (uint16_t)first;
}

static bool is_general(unsigned number)
{
	return number <= TRACE_ZERO;
}

/* A trace names the first register of each operand. An address of memory comes
   first and has two (`.E`), what is stored comes last; uniform registers and
   predicates stand alone. */
static void take_registers(const struct trace_insn *insn,
	const struct row_of *row, struct code_insn *c)
{
	unsigned data = insn->bytes > 4 ? insn->bytes / 4u : 1, words, i;
	unsigned operand = 0;
	bool memory = row->kind == CODE_MEMORY;
	bool wide = has_modifier(insn, "WIDE");

	for (i = 0; i < insn->read_count; i++) {
		words = !is_general(insn->read[i]) ? 1
			: !memory                  ? row->words
			: operand++                ? data
				    : 1u + has_modifier(insn, "E");
		wait_for(c, insn->read[i], words);
	}
	for (i = 0; i < insn->written_count; i++) {
		words = !is_general(insn->written[i]) ? 1
			: memory                      ? data
			: wide                        ? 2
						      : row->words;
		write_to(c, insn->written[i], words);
	}
}

/* Registers of 32 bits of the nth general one that is read. */
static void wait_for_nth(const struct trace_insn *insn, struct code_insn *c,
	unsigned nth, unsigned words)
{
	unsigned i;

	for (i = 0; i < insn->read_count; i++)
		if (is_general(insn->read[i]) && !nth--)
			wait_for(c, insn->read[i], words);
}

static unsigned general_count(const struct trace_insn *insn)
{
	unsigned i, count = 0;

	for (i = 0; i < insn->read_count; i++)
		count += is_general(insn->read[i]);
	return count;
}

/* ---- matrices ---- */

static uint16_t number_at(const char **at, const char *end, unsigned digits)
{
	uint16_t value = 0;

	for (; *at < end && digits-- && **at >= '0' && **at <= '9'; ++*at)
		value = (uint16_t)(value * 10 + (uint16_t)(**at - '0'));
	return value;
}

/* "64x128x16", or "16816": 16 or 8 rows, 8 columns, and the rest. */
static bool take_shape(const struct trace_insn *insn, struct ptx_shape *shape)
{
	const uint32_t from = word_bytes(insn, 0) + 1;
	const char *at = insn->opcode + from;
	const char *end =
		from < insn->opcode_bytes ? at + word_bytes(insn, from) : at;

	if (at < end && memchr(at, 'x', (size_t)(end - at))) {
		shape->m = number_at(&at, end, 3);
		at += at < end && *at == 'x';
		shape->n = number_at(&at, end, 3);
		at += at < end && *at == 'x';
	} else {
		shape->m = number_at(&at, end, at < end && *at == '1' ? 2 : 1);
		shape->n = number_at(&at, end, 1);
	}
	shape->k = number_at(&at, end, 3);
	return at == end && shape->m && shape->n && shape->k;
}

static uint8_t type_of(const struct trace_insn *insn, const struct row_of *row)
{
	return has_modifier(insn, "BF16")   ? PTX_bf16
	       : has_modifier(insn, "TF32") ? PTX_tf32
					    : row->from;
}

static uint8_t result_of(const struct trace_insn *insn, uint8_t from)
{
	return from == PTX_f64             ? PTX_f64
	       : from == PTX_s8            ? PTX_s32
	       : has_modifier(insn, "F32") ? PTX_f32
					   : PTX_f16;
}

/* Registers of 32 bits of a warp's matrix. */
static unsigned matrix_words(unsigned elements, uint8_t type)
{
	const unsigned bytes = elements * ptx_types[type].bytes;

	return bytes < 128 ? 1 : bytes / 128;
}

static const char *take_product(const struct trace_insn *insn,
	const struct row_of *row, struct code_insn *c, struct ptx_insn *made)
{
	struct ptx_shape *s = &made->shape;
	const bool is_group = row->op == PTXO_WGMMA;
	const unsigned rows_of_warp = is_group ? 16 : 0;
	unsigned d;

	if (has_modifier(insn, "S4") || has_modifier(insn, "U4"))
		return "products of 4 bits are not modelled";
	if (!take_shape(insn, s))
		return "its shape is not known";
	if (is_group && !insn->says_group)
		return "traces of version 6 say which product ends a group";
	made->from = type_of(insn, row);
	made->type = result_of(insn, made->from);
	made->operands[1].kind =
		is_group && general_count(insn) < 2 ? PTX_REGISTER : PTX_VECTOR;
	if (is_group) {
		c->has_base = insn->ends_group;
		if (made->operands[1].kind == PTX_VECTOR)
			wait_for_nth(insn, c, 0,
				matrix_words(rows_of_warp * s->k, made->from));
		return NULL;
	}
	d = matrix_words((unsigned)s->m * s->n, made->type);
	wait_for_nth(
		insn, c, 0, matrix_words((unsigned)s->m * s->k, made->from));
	wait_for_nth(
		insn, c, 1, matrix_words((unsigned)s->k * s->n, made->from));
	wait_for_nth(insn, c, 2, d);
	if (insn->written_count)
		write_to(c, insn->written[0], d);
	return NULL;
}

/* "LDSM.16.M88.4": four; without the last word it is one. */
static void take_tiles(const struct trace_insn *insn, struct code_insn *c)
{
	const unsigned count = has_modifier(insn, "4")   ? 4
			       : has_modifier(insn, "2") ? 2
							 : 1;

	c->bytes = 16;
	c->count = 1;
	c->moved = (uint8_t)(4 * count);
	wait_for_nth(insn, c, 0, 1);
	wait_for_nth(insn, c, 1, count);
	if (insn->written_count)
		write_to(c, insn->written[0], count);
}

/* ---- what is waited for ---- */

static const char *take_number(
	const struct trace_insn *insn, struct code_insn *c)
{
	if (!insn->immediate_count)
		return "the trace has no number of it";
	c->offset = insn->immediates[0];
	return NULL;
}

static const char *take_other(const struct trace_insn *insn,
	struct code_insn *c, struct ptx_insn *made)
{
	switch (c->kind) {
	case CODE_PRODUCTS:
	case CODE_REGISTERS:
		return take_number(insn, c);
	case CODE_CLUSTER:
		/* What it releases, fences before it do. */
		made->word[PTX_CLASS_ORDER] = PTXW_ORDER_relaxed;
		c->only_arrives = made->op == PTXO_CLUSTER_ARRIVE;
		return NULL;
	default:
		return NULL;
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

static bool is_known(const struct trace_insn *insn, const struct row_of *row)
{
	if (!row)
		return false;
	return insn->bytes ||
	       (row->kind != CODE_MEMORY && row->kind != CODE_COPY &&
		       row->kind != CODE_TILES);
}

/* A group of copies is closed; all groups are waited for. */
static void take_group(const struct trace_insn *insn, struct code_insn *c)
{
	c->count = !strncmp(insn->opcode, "LDG", 3);
	c->has_base = !c->count;
}

static const char *take_form(const struct trace_insn *insn,
	const struct row_of *row, struct code_insn *c, struct ptx_insn *made)
{
	switch (row->form) {
	case PRODUCT:
		return take_product(insn, row, c, made);
	case TILES:
		take_tiles(insn, c);
		return NULL;
	case OF:
		return take_other(insn, c, made);
	default:
		take_registers(insn, row, c);
		if (row->kind == CODE_GROUP)
			take_group(insn, c);
		else if (row->kind == CODE_MEMORY)
			c->count = 1;
		return NULL;
	}
}

bool sass_code(const struct trace_insn *insn, uint32_t line,
	struct code_insn *c, struct ptx_insn *made, const char **why)
{
	const struct row_of *row = row_of(insn);

	*why = row ? row->why : NULL;
	if (*why || !is_known(insn, row))
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
	*why = take_form(insn, row, c, made);
	if (*why)
		return false;
	timing_of(made, c);
	return true;
}
