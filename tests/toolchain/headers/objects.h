/* objects.h - texture and surface objects for textures.cu. */
#ifndef HEADERS_OBJECTS_H
#define HEADERS_OBJECTS_H

#include "driver/cuda_abi.h"

/* Puts their handles into the module's objects[], if it has that; anew, so that every module starts with the same. */
CUresult objects_make(CUmodule module);

#endif
