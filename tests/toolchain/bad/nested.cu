// A launch from device code, in a dialect that cannot have it here.
__global__ void child(int *p) { *p = 1; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
int main() { parent<<<1, 1>>>(nullptr); }
