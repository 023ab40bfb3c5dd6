/* bodies_video.c - video instructions. */
#ifdef __clang__ /* which asks for loops that vectorise: these choose at run time, lane by lane */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#include "exec/lanes.h"
#include "ir/video.h"

#include "exec/ops/video.inc"
