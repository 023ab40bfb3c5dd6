/* histogram - 256 bins of bytes: counted in local memory, then added to the whole. Groups of 256, a work-item a bin. */
__kernel void histogram(int n, __global const uchar *in, __global uint *bins)
{
    __local uint part[256];
    part[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int stride = get_global_size(0);
    for (int i = get_global_id(0); i < n; i += stride)
        atomic_add(&part[in[i]], 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[get_local_id(0)], part[get_local_id(0)]);
}
