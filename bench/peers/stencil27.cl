/* stencil27 - each inner point of a cube from the 27 points around it, weighted by their distance. Groups of 32 x 4 x 2. */
__kernel void stencil27(int n, float c0, float c1, float c2, float c3, __global const float *in, __global float *out)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);
    if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1 || z < 1 || z >= n - 1)
        return;
    int m = n * n; // a plane
    int i = z * m + y * n + x;
    __global const float *p = in + i;
    out[i] = c0 * p[0] + c1 * (p[-1] + p[1] + p[-n] + p[n] + p[-m] + p[m]) +
             c2 * (p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1] + p[-m - 1] + p[-m + 1] + p[m - 1] + p[m + 1] +
                   p[-m - n] + p[-m + n] + p[m - n] + p[m + n]) +
             c3 * (p[-m - n - 1] + p[-m - n + 1] + p[-m + n - 1] + p[-m + n + 1] + p[m - n - 1] + p[m - n + 1] +
                   p[m + n - 1] + p[m + n + 1]);
}
