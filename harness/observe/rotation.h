#ifndef NEARFAR_OBSERVE_ROTATION_H
#define NEARFAR_OBSERVE_ROTATION_H

/* The rotation in which TPCs belong to GPCs; chip.h says how it is found. */
#include "harness/observe/chip.h"

/* Sets the chip's rotation: the known machine's, or, where near-far has seen
   other sides than it gives, one that gives them. */
void rotation_choose(struct chip *chip, const struct model_parameters *known);

#endif
