/* The tables of PTX as arrays. */
#include "harness/ptx/ptx.h"

const struct ptx_type_info ptx_types[PTX_TYPE_COUNT] = {
	[PTX_UNTYPED] = {"", 0, ' '},
#define PTX_TYPE(name, bytes, kind) [PTX_##name] = {#name, bytes, kind},
#include "harness/ptx/types.def"
#undef PTX_TYPE
};

const struct ptx_special_info ptx_specials[PTXS_COUNT] = {
#define PTX_SPECIAL(name, text, bits) [PTXS_##name] = {text, bits},
#include "harness/ptx/specials.def"
#undef PTX_SPECIAL
};

const struct ptx_word_info ptx_words[PTXW_COUNT] = {
	[PTXW_NONE] = {"", 0},
#define PTX_WORD(class, name, text)                                            \
	[PTXW_##class##_##name] = {text, PTX_CLASS_##class},
#include "harness/ptx/words.def"
#undef PTX_WORD
};

#define CLASS(name) (UINT64_C(1) << PTX_CLASS_##name)

const struct ptx_op_info ptx_ops[PTXO_COUNT] = {
#define PTX_OP(name, text, sm, operands, types, kinds, classes)                \
	[PTXO_##name] = {                                                      \
		text, operands, kinds, types, sm, false, classes, NULL},
#define PTX_MEMORY(name, text, sm, operands)                                   \
	[PTXO_##name] = {text, operands, "", 0, sm, true, 0, NULL},
#define PTX_KNOWN(name, text, sm, reason)                                      \
	[PTXO_##name] = {text, "", "", 0, sm, false, 0, reason},
#include "harness/ptx/ops.def"
};

const struct ptx_refusal ptx_refusals[] = {
#define PTX_REFUSED(text, sm, reason) {text, reason, sm},
#include "harness/ptx/ops.def"
	{NULL, NULL, 0},
};

/* ---- types ---- */

bool ptx_is_pair(uint8_t type)
{
	return ptx_types[type].kind == 'H' || ptx_types[type].kind == 'T';
}

bool ptx_is_real(uint8_t type)
{
	const char kind = ptx_types[type].kind;

	return kind == 'f' || kind == 'h' || kind == 't' || ptx_is_pair(type);
}

bool ptx_is_plain(uint8_t type)
{
	return ptx_types[type].kind != 'x' && ptx_types[type].kind != 'e';
}

bool ptx_takes_kind(const char *kinds, enum ptx_type type)
{
	const struct ptx_type_info *t = &ptx_types[type];
	char kind = 0;

	for (; *kinds; kinds++)
		if (*kinds < '0' || *kinds > '9')
			kind = *kinds;
		else if (kind == t->kind &&
			 (*kinds == '6' ? 16 : *kinds - '0') == t->bytes)
			return true;
	return false;
}
