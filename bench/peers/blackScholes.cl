/* blackScholes - the prices of European options, an option a work-item; exponential and logarithm are OpenCL's native ones.
 * Groups of 128. */
float cnd(float d)
{
    float k = native_divide(1.0f, 1.0f + 0.2316419f * fabs(d));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228040143267794f * native_exp(-0.5f * d * d) * poly;
    return d > 0.0f ? 1.0f - tail : tail;
}

__kernel void blackScholes(int n, float rate, float sigma, __global const float *price, __global const float *strike,
                           __global const float *years, __global float *call, __global float *put)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i];
    float root = sqrt(t);
    float d1 = native_divide(native_log(s / x) + (rate + 0.5f * sigma * sigma) * t, sigma * root);
    float d2 = d1 - sigma * root;
    float n1 = cnd(d1), n2 = cnd(d2);
    float later = x * native_exp(-rate * t);
    call[i] = s * n1 - later * n2;
    put[i] = later * (1.0f - n2) - s * (1.0f - n1);
}
