/* What parameters must be to one another. */
#include <math.h>
#include <stdbool.h>

#include "backend_sim/machine/machine.h"
#include "backend_sim/machine/slices.h"

#define MEMORY_BYTES_MAX 0x1p39 /* 2^32 lines */

/* Rules between the parameters of L1 and the texture caches. */
static int check_first_level(
	const struct machine *m, const char *source, struct error *error)
{
	double l1_most = m->value[PARAMETER_l1_total_bytes];

	if (fmod(m->value[PARAMETER_l1_cache_bytes], 128) != 0 ||
		fmod(m->value[PARAMETER_texture_cache_bytes], 128) != 0)
		return error_set(error, ERR_USAGE,
			"%s: l1_cache_bytes or texture_cache_bytes is not a "
			"whole number of lines of 128 bytes",
			source);
	if (m->value[PARAMETER_l1_cache_bytes] > l1_most ||
		m->value[PARAMETER_l1_cache_min_bytes] > l1_most)
		return error_set(error, ERR_USAGE,
			"%s: l1_cache_bytes or l1_cache_min_bytes is more than "
			"l1_total_bytes",
			source);
	if (m->value[PARAMETER_texture_caches] > 0 &&
		fmod(m->value[PARAMETER_schedulers],
			m->value[PARAMETER_texture_caches]) != 0)
		return error_set(error, ERR_USAGE,
			"%s: schedulers is not a multiple of texture_caches",
			source);
	return 0;
}

static int check_slices(
	const struct machine *m, const char *source, struct error *error)
{
	double partitions = m->value[PARAMETER_l2_partitions];
	struct slices slices;

	if (fmod(m->value[PARAMETER_l2_slices], partitions) != 0)
		return error_set(error, ERR_USAGE,
			"%s: l2_slices is not a multiple of l2_partitions",
			source);
	if (m->value[PARAMETER_l2_slices_used] >
			m->value[PARAMETER_l2_slices] ||
		fmod(m->value[PARAMETER_l2_slices_used], partitions) != 0)
		return error_set(error, ERR_USAGE,
			"%s: l2_slices_used is more than l2_slices, or not a "
			"multiple of l2_partitions",
			source);
	if (!slices_init(&slices, m))
		return error_set(error, ERR_USAGE,
			"%s: slice_hash_mask_0 to _5 do not give the lines of "
			"128 KiB 64 hash values",
			source);
	return 0;
}

/* A link that is there lets all kinds of requests pass, and lines have numbers
   of 32 bits. */
static int check_far(
	const struct machine *m, const char *source, struct error *error)
{
	const double *value = m->value;
	bool peer = value[PARAMETER_link_loads] > 0;
	bool host = value[PARAMETER_host_loads] > 0;

	if (peer && !(value[PARAMETER_link_writes] > 0))
		return error_set(error, ERR_USAGE,
			"%s: link_loads is not 0, and link_writes is", source);
	if (host && !(value[PARAMETER_host_writes] > 0 &&
			    value[PARAMETER_host_memory_bytes] > 0))
		return error_set(error, ERR_USAGE,
			"%s: host_loads is not 0, and host_writes or "
			"host_memory_bytes is",
			source);
	if (value[PARAMETER_memory_bytes] * (peer ? 2 : 1) +
			(host ? value[PARAMETER_host_memory_bytes] : 0) >
		MEMORY_BYTES_MAX)
		return error_set(error, ERR_USAGE,
			"%s: memory_bytes, as much again of the peer, and "
			"host_memory_bytes are more than 512 GiB",
			source);
	return 0;
}

int machine_check(
	const struct machine *m, const char *source, struct error *error)
{
	double sets = m->value[PARAMETER_l2_bytes] /
		      m->value[PARAMETER_l2_slices] /
		      m->value[PARAMETER_l2_ways] / 128;

	if (sets < 1 || sets != floor(sets))
		return error_set(error, ERR_USAGE,
			"%s: l2_bytes is not a whole number of sets of "
			"l2_ways lines in each of l2_slices",
			source);
	if (m->value[PARAMETER_gpc_of_rest] >= m->value[PARAMETER_gpc_count])
		return error_set(error, ERR_USAGE,
			"%s: gpc_of_rest is not below gpc_count", source);
	if (check_first_level(m, source, error))
		return ERR_USAGE;
	if (check_slices(m, source, error) || check_far(m, source, error))
		return ERR_USAGE;
	if (m->value[PARAMETER_dram_refresh_interval_cycles] > 0 &&
		m->value[PARAMETER_dram_refresh_cycles] * 2 >
			m->value[PARAMETER_dram_refresh_interval_cycles])
		return error_set(error, ERR_USAGE,
			"%s: dram_refresh_cycles is more than half of "
			"dram_refresh_interval_cycles",
			source);
	if (m->value[PARAMETER_atomic_reply_join_cycles] >
		m->value[PARAMETER_atomic_reply_pass_cycles])
		return error_set(error, ERR_USAGE,
			"%s: atomic_reply_join_cycles is more than "
			"atomic_reply_pass_cycles",
			source);
	if (fmod(m->value[PARAMETER_tlb_entries],
		    m->value[PARAMETER_tlb_ways]) != 0)
		return error_set(error, ERR_USAGE,
			"%s: tlb_entries is not a multiple of tlb_ways",
			source);
	if (fmod(m->value[PARAMETER_tlb2_entries],
		    m->value[PARAMETER_tlb2_ways]) != 0)
		return error_set(error, ERR_USAGE,
			"%s: tlb2_entries is not a multiple of tlb2_ways",
			source);
	return 0;
}
