/* jit.c - see jit.h. Option values are passed as pointers that hold the value itself; sizes and times are written back
 * into the same array. */
#include "driver/module/jit.h"

#include <stdio.h>
#include <string.h>

static void set(struct jit *j, CUjit_option option, unsigned i)
{
    void *v = j->values[i];
    switch (option) {
    case CU_JIT_ERROR_LOG_BUFFER:
        j->error_log = v;
        break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        j->error_room = (size_t)(uintptr_t)v & UINT32_MAX;
        j->error_size = (int)i;
        break;
    case CU_JIT_INFO_LOG_BUFFER:
        j->info_log = v;
        break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        j->info_room = (size_t)(uintptr_t)v & UINT32_MAX;
        j->info_size = (int)i;
        break;
    case CU_JIT_WALL_TIME:
        j->wall_time = (int)i;
        break;
    default:
        break; /* for a compiler that Lockstep does not have */
    }
}

CUresult jit_begin(struct jit *j, unsigned n, const CUjit_option *options, void **values)
{
    *j = (struct jit){.values = values, .error_size = -1, .info_size = -1, .wall_time = -1};
    if (n && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < n; i++)
        set(j, options[i], i);
    if (!j->error_room)
        j->error_log = NULL;
    if (j->error_log)
        j->error_log[0] = 0;
    if (j->info_log && j->info_room)
        j->info_log[0] = 0;
    clock_gettime(CLOCK_MONOTONIC, &j->started);
    return CUDA_SUCCESS;
}

void jit_error(struct jit *j, CUresult r, const char *text)
{
    if (!j->error_log) {
        drv_log("cannot load a module: %s", result_name(r));
        drv_log_text(text);
        if (text[0] && text[strlen(text) - 1] != '\n')
            drv_log_text("\n");
        return;
    }
    size_t used = strlen(j->error_log);
    snprintf(j->error_log + used, j->error_room - used, "%s", text);
    j->error_used = strlen(j->error_log) + 1;
}

void jit_end(struct jit *j)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (j->error_size >= 0)
        j->values[j->error_size] = (void *)(uintptr_t)j->error_used;
    if (j->info_size >= 0)
        j->values[j->info_size] = NULL;
    if (j->wall_time >= 0) {
        float ms =
            (float)((double)(now.tv_sec - j->started.tv_sec) * 1e3 + (double)(now.tv_nsec - j->started.tv_nsec) * 1e-6);
        memcpy(&j->values[j->wall_time], &ms, sizeof ms);
    }
}
