#ifndef NEARFAR_LOWER_WRITER_H
#define NEARFAR_LOWER_WRITER_H

/*
 * The text under construction: a body in a memory stream, with registers,
 * predicates and labels handed out by number and declared when the kernel is
 * finished. Register names: %rN 32 bit, %dN 64 bit, %qN 128 bit, %pN
 * predicates; labels LN.
 */
#include <stdio.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/program/permute.h"
#include "harness/program/places.h"
#include "harness/lower/lower.h"

struct ptx_writer {
	FILE *body;
	char *text; /* of `body`, owned */
	size_t length;
	uint32_t lines; /* of `body` */
	uint32_t *idle; /* lines of `body`, as ptx_kernel.idle_lines; owned */
	size_t idle_count;
	bool failed;                         /* no memory for them */
	const struct program_places *places; /* whose lines `.loc` names; or
						NULL */
	uint32_t place, said; /* of what is emitted, and of the last `.loc` */
	unsigned r_count, d_count, q_count, p_count, label_count;
	uint32_t shared_bytes; /* static, handed out so far */
	unsigned buffer_count; /* kernel parameters buffer0.. */
	bool dynamic_shared;
	unsigned version_least; /* PTX that some instruction needs */
	unsigned threads;       /* of a block; 0: not stated */
	unsigned resident;      /* blocks that one SM must hold at once */
	unsigned registers;     /* of a thread, at most; 0: not stated */
};

int ptx_writer_open(struct ptx_writer *w, struct error *error);

/* Adds header and declarations; the writer is closed either way. Sets the
   kernel's text and lines. */
int ptx_writer_finish(struct ptx_writer *w, unsigned ptx_version,
	unsigned sm_arch, struct ptx_kernel *kernel, struct error *error);

/* One instruction, indented and ended with ";". */
void ptx_emit(struct ptx_writer *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* What was emitted last is idle (lower.h). */
void ptx_idle(struct ptx_writer *w);
void ptx_label(struct ptx_writer *w, unsigned label);

/* What is emitted from here on belongs to that item of the program. */
static inline void ptx_at_insn(struct ptx_writer *w, uint32_t insn)
{
	if (w->places)
		w->place = w->places->insns[insn];
}

static inline void ptx_at_role(struct ptx_writer *w, uint32_t role)
{
	if (w->places)
		w->place = w->places->roles[role];
}

static inline void ptx_at_step(struct ptx_writer *w, uint32_t step)
{
	if (w->places)
		w->place = w->places->steps[step];
}

/* The module is of this PTX version at least: 60 is 6.0. */
static inline void ptx_needs(struct ptx_writer *w, unsigned version)
{
	if (w->version_least < version)
		w->version_least = version;
}

static inline unsigned ptx_r(struct ptx_writer *w)
{
	return w->r_count++;
}

static inline unsigned ptx_d(struct ptx_writer *w)
{
	return w->d_count++;
}

static inline unsigned ptx_p(struct ptx_writer *w)
{
	return w->p_count++;
}

static inline unsigned ptx_new_label(struct ptx_writer *w)
{
	return w->label_count++;
}

/* A constant or parameter in a fresh register. */
unsigned ptx_r_constant(struct ptx_writer *w, uint32_t value);
unsigned ptx_d_constant(struct ptx_writer *w, uint64_t value);
unsigned ptx_d_parameter(struct ptx_writer *w, const char *name);
unsigned ptx_r_special(struct ptx_writer *w, const char *special);

/* permute_mix() of r, in place. */
void ptx_mix(struct ptx_writer *w, unsigned r);

/* permutation_init() for a seed that is known only on the device. */
struct ptx_permutation {
	struct permutation shape; /* count, mask and shift */
	unsigned multiply[PERMUTATION_ROUNDS], add[PERMUTATION_ROUNDS];
};
void ptx_permutation_init(struct ptx_writer *w, struct ptx_permutation *p,
	uint32_t count, unsigned seed_r);

/* permutation_slot(): a fresh register with the slot of a position. */
unsigned ptx_permutation_slot(struct ptx_writer *w,
	const struct ptx_permutation *p, unsigned position_r);

/* The PTX version that `sm_arch` needs at least (74: 7.4). */
unsigned ptx_version_of_target(unsigned sm_arch);

#endif
