/* bodies_video.c - video instructions. */
#include "exec/lanes.h"
#include "ir/video.h"

#include "exec/ops/video.inc"
