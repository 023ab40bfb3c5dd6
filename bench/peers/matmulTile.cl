/* matmulTile - C = A B, square; tiles of A and B in local memory, an element of C a work-item. Groups of 32 x 32. */
__kernel void matmulTile(int n, __global const float *a, __global const float *b, __global float *c)
{
    __local float sa[32][32];
    __local float sb[32][32];
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = get_group_id(1) * 32 + ty;
    int col = get_group_id(0) * 32 + tx;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 32) {
        sa[ty][tx] = a[row * n + t + tx];
        sb[ty][tx] = b[(t + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 32; k++)
            sum += sa[ty][k] * sb[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
