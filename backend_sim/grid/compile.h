#ifndef NEARFAR_COMPILE_H
#define NEARFAR_COMPILE_H

/* The code of a launch, without the launch. */
#include "backend_sim/grid/grid.h"

/* grid.code and .parameters; grid.launch, .space, .file and .as_written are
   there. ERR_USAGE, ERR_FAILED as code_make(). */
int grid_compile(struct grid *g, struct error *error);

#endif
