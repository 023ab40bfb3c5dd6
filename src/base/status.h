/* status.h - the result of every library function that can fail because of its caller or its input. */
#ifndef LS_BASE_STATUS_H
#define LS_BASE_STATUS_H

enum ls_status {
#define LS_STATUS(name, text) LS_##name,
#include "base/status.def"
#undef LS_STATUS
};

_Static_assert(LS_OK == 0, "`if (status)` asks for a failure");

/* The name ("LS_ERR_IO") and the text of a status; never NULL. */
const char *ls_status_name(enum ls_status s);
const char *ls_status_text(enum ls_status s);

#endif
