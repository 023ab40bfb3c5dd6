/* peer.h - one way to run the kernels (CUDA's driver API, OpenCL, OpenMP), and what measures it.
 *
 * Functions that say nothing else return NULL, or what went wrong in words. */
#ifndef PEERS_PEER_H
#define PEERS_PEER_H

#include "problem.h"

/* Finds the device, makes the buffers, reads the kernel's source from `folder` (NULL: there is none to read). */
const char *peer_open(const struct problem *p, const char *folder);

/* From the source to something that can be launched. */
const char *peer_build(void);

const char *peer_write(void *const *data); /* to the device's buffers */
const char *peer_read(void *const *data);  /* what comes out, from the device's buffers */

/* That many launches, one after the other, and their end. */
const char *peer_launch(unsigned times);

void peer_close(void);

/* What runs the kernels, with its version; NULL if it is not installed. */
const char *peer_about(void);

/* A text file, with a 0 behind it, to be freed; NULL if it cannot be read. */
char *peer_text(const char *folder, const char *name, const char *suffix);

#endif
