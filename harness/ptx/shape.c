/* What the spelling of a matrix instruction says of its matrices, and how many
   registers hold them. */
#include "harness/ptx/reader.h"

/* The number behind `letter`; false: there is none. */
static bool take_extent(
	const char **at, const char *end, char letter, uint16_t *extent)
{
	unsigned value = 0;

	if (*at == end || **at != letter)
		return false;
	for (++*at; *at < end && **at >= '0' && **at <= '9' && value < 1000;
		++*at)
		value = value * 10 + (unsigned)(**at - '0');
	*extent = (uint16_t)value;
	return value > 0;
}

bool reader_shape(struct ptx_insn *insn, const struct ptx_name *word)
{
	const char *at = word->text, *end = at + word->length;
	struct ptx_shape *s = &insn->shape;
	const bool is_column = ptx_name_is(word, "col");

	if (!(ptx_ops[insn->op].classes >> PTX_CLASS_SHAPE & 1))
		return false;
	if (is_column || ptx_name_is(word, "row")) {
		s->columns |= (uint8_t)(is_column << s->layout_count);
		return s->layout_count++ < 2;
	}
	return take_extent(&at, end, 'm', &s->m) &&
	       take_extent(&at, end, 'n', &s->n) &&
	       (at == end || take_extent(&at, end, 'k', &s->k)) && at == end;
}

uint8_t *reader_place_of_type(struct ptx_insn *insn, uint32_t i)
{
	return i > 1 ? &insn->more[i - 2] : i ? &insn->from : &insn->type;
}

bool reader_matrix_types(struct ptx_insn *insn, uint32_t types)
{
	/* .dtype.ctype of products of f16. */
	if (insn->op != PTXO_WMMA_MMA || types != 2)
		return false;
	insn->more[1] = insn->from;
	insn->from = insn->more[0] = PTX_f16;
	return true;
}

void reader_matrix_space(struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_LDMATRIX:
	case PTXO_STMATRIX:
		insn->space = PTX_SHARED;
		break;
	case PTXO_WMMA_LOAD_A:
	case PTXO_WMMA_LOAD_B:
	case PTXO_WMMA_LOAD_C:
	case PTXO_WMMA_STORE:
		insn->space = insn->word[PTX_CLASS_SPACE] == PTXW_SPACE_global
				      ? PTX_GLOBAL
			      : insn->word[PTX_CLASS_SPACE] ? PTX_SHARED
							    : PTX_GENERIC;
		break;
	default:
		break;
	}
}

/* Matrix `which` of D, A, B and C of elements of the type. */
static uint32_t registers(
	const struct ptx_insn *insn, uint8_t type, uint32_t which)
{
	const struct ptx_shape *s = &insn->shape;
	const uint32_t rows = which == 2 ? s->n : s->m;
	const uint32_t columns = which == 1 || which == 2 ? s->k : s->n;
	const uint32_t bytes = ptx_types[type].bytes;

	/* Of m8n8k4 of f16 there are four at once. */
	const uint32_t matrices =
		insn->op == PTXO_MMA && s->k == 4 && insn->from == PTX_f16 ? 4
									   : 1;

	return matrices * rows * columns * bytes /
	       (PROGRAM_WARP_LANES * (bytes == 8 ? 8 : 4));
}

uint32_t ptx_matrix_registers(const struct ptx_insn *insn, uint32_t i)
{
	const uint8_t types[] = {
		insn->type, insn->from, insn->more[0], insn->more[1]};
	const bool is_factor = i == 1 || i == 2;

	switch (insn->op) {
	case PTXO_WGMMA:
		/* A warp has a quarter of the rows. */
		return i > 1 ? 0 : registers(insn, types[i], i) / 4;
	case PTXO_WMMA_LOAD_A:
	case PTXO_WMMA_LOAD_B:
		if (insn->type == PTX_f16)
			return 8;
		return registers(
			insn, insn->type, insn->op == PTXO_WMMA_LOAD_A ? 1 : 2);
	case PTXO_WMMA_LOAD_C:
	case PTXO_WMMA_STORE:
		return registers(insn, insn->type, 0);
	case PTXO_WMMA_MMA:
		if (is_factor && types[i] == PTX_f16)
			return 8;
		return registers(insn, types[i], i);
	default:
		return registers(insn, types[i], i);
	}
}
