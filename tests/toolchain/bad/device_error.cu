// An error in a kernel: said once, with its line; the host's half is not compiled.
__global__ void scale(float *x, float by)
{
    x[threadIdx.x] *= bye;
}

int main()
{
    scale<<<1, 32>>>(nullptr, 2);
    undeclared();
}
