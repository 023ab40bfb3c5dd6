/* bitonic - sorts tiles of 1024 keys by a bitonic network in local memory. Groups of 512, two keys a work-item. */
__kernel void bitonic(__global const uint *in, __global uint *out)
{
    __local uint key[1024];
    uint t = get_local_id(0), base = get_group_id(0) * 1024;
    key[t] = in[base + t];
    key[t + 512] = in[base + t + 512];
    for (uint size = 2; size <= 1024; size <<= 1) {
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint at = 2 * t - (t & (stride - 1));
            bool up = (at & size) == 0;
            uint a = key[at], b = key[at + stride];
            if ((a > b) == up) {
                key[at] = b;
                key[at + stride] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + t] = key[t];
    out[base + t + 512] = key[t + 512];
}
