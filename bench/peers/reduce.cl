/* reduce - the sum of each group's 512 elements: two a work-item, then halves added in local memory. Groups of 256. */
__kernel void reduce(__global const float *in, __global float *out)
{
    __local float part[256];
    uint t = get_local_id(0);
    uint i = get_group_id(0) * (get_local_size(0) * 2) + t;
    part[t] = in[i] + in[i + get_local_size(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = part[0];
}
