// Nothing compiles this file: the records in this folder point at its lines.
__global__ void vectorAdd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

__global__ void sum(int *out, const int *in)
{
	__shared__ int s[128];
	s[threadIdx.x] = in[threadIdx.x];
	if (threadIdx.x == 0)
		for (int k = 0; k < 128; k++) *out += s[k];
}
