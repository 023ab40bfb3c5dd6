"""device.py - numpy arrays in device memory, by ctypes on the driver API. Triton asks a kernel's argument for data_ptr() and dtype
and nothing else, so neither torch nor cuda-python is needed."""
import ctypes

import numpy as np

_cuda = ctypes.CDLL("libcuda.so.1")
_current = None


class CudaError(RuntimeError):
    pass


def _check(code):
    if code:
        text = ctypes.c_char_p()
        _cuda.cuGetErrorName(code, ctypes.byref(text))
        raise CudaError(text.value.decode() if text.value else f"error {code}")


def begin(device=0):
    """The device's primary context, which Triton's launcher uses as well."""
    global _current
    context = ctypes.c_void_p()
    _check(_cuda.cuInit(0))
    _check(_cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    _check(_cuda.cuCtxSetCurrent(context))
    _current = context


class Array:
    """An array on the device. `dtype` is numpy's unless Triton's name for it is given ("bfloat16", "float8_e5m2"): the host's array
    then has the bits, as unsigned integers."""

    def __init__(self, host, dtype=None):
        if _current is None:
            begin()
        host = np.ascontiguousarray(host)
        self.shape, self.host_dtype = host.shape, host.dtype
        self.dtype = dtype or host.dtype
        self._at = ctypes.c_uint64()
        self._bytes = host.nbytes
        _check(_cuda.cuMemAlloc_v2(ctypes.byref(self._at), ctypes.c_size_t(max(host.nbytes, 1))))
        _check(_cuda.cuMemcpyHtoD_v2(self._at, host.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(host.nbytes)))

    def data_ptr(self):
        return self._at.value

    def stride(self, axis=None):
        strides = np.cumprod([1, *self.shape[:0:-1]])[::-1].tolist()
        return strides if axis is None else strides[axis]

    def numpy(self):
        _check(_cuda.cuCtxSynchronize())
        host = np.empty(self.shape, self.host_dtype)
        _check(_cuda.cuMemcpyDtoH_v2(host.ctypes.data_as(ctypes.c_void_p), self._at, ctypes.c_size_t(self._bytes)))
        return host

    def __del__(self):
        if self._at.value:
            _cuda.cuMemFree_v2(self._at)
            self._at = ctypes.c_uint64()


def empty(shape, dtype=np.float32):
    """Filled with what no kernel would write, so that what is left out is seen."""
    return Array(np.full(shape, 77, dtype))
