// A warning is said once, though the file is compiled twice.
__global__ void nothing() {}

int main()
{
    int unused = 3;
    nothing<<<1, 1>>>();
}
