/* lab_session.h - the folder in which the driver leaves each launch's counters, for as long as a program runs. */
#ifndef LS_LAB_LAB_SESSION_H
#define LS_LAB_LAB_SESSION_H

#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"
#include "meter/meter.h"

/* Makes the folder and tells the driver of it, which must not be loaded yet. */
enum ls_status lab_session_open(char folder[256], struct diag_list *diags);
void lab_session_clear(const char *folder);
/* All launches' counters together, as a report of the first launch of that kernel, or of the first; NULL: there is none. */
struct meter_report *lab_session_sum(const char *folder, const char *kernel, u32 *launches, struct diag_list *diags);
void lab_session_close(const char *folder);

#endif
