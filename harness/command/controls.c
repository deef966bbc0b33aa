#include <stdio.h>

#include "harness/command/controls.h"
#include "harness/program/spelling.h"
#include "harness/program/text/text.h"

#define BUFFER_BYTES (1u << 20)
#define SHARED_BYTES 4096u

#define NO_LOCAL                                                               \
	"not at all: programs address buffers and shared memory, while stack " \
	"frames and spills are the compiler's"
#define NO_STACK "programs have no stack frames or spills of their own"

/* What several rows say. */
#define AS_CG    "as .cg, past L1 to L2; the line leaves L1"
#define AS_WB    "as st.wb"
#define L1_STORE "as st.wb; the class of the line that a miss leaves in L1"
#define L2_LOAD                                                                \
	"class of the near copy and the home line that a miss brings; a hit "  \
	"keeps the line's class"
#define L2_STORE    "class of the line at home"
#define OWN_PROGRAM "no bench writes by a policy; a program of one's own can"
#define HINT        "the policy picks the class, line by line"
#define SCOPE       "as without: every scope meets at the home slice"

const struct control instruction_controls[] = {
	/* ld: cache operators */
	{"ld.global.ca.b32",
		"looks in L1, then L2; leaves a line in L1, which stays when "
		"it "
		"is hit again, and a near copy",
		NULL, "pointer-chase --op ld.ca"},
	{"ld.global.cg.b32",
		"goes past L1 to L2; the line leaves L1; leaves a near copy",
		NULL, "pointer-chase --op ld.cg"},
	{"ld.global.cs.b32", "as .ca; the first to leave L1 and L2", NULL,
		"pointer-chase --op ld.cs"},
	{"ld.global.lu.b32",
		"looks in L1 and leaves nothing there; the first to leave L2",
		NULL, "pointer-chase --op ld.lu"},
	{"ld.global.cv.b32",
		"as .cg: device memory has no copy beyond L2 to fetch anew",
		NULL, "pointer-chase --op ld.cv"},
	{"ld.global.nc.b32",
		"as .ca, through L1, or a texture cache where there are some",
		NULL, "pointer-chase --op ld.nc"},
	{"ld.global.cg.nc.b32", "as .nc: it stays in L1", NULL,
		"cache-ops --first ld.cg.nc --then ld.ca"},
	{"ld.global.cs.nc.b32", "as .cs, through the same L1", NULL,
		"cache-ops --first ld.cs.nc --then ld.ca"},

	/* ld: orders and scopes */
	{"ld.weak.global.b32", "as without an order", NULL,
		"pointer-chase --op ld.ca"},
	{"ld.volatile.global.b32", AS_CG, NULL,
		"cache-ops --first ld.volatile --then ld.ca"},
	{"ld.relaxed.cta.global.b32", "as .ca", NULL,
		"cache-ops --first ld.relaxed.cta --then ld.ca"},
	{"ld.relaxed.cluster.global.b32", AS_CG, NULL,
		"cache-ops --first ld.relaxed.cluster --then ld.ca"},
	{"ld.relaxed.gpu.global.b32", AS_CG, NULL,
		"pointer-chase --op ld.relaxed.gpu"},
	{"ld.relaxed.sys.global.b32", AS_CG, NULL,
		"cache-ops --first ld.relaxed.sys --then ld.ca"},
	{"ld.acquire.gpu.global.b32",
		AS_CG "; what follows waits for it, and L1 is emptied", NULL,
		"cache-ops --first ld.acquire.gpu --then ld.ca"},

	/* ld: L1 priorities */
	{"ld.global.L1::evict_normal.b32", "as .ca", NULL,
		"cache-ops --first ld.L1::evict_normal --then ld.ca"},
	{"ld.global.L1::evict_unchanged.b32",
		"as .ca on a miss; a hit changes neither class nor order", NULL,
		"cache-ops --first ld.L1::evict_unchanged --then ld.ca"},
	{"ld.global.L1::evict_first.b32", "the first to leave L1, and L2", NULL,
		"cache-ops --first ld.L1::evict_first --then ld.ca"},
	{"ld.global.L1::evict_last.b32",
		"held against lines read once, up to half of the ways", NULL,
		"cache-ops --first ld.L1::evict_last --then ld.ca"},
	{"ld.global.L1::no_allocate.b32",
		"looks in L1 and leaves nothing there; the first to leave L2",
		NULL, "cache-ops --first ld.L1::no_allocate --then ld.ca"},

	/* ld: L2 priorities, sizes, hint */
	{"ld.global.L2::evict_normal.v8.b32", L2_LOAD, NULL,
		"residency --hot-as L2::evict_normal"},
	{"ld.global.L2::evict_first.v8.b32", L2_LOAD, NULL,
		"residency --hot-as L2::evict_first"},
	{"ld.global.L2::evict_last.v4.b64", L2_LOAD, NULL,
		"residency --hot-as L2::evict_last"},
	{"ld.global.L2::64B.b32", "a miss at home fetches the aligned 64 B",
		NULL, "prefetch-size --qualifier L2::64B"},
	{"ld.global.L2::128B.b32", "a miss at home fetches the line", NULL,
		"prefetch-size --qualifier L2::128B"},
	{"ld.global.L2::256B.b32",
		"a miss at home fetches the line; if the first sector of 256 B "
		"is touched, their second line too, into its home",
		NULL, "prefetch-size --qualifier L2::256B"},
	{"ld.global.L2::cache_hint.b32", HINT, NULL,
		"residency --hot-as L2::evict_last"},

	/* ld: widths and the other spaces */
	{"ld.global.v2.b32", "lanes of 8 bytes, coalesced into sectors", NULL,
		"stride-sweep --op ld.cg --width 8"},
	{"ld.global.v4.b32", "lanes of 16 bytes, coalesced into sectors", NULL,
		"stride-sweep --op ld.cg --width 16"},
	{"ld.shared.b32", "lanes on one bank take turns in the L1's pipe", NULL,
		"atomic-contention --privatised"},
	{"ld.local.b32", NO_LOCAL, NO_STACK, NULL},

	/* st: cache operators */
	{"st.global.wb.b32",
		"through L1, where its bytes stay, and the near partition, "
		"whose copy it writes, to the home slice; the other side's "
		"copy goes",
		NULL, "stride-sweep --op st.wb"},
	{"st.global.cg.b32", AS_WB, NULL, "stride-sweep --op st.cg"},
	{"st.global.cs.b32", AS_WB "; the first to leave L2", NULL,
		"stride-sweep --op st.cs"},
	{"st.global.wt.b32",
		AS_WB ": device memory has nothing beyond L2 to write through "
		      "to",
		NULL, "stride-sweep --op st.wt"},

	/* st: orders and scopes */
	{"st.weak.global.b32", AS_WB, NULL, "stride-sweep --op st.wb"},
	{"st.volatile.global.b32", AS_WB, NULL,
		"cache-ops --first st.volatile --then ld.ca"},
	{"st.relaxed.cta.global.b32", AS_WB, NULL,
		"cache-ops --first st.relaxed.cta --then ld.ca"},
	{"st.relaxed.cluster.global.b32", AS_WB, NULL,
		"cache-ops --first st.relaxed.cluster --then ld.ca"},
	{"st.relaxed.gpu.global.b32", AS_WB, NULL,
		"cache-ops --first st.relaxed.gpu --then ld.ca"},
	{"st.relaxed.sys.global.b32", AS_WB, NULL,
		"cache-ops --first st.relaxed.sys --then ld.ca"},
	{"st.release.gpu.global.b32",
		AS_WB ", once all earlier accesses are answered", NULL,
		"cache-ops --first st.release.gpu --then ld.ca"},

	/* st: priorities, hint, widths, the other spaces */
	{"st.global.L1::evict_normal.b32", L1_STORE, NULL,
		"cache-ops --first st.L1::evict_normal --then ld.ca"},
	{"st.global.L1::evict_unchanged.b32", L1_STORE, NULL,
		"cache-ops --first st.L1::evict_unchanged --then ld.ca"},
	{"st.global.L1::evict_first.b32", L1_STORE, NULL,
		"cache-ops --first st.L1::evict_first --then ld.ca"},
	{"st.global.L1::evict_last.b32", L1_STORE, NULL,
		"cache-ops --first st.L1::evict_last --then ld.ca"},
	{"st.global.L1::no_allocate.b32",
		"as st.wb; a miss leaves nothing in L1", NULL,
		"cache-ops --first st.L1::no_allocate --then ld.ca"},
	{"st.global.L2::evict_normal.v8.b32", L2_STORE, OWN_PROGRAM, NULL},
	{"st.global.L2::evict_first.v8.b32", L2_STORE, OWN_PROGRAM, NULL},
	{"st.global.L2::evict_last.v4.b64", L2_STORE, OWN_PROGRAM, NULL},
	{"st.global.L2::cache_hint.b32", HINT, OWN_PROGRAM, NULL},
	{"st.global.v4.b32", "lanes of 16 bytes, coalesced into sectors", NULL,
		"stride-sweep --op st.wb --width 16"},
	{"st.shared.b32", "lanes on one bank take turns in the L1's pipe", NULL,
		"atomic-contention --privatised"},
	{"st.local.b32", NO_LOCAL, NO_STACK, NULL},

	/* atom */
	{"atom.global.add.u32",
		"at the home slice, one request at a time, a pass for each "
		"lane on a word; copies are taken back, the line leaves L1",
		NULL, "atomic-contention --form atom"},
	{"atom.global.exch.b32", "as .add", NULL,
		"atomic-contention --form atom --operation exch"},
	{"atom.global.cas.b32", "as .add", NULL,
		"atomic-contention --form atom --operation cas"},
	{"atom.relaxed.gpu.global.add.u32", "as without an order", NULL,
		"cache-ops --first atom.relaxed.gpu --then ld.cg"},
	{"atom.acquire.gpu.global.add.u32",
		"as .relaxed; what follows waits for it, and L1 is emptied",
		NULL, "cache-ops --first atom.acquire.gpu --then ld.ca"},
	{"atom.release.gpu.global.add.u32",
		"as .relaxed, once all earlier accesses are answered", NULL,
		"cache-ops --first atom.release.gpu --then ld.cg"},
	{"atom.acq_rel.gpu.global.add.u32", "as .acquire and .release", NULL,
		"cache-ops --first atom.acq_rel.gpu --then ld.ca"},
	{"atom.cta.global.add.u32", SCOPE, NULL,
		"atomic-contention --form atom --scope cta"},
	{"atom.cluster.global.add.u32", SCOPE, NULL,
		"cache-ops --first atom.relaxed.cluster --then ld.cg"},
	{"atom.gpu.global.add.u32", SCOPE, NULL,
		"atomic-contention --form atom --scope gpu"},
	{"atom.sys.global.add.u32", SCOPE, NULL,
		"atomic-contention --form atom --scope sys"},
	{"atom.global.add.L2::cache_hint.u32", HINT, OWN_PROGRAM, NULL},
	{"atom.shared.add.u32", "lanes on one word take turns in the L1's pipe",
		NULL, "atomic-contention --form atom --privatised"},

	/* red */
	{"red.global.add.u32", "as atom, with nothing to wait for", NULL,
		"atomic-contention --form red"},
	{"red.global.min.u32", "as .add", NULL,
		"atomic-contention --form red --operation min"},
	{"red.global.max.u32", "as .add", NULL,
		"atomic-contention --form red --operation max"},
	{"red.global.and.b32", "as .add", NULL,
		"cache-ops --first red.and --then ld.cg"},
	{"red.global.or.b32", "as .add", NULL,
		"cache-ops --first red.or --then ld.cg"},
	{"red.global.xor.b32", "as .add", NULL,
		"cache-ops --first red.xor --then ld.cg"},
	{"red.global.inc.u32", "as .add", NULL,
		"cache-ops --first red.inc --then ld.cg"},
	{"red.global.dec.u32", "as .add", NULL,
		"cache-ops --first red.dec --then ld.cg"},
	{"red.relaxed.gpu.global.add.u32", "as without an order", NULL,
		"cache-ops --first red.relaxed.gpu --then ld.cg"},
	{"red.release.gpu.global.add.u32",
		"as .relaxed, once all earlier accesses are answered", NULL,
		"cache-ops --first red.release.gpu --then ld.cg"},
	{"red.cta.global.add.u32", SCOPE, NULL,
		"atomic-contention --form red --scope cta"},
	{"red.cluster.global.add.u32", SCOPE, NULL,
		"cache-ops --first red.relaxed.cluster --then ld.cg"},
	{"red.gpu.global.add.u32", SCOPE, NULL,
		"atomic-contention --form red --scope gpu"},
	{"red.sys.global.add.u32", SCOPE, NULL,
		"atomic-contention --form red --scope sys"},
	{"red.global.add.L2::cache_hint.u32", HINT, OWN_PROGRAM, NULL},
	{"red.shared.add.u32", "lanes on one word take turns in the L1's pipe",
		NULL, "atomic-contention --form red --privatised"},

	/* prefetch, prefetchu */
	{"prefetch.global.L1",
		"the line comes home, and no further, as measured on an H200",
		NULL, "prefetch-size --qualifier prefetch.L1"},
	{"prefetch.global.L2", "the line comes home", NULL,
		"prefetch-size --qualifier prefetch.L2"},
	{"prefetch.global.L2::evict_normal",
		"as prefetch.L2; class of the line that a miss brings", NULL,
		"cache-ops --first prefetch.L2::evict_normal --then ld.cg"},
	{"prefetch.global.L2::evict_last",
		"as prefetch.L2; class of the line that a miss brings", NULL,
		"cache-ops --first prefetch.L2::evict_last --then ld.cg"},
	{"prefetch.local.L1", NO_LOCAL, NO_STACK, NULL},
	{"prefetch.tensormap",
		"as prefetch.L2, of the line that holds the descriptor",
		"a descriptor's cache serves cp.async.bulk.tensor, which "
		"programs do not issue",
		NULL},
	{"prefetchu.L1", "as prefetch.L1", NULL,
		"cache-ops --first prefetchu.L1 --then ld.ca"},

	/* lines that are there */
	{"applypriority.global.L2::evict_normal",
		"the home line becomes normal; a near copy keeps its class",
		NULL, "cache-ops --first applypriority --then ld.cg"},
	{"discard.global.L2",
		"the home line goes and is not written back; so do the copy "
		"near the SM and its L1's line, not one on the other side",
		NULL, "cache-ops --first discard.L2 --then ld.cg"},

	/* createpolicy */
	{"createpolicy.fractional.L2::evict_last.b64",
		"a fraction of the lines, always the same ones", NULL,
		"residency --hot-as L2::evict_last --fraction 0.5"},
	{"createpolicy.fractional.L2::evict_normal.b64", "class normal", NULL,
		"residency --hot-as L2::evict_normal"},
	{"createpolicy.fractional.L2::evict_first.b64",
		"class evict_first: the first to leave L2", NULL,
		"residency --hot-as L2::evict_first"},
	{"createpolicy.fractional.L2::evict_unchanged.b64",
		"class normal on a miss; a load's hit keeps the line's class, "
		"a write makes it normal",
		NULL, "residency --hot-as L2::evict_unchanged"},
	{"createpolicy.fractional.L2::evict_last.L2::evict_first.b64",
		"lines that are not drawn are evict_first", NULL,
		"residency --hot-as L2::evict_last --fraction 0.5 --secondary "
		"evict_first"},
	{"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64",
		"lines that are not drawn are as primary .evict_unchanged",
		NULL, "residency --hot-as L2::evict_last --fraction 0.5"},
	{"createpolicy.range.global.L2::evict_last.b64",
		"the primary range has the class, what lies beside it the "
		"secondary one, all else is normal",
		NULL, "residency --hot-as L2::evict_last --policy range"},
	{"createpolicy.cvt.L2.b64",
		"persisting, streaming and normal are the classes evict_last, "
		"evict_first and normal",
		NULL, "residency --hot-as L2::evict_last --policy cvt"},

	/* order between accesses */
	{"fence.gpu",
		"waits until all accesses of the warp are answered; L1 is "
		"emptied",
		NULL, "cache-ops --first fence.gpu --then ld.ca"},
	{"fence.sc.gpu", "as fence.acq_rel", NULL,
		"cache-ops --first fence.sc.gpu --then ld.ca"},
	{"fence.acq_rel.cta", "as .gpu; L1 keeps its lines", NULL,
		"cache-ops --first fence.acq_rel.cta --then ld.ca"},
	{"fence.acq_rel.cluster", "as .gpu", NULL,
		"cache-ops --first fence.acq_rel.cluster --then ld.ca"},
	{"fence.acq_rel.sys", "as .gpu", NULL,
		"cache-ops --first fence.acq_rel.sys --then ld.ca"},
	{"fence.acquire.gpu", "as fence.acq_rel", NULL,
		"cache-ops --first fence.acquire.gpu --then ld.ca"},
	{"fence.release.gpu", "as fence.acq_rel; L1 keeps its lines", NULL,
		"cache-ops --first fence.release.gpu --then ld.ca"},
	{"barrier", "the warps of the block wait for the last", NULL,
		"atomic-contention --privatised"},
};

const size_t instruction_control_count =
	sizeof(instruction_controls) / sizeof(instruction_controls[0]);

const struct control host_controls[] = {
	{"flush",
		"L2 is full of other memory's lines; L1 is emptied, by every "
		"launch, too",
		NULL, "near-far"},
	{"reset", "evict_last lines become normal", NULL,
		"residency --hot-as L2::evict_last --after reset"},
	{"granularity 32", "a miss at home fetches the sectors that miss", NULL,
		"prefetch-size --granularity 32"},
	{"granularity 64", "a miss at home fetches aligned 64 B", NULL,
		"prefetch-size --granularity 64"},
	{"granularity 128", "a miss at home fetches the line", NULL,
		"prefetch-size --granularity 128"},
	{"carveout 1MiB",
		"how many ways of each set evict_last lines hold against "
		"others: its share, rounded up, at least one",
		NULL, "residency --hot-as L2::evict_last --carveout 8MiB"},
	{"window buf bytes=64KiB ratio=1 hit=persisting",
		"class evict_last for the window's lines, where an access "
		"names no other",
		NULL, "residency --window 16MiB --carveout 16MiB"},
	{"window buf bytes=64KiB ratio=1 hit=streaming",
		"class evict_first, the same way", NULL,
		"residency --window 16MiB --hit streaming"},
	{"window buf bytes=64KiB ratio=1 hit=normal",
		"class normal, the same way", NULL,
		"residency --window 16MiB --hit normal"},
	{"window buf bytes=64KiB ratio=0.5 hit=persisting miss=streaming",
		"a fraction of the window's lines has the hit property, always "
		"the same ones; the rest has the other",
		NULL, "residency --window 16MiB --hit-ratio 0.5"},
	{"copy buf other bytes=1MiB",
		"the copy engine: a time to start, then the rate of the DRAM "
		"or the link that the bytes take; caches stay as they are",
		NULL, "remote --by engine"},
	{"buffer packed bytes=1MiB memory=compressible",
		"reads of sectors that are zero for half or more take less of "
		"the DRAM's bus",
		NULL, "compression"},
	{"buffer remote bytes=1MiB memory=peer",
		"accesses go over a link to the L2 and DRAM of another GPU; L1 "
		"keeps lines as of near memory, the own L2 none",
		NULL, "pointer-chase --memory peer"},
	{"buffer pinned bytes=1MiB memory=host",
		"accesses go over a link to the host's memory; L1 keeps lines "
		"as of near memory, L2 none",
		NULL, "pointer-chase --memory host"},
};

const size_t host_control_count =
	sizeof(host_controls) / sizeof(host_controls[0]);

/* ---- the smallest programs ---- */

void control_program(const struct control *control, struct program *p)
{
	struct insn *insn, parsed = {0};

	program_init(p, "control", 1);
	program_buffer(
		p, &(struct buffer){.name = "buf", .bytes = BUFFER_BYTES});
	program_launch(p, "all");
	program_role(p, "work")->shared_bytes = SHARED_BYTES;
	insn_from_spelling(control->text, &parsed, NULL);
	if (parsed.q[Q_HINT])
		program_ptx(p, "createpolicy.fractional.L2::evict_last.b64");
	insn = program_ptx(p, control->text);
	if (insn->op <= OP_APPLYPRIORITY || insn->q[Q_KIND] == QV_KIND_range)
		insn->address.mode = insn->q[Q_SPACE] == QV_SPACE_shared
					     ? ADDRESS_SHARED
					     : ADDRESS_AFFINE;
	if (insn->q[Q_KIND] == QV_KIND_range)
		insn->count = insn->total = BUFFER_BYTES;
}

int control_host_program(
	const struct control *control, struct program *p, struct error *error)
{
	char text[512];

	snprintf(text, sizeof(text),
		"nearfar-program 1\nname control\nseed 1\n"
		"buffer buf bytes=1MiB\nbuffer other bytes=1MiB\n%s\n"
		"launch all\nrole work\nbarrier\n",
		control->text);
	return program_parse(text, control->text, p, error);
}
