/* gpu_file.h - a GPU file (gpus/<name>.json) of what was measured. */
#ifndef LS_CALIBRATE_GPU_FILE_H
#define LS_CALIBRATE_GPU_FILE_H

#include "calibrate/calibrate.h"

/* The text of the file, freed by ls_free; `id` is the GPU's, NULL: made of its name. NULL: no memory. What is neither measured
 * nor told by the driver is as in the file of the known GPU that is most like it, and marked so. */
char *calibrate_gpu_file(const struct calibration *c, const char *id);

#endif
