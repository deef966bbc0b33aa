#ifndef NEARFAR_KEEP_BUILD_ID_H
#define NEARFAR_KEEP_BUILD_ID_H

/* What tells one build, and one text, from another. */
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_BYTES 48

/* FNV-1a, 64 bit; begin with DIGEST_EMPTY, go on with what came out. */
#define DIGEST_EMPTY UINT64_C(0xcbf29ce484222325)
uint64_t digest_add(uint64_t digest, const void *bytes, size_t count);

/* The linker's digest of this program, in hexadecimal, or its version where
   the linker left none. */
void build_id(char text[BUILD_ID_BYTES]);

#endif
