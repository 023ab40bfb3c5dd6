// A kernel calls a function of the host.
int twice(int x) { return 2 * x; }

__global__ void k(int *x) { *x = twice(*x); }

int main() { k<<<1, 1>>>(nullptr); }
