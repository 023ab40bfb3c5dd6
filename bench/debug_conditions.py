#!/usr/bin/env python3
"""debug_conditions.py LOCKSTEP [SOURCES] - what a conditional breakpoint costs that never holds, on a line that a warp executes
10^6 times: processor time of the debugger and the program together, beside the same run without a breakpoint; the least of
five runs each. A table on stdout."""
import os
import subprocess
import sys
import tempfile

SOURCE = """
#include <cstdio>
struct pair { int a, b; };
__device__ int limit = -1;
__global__ void work(int *out, int n)
{
    __shared__ int cell[32];
    struct pair p = {1, (int)threadIdx.x};
    cell[threadIdx.x] = 5;
    for (int i = 0; i < n; i++) {
        p.a = p.a * 1664525 + i;
        p.b ^= p.a; // here
        out[threadIdx.x] = p.b;
    }
}
int main()
{
    int *out, host;
    cudaMalloc(&out, 4096);
    work<<<1, 32>>>(out, 1000000);
    cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
    printf("%d\\n", host);
}
"""
CONDITIONS = [None, "i == -5", "i == -5 && threadIdx.x > 3", "p.a == -5", "p.a == -5 && p.b > limit",
              "(char)cell[i & 31] == -3 ? 1 : limit == 9"]
RUNS = 5


def seconds(lockstep, program, line, condition):
    words = ["-ex", "break work.cu:%d if %s" % (line, condition)] if condition else []
    before = os.times()
    said = subprocess.run([lockstep, "debug", "--batch", *words, "-ex", "run", program], stdout=subprocess.PIPE, text=True)
    after = os.times()
    if "ended normally" not in said.stdout:
        sys.exit(said.stdout)
    return after.children_user - before.children_user + after.children_system - before.children_system


def main():
    lockstep = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "work.cu"), os.path.join(folder, "work")
        with open(source, "w") as f:
            f.write(SOURCE)
        subprocess.run([lockstep, "cc", "-cudart", "shared", "-arch=sm_90", "-G", source, "-o", program], check=True)
        line = 1 + ["// here" in text for text in SOURCE.splitlines()].index(True)
        times = {c: min(seconds(lockstep, program, line, c) for _ in range(RUNS)) for c in CONDITIONS}
    print("| condition | s | of the run without |\n| --- | ---: | ---: |")
    for condition, t in times.items():
        print("| %s | %.2f | %.2f |" % ("`%s`" % condition if condition else "none", t, t / times[None]))


if __name__ == "__main__":
    main()
