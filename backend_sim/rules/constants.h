#ifndef NEARFAR_SIM_CONSTANTS_H
#define NEARFAR_SIM_CONSTANTS_H

/* The numbers of constants.def by their names, as integers of the unit there.
 */
enum constant {
#define SECTION(title)
#define CONSTANT(name, value, unit, what, origin) name = (value),
#include "backend_sim/rules/constants.def"
#undef SECTION
#undef CONSTANT
};

#endif
