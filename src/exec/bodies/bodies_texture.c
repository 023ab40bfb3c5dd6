/* bodies_texture.c - the body of texture and surface instructions at one instruction-set level. The functions that it
 * calls look for hooks themselves. */
#include "exec/lanes.h"
#include "exec/texture/texture.h"

#include "exec/ops/texture.inc"
