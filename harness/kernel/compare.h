#ifndef NEARFAR_KERNEL_COMPARE_H
#define NEARFAR_KERNEL_COMPARE_H

/*
 * What a job left in its buffers, compared as each buffer says. Bytes of two
 * runs are compared in full; a digest of a run is short enough to keep, and
 * later runs are held against it:
 *
 *   exact:BITS      64 bits of the bytes, in hexadecimal
 *   multiset:BITS   64 bits of the elements, whatever their order
 *   ulp:V,V,...     the bits of DIGEST_SAMPLES elements, spread over the buffer
 *   none
 */
#include "harness/kernel/job.h"

#define DIGEST_SAMPLES 32
#define DIGEST_BYTES   (8 + 17 * DIGEST_SAMPLES)

/* The digest of a buffer's content, `buffer->bytes` of it. */
void compare_digest(const struct job_buffer *buffer, const void *content,
	char digest[DIGEST_BYTES]);

/* ERR_GATE with the buffer, the element and both values where two contents
   differ by more than the buffer allows. */
int compare_contents(const struct job_buffer *buffer, const void *expected,
	const void *found, struct error *error);

/* The same of two digests. ERR_USAGE if one of them is none of such a
   buffer. */
int compare_digests(const struct job_buffer *buffer, const char *expected,
	const char *found, struct error *error);

/* Steps between two floats of a type in the order of their values; UINT64_MAX
   if one of them alone is not a number. -0 and 0 are the same. */
uint64_t compare_ulps(enum element_type type, uint64_t a, uint64_t b);

#endif
