/* error.c - names and texts of results, from results.def. */
#include <string.h>

#include "driver/driver.h"

const char *result_name(CUresult r)
{
    switch (r) {
#define RESULT(name, value, text)                                                                                      \
    case name:                                                                                                         \
        return #name;
#include "driver/results.def"
#undef RESULT
    }
    return NULL;
}

const char *result_text(CUresult r)
{
    switch (r) {
#define RESULT(name, value, text)                                                                                      \
    case name:                                                                                                         \
        return text;
#include "driver/results.def"
#undef RESULT
    }
    return NULL;
}

CUresult result_by_name(const char *name)
{
    static const struct {
        const char *name;
        CUresult value;
    } rows[] = {
#define RESULT(name, value, text) {#name, name},
#include "driver/results.def"
#undef RESULT
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].value;
    return CUDA_ERROR_UNKNOWN;
}

CUresult result_of(enum ls_status s)
{
    switch (s) {
    case LS_OK:
        return CUDA_SUCCESS;
    case LS_ERR_NOMEM:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case LS_ERR_INVALID:
        return CUDA_ERROR_INVALID_VALUE;
    case LS_ERR_IO:
        return CUDA_ERROR_FILE_NOT_FOUND;
    case LS_ERR_SYNTAX:
        return CUDA_ERROR_INVALID_PTX;
    case LS_ERR_UNSUPPORTED:
        return CUDA_ERROR_NOT_SUPPORTED;
    case LS_ERR_NOT_FOUND:
        return CUDA_ERROR_NOT_FOUND;
    case LS_ERR_LIMIT:
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    case LS_ERR_FAULT:
        return CUDA_ERROR_LAUNCH_FAILED;
    case LS_ERR_TIMEOUT:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    }
    return CUDA_ERROR_UNKNOWN;
}

CUresult impl_cuGetErrorName(CUresult error, const char **pStr)
{
    if (!pStr)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = result_name(error);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuGetErrorString(CUresult error, const char **pStr)
{
    if (!pStr)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = result_text(error);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
