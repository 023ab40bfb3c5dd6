/* csv.h - what every page of CSV is made of. */
#ifndef LS_REPORT_CSV_H
#define LS_REPORT_CSV_H

#include <stdio.h>

#include "base/base.h"

/* A quoted field of CSV, behind a comma unless it is the first; quotes inside are doubled (RFC 4180). */
void report_csv_field(FILE *out, const char *text, bool first);

#endif
