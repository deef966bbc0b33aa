#ifndef NEARFAR_PROGRAM_QUALIFIERS_H
#define NEARFAR_PROGRAM_QUALIFIERS_H

/* The qualifiers and operations of PTX, as tables. */
#include "harness/program/program.h"

/* A qualifier, as qualifiers.def states it. */
struct qualifier {
	uint8_t class;    /* enum qualifier_class */
	const char *text; /* without the dot: "L2::128B" */
	uint16_t sm;      /* minimum, 70; some operations differ, see */
	uint16_t ptx;     /* QUALIFIER_ON; 74: PTX 7.4 */
	uint32_t ops;     /* bit (1 << enum op) */
};

extern const struct qualifier qualifiers[QV_COUNT]; /* [0]: none */
extern const char *const qualifier_class_names[Q_COUNT];
extern const char *const op_names[OP_COUNT];

#endif
