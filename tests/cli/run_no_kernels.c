/* run_no_kernels.c - what nvcc makes of a program on the driver API, without kernels of its own, with the shared runtime:
 * an empty fat binary that is never registered, and code that would take it back. */
extern void __cudaUnregisterFatBinary(void **handle);

__attribute__((section(".nv_fatbin"), used)) static const unsigned char code[64] = {0x50, 0xed, 0x55, 0xba,
                                                                                    1,    0,    16,   0};

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 99)
        __cudaUnregisterFatBinary(0);
    return code[0] != 0x50;
}
