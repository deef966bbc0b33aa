#ifndef NEARFAR_KERNEL_ENTRY_H
#define NEARFAR_KERNEL_ENTRY_H

/* Whether a module's text defines a kernel of that name: `.entry NAME` outside
   of comments and strings. The rest of the text is not looked at. */
#include <stdbool.h>

bool entry_is_in(const char *ptx, const char *name);

#endif
