/* builtin_types.h - the runtime's types, by the header name that some programs use. */
#ifndef __BUILTIN_TYPES_H__
#define __BUILTIN_TYPES_H__

#include "driver_types.h"
#include "host_defines.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"

#endif
