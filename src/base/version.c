/* version.c - the public header's functions (include/lockstep.h). The statuses come from status.def alone. */
#include "lockstep.h"

#include "base/base.h"
#include "base/status.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

enum {
    STATUS_COUNT = 0
#define LS_STATUS(name, text) +1
#include "base/status.def"
#undef LS_STATUS
};

const char *ls_version(void) { return TEXT(LS_VERSION_MAJOR) "." TEXT(LS_VERSION_MINOR) "." TEXT(LS_VERSION_PATCH); }

int ls_version_number(void) { return LS_VERSION; }

int ls_status_count(void) { return STATUS_COUNT; }

static bool is_status(int status) { return status >= 0 && status < STATUS_COUNT; }

const char *ls_status_name_at(int status) { return is_status(status) ? ls_status_name((enum ls_status)status) : NULL; }

const char *ls_status_text_at(int status) { return is_status(status) ? ls_status_text((enum ls_status)status) : NULL; }
