/* matmulRegister - C = A B, square; a group has 64 x 64 of C, a work-item 4 x 4 of it. Groups of 16 x 16. */
__kernel void matmulRegister(int n, __global const float *a, __global const float *b, __global float *c)
{
    __local float sa[16][64]; // transposed: sa[k][row]
    __local float sb[16][64];
    int tx = get_local_id(0), ty = get_local_id(1), thread = ty * 16 + tx;
    int row = get_group_id(1) * 64, col = get_group_id(0) * 64;
    float sum[4][4] = {{0}};
    for (int t = 0; t < n; t += 16) {
        for (int i = thread; i < 64 * 16; i += 256) {
            sa[i % 16][i / 16] = a[(row + i / 16) * n + t + i % 16];
            sb[i / 64][i % 64] = b[(t + i / 64) * n + col + i % 64];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) {
            float p[4], q[4];
            for (int i = 0; i < 4; i++) {
                p[i] = sa[k][ty * 4 + i];
                q[i] = sb[k][tx * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += p[i] * q[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + ty * 4 + i) * n + col + tx * 4 + j] = sum[i][j];
}
