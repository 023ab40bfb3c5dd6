/* host_config.h - a name that programs include; what they expect of it is in host_config.h. */
#ifndef LS_CRT_HOST_CONFIG_H
#define LS_CRT_HOST_CONFIG_H

#include "../host_config.h"

#endif
