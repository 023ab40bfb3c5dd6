"""kernels.py [NAME...] - kernels written in Triton, each against numpy: run as `lockstep run python3 kernels.py`. A line a case,
exit status 1 when one is wrong. They are small, for a machine without a GPU."""
import sys

import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from device import Array, empty

rng = np.random.default_rng(3)
cases = {}


def case(function):
    cases[function.__name__] = function
    return function


def near(got, want, tolerance):
    """The largest error beside the largest value; None: it is near enough."""
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    error = np.max(np.abs(got - want)) / max(1.0, np.max(np.abs(want)))
    return None if error <= tolerance else f"off by {error:.3g}"


# ---- elementwise ----

@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@case
def vector_add():
    n = 5003
    x, y = (rng.standard_normal(n, dtype=np.float32) for _ in range(2))
    out = empty(n)
    add_kernel[(triton.cdiv(n, 1024), )](Array(x), Array(y), out, n, BLOCK=1024)
    return near(out.numpy(), x + y, 0)


@triton.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    keep = tl.rand(seed, at) >= p
    tl.store(out + at, tl.where(keep, tl.load(x + at, inside) / (1 - p), 0.0), inside)


def philox(seed, counters):
    """The first word of Philox-4x32 with ten rounds, of a 64-bit key and a counter of one word."""
    word = np.uint64(0xFFFFFFFF)
    c = [counters.astype(np.uint64), *(np.zeros(len(counters), np.uint64) for _ in range(3))]
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ key[0], b & word, (a >> np.uint64(32)) ^ c[3] ^ key[1], a & word]
        key = [(key[0] + np.uint64(0x9E3779B9)) & word, (key[1] + np.uint64(0xBB67AE85)) & word]
    return c[0]


@case
def dropout():
    n, p, seed = 2500, 0.3, 1234567
    x = rng.standard_normal(n, dtype=np.float32)
    out = empty(n)
    dropout_kernel[(triton.cdiv(n, 512), )](Array(x), out, n, p, seed, BLOCK=512)
    word = philox(seed, np.arange(n)).astype(np.uint32).view(np.int32)
    uniform = np.where(word < 0, -word - 1, word).astype(np.float32) * np.float32(4.6566127342e-10)
    return near(out.numpy(), np.where(uniform >= np.float32(p), x / np.float32(1 - p), 0), 1e-6)


# ---- rows ----

@triton.jit
def softmax_kernel(x, out, stride, rows, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        line = tl.load(x + row * stride + at, at < columns, other=-float("inf"))
        e = tl.exp(line - tl.max(line, 0))
        tl.store(out + row * stride + at, e / tl.sum(e, 0), at < columns)


def softmax_of(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@case
def softmax():
    x = rng.standard_normal((37, 781), dtype=np.float32)
    out = empty(x.shape)
    softmax_kernel[(8, )](Array(x), out, x.shape[1], *x.shape, BLOCK=1024, num_warps=8)
    return near(out.numpy(), softmax_of(x), 1e-6)


@triton.jit
def layer_norm_kernel(x, out, weight, bias, mean_out, scale_out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * columns
    out += row * columns
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += tl.load(x + at, at < columns, other=0.0)
    mean = tl.sum(total, 0) / columns
    squares = tl.zeros([BLOCK], tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        away = tl.where(at < columns, tl.load(x + at, at < columns, other=0.0) - mean, 0.0)
        squares += away * away
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / columns + eps)
    tl.store(mean_out + row, mean)
    tl.store(scale_out + row, scale)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        inside = at < columns
        normal = (tl.load(x + at, inside, other=0.0) - mean) * scale
        tl.store(out + at, normal * tl.load(weight + at, inside) + tl.load(bias + at, inside), inside)


@case
def layer_norm():
    rows, columns, eps = 19, 700, 1e-5
    x = rng.standard_normal((rows, columns), dtype=np.float32) * 3 + 1
    weight, bias = (rng.standard_normal(columns, dtype=np.float32) for _ in range(2))
    out, mean, scale = empty(x.shape), empty(rows), empty(rows)
    layer_norm_kernel[(rows, )](Array(x), out, Array(weight), Array(bias), mean, scale, columns, eps, BLOCK=256)
    wide = x.astype(np.float64)
    want_mean, want_scale = wide.mean(1), 1 / np.sqrt(wide.var(1) + eps)
    want = (wide - want_mean[:, None]) * want_scale[:, None] * weight + bias
    return near(out.numpy(), want, 1e-6) or near(mean.numpy(), want_mean, 1e-6) or near(scale.numpy(), want_scale, 1e-6)


# ---- products of matrices ----

@triton.jit
def matmul_kernel(a, b, c, M, N, K, stride_a, stride_b, stride_c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  PRECISION: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        left = tl.load(a + m[:, None] * stride_a + (first + k)[None, :], (m[:, None] < M) & (first + k[None, :] < K), other=0.0)
        right = tl.load(b + (first + k)[:, None] * stride_b + n[None, :], (first + k[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(left, right, total, input_precision=PRECISION)
    tl.store(c + m[:, None] * stride_c + n[None, :], total.to(c.dtype.element_ty), (m[:, None] < M) & (n[None, :] < N))


def product(M, N, K, dtype, blocks, tolerance, precision="tf32", warps=4, ctas=1):
    a, b = rng.standard_normal((M, K)).astype(dtype), rng.standard_normal((K, N)).astype(dtype)
    c = empty((M, N), np.float32)
    grid = (triton.cdiv(M, blocks[0]), triton.cdiv(N, blocks[1]))
    matmul_kernel[grid](Array(a), Array(b), c, M, N, K, K, N, N, *blocks, precision, num_warps=warps, num_ctas=ctas)
    return near(c.numpy(), a.astype(np.float64) @ b.astype(np.float64), tolerance)


@case
def matmul():
    return product(200, 136, 160, np.float16, (64, 64, 32), 1e-5)


@case
def matmul_wide():
    return product(256, 256, 128, np.float16, (128, 128, 64), 1e-5, warps=8)


@case
def matmul_tf32():
    return product(128, 64, 96, np.float32, (64, 64, 32), 2e-3)


@case
def matmul_ieee():
    return product(64, 64, 48, np.float32, (32, 32, 16), 1e-6, "ieee")


@triton.jit
def descriptor_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([m, k]), b.load([k, n]), total)
    c.store([m, n], total.to(tl.float16))


@case
def matmul_descriptors():
    """Tensor maps made by the host: TMA copies and wgmma on Hopper. The last tiles reach beyond the matrices."""
    M, N, K, blocks = 200, 136, 144, (64, 64, 64)
    a, b = rng.standard_normal((M, K)).astype(np.float16), rng.standard_normal((K, N)).astype(np.float16)
    c = empty((M, N), np.float16)
    maps = [TensorDescriptor.from_tensor(x, [blocks[i], blocks[j]]) for x, i, j in ((Array(a), 0, 2), (Array(b), 2, 1), (c, 0, 1))]
    descriptor_kernel[(triton.cdiv(M, 64), triton.cdiv(N, 64))](*maps, K, *blocks)
    return near(c.numpy(), a.astype(np.float64) @ b.astype(np.float64), 1e-3)


@triton.jit
def specialized_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        total = tl.dot(a.load([m, k]), b.load([k, n]), total)
    c.store([m, n], total.to(tl.float16))


@case
def matmul_specialized():
    """Some warps copy and others multiply."""
    a, b = rng.standard_normal((128, 256)).astype(np.float16), rng.standard_normal((256, 128)).astype(np.float16)
    c = empty((128, 128), np.float16)
    specialized_kernel[(2, 2)](*(TensorDescriptor.from_tensor(x, [64, 64]) for x in (Array(a), Array(b), c)), 256, 64, 64, 64)
    return near(c.numpy(), a.astype(np.float64) @ b.astype(np.float64), 1e-3)


@case
def matmul_clusters():
    return product(256, 256, 128, np.float16, (128, 128, 64), 1e-5, ctas=2)


@case
def matmul_bytes():
    """8-bit floating point of 5 and 2 bits: the upper bytes of halves."""
    a, b = (rng.standard_normal((64, 64)).astype(np.float16).view(np.uint16) >> 8 for _ in range(2))
    c = empty((64, 64))
    left, right = (Array(x.astype(np.uint8), "float8_e5m2") for x in (a, b))
    matmul_kernel[(1, 1)](left, right, c, 64, 64, 64, 64, 64, 64, 64, 64, 64, "tf32")
    a, b = ((x << 8).astype(np.uint16).view(np.float16).astype(np.float64) for x in (a, b))
    return near(c.numpy(), a @ b, 2e-3)


@triton.jit
def transpose_kernel(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    target = tl.make_tensor_descriptor(out, [N, M], [M, 1], [BN, BM])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    target.store([n, m], source.load([m, n]).T)


@case
def transpose_descriptors():
    """Tensor maps made by the kernel, in scratch memory that Triton asks for."""
    scratch = []

    def allocate(size, alignment, stream):
        scratch.append(Array(np.zeros(size, np.int8)))
        return scratch[-1]

    triton.set_allocator(allocate)
    x = rng.standard_normal((72, 40), dtype=np.float32)
    out = empty((40, 72))
    transpose_kernel[(3, 2)](Array(x), out, 72, 40, 32, 32)
    return near(out.numpy(), x.T, 0)


# ---- order ----

@triton.jit
def order_kernel(x, sums, sorted_out, counts, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(value, 0))
    tl.store(sorted_out + at, tl.sort(value))
    tl.atomic_add(counts + value, 1)


@case
def scan_sort_count():
    x = rng.integers(0, 50, 512).astype(np.int32)
    sums, ordered, counts = empty(512, np.int32), empty(512, np.int32), Array(np.zeros(50, np.int32))
    order_kernel[(1, )](Array(x), sums, ordered, counts, 512)
    return near(sums.numpy(), np.cumsum(x), 0) or near(ordered.numpy(), np.sort(x), 0) or near(
        counts.numpy(), np.bincount(x, minlength=50), 0)


# ---- attention ----

@triton.jit
def attention_kernel(q, k, v, out, length, scale, CAUSAL: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    first = tl.program_id(0) * BM
    head = tl.program_id(1) * length * D
    m, d = first + tl.arange(0, BM), tl.arange(0, D)
    query = tl.load(q + head + m[:, None] * D + d[None, :])
    largest = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    result = tl.zeros([BM, D], tl.float32)
    end = first + BM if CAUSAL else length
    for start in range(0, end, BN):
        n = start + tl.arange(0, BN)
        keys = tl.load(k + head + n[None, :] * D + d[:, None])
        score = tl.dot(query, keys) * scale
        if CAUSAL:
            score = tl.where(m[:, None] >= n[None, :], score, -float("inf"))
        above = tl.maximum(largest, tl.max(score, 1))
        weight = tl.exp2(score - above[:, None])
        shrink = tl.exp2(largest - above)
        total = total * shrink + tl.sum(weight, 1)
        values = tl.load(v + head + n[:, None] * D + d[None, :])
        result = tl.dot(weight.to(tl.float16), values, result * shrink[:, None])
        largest = above
    tl.store(out + head + m[:, None] * D + d[None, :], (result / total[:, None]).to(tl.float16))


def attend(causal):
    heads, length, depth = 2, 256, 64
    q, k, v = (rng.standard_normal((heads, length, depth)).astype(np.float16) for _ in range(3))
    out = empty(q.shape, np.float16)
    scale = depth**-0.5 / np.log(2)
    attention_kernel[(length // 64, heads)](Array(q), Array(k), Array(v), out, length, scale, causal, depth, 64, 64)
    score = np.einsum("hmd,hnd->hmn", q.astype(np.float64), k.astype(np.float64)) * depth**-0.5
    if causal:
        score = np.where(np.tril(np.ones((length, length), bool)), score, -np.inf)
    return near(out.numpy(), softmax_of(score) @ v.astype(np.float64), 2e-3)


@case
def attention():
    return attend(False)


@case
def attention_causal():
    return attend(True)


def main():
    failed = 0
    for name in sys.argv[1:] or cases:
        wrong = cases[name]()
        failed += wrong is not None
        print(f"{name}: {wrong or 'right'}", flush=True)
    return failed != 0


if __name__ == "__main__":
    raise SystemExit(main())
