/* nbody - the acceleration of each body by all others, tiles of bodies in local memory. Groups of 256. */
__kernel void nbody(int n, float soft, __global const float4 *body, __global float4 *acc)
{
    __local float4 tile[256];
    int i = get_global_id(0);
    float4 me = body[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int t = 0; t < n; t += 256) {
        tile[get_local_id(0)] = body[t + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float near = native_rsqrt(dx * dx + dy * dy + dz * dz + soft);
            float s = other.w * near * near * near;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc[i] = (float4)(ax, ay, az, 0.0f);
}
