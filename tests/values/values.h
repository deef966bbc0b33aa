#ifndef NEARFAR_TESTS_VALUES_H
#define NEARFAR_TESTS_VALUES_H

/*
 * Random kernels whose results are known: a kernel is a list of statements,
 * which write.c writes as PTX and interpret.c executes on the host, one
 * statement after the other, thread by thread. The interpreter knows PTX from
 * its manual and shares nothing with a backend.
 *
 * What threads do is deterministic: each has registers and OWN_BYTES of memory
 * of its own; words of shared memory are read behind a barrier; additions to
 * words that all threads share commute, and nobody reads them. What lanes say
 * to each other stands where all threads are.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Registers of each class. */
#define R_COUNT 10
#define D_COUNT 6
#define F_COUNT 4
#define G_COUNT 4
#define P_COUNT 3

#define STATEMENTS_MAX 160
#define DEPTH_MAX      3
#define OWN_BYTES      32
#define INPUT_WORDS    12 /* of a thread */
#define SUM_WORDS      6  /* red: add, max, min, and, or, xor */
#define SAVED_BYTES    (4 * R_COUNT + 8 * D_COUNT + 4 * F_COUNT + 8 * G_COUNT)

/* Sources of a statement are registers of the class that it reads. */
enum kind {
	KIND_OP,      /* op: a row of ops.def; may be guarded by a predicate */
	KIND_SETP,    /* predicate d = s[0] < s[1], signed */
	KIND_IF,      /* s[0] < s[1], signed */
	KIND_ELSE,    /* of the innermost if */
	KIND_END,     /* of the innermost if */
	KIND_LOOP,    /* s[0] & 7 times; d: its depth */
	KIND_BREAK,   /* out of the innermost loop if s[0] < s[1], unsigned */
	KIND_REPEAT,  /* the end of the innermost loop */
	KIND_STORE,   /* own memory: 1 << op bytes of s[0] at `number` */
	KIND_LOAD,    /* d: signed, 1 << op bytes at `number` */
	KIND_INDEX,   /* d: the word s[0] & 7 of own memory */
	KIND_ATOM,    /* d: the word at `number`; op: what it becomes */
	KIND_SUM,     /* the word op of the sums, by s[0] */
	KIND_SHARE,   /* d: s[0] of thread + number, of the block */
	KIND_SHUFFLE, /* d: s[0] of a lane; op: the mode; by s[1], number: the
			 bits that clamp */
	KIND_BALLOT,  /* d: the lanes where s[0] < s[1], signed */
	KIND_MATCH,   /* d: the lanes with the same s[0] & 7 */
	KIND_REDUX,   /* d: s[0] of all lanes; op: how */
	KIND_COUNT
};

enum atom { ATOM_ADD, ATOM_MAX, ATOM_EXCH, ATOM_CAS, ATOM_XOR, ATOM_COUNT };
enum sum { SUM_ADD, SUM_MAX, SUM_MIN, SUM_AND, SUM_OR, SUM_XOR };
enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };

enum row {
#define OP(name, to, from, text, value) ROW_##name,
#include "tests/values/ops.def"
#undef OP
	ROW_COUNT
};

struct op_row {
	const char *name, *from, *text;
	char to;
};
extern const struct op_row rows[ROW_COUNT];

struct statement {
	uint8_t kind, op, d, s[4];
	uint8_t guard; /* KIND_OP: 1 + predicate; 0: none */
	bool guard_negated;
	uint32_t number;
	uint32_t block; /* of IF, LOOP and what belongs to it: its number */
};

struct kernel {
	struct statement items[STATEMENTS_MAX];
	size_t count;
	uint32_t grid, block; /* blocks, threads */
	uint32_t seed;        /* of its input */
};

/* What the kernel leaves: the caller gives the arrays. */
struct outcome {
	uint8_t *own;   /* [thread][OWN_BYTES] */
	uint8_t *saved; /* [thread][SAVED_BYTES]: r, f, d, g */
	uint32_t *sums; /* [SUM_WORDS] */
};

/* The same kernel for the same seed. */
void kernel_draw(uint32_t seed, struct kernel *kernel);
/* As PTX for sm_ARCH: entry k(input, own, saved, sums). */
void kernel_write(const struct kernel *kernel, unsigned arch, FILE *out);
/* Its statements alone. */
void kernel_write_body(const struct kernel *kernel, FILE *out);
/* `input` has INPUT_WORDS of each thread. */
void kernel_interpret(const struct kernel *kernel, const uint32_t *input,
	struct outcome *outcome);

#endif
