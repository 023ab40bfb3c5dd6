/* lockstep.h - the public C API.
 *
 * Programs use Lockstep through the CUDA driver API (libcuda.so.1) and the `lockstep` command; this header is for code
 * that asks which Lockstep it was built with and what a status of the library means. */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#ifdef __cplusplus
extern "C" {
#endif

#define LS_VERSION_MAJOR 0
#define LS_VERSION_MINOR 1
#define LS_VERSION_PATCH 0
/* 1.2.3 is 10203: for comparisons in #if. */
#define LS_VERSION (LS_VERSION_MAJOR * 10000 + LS_VERSION_MINOR * 100 + LS_VERSION_PATCH)

/* The version of the library in use, "0.1.0", and as the number that LS_VERSION is in its header. */
const char *ls_version(void);
int ls_version_number(void);

/* How many statuses there are: they are 0 (success) to ls_status_count() - 1. */
int ls_status_count(void);
/* The name ("LS_ERR_IO") and the sentence of a status by its number; NULL for a number that is none. */
const char *ls_status_name_at(int status);
const char *ls_status_text_at(int status);

#ifdef __cplusplus
}
#endif

#endif
