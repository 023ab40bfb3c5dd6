"""nvml.py - libnvidia-ml.so.1 by ctypes, two devices: what it tells, its errors, that it agrees with libcuda.so.1, and that CUDA works
in a child of fork after it."""
import ctypes
import os
import sys

nvml = ctypes.CDLL("libnvidia-ml.so.1")
UNINITIALIZED, INVALID_ARGUMENT, NOT_SUPPORTED, NOT_FOUND, TOO_SMALL = 1, 2, 3, 6, 7
nvml.nvmlErrorString.restype = ctypes.c_char_p


def same(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, not {want}")


def call(name, *args, want=0):
    same(name, getattr(nvml, name)(*args), want)


def text(name, *args):
    room = ctypes.create_string_buffer(96)
    call(name, *args, room, 96)
    return room.value.decode()


class Pci(ctypes.Structure):
    _fields_ = [("legacy", ctypes.c_char * 16), ("domain", ctypes.c_uint), ("bus", ctypes.c_uint), ("device", ctypes.c_uint),
                ("id", ctypes.c_uint), ("subsystem", ctypes.c_uint), ("bus_id", ctypes.c_char * 32)]


def device(index):
    handle, again, number, pci = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint(), Pci()
    call("nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(handle))
    call("nvmlDeviceGetIndex", handle, ctypes.byref(number))
    same("index", number.value, index)
    same("name", text("nvmlDeviceGetName", handle), "NVIDIA H200")
    uuid = text("nvmlDeviceGetUUID", handle)
    call("nvmlDeviceGetHandleByUUID", uuid.encode(), ctypes.byref(again))
    same("handle by UUID", again.value, handle.value)
    call("nvmlDeviceGetPciInfo_v3", handle, ctypes.byref(pci))
    same("bus", (pci.bus, pci.bus_id), (index, f"00000000:{index:02X}:00.0".encode()))
    call("nvmlDeviceGetHandleByPciBusId_v2", pci.bus_id, ctypes.byref(again))
    same("handle by bus", again.value, handle.value)
    memory, major, minor = (ctypes.c_ulonglong * 3)(), ctypes.c_int(), ctypes.c_int()
    call("nvmlDeviceGetMemoryInfo", handle, memory)
    same("memory", (memory[0] > 0, memory[1] + memory[2]), (True, memory[0]))
    call("nvmlDeviceGetCudaComputeCapability", handle, ctypes.byref(major), ctypes.byref(minor))
    same("compute capability", (major.value, minor.value), (9, 0))
    call("nvmlDeviceGetUtilizationRates", handle, memory, want=NOT_SUPPORTED)
    call("nvmlDeviceGetName", handle, ctypes.create_string_buffer(4), 4, want=TOO_SMALL)
    return uuid


def cuda_uuids():
    """In a child: the parent has not started CUDA, and NVML is no obstacle."""
    cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
    same("cuInit", cuda.cuInit(0), 0)
    cuda.cuDeviceGetCount(ctypes.byref(count))
    uuids = []
    for i in range(count.value):
        raw = (ctypes.c_ubyte * 16)()
        same("cuDeviceGetUuid", cuda.cuDeviceGetUuid(raw, i), 0)
        h = bytes(raw).hex()
        uuids.append(f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}")
    return uuids


def main():
    count, handle = ctypes.c_uint(), ctypes.c_void_p()
    call("nvmlDeviceGetCount_v2", ctypes.byref(count), want=UNINITIALIZED)
    call("nvmlInit_v2")
    call("nvmlInitWithFlags", 0)
    call("nvmlShutdown")
    call("nvmlDeviceGetCount_v2", ctypes.byref(count))
    same("count", count.value, 2)
    uuids = [device(i) for i in range(2)]
    call("nvmlDeviceGetHandleByIndex_v2", 2, ctypes.byref(handle), want=INVALID_ARGUMENT)
    call("nvmlDeviceGetHandleByUUID", b"GPU-0", ctypes.byref(handle), want=NOT_FOUND)
    call("nvmlDeviceGetHandleByPciBusId_v2", b"0000:07:00.0", ctypes.byref(handle), want=NOT_FOUND)
    call("nvmlDeviceGetIndex", None, ctypes.byref(count), want=INVALID_ARGUMENT)
    same("an error's text", nvml.nvmlErrorString(NOT_SUPPORTED), b"Lockstep does not have this")
    call("nvmlShutdown")
    call("nvmlShutdown", want=UNINITIALIZED)
    child = os.fork()
    if not child:
        os._exit(0 if cuda_uuids() == uuids else 1)
    same("the UUIDs that CUDA tells in a child", os.waitpid(child, 0)[1], 0)
    print("ok: NVML")


main()
