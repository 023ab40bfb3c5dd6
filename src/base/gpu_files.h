/* gpu_files.h - the texts of the files in gpus/ inside the library; EmbedGpus.cmake makes the table when it is built. */
#ifndef LS_BASE_GPU_FILES_H
#define LS_BASE_GPU_FILES_H

#include <stddef.h>

struct gpu_file {
    const char *id;
    const unsigned char *text;
    size_t len;
};

extern const struct gpu_file gpu_files[]; /* ends with a NULL id; "h200" is among them */

#endif
