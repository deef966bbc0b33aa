#ifndef NEARFAR_KEEP_FINGERPRINT_H
#define NEARFAR_KEEP_FINGERPRINT_H

/* What tells one build, and one text, from another. */
#include <stddef.h>
#include <stdint.h>

#define FINGERPRINT_BYTES 48

/* FNV-1a, 64 bit; begin with FINGERPRINT_EMPTY, go on with what came out. */
#define FINGERPRINT_EMPTY UINT64_C(0xcbf29ce484222325)
uint64_t fingerprint_add(uint64_t digest, const void *bytes, size_t count);

/* The linker's digest of this program, in hexadecimal, or its version where
   the linker left none. */
void fingerprint_build(char text[FINGERPRINT_BYTES]);

#endif
