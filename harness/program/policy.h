#ifndef NEARFAR_POLICY_H
#define NEARFAR_POLICY_H

/*
 * A cache policy: the 64 bits that createpolicy leaves in a register.
 *
 *     63-61  0
 *     60-59  2: a fraction of the lines, 3: a range of addresses
 *     58-57  the primary priority: 0 unchanged, 1 first, 2 last, 3 normal
 *     56     the secondary priority: 0 unchanged, 1 first
 *   of a fraction:
 *     55-52  sixteenths of the lines that have the primary one, less 1
 *   of a range:
 *     55-52  the size of a block: 4 KiB << it
 *     50-44  the first block that has the primary one, modulo 128
 *     43-37  how many blocks have it, at most 127
 *   all else is 0.
 *
 * Blocks come again after 128: what is far from a range may be taken for a part
 * of it. CUDA's access properties are such bits, and createpolicy.cvt moves
 * them.
 *
 * Source: no instruction of the hardware makes a policy; the code that ptxas
 * 13.0 makes of createpolicy for sm_80 to sm_120 computes these bits.
 */
#include <stdbool.h>
#include <stdint.h>

struct policy {
	uint8_t primary;    /* QV_L2_* */
	uint8_t secondary;  /* QV_SECONDARY_* */
	uint8_t sixteenths; /* 1 to 16; 0: it is a range */
	uint8_t block_shift, block_first, block_count;
};

/* What createpolicy makes of priorities, QV_L2_* and QV_SECONDARY_* (or 0, of
   which PTX says unchanged), and a fraction above 0 and up to 1. Of any other
   fraction the hardware's registers have these bits, too. */
uint64_t policy_of_fraction(uint8_t primary, uint8_t secondary, float fraction);
/* The same of the bytes from an address on: the primary ones of a total, which
   has as many before and behind them. */
uint64_t policy_of_range(uint8_t primary, uint8_t secondary, uint64_t address,
	uint32_t primary_bytes, uint32_t total_bytes);

/* What the bits say; false if createpolicy makes no such bits. */
bool policy_read(uint64_t bits, struct policy *policy);

/* Whether an address has a range's primary priority. */
bool policy_covers(const struct policy *range, uint64_t address);

#endif
