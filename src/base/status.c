/* status.c - names and texts of ls_status, from status.def. */
#include "base/status.h"

#include "base/base.h"

static const char *const names[] = {
#define LS_STATUS(name, text) "LS_" #name,
#include "base/status.def"
#undef LS_STATUS
};

static const char *const texts[] = {
#define LS_STATUS(name, text) text,
#include "base/status.def"
#undef LS_STATUS
};

const char *ls_status_name(enum ls_status s) { return (unsigned)s < LS_ARRAY_LEN(names) ? names[s] : "LS_ERR_?"; }

const char *ls_status_text(enum ls_status s) { return (unsigned)s < LS_ARRAY_LEN(texts) ? texts[s] : "unknown status"; }
