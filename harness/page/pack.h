#ifndef NEARFAR_PAGE_PACK_H
#define NEARFAR_PAGE_PACK_H

#include <stddef.h>

#include "harness/base/error.h"

/* Gzips the text, without a time stamp, and spells it in base64 (RFC 4648).
   The caller frees what is `packed`. ERR_FAILED without memory. */
int pack_base64(
	const char *text, size_t bytes, char **packed, struct error *error);

#endif
