/* driver_test.c - see driver_test.h. */
#include "driver_test.h"

const char ptx_saxpy[] =
    PTX_HEAD ".visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)\n"
             "{\n"
             "  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<8>;\n"
             "  ld.param.u32 %r1, [n]; ld.param.f32 %f1, [a]; ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];\n"
             "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
             "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
             "  setp.ge.s32 %p1, %r5, %r1;\n"
             "  @%p1 bra DONE;\n"
             "  cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;\n"
             "  mul.wide.s32 %rd5, %r5, 4;\n"
             "  add.s64 %rd6, %rd3, %rd5; add.s64 %rd7, %rd4, %rd5;\n"
             "  ld.global.f32 %f2, [%rd6]; ld.global.f32 %f3, [%rd7];\n"
             "  fma.rn.f32 %f4, %f1, %f2, %f3;\n"
             "  st.global.f32 [%rd7], %f4;\n"
             "DONE:\n"
             "  ret;\n"
             "}\n";

const char ptx_store[] = PTX_HEAD ".visible .entry store(.param .u64 p, .param .u32 v)\n"
                                  "{\n"
                                  "  .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                                  "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v];\n"
                                  "  st.volatile.global.u32 [%rd1], %r1;\n"
                                  "  ret;\n"
                                  "}\n";

const char ptx_spin[] = PTX_HEAD ".visible .entry spin(.param .u64 p)\n"
                                 "{\n"
                                 "  .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                                 "  ld.param.u64 %rd1, [p];\n"
                                 "AGAIN:\n"
                                 "  ld.volatile.global.u32 %r1, [%rd1];\n"
                                 "  setp.eq.u32 %p1, %r1, 0;\n"
                                 "  @%p1 bra AGAIN;\n"
                                 "  ret;\n"
                                 "}\n";

CUcontext context_up(void)
{
    CUcontext ctx;
    OK(cuInit(0));
    OK(cuCtxCreate_v4(&ctx, NULL, 0, 0));
    return ctx;
}

void context_down(CUcontext ctx) { OK(cuCtxDestroy_v2(ctx)); }

CUfunction load(const char *ptx, const char *kernel)
{
    CUmodule m;
    CUfunction f;
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&f, m, kernel));
    return f;
}

CUresult run1(CUfunction f, unsigned blocks, unsigned threads, CUstream s, void **params)
{
    return cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, s, params, NULL);
}
