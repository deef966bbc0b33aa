/* Opcodes of SASS: what the SM makes of each, and what their words ask for. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/trace/sass.h"

/* "R20 = OPCODE R4, R10", with an access of so many bytes. */
static bool known(const char *opcode, uint8_t bytes, struct code_insn *c,
	struct ptx_insn *made)
{
	const char *why;
	const struct trace_insn insn = {
		.opcode = opcode,
		.opcode_bytes = (uint32_t)strlen(opcode),
		.bytes = bytes,
		.read_count = 2,
		.read = {4, 10},
		.written_count = 1,
		.written = {20},
	};

	return sass_code(&insn, 7, c, made, &why);
}

/* Opcodes that are alike, with blanks between them. */
static const struct {
	const char *opcodes;
	uint8_t kind, op, type, from, words;
} values[] = {
	{"IADD3 IADD VIADD ULDC UMOV UIADD3 UIMAD ULEA ULOP3 UPLOP3 USHF UISETP"
	 " USEL UPRMT USGXT UBMSK UP2UR",
		CODE_VALUE, PTXO_ADD, PTX_u32, PTX_u32, 1},
	{"IMAD", CODE_VALUE, PTXO_MAD, PTX_u32, PTX_u32, 1},
	{"IMUL", CODE_VALUE, PTXO_MUL, PTX_u32, PTX_u32, 1},
	{"IABS", CODE_VALUE, PTXO_ABS, PTX_s32, PTX_s32, 1},
	{"IMNMX VIMNMX VIADDMNMX", CODE_VALUE, PTXO_MIN, PTX_s32, PTX_s32, 1},
	{"IDP", CODE_VALUE, PTXO_DP4A, PTX_s32, PTX_s32, 1},
	{"LEA SHF", CODE_VALUE, PTXO_SHF, PTX_b32, PTX_b32, 1},
	{"SHL", CODE_VALUE, PTXO_SHL, PTX_b32, PTX_b32, 1},
	{"SHR", CODE_VALUE, PTXO_SHR, PTX_u32, PTX_u32, 1},
	{"LOP3 PLOP3", CODE_VALUE, PTXO_LOP3, PTX_b32, PTX_b32, 1},
	{"LOP", CODE_VALUE, PTXO_AND, PTX_b32, PTX_b32, 1},
	{"PRMT MOV CS2R R2UR P2R R2P R2B", CODE_VALUE, PTXO_PRMT, PTX_b32,
		PTX_b32, 1},
	{"SGXT BMSK", CODE_VALUE, PTXO_BMSK, PTX_b32, PTX_b32, 1},
	{"BREV UBREV", CODE_VALUE, PTXO_BREV, PTX_b32, PTX_b32, 1},
	{"FLO UFLO", CODE_VALUE, PTXO_BFIND, PTX_u32, PTX_u32, 1},
	{"POPC UPOPC S2R S2UR LDC B2R", CODE_VALUE, PTXO_POPC, PTX_b32, PTX_b32,
		1},
	{"ISETP", CODE_VALUE, PTXO_SETP, PTX_s32, PTX_s32, 1},
	{"SEL", CODE_VALUE, PTXO_SELP, PTX_b32, PTX_b32, 1},
	{"FADD", CODE_VALUE, PTXO_ADD, PTX_f32, PTX_f32, 1},
	{"FMUL", CODE_VALUE, PTXO_MUL, PTX_f32, PTX_f32, 1},
	{"FFMA", CODE_VALUE, PTXO_FMA, PTX_f32, PTX_f32, 1},
	{"FMNMX", CODE_VALUE, PTXO_MIN, PTX_f32, PTX_f32, 1},
	{"FSEL", CODE_VALUE, PTXO_SELP, PTX_f32, PTX_f32, 1},
	{"FSETP FSET", CODE_VALUE, PTXO_SETP, PTX_f32, PTX_f32, 1},
	{"FCHK MUFU", CODE_VALUE, PTXO_RCP, PTX_f32, PTX_f32, 1},
	{"HADD2", CODE_VALUE, PTXO_ADD, PTX_f16x2, PTX_f16x2, 1},
	{"HMUL2", CODE_VALUE, PTXO_MUL, PTX_f16x2, PTX_f16x2, 1},
	{"HFMA2", CODE_VALUE, PTXO_FMA, PTX_f16x2, PTX_f16x2, 1},
	{"HMNMX2", CODE_VALUE, PTXO_MIN, PTX_f16x2, PTX_f16x2, 1},
	{"HSETP2", CODE_VALUE, PTXO_SETP, PTX_f16x2, PTX_f16x2, 1},
	{"DADD", CODE_VALUE, PTXO_ADD, PTX_f64, PTX_f64, 2},
	{"DMUL", CODE_VALUE, PTXO_MUL, PTX_f64, PTX_f64, 2},
	{"DFMA", CODE_VALUE, PTXO_FMA, PTX_f64, PTX_f64, 2},
	{"DSETP", CODE_VALUE, PTXO_SETP, PTX_f64, PTX_f64, 2},
	{"I2F I2FP", CODE_VALUE, PTXO_CVT, PTX_f32, PTX_s32, 1},
	{"F2I", CODE_VALUE, PTXO_CVT, PTX_s32, PTX_f32, 1},
	{"F2F", CODE_VALUE, PTXO_CVT, PTX_f64, PTX_f32, 2},
	{"F2FP", CODE_VALUE, PTXO_CVT, PTX_f16, PTX_f32, 1},
	{"FRND", CODE_VALUE, PTXO_CVT, PTX_f32, PTX_f32, 1},
	{"I2I", CODE_VALUE, PTXO_CVT, PTX_s16, PTX_s32, 1},
	{"SHFL", CODE_WARP, PTXO_SHFL, PTX_b32, PTX_b32, 1},
	{"ELECT", CODE_WARP, PTXO_ELECT, PTX_b32, PTX_b32, 1},
	{"MOVM", CODE_VALUE, PTXO_MOVMATRIX, PTX_b16, PTX_b16, 1},
	{"VOTE VOTEU", CODE_WARP, PTXO_VOTE, PTX_b32, PTX_b32, 1},
	{"MATCH", CODE_WARP, PTXO_MATCH, PTX_b32, PTX_b32, 1},
	{"REDUX", CODE_WARP, PTXO_REDUX, PTX_u32, PTX_u32, 1},
	{"BRA BRX JMP CALL RET", CODE_BRANCH, PTXO_BRA, PTX_UNTYPED,
		PTX_UNTYPED, 1},
	{"EXIT", CODE_EXIT, PTXO_EXIT, PTX_UNTYPED, PTX_UNTYPED, 1},
	{"BSSY BSYNC BREAK BMOV WARPSYNC YIELD NOP ERRBAR CCTL CGAERRBAR"
	 " ENDCOLLECTIVE RPCMOV NANOSLEEP",
		CODE_NOTHING, PTXO_EXIT, PTX_UNTYPED, PTX_UNTYPED, 1},
	{"BAR", CODE_BARRIER, PTXO_BAR, PTX_UNTYPED, PTX_UNTYPED, 1},
	{"MEMBAR", CODE_FENCE, PTXO_FENCE, PTX_UNTYPED, PTX_UNTYPED, 1},
	{"LDGDEPBAR DEPBAR", CODE_GROUP, PTXO_EXIT, PTX_UNTYPED, PTX_UNTYPED,
		1},
};

/* The next of some words; false behind the last. */
static bool next(const char **words, char word[16])
{
	int bytes = 0;

	if (sscanf(*words, "%15s%n", word, &bytes) != 1)
		return false;
	*words += bytes;
	return true;
}

Test(sass, each_opcode_is_an_operation_of_ptx)
{
	const char *words;
	struct ptx_insn made;
	struct code_insn c;
	char opcode[16];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		for (words = values[i].opcodes; next(&words, opcode);) {
			cr_assert(known(opcode, 0, &c, &made), "%s", opcode);
			cr_expect_eq(c.kind, values[i].kind, "%s", opcode);
			cr_expect_eq(made.op, values[i].op, "%s", opcode);
			cr_expect_eq(made.type, values[i].type, "%s", opcode);
			cr_expect_eq(made.from, values[i].from, "%s", opcode);
			cr_expect_eq(
				c.write_count, values[i].words, "%s", opcode);
			cr_expect_eq(c.wait_count, 3 * values[i].words, "%s",
				opcode);
		}
}

Test(sass, each_access_has_its_memory)
{
	static const struct {
		const char *opcodes;
		uint8_t access, space;
	} rows[] = {
		{"LDG", OP_LD, PTX_GLOBAL},
		{"LD", OP_LD, PTX_GENERIC},
		{"LDS", OP_LD, PTX_SHARED},
		{"LDL", OP_LD, PTX_LOCAL},
		{"STG", OP_ST, PTX_GLOBAL},
		{"ST", OP_ST, PTX_GENERIC},
		{"STS", OP_ST, PTX_SHARED},
		{"STL", OP_ST, PTX_LOCAL},
		{"ATOM", OP_ATOM, PTX_GENERIC},
		{"ATOMG", OP_ATOM, PTX_GLOBAL},
		{"ATOMS", OP_ATOM, PTX_SHARED},
		{"RED REDG", OP_RED, PTX_GLOBAL},
	};
	const char *words;
	struct ptx_insn made;
	struct code_insn c;
	char opcode[16];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (words = rows[i].opcodes; next(&words, opcode);) {
			cr_assert(known(opcode, 8, &c, &made), "%s", opcode);
			cr_expect_eq(c.kind, CODE_MEMORY, "%s", opcode);
			cr_expect_eq(made.access, rows[i].access, "%s", opcode);
			cr_expect_eq(c.space, rows[i].space, "%s", opcode);
			cr_expect_eq(c.bytes * 10 + c.count, 81, "%s", opcode);
			cr_expect_not(
				known(opcode, 0, &c, &made), "%s", opcode);
		}
	cr_assert(known("LDGSTS.E", 4, &c, &made));
	cr_expect_eq(c.kind, CODE_COPY);
	cr_expect_not(known("LDGSTS.E", 0, &c, &made));
	cr_expect_not(known("HMMA", 0, &c, &made));
	cr_expect_not(known("BAR.ARV", 0, &c, &made));
}

Test(sass, words_behind_the_first_ask_for_something)
{
	static const struct {
		const char *opcode;
		uint8_t place, value;
	} rows[] = {
		{"LDG.E.CONSTANT", Q_NC, QV_NC_nc},
		{"LDG.E.STRONG.GPU", Q_SEM, QV_SEM_relaxed},
		{"LDG.E.STRONG.GPU", Q_SCOPE, QV_SCOPE_gpu},
		{"LDG.E.STRONG.SM", Q_SCOPE, QV_SCOPE_cta},
		{"LDG.E.STRONG.CTA", Q_SCOPE, QV_SCOPE_cta},
		{"LDG.E.STRONG.SYS", Q_SCOPE, QV_SCOPE_sys},
		{"LDG.E.EF", Q_L1, QV_L1_evict_first},
		{"LDG.E.EL", Q_L1, QV_L1_evict_last},
		{"LDG.E.NA", Q_L1, QV_L1_no_allocate},
		{"LDG.E.LTC64B", Q_SIZE, QV_SIZE_64B},
		{"LDG.E.LTC128B", Q_SIZE, QV_SIZE_128B},
		{"LDG.E.LTC256B", Q_SIZE, QV_SIZE_256B},
	};
	struct ptx_insn made;
	struct code_insn c;
	size_t i;

	cr_assert(known("LDG.E", 4, &c, &made));
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_expect_eq(made.qualifiers[rows[i].place], 0, "%s",
			rows[i].opcode);
	}
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_assert(known(rows[i].opcode, 4, &c, &made));
		cr_expect_eq(made.qualifiers[rows[i].place], rows[i].value,
			"%s", rows[i].opcode);
	}
}

/* How many registers it waits for, and how many of them it writes. */
static void expect_registers(
	const char *opcode, uint8_t bytes, unsigned waits, unsigned writes)
{
	struct ptx_insn made;
	struct code_insn c;

	cr_assert(known(opcode, bytes, &c, &made), "%s", opcode);
	cr_expect_eq(c.wait_count, waits, "%s: %u", opcode, c.wait_count);
	cr_expect_eq(c.write_count, writes, "%s: %u", opcode, c.write_count);
}

/* R4 is the address, R10 what is stored, R20 what is read. */
Test(sass, operands_have_the_registers_of_their_width)
{
	expect_registers("LDG", 4, 1 + 1 + 1, 1);
	expect_registers("LDG.E", 4, 2 + 1 + 1, 1);
	expect_registers("LDG.E.U8", 1, 2 + 1 + 1, 1);
	expect_registers("LDG.E.64", 8, 2 + 2 + 2, 2);
	expect_registers("LDG.E.128", 16, 2 + 4 + 4, 4);
	expect_registers("IMAD.WIDE", 0, 1 + 1 + 2, 2);
}

/* RZ is no register, and nothing stands behind R254. */
Test(sass, the_zero_register_is_not_waited_for)
{
	const struct trace_insn insn = {
		.opcode = "LDG.E.64",
		.opcode_bytes = 8,
		.bytes = 8,
		.read_count = 1,
		.read = {254},
		.written_count = 1,
		.written = {255},
	};
	const char *why;
	struct ptx_insn made;
	struct code_insn c;

	cr_assert(sass_code(&insn, 7, &c, &made, &why));
	cr_expect_eq(c.wait_count, 1);
	cr_expect_eq(c.waits[0], 254);
	cr_expect_eq(c.write_count, 0);
}

/* ---- matrices ---- */

static const struct {
	const char *opcode;
	uint8_t op, type, from, a, b, d; /* registers of a warp */
	uint16_t m, n, k, cycles;
} products[] = {
	{"HMMA.16816.F32", PTXO_MMA, PTX_f32, PTX_f16, 4, 2, 4, 16, 8, 16, 6},
	{"HMMA.16816.F16", PTXO_MMA, PTX_f16, PTX_f16, 4, 2, 2, 16, 8, 16, 6},
	{"HMMA.16816.F32.BF16", PTXO_MMA, PTX_f32, PTX_bf16, 4, 2, 4, 16, 8, 16,
		6},
	{"HMMA.1688.F32", PTXO_MMA, PTX_f32, PTX_f16, 2, 1, 4, 16, 8, 8, 3},
	{"HMMA.1688.F32.TF32", PTXO_MMA, PTX_f32, PTX_tf32, 4, 2, 4, 16, 8, 8,
		6},
	{"HMMA.1684.F32.TF32", PTXO_MMA, PTX_f32, PTX_tf32, 2, 1, 4, 16, 8, 4,
		3},
	{"IMMA.16832.S8.U8", PTXO_MMA, PTX_s32, PTX_s8, 4, 2, 4, 16, 8, 32, 6},
	{"IMMA.16816.S8.S8.SAT", PTXO_MMA, PTX_s32, PTX_s8, 2, 1, 4, 16, 8, 16,
		3},
	{"DMMA.8x8x4", PTXO_MMA, PTX_f64, PTX_f64, 2, 2, 4, 8, 8, 4, 8},
	{"DMMA.16x8x16", PTXO_MMA, PTX_f64, PTX_f64, 16, 8, 8, 16, 8, 16, 64},
};

Test(sass, products_have_their_shapes)
{
	struct trace_insn insn = {.read_count = 3,
		.read = {40, 80, 120},
		.written_count = 1,
		.written = {160}};
	struct ptx_insn made;
	struct code_insn c;
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(products) / sizeof(*products); i++) {
		const unsigned waits =
			products[i].a + products[i].b + 2u * products[i].d;

		insn.opcode = products[i].opcode;
		insn.opcode_bytes = (uint32_t)strlen(insn.opcode);
		cr_assert(sass_code(&insn, 7, &c, &made, &why), "%s: %s",
			insn.opcode, why);
		cr_expect_eq(c.kind, CODE_MATRIX);
		cr_expect_eq(c.pipe, PIPE_TENSOR);
		cr_expect_eq(made.op, products[i].op);
		cr_expect_eq(made.type, products[i].type, "%s", insn.opcode);
		cr_expect_eq(made.from, products[i].from, "%s", insn.opcode);
		cr_expect_eq(made.shape.m, products[i].m, "%s", insn.opcode);
		cr_expect_eq(made.shape.n, products[i].n, "%s", insn.opcode);
		cr_expect_eq(made.shape.k, products[i].k, "%s", insn.opcode);
		cr_expect_eq(c.pipe_cycles, products[i].cycles, "%s: %u",
			insn.opcode, c.pipe_cycles);
		cr_expect_eq(c.write_count, products[i].d, "%s", insn.opcode);
		cr_expect_eq(c.wait_count, waits < 24 ? waits : 24, "%s: %u",
			insn.opcode, c.wait_count);
		cr_expect(c.time_assumed, "%s", insn.opcode);
	}
}

/* A is in R28 or in shared memory; UR4 has descriptors, R24 the sums. */
Test(sass, products_of_warpgroups_end_groups)
{
	static const struct {
		const char *opcode;
		bool in_registers;
		uint8_t from;
		uint16_t cycles, waits;
	} rows[] = {
		{"HGMMA.64x128x16.F32.BF16", false, PTX_bf16, 64, 0},
		{"HGMMA.64x8x16.F16", false, PTX_f16, 18, 0},
		{"HGMMA.64x8x16.F16", true, PTX_f16, 13, 4},
		{"HGMMA.64x24x8.F32.TF32", true, PTX_tf32, 16, 4},
		{"QGMMA.64x256x32.F32.E4M3.E5M2", false, PTX_e4m3, 128, 0},
		{"IGMMA.64x32x32.U8.S8.SAT", true, PTX_s8, 16, 4},
	};
	struct ptx_insn made;
	struct code_insn c;
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct trace_insn insn = {.opcode = rows[i].opcode,
			.opcode_bytes = (uint32_t)strlen(rows[i].opcode),
			.written_count = 1,
			.written = {24},
			.says_group = true,
			.ends_group = i & 1};

		if (rows[i].in_registers)
			insn.read[insn.read_count++] = 28;
		insn.read[insn.read_count++] = TRACE_UNIFORM + 4;
		insn.read[insn.read_count++] = 24;
		cr_assert(sass_code(&insn, 7, &c, &made, &why), "%s: %s",
			rows[i].opcode, why);
		cr_expect_eq(made.op, PTXO_WGMMA);
		cr_expect_eq(made.from, rows[i].from, "%s", rows[i].opcode);
		cr_expect_eq(c.pipe_cycles, rows[i].cycles, "%s: %u",
			rows[i].opcode, c.pipe_cycles);
		cr_expect_eq(c.wait_count, rows[i].waits, "%s: %u",
			rows[i].opcode, c.wait_count);
		cr_expect_eq(c.write_count, 0);
		cr_expect_eq(c.has_base, i & 1);
		insn.says_group = false;
		cr_expect_not(sass_code(&insn, 7, &c, &made, &why));
		cr_expect_str_eq(why,
			"traces of version 6 say which product ends a group");
	}
}

Test(sass, matrices_move_in_rows)
{
	static const struct {
		const char *opcode;
		uint8_t op, moved, waits, writes;
	} rows[] = {
		{"LDSM.16.M88", PTXO_LDMATRIX, 4, 1 + 1 + 1, 1},
		{"LDSM.16.M88.2", PTXO_LDMATRIX, 8, 1 + 2 + 2, 2},
		{"LDSM.16.MT88.4", PTXO_LDMATRIX, 16, 1 + 4 + 4, 4},
		{"STSM.16.M88.4", PTXO_STMATRIX, 16, 1 + 4 + 4, 4},
	};
	struct ptx_insn made;
	struct code_insn c;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_assert(known(rows[i].opcode, 2, &c, &made));
		cr_expect_eq(c.kind, CODE_TILES);
		cr_expect_eq(made.op, rows[i].op);
		cr_expect_eq(c.bytes, 16);
		cr_expect_eq(c.moved, rows[i].moved, "%s", rows[i].opcode);
		cr_expect_eq(c.wait_count, rows[i].waits, "%s: %u",
			rows[i].opcode, c.wait_count);
		cr_expect_eq(c.write_count, rows[i].writes);
		cr_expect_not(known(rows[i].opcode, 0, &c, &made));
	}
}

/* ---- what is refused ---- */

Test(sass, what_a_trace_does_not_tell_is_refused_with_its_reason)
{
	static const struct {
		const char *opcodes, *part;
	} rows[] = {
		{"SYNCS.EXCH.64 SYNCS.ARRIVE.TRANS64.A1T0 ARRIVES.LDGSTSBAR.64 "
		 "SYNCS.PHASECHK.TRANS64.TRYWAIT STAS.128 REDAS.ADD UBLKCP.S.G "
		 "UBLKRED.G.S.ADD",
			"follows from values"},
		{"UTMALDG.2D UTMALDG.5D.MULTICAST UTMASTG.5D UTMAREDG.2D.ADD "
		 "UTMAPF.L2.4D UTMACMDFLUSH UTMACCTL.PF UBLKPF.L2",
			"follows from a tensor map"},
		{"HMMA.SP.16816.F32 HGMMA.SP.64x8x32.F32 QGMMA.SP.64x8x64.F32",
			"sparse"},
		{"BMMA.168256.AND.POPC BGMMA.64x8x256", "single bits"},
		{"IMMA.16864.S4.S4 IMMA.8832.U4.U4", "4 bits"},
		{"HMMA.F32 HMMA HGMMA.64x8.F32 IMMA.168x", "shape"},
		{"BAR.ARV", "at which barrier"},
		{"WARPGROUP.DEPBAR.LE USETMAXREG.DEALLOC.CTAPOOL", "number"},
	};
	const char *words, *why;
	struct ptx_insn made;
	struct code_insn c;
	char opcode[40];
	int bytes;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (words = rows[i].opcodes;
			sscanf(words, "%39s%n", opcode, &bytes) == 1;
			words += bytes) {
			const struct trace_insn insn = {.opcode = opcode,
				.opcode_bytes = (uint32_t)strlen(opcode)};

			cr_expect_not(sass_code(&insn, 7, &c, &made, &why),
				"%s", opcode);
			cr_assert(why, "%s", opcode);
			cr_expect(strstr(why, rows[i].part), "%s: %s", opcode,
				why);
		}
	cr_expect_not(known("TEX.SCR", 0, &c, &made));
}

Test(sass, numbers_are_the_first_immediate)
{
	const struct trace_insn insn = {
		.opcode = "USETMAXREG.TRY_ALLOC.CTAPOOL",
		.opcode_bytes = 28,
		.immediate_count = 2,
		.immediates = {232, 1}};
	struct ptx_insn made;
	struct code_insn c;
	const char *why;

	cr_assert(sass_code(&insn, 7, &c, &made, &why));
	cr_expect_eq(c.kind, CODE_REGISTERS);
	cr_expect_eq(made.op, PTXO_REGISTERS_INC);
	cr_expect_eq(c.offset, 232);
}
