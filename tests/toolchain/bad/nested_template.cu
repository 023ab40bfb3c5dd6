// A launch from device code whose template arguments would have to be deduced.
template <class T> __global__ void child(T *p) { *p = 1; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
int main() { parent<<<1, 1>>>(nullptr); }
