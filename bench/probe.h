#ifndef NEARFAR_PROBE_H
#define NEARFAR_PROBE_H

/*
 * What benches share that ask where a line is found: a set of lines, passes
 * of one thread over them, and the yardsticks by which the harness tells the
 * levels (levels.h). Each line is its own yardstick, so the lines spread over
 * homes, slices and sets without the bench knowing how.
 */
#include "harness/contract/bench.h"

/* Lines a page and a bit apart: they spread over homes, slices and sets. */
#define PROBE_STRIDE_BYTES 4608u

/* Long enough for whatever a touch has started to settle. */
#define PROBE_SETTLE_CYCLES 20000u

struct probe_lines {
	unsigned buffer;
	uint64_t count, stride_bytes;
	unsigned sm; /* that touches and probes */
	enum memory_kind memory;
};

/* A buffer that holds the lines; zeroed. */
void probe_buffer(
	struct program *p, struct probe_lines *lines, const char *name);

/* A launch of one block of one warp, `lanes` of it, on the lines' SM. */
void probe_launch(struct program *p, const struct probe_lines *lines,
	const char *name, unsigned lanes);

/* An instruction at `offset` of line `loop0`. */
struct insn *probe_access(struct program *p, const struct probe_lines *lines,
	const char *spelling, uint64_t offset);

/* One access to each line, untimed; and timed one by one, by one lane. */
void probe_touch(struct program *p, const struct probe_lines *lines,
	const char *spelling, uint64_t offset);
void probe_time(struct program *p, const struct probe_lines *lines,
	const char *region, const char *spelling, uint64_t offset);

/* Lets what was started settle. */
void probe_settle(struct program *p);

/* The regions "dram", "near" and "home", and a flush after them. */
void probe_yardsticks(
	struct program *p, const struct probe_lines *lines, uint64_t offset);

/*
 * What a probe can do to a word of 4 bytes: W(word, PTX spelling). The word is
 * what the user writes, "ld.cg", "st.wt", "prefetch.L2".
 */
#define PROBE_LOADS(W)                                                         \
	W("ld.ca", "ld.global.ca.b32")                                         \
	W("ld.cg", "ld.global.cg.b32")                                         \
	W("ld.cs", "ld.global.cs.b32")                                         \
	W("ld.lu", "ld.global.lu.b32")                                         \
	W("ld.cv", "ld.global.cv.b32")                                         \
	W("ld.nc", "ld.global.nc.b32")                                         \
	W("ld.cg.nc", "ld.global.cg.nc.b32")                                   \
	W("ld.cs.nc", "ld.global.cs.nc.b32")                                   \
	W("ld.volatile", "ld.volatile.global.b32")                             \
	W("ld.relaxed.cta", "ld.relaxed.cta.global.b32")                       \
	W("ld.relaxed.cluster", "ld.relaxed.cluster.global.b32")               \
	W("ld.relaxed.gpu", "ld.relaxed.gpu.global.b32")                       \
	W("ld.relaxed.sys", "ld.relaxed.sys.global.b32")                       \
	W("ld.acquire.gpu", "ld.acquire.gpu.global.b32")                       \
	W("ld.acquire.sys", "ld.acquire.sys.global.b32")                       \
	W("ld.L1::evict_normal", "ld.global.L1::evict_normal.b32")             \
	W("ld.L1::evict_unchanged", "ld.global.L1::evict_unchanged.b32")       \
	W("ld.L1::evict_first", "ld.global.L1::evict_first.b32")               \
	W("ld.L1::evict_last", "ld.global.L1::evict_last.b32")                 \
	W("ld.L1::no_allocate", "ld.global.L1::no_allocate.b32")

#define PROBE_OTHERS(W)                                                        \
	W("st.wb", "st.global.wb.b32")                                         \
	W("st.cg", "st.global.cg.b32")                                         \
	W("st.cs", "st.global.cs.b32")                                         \
	W("st.wt", "st.global.wt.b32")                                         \
	W("st.volatile", "st.volatile.global.b32")                             \
	W("st.relaxed.cta", "st.relaxed.cta.global.b32")                       \
	W("st.relaxed.cluster", "st.relaxed.cluster.global.b32")               \
	W("st.relaxed.gpu", "st.relaxed.gpu.global.b32")                       \
	W("st.relaxed.sys", "st.relaxed.sys.global.b32")                       \
	W("st.release.gpu", "st.release.gpu.global.b32")                       \
	W("st.L1::evict_normal", "st.global.L1::evict_normal.b32")             \
	W("st.L1::evict_unchanged", "st.global.L1::evict_unchanged.b32")       \
	W("st.L1::evict_first", "st.global.L1::evict_first.b32")               \
	W("st.L1::evict_last", "st.global.L1::evict_last.b32")                 \
	W("st.L1::no_allocate", "st.global.L1::no_allocate.b32")               \
	W("atom.add", "atom.global.add.u32")                                   \
	W("atom.relaxed.gpu", "atom.relaxed.gpu.global.add.u32")               \
	W("atom.acquire.gpu", "atom.acquire.gpu.global.add.u32")               \
	W("atom.release.gpu", "atom.release.gpu.global.add.u32")               \
	W("atom.acq_rel.gpu", "atom.acq_rel.gpu.global.add.u32")               \
	W("atom.relaxed.cluster", "atom.relaxed.cluster.global.add.u32")       \
	W("red.add", "red.global.add.u32")                                     \
	W("red.and", "red.global.and.b32")                                     \
	W("red.or", "red.global.or.b32")                                       \
	W("red.xor", "red.global.xor.b32")                                     \
	W("red.inc", "red.global.inc.u32")                                     \
	W("red.dec", "red.global.dec.u32")                                     \
	W("red.relaxed.gpu", "red.relaxed.gpu.global.add.u32")                 \
	W("red.release.gpu", "red.release.gpu.global.add.u32")                 \
	W("red.relaxed.cluster", "red.relaxed.cluster.global.add.u32")         \
	W("prefetch.L1", "prefetch.global.L1")                                 \
	W("prefetch.L2", "prefetch.global.L2")                                 \
	W("prefetch.L2::evict_normal", "prefetch.global.L2::evict_normal")     \
	W("prefetch.L2::evict_last", "prefetch.global.L2::evict_last")         \
	W("prefetchu.L1", "prefetchu.L1")                                      \
	W("discard.L2", "discard.global.L2")                                   \
	W("applypriority", "applypriority.global.L2::evict_normal")            \
	W("fence.gpu", "fence.gpu")                                            \
	W("fence.sc.gpu", "fence.sc.gpu")                                      \
	W("fence.acq_rel.cta", "fence.acq_rel.cta")                            \
	W("fence.acq_rel.cluster", "fence.acq_rel.cluster")                    \
	W("fence.acq_rel.sys", "fence.acq_rel.sys")                            \
	W("fence.acquire.gpu", "fence.acquire.gpu")                            \
	W("fence.release.gpu", "fence.release.gpu")

/* The words, each after a '|': for the choices of an option. */
#define PROBE_CHOICE(word, spelling) "|" word
#define PROBE_LOAD_CHOICES           PROBE_LOADS(PROBE_CHOICE)
#define PROBE_OTHER_CHOICES          PROBE_OTHERS(PROBE_CHOICE)

/* NULL for what is no such word. */
const char *probe_spelling(const char *word);

#endif
