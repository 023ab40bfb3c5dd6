"""replay.py LOCKSTEP-PTXAS - kernels that Triton compiled (recorded/, of kernels.py) go through lockstep-ptxas, as Triton's compiler
calls it, and its objects through cuModuleLoadData, as Triton's launcher does. ctypes alone: neither Triton nor numpy is needed."""
import ctypes
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
cuda = ctypes.CDLL("libcuda.so.1")
ANY_ARCH = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"
NO_BINARY_FOR_GPU, TENSOR_FLOAT16, SWIZZLE_128B = 209, 6, 3


def call(name, *args):
    code = getattr(cuda, name)(*args)
    if code:
        sys.exit(f"{name}: error {code}")


def assemble(path, folder, arch="sm_90a"):
    """The object's bytes and what was printed."""
    out = os.path.join(folder, "out.o")
    done = subprocess.run([sys.argv[1], "-lineinfo", "-v", "--regAllocOptLevel=2", f"--gpu-name={arch}", path, "-o", out],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{path}: status {done.returncode}\n{done.stderr}")
    with open(out, "rb") as f:
        return f.read(), done.stderr


def kernel(name, folder):
    module, function, registers = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    image, said = assemble(os.path.join(here, "recorded", name + ".ptx"), folder)
    call("cuModuleLoadData", ctypes.byref(module), image)
    call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
    call("cuFuncGetAttribute", ctypes.byref(registers), 4, function)
    told = re.search(r"Used (\d+) registers", said)
    if not told or int(told.group(1)) != registers.value:
        sys.exit(f"{name}: the driver says {registers.value} registers, lockstep-ptxas said: {said}")
    return function


class Memory:
    def __init__(self, data):
        self.size = len(data)
        self.at = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.at), ctypes.c_size_t(self.size))
        call("cuMemcpyHtoD_v2", self.at, data, ctypes.c_size_t(self.size))

    def read(self, form):
        data = ctypes.create_string_buffer(self.size)
        call("cuMemcpyDtoH_v2", data, self.at, ctypes.c_size_t(self.size))
        return list(struct.unpack(f"{self.size // struct.calcsize(form)}{form}", data.raw))


def pack(form, values):
    return struct.pack(f"{len(values)}{form}", *values)


def launch(function, grid, threads, shared, *values, scratch=None):
    """Triton's kernels take two pointers to scratch memory behind their own arguments; the second is a profiler's."""
    values = [v.at if isinstance(v, Memory) else ctypes.c_int(v) if isinstance(v, int) else v for v in values]
    values += [scratch.at if scratch else ctypes.c_uint64(0), ctypes.c_uint64(0)]
    params = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values))
    call("cuFuncSetAttribute", function, 8, shared)
    call("cuLaunchKernel", function, grid[0], grid[1], 1, threads, 1, 1, shared, None, params, None)
    call("cuCtxSynchronize")


def near(name, got, want, tolerance):
    error = max(abs(g - w) for g, w in zip(got, want))
    if len(got) != len(want) or not error <= tolerance:
        sys.exit(f"{name}: wrong by {error}")


def vector_add(folder):
    n = 2003
    x, y = [i * 0.5 for i in range(n)], [1000.0 - i for i in range(n)]
    out = Memory(pack("f", [0.0] * n))
    launch(kernel("add_kernel", folder), (2, 1), 128, 0, Memory(pack("f", x)), Memory(pack("f", y)), out, n)
    near("vector_add", out.read("f"), [a + b for a, b in zip(x, y)], 0)


def softmax(folder):
    rows, columns = 5, 301
    x = [math.sin(i * 0.37) * 3 for i in range(rows * columns)]
    out = Memory(pack("f", [7.0] * len(x)))
    launch(kernel("softmax_kernel", folder), (2, 1), 256, 128, Memory(pack("f", x)), out, columns, rows, columns)
    want = []
    for row in range(rows):
        line = [math.exp(v) for v in x[row * columns:(row + 1) * columns]]
        want += [v / sum(line) for v in line]
    near("softmax", out.read("f"), want, 1e-6)


class TensorMap(ctypes.Structure):
    _align_ = 64
    _fields_ = [("opaque", ctypes.c_uint64 * 16)]


def tensor_map(memory, rows, columns):
    """Of a matrix of halves, row by row, that is copied in tiles of 64 x 64; and what Triton passes behind it."""
    space = (ctypes.c_uint8 * 192)()
    result = TensorMap.from_buffer(space, -ctypes.addressof(space) % 64)
    sizes, strides = (ctypes.c_uint64 * 2)(columns, rows), (ctypes.c_uint64 * 1)(columns * 2)
    box, steps = (ctypes.c_uint32 * 2)(64, 64), (ctypes.c_uint32 * 2)(1, 1)
    call("cuTensorMapEncodeTiled", ctypes.byref(result), TENSOR_FLOAT16, 2, memory.at, sizes, strides, box, steps, 0, SWIZZLE_128B,
         2, 0)
    return [result, rows, columns, ctypes.c_int64(columns), ctypes.c_int64(1)]


def matmul(folder):
    """By tensor maps and wgmma; the last tiles reach beyond the matrices. Numbers are small integers, so sums are exact."""
    m, n, k = 72, 72, 80
    a = [(i * 7 + i // k) % 5 - 2 for i in range(m * k)]
    b = [(i * 3 + i // n) % 7 - 3 for i in range(k * n)]
    c = Memory(pack("e", [7.0] * (m * n)))
    maps = [tensor_map(Memory(pack("e", a)), m, k), tensor_map(Memory(pack("e", b)), k, n), tensor_map(c, m, n)]
    launch(kernel("descriptor_kernel", folder), (2, 2), 128, 57400, *maps[0], *maps[1], *maps[2], k)
    want = [sum(a[i * k + x] * b[x * n + j] for x in range(k)) for i in range(m) for j in range(n)]
    near("matmul", c.read("e"), want, 0)


def transpose(folder):
    """By tensor maps that the kernel makes in scratch memory, 256 bytes a block."""
    m, n = 72, 40
    x = list(range(m * n))
    out = Memory(pack("f", [7.0] * len(x)))
    scratch = Memory(bytes(256 * 6))
    launch(kernel("transpose_kernel", folder), (3, 2), 128, 16384, Memory(pack("f", x)), out, m, n, scratch=scratch)
    near("transpose", out.read("f"), [x[i * n + j] for j in range(n) for i in range(m)], 0)


def other_gpu(folder):
    path, module = os.path.join(folder, "any.ptx"), ctypes.c_void_p()
    with open(path, "w") as f:
        f.write(ANY_ARCH)
    for arch, want in (("sm_80", NO_BINARY_FOR_GPU), ("sm_90", 0)):
        image, _ = assemble(path, folder, arch)
        code = cuda.cuModuleLoadData(ctypes.byref(module), image)
        if code != want:
            sys.exit(f"an object for {arch}: error {code}, not {want}")


def main():
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    with tempfile.TemporaryDirectory() as folder:
        for test in (vector_add, softmax, matmul, transpose, other_gpu):
            test(folder)
    print("ok: recorded kernels of Triton")


main()
