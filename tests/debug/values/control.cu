// control.cu - loops, branches and returns, whose variables are compared at every line (test_values.py).
#include <cstdio>

__global__ void loops(int n, const int *in, int *out)
{ //+ out[threadIdx.x]; n; in[3]
    int sum = 0; //+ sum
    for (int i = threadIdx.x; i < n; i += blockDim.x) { //+ i
        int x = in[i]; //+ x
        sum += x;
    }
    int k = 3; //+ k
    while (k > 0) {
        sum ^= k << 4;
        k--;
    }
    do {
        k += 2;
        sum -= k;
    } while (k < 5);
    for (int i = 0; i < 3; i++) { //+ i
        for (int j = i; j < 3; j++) { //+ j
            if (j == 2)
                continue;
            sum += i * j;
        }
        if (sum % 5 == 0)
            break;
    }
    out[threadIdx.x] = sum;
}

// Names that hide others.
__global__ void shadows(int *out)
{ //+ out[threadIdx.x]
    int x = threadIdx.x; //+ x
    int y = x * 2; //+ y
    {
        int z = x + 100; //+ z
        int x = z * 2; //+ x
        x += y;
        y = x;
    }
    x += y;
    for (int y = 0; y < 2; y++) { //+ y
        float x = y * 0.5f; //+ x
        x += 1;
        out[threadIdx.x] = (int)x;
    }
    out[threadIdx.x] += x;
}

__global__ void early(int n, int *out)
{ //+ out[threadIdx.x]; n
    int i = threadIdx.x; //+ i
    if (i >= n)
        return;
    int v = i * i; //+ v
    if (v > 200) {
        out[i] = -1;
        return;
    }
    v += 3;
    out[i] = v;
}

__global__ void chosen(int *out)
{ //+ out[threadIdx.x]
    int t = threadIdx.x; //+ t
    int v = 0; //+ v
    switch (t % 5) {
    case 0:
        v = t;
        break;
    case 1: {
        int twice = t * 2; //+ twice
        v = twice + 1;
        break;
    }
    case 2:
        v = -t;
        // falls through
    case 3:
        v -= 10;
        break;
    default:
        v = 99;
    }
    out[t] = v;
}

__global__ void parted(int *out)
{ //+ out[threadIdx.x]
    int t = threadIdx.x; //+ t
    int v; //
    if (t % 2) {
        int odd = t * 10; //+ odd
        if (t % 3 == 0) {
            odd++;
            v = odd;
        } else {
            int third = odd / 3; //+ third
            v = third + odd;
        }
    } else if (t > 16) {
        v = t - 16;
    } else {
        v = 0;
        for (int i = 0; i < t; i += 3) { //+ i
            v += i;
        }
    }
    v++; //+ v
    int w = t < 5 ? v : -v; //+ w
    w += t > 30 || v > 3;
    out[t] = w;
}

__device__ __noinline__ int fibonacci(int n)
{ //+ n
    if (n < 2)
        return n;
    int a = fibonacci(n - 1); //+ a
    int b = fibonacci(n - 2); //+ b
    return a + b;
}

__global__ void recursion(int *out)
{ //+ out[threadIdx.x]
    int t = threadIdx.x; //+ t
    int v = fibonacci(t % 4); //+ v
    v += t;
    out[t] = v;
}

__device__ __noinline__ void swap_larger(int *a, int *b)
{ //+ *a; *b
    int before = *a; //+ before
    if (*a >= *b)
        return;
    *a = *b;
    *b = before;
}

__global__ void calls(int *out)
{ //+ out[threadIdx.x]
    int t = threadIdx.x; //+ t
    int small = t % 7; //+ small
    int large = t % 3; //+ large
    swap_larger(&small, &large);
    small += 10 * large;
    out[t] = small;
}

__global__ void jumps(int *out)
{ //+ out[threadIdx.x]
    int t = threadIdx.x; //+ t
    int n = 0; //+ n
again:
    n += t + 1;
    if (n < 20)
        goto again;
    n = -n;
    out[t] = n;
}

int main()
{
    int host[128], *in, *out;
    for (int k = 0; k < 128; k++)
        host[k] = k * 7 % 31;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    loops<<<2, 40>>>(100, in, out);
    shadows<<<1, 32>>>(out);
    early<<<1, 40>>>(35, out);
    chosen<<<1, 32>>>(out);
    parted<<<1, 32>>>(out);
    cudaDeviceSetLimit(cudaLimitStackSize, 8192);
    recursion<<<1, 32>>>(out);
    calls<<<1, 32>>>(out);
    jumps<<<1, 32>>>(out);
    const cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e != cudaSuccess;
}
