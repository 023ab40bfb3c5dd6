/* algorithms.h - what the programs over CUB and Thrust share: arrays of the device, sizes around the tiles that these
 * libraries cut their inputs into, random values, and the two calls that a CUB algorithm takes.
 *
 * Each check runs one algorithm at all sizes and prints one line. Values of floating point are small whole numbers, so
 * that a sum is the same in every order. With -DWIDE the programs try more types and sizes, which takes minutes. */
#ifndef ALGORITHMS_H
#define ALGORITHMS_H

#include <vector>

#include "program.h"

template <typename T> struct device_array {
    T *at = nullptr;
    size_t len;

    explicit device_array(size_t n) : len(n)
    {
        if (n)
            CHECK(cudaMalloc((void **)&at, n * sizeof(T)));
    }
    explicit device_array(const std::vector<T> &v) : device_array(v.size())
    {
        if (len)
            CHECK(cudaMemcpy(at, v.data(), len * sizeof(T), cudaMemcpyHostToDevice));
    }
    device_array(const device_array &) = delete;
    ~device_array() { CHECK(cudaFree(at)); }
    std::vector<T> host() const { return first(len); }
    std::vector<T> first(size_t n) const
    {
        std::vector<T> v(n);
        if (n)
            CHECK(cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

/* A CUB algorithm is called twice: without memory it says how much it wants. */
#define CUB(function, ...)                                                                                             \
    do {                                                                                                               \
        size_t bytes_ = 0;                                                                                             \
        CHECK(function(nullptr, bytes_, __VA_ARGS__));                                                                 \
        device_array<char> memory_(bytes_);                                                                            \
        CHECK(function(memory_.at, bytes_, __VA_ARGS__));                                                              \
    } while (0)

/* 0, 1, and one less, as many and one more than tiles of several blocks and items a thread. */
static inline std::vector<size_t> sizes()
{
    std::vector<size_t> all = {0, 1};
#ifdef WIDE
    const size_t tiles[] = {32, 128 * 7, 128 * 15, 256 * 4, 256 * 16, 256 * 20, 384 * 12, 384 * 23, 512 * 16, 512 * 24};
    all.push_back(1000000);
#else
    const size_t tiles[] = {32, 256 * 4, 384 * 12};
    all.push_back(20011);
#endif
    for (size_t tile : tiles)
        for (size_t n = tile - 1; n <= tile + 1; n++)
            all.push_back(n);
    return all;
}

/* Twelve bytes: a value that no single load can take. */
struct triple {
    int a, b, c;

    __host__ __device__ bool operator==(const triple &o) const { return a == o.a && b == o.b && c == o.c; }
    __host__ __device__ bool operator!=(const triple &o) const { return !(*this == o); }
    __host__ __device__ bool operator<(const triple &o) const
    {
        return a != o.a ? a < o.a : b != o.b ? b < o.b : c < o.c;
    }
    __host__ __device__ triple operator+(const triple &o) const { return triple{a + o.a, b + o.b, c + o.c}; }
};

template <typename T> struct random_value {
    static T of(unsigned range) { return (T)(random_bits() % range); }
};

template <> struct random_value<triple> {
    static triple of(unsigned range)
    {
        return triple{(int)(random_bits() % range), (int)(random_bits() % 3), (int)(random_bits() % range)};
    }
};

template <typename T> std::vector<T> random_values(size_t n, unsigned range)
{
    std::vector<T> v(n);
    for (T &x : v)
        x = random_value<T>::of(range);
    return v;
}

template <typename T> const char *type_name();
#define TYPE_NAME(type)                                                                                                \
    template <> inline const char *type_name<type>() { return #type; }
TYPE_NAME(signed char)
TYPE_NAME(unsigned char)
TYPE_NAME(short)
TYPE_NAME(int)
TYPE_NAME(unsigned)
TYPE_NAME(unsigned long long)
TYPE_NAME(long long)
TYPE_NAME(__int128)
TYPE_NAME(float)
TYPE_NAME(double)
TYPE_NAME(triple)

/* check(n) for every size; says for which it failed. */
template <typename Check> void at_sizes(const char *what, const char *type, Check check)
{
    bool good = true;
    for (size_t n : sizes())
        if (!check(n)) {
            printf("%s of %s with %zu: wrong\n", what, type, n);
            good = false;
        }
    verdict(good, "%s of %s", what, type);
}

#endif
