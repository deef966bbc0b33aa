#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "harness/fit/suite.h"

/* The order is that of use: what the programs of later rows need to know comes
   first, then what lies in the same memory, then what needs more of it. */
const struct fit_row fit_rows[] = {
	/* geometry */
	{"near-far", FIT_BOTH, "near-far -r 2", NULL, NULL},
	{"gpcs", FIT_GEOMETRY, NULL, fit_write_gpcs, "4 5 6 7 8 9 10 11 12"},
	{"contention", FIT_GEOMETRY, NULL, fit_write_contention, NULL},
	/* latencies and sizes */
	{"chase-ca", FIT_TARGET,
		"pointer-chase --op ld.ca -x 32KiB:512KiB:4 --loads 2048", NULL,
		NULL},
	{"chase-ca-each", FIT_TARGET,
		"pointer-chase --op ld.ca --samples -x 16KiB --loads 512", NULL,
		NULL},
	/* Ways are told all along a knee: at its middle alone a latency moves
	   by 6 % from one place in memory to the next. */
	{"chase-cg", FIT_TARGET,
		"pointer-chase --op ld.cg -x "
		"%L/64,%L/32,%L/24,%L/16,%L*3/8,%L/2,%L*33/64,%L*17/32,"
		"%L*35/64,%L*9/16,%L*37/64,%L*5/8,%L*3/4,%L*7/8,%L,%L*33/32,"
		"%L*17/16,%L*5/4,%L*7 --loads 2048",
		NULL, NULL},
	{"chase-cg-each", FIT_TARGET,
		"pointer-chase --op ld.cg --samples -x %L/32,%L*8 --loads "
		"16384",
		NULL, NULL},
	{"chase-atom-each", FIT_TARGET,
		"pointer-chase --op atom.add --samples -x %L/32", NULL, NULL},
	{"chase-near", FIT_TARGET,
		"pointer-chase --op ld.cg --samples --order sequential -x "
		"%L*8 --loads 16384",
		NULL, NULL},
	/* one SM */
	{"one-l1", FIT_TARGET,
		"bandwidth --over warps --cop ca --footprint 64KiB --shared "
		"--sms 1 --volume 512KiB -x 1,4,8,32",
		NULL, NULL},
	{"one-l2", FIT_TARGET,
		"bandwidth --over warps --sms 1 --footprint %L/32 --volume "
		"512KiB -x 1,4,32",
		NULL, NULL},
	{"one-ca", FIT_TARGET,
		"coalescing --op ld.ca -x 4,8,16,32,128 --passes 32", NULL,
		NULL},
	{"one-cg", FIT_TARGET, "coalescing --op ld.cg -x 4,16,128 --passes 32",
		NULL, NULL},
	{"one-read", FIT_TARGET,
		"bandwidth --footprint %L/4 --sm-stride 16 -x 1,4 --volume "
		"1MiB",
		NULL, NULL},
	{"one-write", FIT_TARGET,
		"bandwidth --access write --footprint %L/4 -x 1 --volume "
		"512KiB",
		NULL, NULL},
	/* the chip's L2 */
	{"slice", FIT_TARGET, NULL, fit_write_slice, NULL},
	{"slice-sectors", FIT_TARGET, NULL, fit_write_slice_sectors, NULL},
	{"side", FIT_TARGET, NULL, fit_write_side, NULL},
	{"chip-read", FIT_TARGET,
		"bandwidth --footprint %L/4 -x 16,%S/2,%S --volume 1MiB", NULL,
		NULL},
	{"chip-sectors", FIT_TARGET,
		"stride-sweep --op ld.cg --footprint %L/4 --volume 8MiB -x "
		"128,1KiB",
		NULL, NULL},
	{"chip-shared", FIT_TARGET,
		"bandwidth --shared --footprint %L/64 -x %S --volume 512KiB",
		NULL, NULL},
	{"chip-store", FIT_TARGET,
		"bandwidth --access write --footprint %L/4 -x %S/2,%S --volume "
		"1MiB",
		NULL, NULL},
	{"chip-write", FIT_TARGET,
		"stride-sweep --op st.wb --volume 64MiB --footprint %L*4 -x "
		"512",
		NULL, NULL},
	/* DRAM */
	{"dram-read", FIT_TARGET,
		"stride-sweep --op ld.cg --volume 64MiB --footprint %L*4 -x "
		"32,512",
		NULL, NULL},
	{"dram-some", FIT_TARGET,
		"bandwidth --footprint %L*4 -x 16 --volume 2MiB", NULL, NULL},
	/* atomics: many of each, for the first ones come back sooner */
	{"atomics-word", FIT_TARGET,
		"atomic-contention --pattern word -x 1,8,%S --iterations 64",
		NULL, NULL},
	{"atomics-word-back", FIT_TARGET,
		"atomic-contention --pattern word --form atom -x 1,8 "
		"--iterations 64",
		NULL, NULL},
	{"atomics-line", FIT_TARGET,
		"atomic-contention --pattern line -x 1,%S --iterations 64",
		NULL, NULL},
	{"atomics-sector", FIT_TARGET,
		"atomic-contention --pattern sector -x 1,%S --iterations 64",
		NULL, NULL},
	{"atomics-words", FIT_TARGET,
		"atomic-contention --pattern thread-word -x 1,%S --iterations "
		"64",
		NULL, NULL},
	{"atomics-words-back", FIT_TARGET,
		"atomic-contention --pattern thread-word --form atom -x 1,16 "
		"--iterations 64",
		NULL, NULL},
	{"atomics-fresh", FIT_TARGET, NULL, fit_write_fresh, NULL},
	{"atomics-warp", FIT_TARGET,
		"atomic-contention --pattern warp-line -x 1 --iterations 256",
		NULL, NULL},
	{"atomics-lines", FIT_TARGET,
		"atomic-contention --pattern thread-line -x %S/2 --iterations "
		"24",
		NULL, NULL},
	{"atomics-shared", FIT_TARGET,
		"atomic-contention --pattern word --privatised -x 1 "
		"--iterations 16",
		NULL, NULL},
	/* rules */
	{"fetch", FIT_TARGET, "prefetch-size --lines 128 -r 1 -w 0", NULL,
		NULL},
	{"store-l1", FIT_TARGET,
		"cache-ops --first st.wb --then ld.ca --lines 64 -x 0,4,32 -r "
		"1 -w 0",
		NULL, NULL},
	{"store-l1-held", FIT_TARGET,
		"cache-ops --before ld.ca --first st.wb --then ld.ca --lines "
		"64 -x 0,32 -r 1 -w 0",
		NULL, NULL},
	/* runs of 10 microseconds, which differ by up to 5 % */
	{"compression", FIT_TARGET, "compression -x 4,12 -r 15", NULL, NULL},
	/* what the fit is judged by */
	{"held-chase-ca", FIT_HELD_OUT,
		"pointer-chase --op ld.ca --slot 64 -x %L/20,%L*3 --loads 2048",
		NULL, NULL},
	{"held-chase-atom", FIT_HELD_OUT,
		"pointer-chase --op atom.add -x %L/40,%L/3,%L*6 --loads 2048",
		NULL, NULL},
	{"held-parallel", FIT_HELD_OUT,
		"pointer-chase --op ld.cg --warps 8 --lanes 16 -x %L/8,%L*8 "
		"--loads 1024",
		NULL, NULL},
	{"held-read", FIT_HELD_OUT,
		"bandwidth --footprint %L/3 --warps 16 -x 4,24,%S*3/4 --volume "
		"1MiB",
		NULL, NULL},
	{"held-dram", FIT_HELD_OUT,
		"bandwidth --footprint %L*4 -x 24,%S --volume 512KiB", NULL,
		NULL},
	{"held-stride", FIT_HELD_OUT,
		"stride-sweep --op ld.cg --width 8 --footprint %L*4 --volume "
		"64MiB -x 64,256",
		NULL, NULL},
	{"held-write", FIT_HELD_OUT,
		"bandwidth --access write --footprint %L/3 -x 4,%S --volume "
		"512KiB",
		NULL, NULL},
	{"held-atomics", FIT_HELD_OUT,
		"atomic-contention --pattern warp-line -x 4,%S --iterations 48",
		NULL, NULL},
	{"held-loaded", FIT_HELD_OUT,
		"loaded-latency --level l2 -x 24 --loads 256", NULL, NULL},
	{"held-prefetch", FIT_HELD_OUT,
		"prefetch-size --qualifier L2::128B --lines 128 -r 1 -w 0",
		NULL, NULL},
	/* translation: what needs so much memory that it lies elsewhere */
	{"tlb-few", FIT_TARGET, NULL, fit_write_tlb_entries, "4"},
	{"tlb-entries", FIT_TARGET, NULL, fit_write_tlb_entries,
		"8 12 16 20 24 28 32 36 40 48 56 64 80 96 128"},
	{"tlb-all", FIT_TARGET, NULL, fit_write_tlb_entries, "192"},
	{"tlb-many", FIT_TARGET, NULL, fit_write_tlb_reach, "1536"},
	{"tlb-stride", FIT_TARGET, NULL, fit_write_tlb_stride,
		"2 4 8 16 32 64"},
	{"tlb2-reach", FIT_TARGET, NULL, fit_write_tlb2_reach,
		"512 1024 1536 2048 2560 3072 3584 4096"},
	{"tlb2-many", FIT_TARGET, NULL, fit_write_tlb2_reach, "3900"},
	{"held-tlb", FIT_HELD_OUT,
		"tlb-reach --stride 2MiB -x 100,400,1600,6400 --loads 1024",
		NULL, NULL},
};
const size_t fit_row_count = sizeof(fit_rows) / sizeof(fit_rows[0]);

const struct fit_row *fit_row_find(const char *name)
{
	size_t i;

	for (i = 0; i < fit_row_count; i++)
		if (!strcmp(fit_rows[i].name, name))
			return &fit_rows[i];
	return NULL;
}

bool fit_row_wanted(const struct fit_row *row, const char *patterns)
{
	const char *at = patterns;
	char pattern[64];

	while (at && *at) {
		const size_t length = strcspn(at, ",");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)length, at);
		if (!fnmatch(pattern, row->name, 0))
			return true;
		at += length + (at[length] == ',');
	}
	return !patterns;
}
