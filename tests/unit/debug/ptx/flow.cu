// flow.cu - variables that are in one register after the other (README.md here)
#define KERNEL extern "C" __attribute__((global)) void
#ifdef __NVCC__
#define THREAD threadIdx.x
#else
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#endif

__attribute__((device, always_inline)) inline int square(int x)
{
    int y = x * x;
    return y;
}

// Left in the middle of the loop, whose end is behind it in the text.
KERNEL middle(int *out)
{
    int t = THREAD;
    int n = 0;
again:
    n += t + 1;
    if (n < 20)
        goto again;
    n = -n;
    out[t] = n;
}

// A copy takes another variable's place.
KERNEL copied(int *out)
{
    int t = THREAD;
    int *a = out + t, *b = out + 2 * t;
    int *c = t % 2 ? a : b;
    *c = 3;
    *a = 4;
    *b = 5;
}

KERNEL hidden(int *out)
{
    int x = THREAD;
    {
        int y = x + 1;
        int x = y * 2;
        out[0] = x;
    }
    for (int x = 0; x < 3; x++)
        out[x] = square(x) + square(x + 1);
    out[1] = x;
}
