/* opencl.c - the kernels in OpenCL C, by PoCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

static struct {
    const struct problem *p;
    cl_device_id device;
    cl_context ctx;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer[PEER_ARGS];
    char *text;
} cl;

static const char *said(cl_int r)
{
    static char words[64];
    if (r == CL_SUCCESS)
        return NULL;
    snprintf(words, sizeof words, "OpenCL error %d", (int)r);
    return words;
}

/* PoCL's processor; its version to `about`, of `size` bytes, if there is one. */
static const char *find(cl_device_id *device, char *about, size_t size)
{
    cl_platform_id platforms[16];
    cl_uint n = 0;
    if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS)
        n = 0;
    for (cl_uint k = 0; k < n && k < 16; k++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[k], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strcmp(name, "Portable Computing Language"))
            continue;
        if (about)
            clGetPlatformInfo(platforms[k], CL_PLATFORM_VERSION, size - 1, about, NULL);
        return said(clGetDeviceIDs(platforms[k], CL_DEVICE_TYPE_CPU, 1, device, NULL));
    }
    return "PoCL is not installed";
}

const char *peer_open(const struct problem *p, const char *folder)
{
    cl_int r = CL_SUCCESS;
    cl.p = p;
    if (!folder || !(cl.text = peer_text(folder, p->name, ".cl")))
        return "its OpenCL C cannot be read in the folder";
    const char *bad = find(&cl.device, NULL, 0);
    if (bad)
        return bad;
    cl.ctx = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &r);
    if (!r)
        cl.queue = clCreateCommandQueue(cl.ctx, cl.device, 0, &r);
    for (unsigned k = 0; k < PEER_ARGS && !r; k++)
        if (peer_is_buffer(&p->args[k]))
            cl.buffer[k] = clCreateBuffer(cl.ctx, p->args[k].kind == PEER_IN ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE,
                                          p->args[k].bytes, NULL, &r);
    return said(r);
}

const char *peer_build(void)
{
    cl_int r;
    const char *text = cl.text;
    cl.program = clCreateProgramWithSource(cl.ctx, 1, &text, NULL, &r);
    r = r ? r : clBuildProgram(cl.program, 1, &cl.device, NULL, NULL, NULL);
    if (!r)
        cl.kernel = clCreateKernel(cl.program, cl.p->name, &r);
    for (unsigned k = 0; k < PEER_ARGS && cl.p->args[k].kind != PEER_NONE && !r; k++)
        r = peer_is_buffer(&cl.p->args[k]) ? clSetKernelArg(cl.kernel, k, sizeof cl.buffer[k], &cl.buffer[k])
                                           : clSetKernelArg(cl.kernel, k, sizeof(cl_int), &cl.p->args[k].i);
    return said(r);
}

const char *peer_write(void *const *data)
{
    cl_int r = CL_SUCCESS;
    for (unsigned k = 0; k < PEER_ARGS && !r; k++)
        if (data[k])
            r = clEnqueueWriteBuffer(cl.queue, cl.buffer[k], CL_TRUE, 0, cl.p->args[k].bytes, data[k], 0, NULL, NULL);
    return said(r);
}

const char *peer_read(void *const *data)
{
    cl_int r = CL_SUCCESS;
    for (unsigned k = 0; k < PEER_ARGS && !r; k++)
        if (cl.p->args[k].kind == PEER_OUT)
            r = clEnqueueReadBuffer(cl.queue, cl.buffer[k], CL_TRUE, 0, cl.p->args[k].bytes, data[k], 0, NULL, NULL);
    return said(r);
}

const char *peer_launch(unsigned times)
{
    const struct problem *p = cl.p;
    size_t global[3], local[3];
    for (unsigned d = 0; d < 3; d++) {
        local[d] = p->group[d];
        global[d] = (size_t)p->group[d] * p->groups[d];
    }
    cl_int r = CL_SUCCESS;
    while (times-- && !r)
        r = clEnqueueNDRangeKernel(cl.queue, cl.kernel, 3, NULL, global, local, 0, NULL, NULL);
    return said(r ? r : clFinish(cl.queue));
}

void peer_close(void)
{
    for (unsigned k = 0; k < PEER_ARGS; k++)
        if (cl.buffer[k])
            clReleaseMemObject(cl.buffer[k]);
    if (cl.kernel)
        clReleaseKernel(cl.kernel);
    if (cl.program)
        clReleaseProgram(cl.program);
    if (cl.queue)
        clReleaseCommandQueue(cl.queue);
    if (cl.ctx)
        clReleaseContext(cl.ctx);
    free(cl.text);
    memset(&cl, 0, sizeof cl);
}

const char *peer_about(void)
{
    static char words[256];
    cl_device_id device;
    return find(&device, words, sizeof words) ? NULL : words;
}
