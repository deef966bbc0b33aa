#include "harness/program/qualifiers.h"

/* clang-format off */
enum {
#define OP_BIT(name, text) ON_##name = 1 << OP_##name,
	PROGRAM_OPS(OP_BIT)
#undef OP_BIT
	ON_ACCESS = ON_LD | ON_ST | ON_ATOM | ON_RED,
	ON_ORDERED = ON_ACCESS | ON_FENCE,
};
/* clang-format on */

const struct qualifier qualifiers[QV_COUNT] = {
#define QUALIFIER(class, name, text, sm, ptx, ops)                             \
	[QV_##class##_##name] = {Q_##class, text, sm, ptx, ops},
#include "harness/program/qualifiers.def"
};

const char *const qualifier_class_names[Q_COUNT] = {
#define QUALIFIER_CLASS_NAME(name) [Q_##name] = #name,
	QUALIFIER_CLASSES(QUALIFIER_CLASS_NAME)
#undef QUALIFIER_CLASS_NAME
};

const char *const op_names[OP_COUNT] = {
#define OP_NAME(name, text) [OP_##name] = text,
	PROGRAM_OPS(OP_NAME)
#undef OP_NAME
};
