/* cub_sort - CUB's sorts: by digits (keys, pairs, ranges of bits, numbers of all kinds, structs taken apart), by
 * merging, by segment; and merging itself. */
#include <algorithm>
#include <cmath>
#include <numeric>

#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "algorithms.h"

struct less {
    template <typename T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};

/* All of a number's bits, negative ones and zeros of both signs too. */
template <typename T> struct any_value {
    static T of()
    {
        T x = 0;
        for (size_t i = 0; i < sizeof(T); i += 2)
            x = (T)(x ^ (T)((T)random_bits() << (8 * i)));
        return x;
    }
};

template <> struct any_value<float> {
    static float of()
    {
        return random_bits() % 50 == 0 ? -0.0f : ldexpf(random_unit() - 0.5f, (int)(random_bits() % 60) - 30);
    }
};

template <> struct any_value<double> {
    static double of()
    {
        return random_bits() % 50 == 0 ? 0.0 : ldexp(random_unit() - 0.5, (int)(random_bits() % 600) - 300);
    }
};

template <typename T> static std::vector<T> any_values(size_t n)
{
    std::vector<T> v(n);
    for (T &x : v)
        x = any_value<T>::of();
    return v;
}

static std::vector<int> counted(size_t n)
{
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), 0);
    return v;
}

template <typename T> static void radix_keys()
{
    at_sizes("DeviceRadixSort::SortKeys", type_name<T>(), [](size_t n) {
        std::vector<T> v = any_values<T>(n);
        device_array<T> in(v), out(n);
        CUB(cub::DeviceRadixSort::SortKeys, in.at, out.at, n);
        std::stable_sort(v.begin(), v.end());
        return out.host() == v;
    });
}

/* Descending, of some bits only, with values: equal keys stay in their order. */
template <typename T> static void radix_pairs(int low, int high)
{
    at_sizes("DeviceRadixSort::SortPairsDescending, of some bits,", type_name<T>(), [low, high](size_t n) {
        const std::vector<T> v = any_values<T>(n);
        std::vector<int> order = counted(n);
        device_array<T> in(v), out(n);
        device_array<int> values(order), moved(n);
        CUB(cub::DeviceRadixSort::SortPairsDescending, in.at, out.at, values.at, moved.at, n, low, high);
        const unsigned long long mask = (1ULL << (high - low)) - 1;
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return ((unsigned long long)v[a] >> low & mask) > ((unsigned long long)v[b] >> low & mask);
        });
        const std::vector<T> keys = out.host();
        for (size_t i = 0; i < n; i++)
            if (keys[i] != v[order[i]])
                return false;
        return moved.host() == order;
    });
}

struct members {
    __host__ __device__ cuda::std::tuple<int &, int &, int &> operator()(triple &t) const { return {t.a, t.b, t.c}; }
};

static void radix_structs()
{
    at_sizes("DeviceRadixSort::SortKeys with a decomposer", "triple", [](size_t n) {
        std::vector<triple> v = random_values<triple>(n, 1 << 20);
        device_array<triple> in(v), out(n);
        CUB(cub::DeviceRadixSort::SortKeys, in.at, out.at, n, members());
        std::sort(v.begin(), v.end());
        return out.host() == v;
    });
}

template <typename T> static void merge_sort()
{
    at_sizes("DeviceMergeSort::StableSortPairs", type_name<T>(), [](size_t n) {
        const std::vector<T> v = random_values<T>(n, 100);
        std::vector<int> order = counted(n);
        device_array<T> keys(v);
        device_array<int> values(order);
        CUB(cub::DeviceMergeSort::StableSortPairs, keys.at, values.at, n, less());
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return v[a] < v[b]; });
        const std::vector<T> got = keys.host();
        for (size_t i = 0; i < n; i++)
            if (got[i] != v[order[i]])
                return false;
        return values.host() == order;
    });
}

template <typename T> static void merge()
{
    at_sizes("DeviceMerge::MergeKeys", type_name<T>(), [](size_t n) {
        std::vector<T> a = random_values<T>(n, 1000), b = random_values<T>(n / 3 + 5, 1000), want(a.size() + b.size());
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
        device_array<T> left(a), right(b), out(want.size());
        CUB(cub::DeviceMerge::MergeKeys, left.at, (long long)a.size(), right.at, (long long)b.size(), out.at, less());
        return out.host() == want;
    });
}

/* Segments of all lengths, empty ones too. */
static std::vector<int> segments(size_t n)
{
    std::vector<int> ends = {0};
    while (ends.back() < (int)n) {
        const unsigned length = random_bits() % 4 ? random_bits() % 40 : random_bits() % 6000;
        ends.push_back(std::min((int)n, ends.back() + (int)length));
    }
    return ends;
}

template <typename T> static void segmented()
{
    at_sizes("DeviceSegmentedSort, DeviceSegmentedRadixSort", type_name<T>(), [](size_t n) {
        std::vector<T> v = any_values<T>(n);
        const std::vector<int> ends = segments(n);
        const int count = (int)ends.size() - 1;
        device_array<T> in(v), sorted(v), by_digits(v);
        device_array<int> offsets(ends);
        CUB(cub::DeviceSegmentedSort::StableSortKeys, in.at, sorted.at, (int)n, count, offsets.at, offsets.at + 1);
        CUB(cub::DeviceSegmentedRadixSort::SortKeys, in.at, by_digits.at, (int)n, count, offsets.at, offsets.at + 1);
        for (int s = 0; s < count; s++)
            std::sort(v.begin() + ends[s], v.begin() + ends[s + 1]);
        return sorted.host() == v && by_digits.host() == v;
    });
}

int main()
{
    radix_keys<float>();
    radix_pairs<unsigned>(3, 25);
    merge_sort<triple>();
    merge<int>();
    segmented<int>();
#ifdef WIDE
    radix_keys<signed char>();
    radix_keys<short>();
    radix_keys<long long>();
    radix_keys<__int128>();
    radix_keys<double>();
    radix_pairs<unsigned char>(1, 6);
    radix_pairs<unsigned long long>(7, 50);
    radix_structs();
    merge_sort<signed char>();
    merge_sort<double>();
    merge_sort<__int128>();
    merge<double>();
    merge<triple>();
    segmented<signed char>();
    segmented<double>();
#else
    (void)radix_structs;
#endif
    return failures;
}
