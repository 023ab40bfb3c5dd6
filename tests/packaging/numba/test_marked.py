"""As test_numba.py, with marks: each test in a process of its own."""

import numpy
import pytest
from numba import cuda, float32

N = 256


@cuda.jit
def doubled(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 2 * a[i]


@cuda.jit
def reversed_with_race(a, out):
    tile = cuda.shared.array(N, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    out[t] = tile[N - 1 - t]  # no barrier


@cuda.jit
def one_too_far(a, out):
    i = cuda.grid(1)
    out[i] = a[i + 1]


def run(kernel):
    a = numpy.arange(N, dtype=numpy.float32)
    out = cuda.device_array(N, dtype=numpy.float32)
    kernel[1, N](cuda.to_device(a), out)
    cuda.synchronize()
    return a, out.copy_to_host()


@pytest.mark.lockstep
def test_right():
    a, out = run(doubled)
    assert (out == 2 * a).all()


@pytest.mark.lockstep
def test_race():
    run(reversed_with_race)


@pytest.mark.lockstep
def test_out_of_bounds():
    run(one_too_far)


@pytest.mark.lockstep
def test_right_after_these():
    test_right()
