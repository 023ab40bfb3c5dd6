// texture.cu - the kernels of test_texture.c, with the instructions written out: clang without a toolkit has no texture
// functions. texture.ptx is made of it by
//     clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -O2 -S texture.cu -o texture.ptx
#define KERNEL extern "C" __attribute__((global)) void
#define INDEX (int)__nvvm_read_ptx_sreg_tid_x()
typedef unsigned long long handle;
struct float4 { float x, y, z, w; };
struct uint4 { unsigned x, y, z, w; };

// out[i] = the texture at at[i]; at has four floats a thread, of which the layer is the last
#define FETCH(name, instruction, TYPE, letter, coordinates, ...)                                                       \
    KERNEL name(handle t, const float4 *at, TYPE *out, int n)                                                          \
    {                                                                                                                  \
        const int i = INDEX;                                                                                           \
        TYPE v;                                                                                                        \
        if (i >= n)                                                                                                    \
            return;                                                                                                    \
        const float4 c = at[i];                                                                                        \
        asm volatile(instruction " {%0,%1,%2,%3}, [%4, {" coordinates "}];"                                            \
                     : "=" letter(v.x), "=" letter(v.y), "=" letter(v.z), "=" letter(v.w)                              \
                     : "l"(t), __VA_ARGS__);                                                                           \
        out[i] = v;                                                                                                    \
    }

FETCH(fetch_1d, "tex.1d.v4.f32.f32", float4, "f", "%5", "f"(c.x))
FETCH(fetch_1d_texel, "tex.1d.v4.u32.s32", uint4, "r", "%5", "r"((int)c.x))
FETCH(fetch_2d, "tex.2d.v4.f32.f32", float4, "f", "%5,%6", "f"(c.x), "f"(c.y))
FETCH(fetch_2d_u32, "tex.2d.v4.u32.f32", uint4, "r", "%5,%6", "f"(c.x), "f"(c.y))
FETCH(fetch_2d_s32, "tex.2d.v4.s32.f32", uint4, "r", "%5,%6", "f"(c.x), "f"(c.y))
FETCH(fetch_3d, "tex.3d.v4.f32.f32", float4, "f", "%5,%6,%7,%7", "f"(c.x), "f"(c.y), "f"(c.z))
FETCH(fetch_a1d, "tex.a1d.v4.f32.f32", float4, "f", "%6,%5", "f"(c.x), "r"((int)c.w))
FETCH(fetch_a2d, "tex.a2d.v4.f32.f32", float4, "f", "%7,%5,%6,%6", "f"(c.x), "f"(c.y), "r"((int)c.w))
FETCH(gather, "tld4.r.2d.v4.f32.f32", float4, "f", "%5,%6", "f"(c.x), "f"(c.y))

FETCH(fetch_cube, "tex.cube.v4.f32.f32", float4, "f", "%5,%6,%7,%7", "f"(c.x), "f"(c.y), "f"(c.z))
FETCH(fetch_acube, "tex.acube.v4.f32.f32", float4, "f", "%8,%5,%6,%7", "f"(c.x), "f"(c.y), "f"(c.z), "r"((int)c.w))

// The same with a level of detail, at[i].w, or with gradients: (w, 0) and (0, w / 2).
#define DETAIL(name, instruction, place, ...)                                                                          \
    KERNEL name(handle t, const float4 *at, float4 *out, int n)                                                        \
    {                                                                                                                  \
        const int i = INDEX;                                                                                           \
        float4 v;                                                                                                      \
        if (i >= n)                                                                                                    \
            return;                                                                                                    \
        const float4 c = at[i];                                                                                        \
        asm volatile(instruction " {%0,%1,%2,%3}, [%4, " place ";"                                                     \
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)                                                      \
                     : "l"(t), __VA_ARGS__);                                                                           \
        out[i] = v;                                                                                                    \
    }
DETAIL(level_1d, "tex.level.1d.v4.f32.f32", "{%5}], %6", "f"(c.x), "f"(c.w))
DETAIL(level_2d, "tex.level.2d.v4.f32.f32", "{%5,%6}], %7", "f"(c.x), "f"(c.y), "f"(c.w))
DETAIL(level_3d, "tex.level.3d.v4.f32.f32", "{%5,%6,%7,%7}], %8", "f"(c.x), "f"(c.y), "f"(c.z), "f"(c.w))
DETAIL(level_a2d, "tex.level.a2d.v4.f32.f32", "{%8,%5,%6,%6}], %7", "f"(c.x), "f"(c.y), "f"(c.w), "r"((int)c.z))
DETAIL(level_cube, "tex.level.cube.v4.f32.f32", "{%5,%6,%7,%7}], %8", "f"(c.x), "f"(c.y), "f"(c.z), "f"(c.w))
DETAIL(gradient_2d, "tex.grad.2d.v4.f32.f32", "{%5,%6}], {%7,%8}, {%8,%9}", "f"(c.x), "f"(c.y), "f"(c.w), "f"(0.0f),
       "f"(c.w / 2))
DETAIL(gradient_1d, "tex.grad.1d.v4.f32.f32", "{%5}], {%6}, {%7}", "f"(c.x), "f"(c.w / 2), "f"(c.w))
DETAIL(gradient_cube, "tex.grad.cube.v4.f32.f32", "{%5,%6,%7,%7}], {%8,%9,%9,%9}, {%9,%10,%9,%9}", "f"(c.x), "f"(c.y),
       "f"(c.z), "f"(c.w), "f"(0.0f), "f"(c.w / 2))

// width, height of level 0 to 3, and the number of levels
KERNEL level_sizes(handle t, unsigned *out)
{
    unsigned v;
    for (int l = 0; l < 4; l++) {
        asm volatile("txq.level.width.b32 %0, [%1], %2;" : "=r"(v) : "l"(t), "r"(l));
        out[2 * l] = v;
        asm volatile("txq.level.height.b32 %0, [%1], %2;" : "=r"(v) : "l"(t), "r"(l));
        out[2 * l + 1] = v;
    }
    asm volatile("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(v) : "l"(t));
    out[8] = v;
}

// The forms with more operands. Each leaves its first component.
KERNEL variants(handle t, const float4 *at, float *out, unsigned *halves)
{
    const float4 c = at[0];
    float x, y, z, w;
    unsigned p, q;
    asm volatile("tex.level.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], %7;"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(t), "f"(c.x), "f"(c.y), "f"(0.0f));
    out[0] = x;
    asm volatile("tex.grad.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {%7,%8}, {%8,%7};"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(t), "f"(c.x), "f"(c.y), "f"(1.0f), "f"(0.0f));
    out[1] = x;
    asm volatile("tex.base.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {%7,%8};"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(t), "f"(c.x), "f"(c.y), "r"(1), "r"(-1));
    out[2] = x;
    asm volatile("{ .reg .pred r; tex.2d.v4.f32.f32 {%0,%1,%2,%3}|r, [%5, {%6,%7}]; selp.u32 %4, 1, 0, r; }"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w), "=r"(p) : "l"(t), "f"(c.x), "f"(c.y));
    out[3] = x;
    halves[0] = p;
    asm volatile("tex.2d.v2.f16x2.f32 {%0,%1}, [%2, {%3,%4}];" : "=r"(p), "=r"(q) : "l"(t), "f"(c.x), "f"(c.y));
    halves[1] = p;
    halves[2] = q;
    unsigned short a, b, e, d;
    asm volatile("tex.2d.v4.f16.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];"
                 : "=h"(a), "=h"(b), "=h"(e), "=h"(d) : "l"(t), "f"(c.x), "f"(c.y));
    halves[3] = a | (unsigned)d << 16;
}

#define QUERY(instruction, k)                                                                                          \
    asm volatile(instruction " %0, [%1];" : "=r"(v) : "l"(t));                                                         \
    out[k] = v

KERNEL texture_queries(handle t, unsigned *out)
{
    unsigned v;
    QUERY("txq.width.b32", 0);
    QUERY("txq.height.b32", 1);
    QUERY("txq.depth.b32", 2);
    QUERY("txq.array_size.b32", 3);
    QUERY("txq.channel_data_type.b32", 4);
    QUERY("txq.channel_order.b32", 5);
    QUERY("txq.normalized_coords.b32", 6);
    QUERY("txq.num_mipmap_levels.b32", 7);
    asm volatile("txq.level.width.b32 %0, [%1], %2;" : "=r"(v) : "l"(t), "r"(0));
    out[8] = v;
}

KERNEL surface_queries(handle t, unsigned *out)
{
    unsigned v;
    QUERY("suq.width.b32", 0);
    QUERY("suq.height.b32", 1);
    QUERY("suq.depth.b32", 2);
    QUERY("suq.array_size.b32", 3);
    QUERY("suq.channel_data_type.b32", 4);
    QUERY("suq.channel_order.b32", 5);
}

// Thread i reads the word at byte x[i] of row y[i], adds 1 and writes it to row y[i] + 1.
#define MOVE(name, bounds)                                                                                             \
    KERNEL name(handle s, const int *x, const int *y, unsigned *out, int n)                                            \
    {                                                                                                                  \
        const int i = INDEX;                                                                                           \
        unsigned v;                                                                                                    \
        if (i >= n)                                                                                                    \
            return;                                                                                                    \
        asm volatile("suld.b.2d.b32" bounds " {%0}, [%1, {%2,%3}];" : "=r"(v) : "l"(s), "r"(x[i]), "r"(y[i]));         \
        out[i] = v;                                                                                                    \
        asm volatile("sust.b.2d.b32" bounds " [%0, {%1,%2}], {%3};" ::"l"(s), "r"(x[i]), "r"(y[i] + 1), "r"(v + 1));   \
    }
MOVE(move_trap, ".trap")
MOVE(move_clamp, ".clamp")
MOVE(move_zero, ".zero")

// Every width and shape: b8 to b64, vectors, one, three dimensions, layers.
KERNEL surface_widths(handle line, handle box, handle layers, unsigned long long *out)
{
    unsigned short a, b, c, d;
    unsigned p, q;
    unsigned long long wide;
    asm volatile("sust.b.1d.v4.b8.trap [%0, {%1}], {%2,%3,%4,%5};" ::"l"(line), "r"(4), "h"((unsigned short)1),
                 "h"((unsigned short)2), "h"((unsigned short)0x103), "h"((unsigned short)255));
    asm volatile("suld.b.1d.v4.b8.trap {%0,%1,%2,%3}, [%4, {%5}];" : "=h"(a), "=h"(b), "=h"(c), "=h"(d)
                 : "l"(line), "r"(4));
    out[0] = a | b << 8 | c << 16 | (unsigned long long)d << 24;
    asm volatile("suld.b.1d.b16.trap {%0}, [%1, {%2}];" : "=h"(a) : "l"(line), "r"(6));
    out[1] = a;
    asm volatile("sust.b.3d.v2.b32.trap [%0, {%1,%2,%3,%3}], {%4,%5};" ::"l"(box), "r"(8), "r"(1), "r"(2), "r"(77),
                 "r"(88));
    asm volatile("suld.b.3d.v2.b32.trap {%0,%1}, [%2, {%3,%4,%5,%5}];" : "=r"(p), "=r"(q)
                 : "l"(box), "r"(8), "r"(1), "r"(2));
    out[2] = p | (unsigned long long)q << 32;
    asm volatile("sust.b.a2d.b64.trap [%0, {%1,%2,%3,%3}], {%4};" ::"l"(layers), "r"(1), "r"(8), "r"(0),
                 "l"(0x123456789abcdef0ull));
    asm volatile("suld.b.a2d.b64.trap {%0}, [%1, {%2,%3,%4,%4}];" : "=l"(wide) : "l"(layers), "r"(1), "r"(8), "r"(0));
    out[3] = wide;
}

// A handle of its own for every thread.
KERNEL fetch_each(const handle *t, float *out)
{
    const int i = INDEX;
    float x, y, z, w;
    asm volatile("tex.1d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5}];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                 : "l"(t[i]), "r"(i));
    out[i] = x;
}
