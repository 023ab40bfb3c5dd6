/* nvToolsExt.h - NVTX by its older place. */
#include "nvtx3/nvToolsExt.h"
