"""tinygrad_ops.py - tinygrad's CUDA backend on Lockstep, by hand: `DEV=CUDA lockstep run python3 tinygrad_ops.py` (NVRTC makes
the code) or `DEV=CUDA:PTX` (tinygrad writes PTX itself). Each result is compared with numpy's."""
import numpy as np
from tinygrad import Tensor

rng = np.random.default_rng(1)


def near(name, got, want, tolerance=1e-4):
    error = float(np.max(np.abs(got - want)))
    print(f"{name}: {'right' if error <= tolerance else f'WRONG by {error}'}")
    return error <= tolerance


def main():
    a, b = (rng.standard_normal(shape, dtype=np.float32) for shape in ((33, 47), (47, 29)))
    x = rng.standard_normal((2, 3, 12, 12), dtype=np.float32)
    w = rng.standard_normal((4, 3, 3, 3), dtype=np.float32)
    e = np.exp(a - a.max(1, keepdims=True))
    conv = sum(np.einsum("nchw,kc->nkhw", x[:, :, i:i + 10, j:j + 10], w[:, :, i, j]) for i in range(3) for j in range(3))
    ta, tb = Tensor(a), Tensor(b)
    good = [
        near("sum", (ta + 1).sum(0).numpy(), (a + 1).sum(0)),
        near("matmul", (ta @ tb).numpy(), a @ b, 1e-3),
        near("softmax", ta.softmax().numpy(), e / e.sum(1, keepdims=True)),
        near("convolution", Tensor(x).conv2d(Tensor(w)).numpy(), conv, 1e-3),
        near("maximum", Tensor(x).max((2, 3)).numpy(), x.max((2, 3)), 0),
        near("cumulative sum", ta.cumsum(1).numpy(), a.cumsum(1), 1e-3),
        near("sorted", ta.sort(1)[0].numpy(), np.sort(a, 1), 0),
    ]
    (gradient,) = (ta @ tb).relu().sum().gradient(tb)
    good.append(near("gradient", gradient.numpy(), a.T @ ((a @ b) > 0).astype(np.float32), 1e-3))
    return 0 if all(good) else 1


raise SystemExit(main())
