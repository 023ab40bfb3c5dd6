/* host_defines.h - a name that programs include; what they expect of it is in host_defines.h. */
#ifndef LS_CRT_HOST_DEFINES_H
#define LS_CRT_HOST_DEFINES_H

#include "../host_defines.h"

#endif
