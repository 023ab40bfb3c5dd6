/* stencil5 - a step of heat flow on a square: each inner point from itself and its four neighbours. Groups of 32 x 8. */
__kernel void stencil5(int n, float k, __global const float *in, __global float *out)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1)
        return;
    int i = y * n + x;
    out[i] = in[i] + k * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4.0f * in[i]);
}
