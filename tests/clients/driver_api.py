"""driver_api.py LIBCUDA - a Python program that drives libcuda.so.1 by ctypes, as many tools do: loads PTX, launches, copies,
checks. Ends with 0 and "ok", or says what differed."""
import ctypes
import sys

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 calls;
.visible .entry saxpy(.param .u64 y_, .param .u64 x_, .param .f32 a_, .param .u32 n_)
{
    .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<8>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mov.u64 %rd7, calls; red.global.add.u32 [%rd7], 1;
    ld.param.u32 %r5, [n_]; setp.ge.u32 %p, %r4, %r5; @%p ret;
    ld.param.u64 %rd1, [y_]; ld.param.u64 %rd2, [x_];
    mul.wide.u32 %rd3, %r4, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
    ld.param.f32 %f1, [a_]; ld.global.f32 %f2, [%rd5]; ld.global.f32 %f3, [%rd4];
    fma.rn.f32 %f3, %f1, %f2, %f3; st.global.f32 [%rd4], %f3;
    ret;
}
"""

cuda = ctypes.CDLL(sys.argv[1])


def check(result, what):
    if result:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(result, ctypes.byref(name))
        sys.exit(f"{what}: {name.value.decode() if name.value else result}")


def call(name, *args):
    check(getattr(cuda, name)(*args), name)


def main():
    n, block = 1000, 128
    device, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    name = ctypes.create_string_buffer(100)
    call("cuDeviceGetName", name, len(name), device)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"saxpy")

    floats = ctypes.c_float * n
    x, y = floats(*range(n)), floats(*(2 * i for i in range(n)))
    dx, dy = ctypes.c_uint64(), ctypes.c_uint64()
    for d, host in ((dx, x), (dy, y)):
        call("cuMemAlloc_v2", ctypes.byref(d), ctypes.c_size_t(ctypes.sizeof(host)))
        call("cuMemcpyHtoD_v2", d, host, ctypes.c_size_t(ctypes.sizeof(host)))

    values = dy, dx, ctypes.c_float(3), ctypes.c_uint32(n)
    params = (ctypes.c_void_p * 4)(*(ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values))
    blocks = (n + block - 1) // block
    call("cuLaunchKernel", kernel, blocks, 1, 1, block, 1, 1, 0, None, params, None)
    call("cuCtxSynchronize")
    call("cuMemcpyDtoH_v2", y, dy, ctypes.c_size_t(ctypes.sizeof(y)))
    for i in range(n):
        if y[i] != 5 * i:
            sys.exit(f"y[{i}] is {y[i]}, not {5 * i}")

    calls, size, count = ctypes.c_uint64(), ctypes.c_size_t(), ctypes.c_uint32()
    call("cuModuleGetGlobal_v2", ctypes.byref(calls), ctypes.byref(size), module, b"calls")
    call("cuMemcpyDtoH_v2", ctypes.byref(count), calls, size)
    if count.value != blocks * block:
        sys.exit(f"{count.value} threads, not {blocks * block}")

    if cuda.cuMemFree_v2(ctypes.c_uint64(12345)) != 1:
        sys.exit("freeing what was never allocated is not CUDA_ERROR_INVALID_VALUE")
    for d in dx, dy:
        call("cuMemFree_v2", d)
    call("cuModuleUnload", module)
    call("cuDevicePrimaryCtxRelease_v2", device)
    print(f"ok: {name.value.decode()}")


main()
