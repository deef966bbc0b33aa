#include <math.h>
#include <stdbool.h>

#include "harness/program/program.h"
#include "backend_sim/machine/slices.h"

#define GET(m, name) ((m)->value[PARAMETER_##name])

/* Home and hash of a line, as one number. */
static unsigned fold_of(const struct machine *m, uint32_t line)
{
	const double *masks = &GET(m, slice_hash_mask_0);
	uint64_t address = (uint64_t)line * PROGRAM_LINE_BYTES;
	unsigned fold = 0, bit;

	for (bit = 0; bit < SLICES_HASH_BITS; bit++)
		fold |= (unsigned)__builtin_parityll(
				address & (uint64_t)masks[bit])
			<< bit;
	if (GET(m, l2_partitions) == 2 &&
		__builtin_parityll(address & (uint64_t)GET(m, home_hash_mask)))
		fold |= SLICES_HOME;
	return fold;
}

static uint32_t sets_of_partition(const struct machine *m)
{
	double lines = floor(
		GET(m, l2_bytes) / GET(m, l2_partitions) / PROGRAM_LINE_BYTES);

	return (uint32_t)(lines / GET(m, l2_ways));
}

bool slices_init(struct slices *s, const struct machine *machine)
{
	uint32_t count[2 * SLICES_HOME] = {0}, line, byte, alike, hash;

	s->partitions = machine_whole(GET(machine, l2_partitions));
	s->count = machine_whole(GET(machine, l2_slices_used)) / s->partitions;
	s->in_slices = divider_of(s->count);
	s->moved[0] = 0;
	s->moved[1] = (s->count - machine_whole(GET(machine, slice_pair)) %
					  s->count) %
		      s->count;
	s->in_sets = divider_of(sets_of_partition(machine) * s->partitions /
				machine_whole(GET(machine, l2_slices)));
	for (byte = 0; byte < 4; byte++)
		for (line = 0; line < 256; line++)
			s->fold[byte][line] =
				(uint8_t)fold_of(machine, line << 8 * byte);
	for (line = 0; line < SLICES_BLOCK_LINES; line++)
		s->position[line] = (uint16_t)count[fold_of(machine, line)]++;
	alike = count[0];
	s->alike = alike - 1;
	s->alike_shift = (uint32_t)__builtin_ctz(alike);
	for (hash = 0; hash < SLICES_HOME; hash++)
		if (!count[hash] && !count[hash | SLICES_HOME])
			return false;
	return true;
}
