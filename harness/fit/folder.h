#ifndef NEARFAR_FIT_FOLDER_H
#define NEARFAR_FIT_FOLDER_H

/* The folder that a measurement leaves: NAME.json.gz of each row of the suite,
   NAME.txt of its programs, device.json. */
#include "harness/contract/parameters.h"
#include "harness/measures/rows.h"

#define FOLDER_PATH_BYTES 512

/* ERR_USAGE for a folder with too long a name. */
int folder_path(const char *folder, const char *name, const char *ending,
	char path[FOLDER_PATH_BYTES], struct error *error);

/* ERR_USAGE if the folder holds measurements of another device. */
int folder_check_device(
	const char *folder, const struct device *device, struct error *error);

/* Adds to the chip what the row's series says of its geometry, if there is the
   series. */
int folder_learn(const char *folder, const struct measure *row,
	struct chip *chip, const struct model_parameters *known,
	struct error *error);

#endif
