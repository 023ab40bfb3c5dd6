/* baseline_object.h - a comparison as jansson's object, for documents that have more in them. */
#ifndef LS_REPORT_BASELINE_OBJECT_H
#define LS_REPORT_BASELINE_OBJECT_H

#include <jansson.h>

#include "report/baseline.h"

/* What baseline_json prints; NULL: no memory. */
json_t *baseline_object(const struct baseline *b, enum kernel_base name);

#endif
