/* Bulk reductions, held to the words that a chip leaves. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/grid/copies.h"
#include "tests/unit/code_fixture.h"

TestSuite(bulk_reductions, .timeout = 60);

#define SPECIALS_MAX 32
#define WORDS_MAX    2048

static const uint64_t specials2[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00,
	0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0xffff, 0xfe00,
	0x80, 0x7f, 0x3f80, 0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0,
	0x7f81, 0x3555, 0x0081};
static const uint64_t specials4[] = {0, 1, 2, 0x80000000, 0x7fffffff,
	0xffffffff, 0xfffffffe, 0x00800000, 0x007fffff, 0x00000001, 0x80000001,
	0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
	0x7fc00000, 0x7f800001, 0xffc00000, 0x33800000, 0x3f800001};
static const uint64_t specials8[] = {0, 1, 2, UINT64_C(0x8000000000000000),
	UINT64_C(0x7fffffffffffffff), UINT64_MAX, UINT64_C(0xffffffff),
	UINT64_C(0x100000000), UINT64_C(0x0010000000000000),
	UINT64_C(0x000fffffffffffff), UINT64_C(0x3ff0000000000000),
	UINT64_C(0xbff0000000000000), UINT64_C(0x7fefffffffffffff),
	UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000),
	UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff0000000000001),
	UINT64_C(0x8000000000000001), UINT64_C(0xffffffff00000000)};

struct operands {
	uint64_t was[WORDS_MAX], with[WORDS_MAX];
	size_t count;
};

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t exponent_of(unsigned bytes)
{
	return bytes == 2   ? 0x7c00
	       : bytes == 4 ? 0x7f800000
			    : UINT64_C(0x7ff0000000000000);
}

/* Each special one with each, then drawn ones up to 4 KiB, of which half have
   one exponent. */
static void draw(struct operands *o, unsigned bytes)
{
	const uint64_t *specials = bytes == 2   ? specials2
				   : bytes == 4 ? specials4
						: specials8;
	const size_t many = bytes == 2 ? sizeof(specials2) / sizeof(*specials2)
			    : bytes == 4
				    ? sizeof(specials4) / sizeof(*specials4)
				    : sizeof(specials8) / sizeof(*specials8);
	const uint64_t all =
		bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
	const uint64_t exponent = exponent_of(bytes);
	uint64_t state = UINT64_C(88172645463325252), x, y;
	size_t i, k;

	o->count = 0;
	for (i = 0; i < many; i++)
		for (k = 0; k < many; k++) {
			o->was[o->count] = specials[i];
			o->with[o->count++] = specials[k];
		}
	while (o->count * bytes < 4096 || o->count * bytes % 16) {
		x = next(&state);
		y = next(&state);
		if (next(&state) & 1)
			y = (y & ~exponent) | (x & exponent);
		o->was[o->count] = x & all;
		o->with[o->count++] = y & all;
	}
}

static uint64_t digest(uint64_t hash, uint64_t word, unsigned bytes)
{
	unsigned i;

	for (i = 0; i < bytes; i++)
		hash = (hash ^ (word >> (8 * i) & 255)) *
		       UINT64_C(0x100000001b3);
	return hash;
}

static const struct code_insn *bulk_of(const struct made_code *m)
{
	uint32_t i;

	for (i = 0; i < m->code.count; i++)
		if (m->code.insns[i].kind == CODE_BULK)
			return &m->code.insns[i];
	cr_assert_fail("there is no bulk copy");
	return NULL;
}

#define HEAD                                                                   \
	".version 8.6\n.target sm_90\n.address_size 64\n"                      \
	".visible .entry k(.param .u64 a)\n{\n.reg .b64 %d<4>;\n"              \
	".shared .align 16 .b8 s[64];\n.shared .align 8 .b64 bar;\n"           \
	"ld.param.u64 %d0, [a];\n"
#define TAIL "ret;\n}\n"

static void holds(const char *where, const char *form, unsigned bytes,
	size_t count, uint64_t operands, uint64_t results)
{
	const bool is_global = !strcmp(where, "global");
	uint64_t before = UINT64_C(0xcbf29ce484222325), behind = before;
	static struct operands o;
	struct made_code m;
	struct atomic of;
	char body[256];
	size_t i;

	draw(&o, bytes);
	cr_assert_eq(o.count, count, "%s", form);
	snprintf(body, sizeof(body),
		is_global ? "cp.reduce.async.bulk.global.shared::cta."
			    "bulk_group.%s [%%d0], [s], 64;\n"
			  : "cp.reduce.async.bulk.shared::cluster.shared::cta."
			    "mbarrier::complete_tx::bytes.%s [s], [s], 64, "
			    "[bar];\n",
		form);
	code_of(&m, HEAD, TAIL, body);
	of = atomic_of(bulk_of(&m));
	for (i = 0; i < count; i++) {
		before = digest(before, o.was[i], bytes);
		before = digest(before, o.with[i], bytes);
		behind = digest(behind,
			copies_reduced(&of, o.was[i], o.with[i], is_global),
			bytes);
	}
	cr_expect_eq(before, operands, "%s: other operands", form);
	cr_expect_eq(behind, results, "%s %s: other words", where, form);
	code_end(&m);
}

Test(bulk_reductions, leave_the_words_of_the_chip)
{
#define REDUCTION(where, form, bytes, count, operands, results)                \
	holds(where, form, bytes, count, operands, results);
#include "tests/unit/backend_sim/async/reductions.inc"
#undef REDUCTION
}
