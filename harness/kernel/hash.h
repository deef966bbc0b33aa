#ifndef NEARFAR_KERNEL_HASH_H
#define NEARFAR_KERNEL_HASH_H

/*
 * 64 bits that identify bytes: FNV-1a over words of eight bytes instead of
 * one, which is eight times as fast, and a last mix that spreads the upper
 * bytes. The last word is filled up with zeros; the length counts.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_BASIS UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

/* Avalanche of 64 bits (Stafford's variant 13 of the MurmurHash3 finalizer). */
static inline uint64_t hash_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static inline uint64_t hash_bytes(
	uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	uint64_t word;
	size_t left = count;

	for (; left >= sizeof(word); left -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * HASH_PRIME;
		hash ^= hash >> 32;
		at += sizeof(word);
	}
	word = 0;
	memcpy(&word, at, left);
	return hash_mix((hash ^ word) * HASH_PRIME ^ count);
}

#endif
