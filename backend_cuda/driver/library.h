#ifndef NEARFAR_LIBRARY_H
#define NEARFAR_LIBRARY_H

/* The driver's libraries, which are loaded while the program runs. */
#include "harness/base/error.h"

/* dlopen(). ERR_FAILED if this machine had no memory or no descriptor for the
   library; ERR_ABSENT with the loader's own word if it is not there, or is
   none. */
int library_open(const char *path, void **library, struct error *error);

#endif
