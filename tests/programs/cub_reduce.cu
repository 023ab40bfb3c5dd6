/* cub_reduce - CUB's reductions, whole, by key and by segment, and what it has without look-back: histograms, adjacent
 * differences, batches of copies, loops and transforms. */
#include <algorithm>
#include <limits>
#include <numeric>

#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_copy.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_transform.cuh>

#include "algorithms.h"

struct plus {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return (T)(a + b); }
};

struct exclusive_or {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return a ^ b; }
};

struct times_three {
    __host__ __device__ int operator()(int x) const { return 3 * x; }
};

template <typename T> static void sum_of()
{
    at_sizes("DeviceReduce::Reduce", type_name<T>(), [](size_t n) {
        const std::vector<T> v = random_values<T>(n, 16);
        device_array<T> in(v), out(1);
        CUB(cub::DeviceReduce::Reduce, in.at, out.at, n, plus(), T());
        return out.host()[0] == std::accumulate(v.begin(), v.end(), T(), plus());
    });
}

static void extremes()
{
    at_sizes("DeviceReduce::Min, Max, Sum", "int", [](size_t n) {
        const std::vector<int> v = random_values<int>(n, 1 << 24);
        device_array<int> in(v), out(3);
        CUB(cub::DeviceReduce::Min, in.at, out.at, n);
        CUB(cub::DeviceReduce::Max, in.at, out.at + 1, n);
        CUB(cub::DeviceReduce::Sum, in.at, out.at + 2, n);
        const std::vector<int> got = out.host();
        unsigned sum = 0;
        int least = std::numeric_limits<int>::max(), most = std::numeric_limits<int>::lowest();
        for (int x : v) {
            least = std::min(least, x);
            most = std::max(most, x);
            sum += (unsigned)x;
        }
        return got[0] == least && got[1] == most && (unsigned)got[2] == sum;
    });
    at_sizes("DeviceReduce::ArgMin", "double", [](size_t n) {
        const std::vector<double> v = random_values<double>(n, 1 << 24);
        device_array<double> in(v), value(1);
        device_array<long long> index(1);
        CUB(cub::DeviceReduce::ArgMin, in.at, value.at, index.at, (long long)n);
        return n == 0 || (index.host()[0] == std::min_element(v.begin(), v.end()) - v.begin() &&
                          value.host()[0] == *std::min_element(v.begin(), v.end()));
    });
    at_sizes("DeviceReduce::TransformReduce", "int", [](size_t n) {
        const std::vector<int> v = random_values<int>(n, 1 << 24);
        device_array<int> in(v), out(1);
        CUB(cub::DeviceReduce::TransformReduce, in.at, out.at, n, exclusive_or(), times_three(), 7);
        int want = 7;
        for (int x : v)
            want ^= 3 * x;
        return out.host()[0] == want;
    });
}

/* Keys in runs of 1 to about `longest`. */
static std::vector<int> runs(size_t n, unsigned longest)
{
    std::vector<int> keys(n);
    int key = 0;
    for (size_t i = 0, left = 0; i < n; i++, left--) {
        if (left == 0) {
            key += 1 + (int)(random_bits() % 3);
            left = 1 + random_bits() % longest;
        }
        keys[i] = key;
    }
    return keys;
}

template <typename T> static void by_key()
{
    at_sizes("DeviceReduce::ReduceByKey", type_name<T>(), [](size_t n) {
        const std::vector<int> keys = runs(n, 1 + (unsigned)(n / 50));
        const std::vector<T> v = random_values<T>(n, 8);
        device_array<int> in_keys(keys), unique(n), count(1);
        device_array<T> in(v), out(n);
        CUB(cub::DeviceReduce::ReduceByKey, in_keys.at, unique.at, in.at, out.at, count.at, plus(), (int)n);
        std::vector<int> want_keys;
        std::vector<T> want;
        for (size_t i = 0; i < n; i++) {
            if (i == 0 || keys[i] != keys[i - 1]) {
                want_keys.push_back(keys[i]);
                want.push_back(v[i]);
            } else {
                want.back() = (T)(want.back() + v[i]);
            }
        }
        const size_t got = (size_t)count.host()[0];
        return got == want.size() && unique.first(got) == want_keys && out.first(got) == want;
    });
}

/* Segments of all lengths, empty ones too. */
static std::vector<int> segments(size_t n)
{
    std::vector<int> offsets = {0};
    while (offsets.back() < (int)n)
        offsets.push_back(
            std::min((int)n, offsets.back() + (int)(random_bits() % 3 ? random_bits() % 40 : random_bits() % 3000)));
    return offsets;
}

template <typename T> static void segmented()
{
    at_sizes("DeviceSegmentedReduce::Sum, Max", type_name<T>(), [](size_t n) {
        const std::vector<int> offsets = segments(n);
        const std::vector<T> v = random_values<T>(n, 16);
        const int count = (int)offsets.size() - 1;
        device_array<T> in(v), sums((size_t)count), largest((size_t)count);
        device_array<int> ends(offsets);
        CUB(cub::DeviceSegmentedReduce::Sum, in.at, sums.at, count, ends.at, ends.at + 1);
        CUB(cub::DeviceSegmentedReduce::Max, in.at, largest.at, count, ends.at, ends.at + 1);
        const std::vector<T> got = sums.host(), most = largest.host();
        for (int s = 0; s < count; s++) {
            T sum = T(), top = std::numeric_limits<T>::lowest();
            for (int i = offsets[s]; i < offsets[s + 1]; i++) {
                sum = (T)(sum + v[i]);
                top = std::max(top, v[i]);
            }
            if (got[s] != sum || most[s] != top)
                return false;
        }
        return true;
    });
}

template <typename T> static void histograms(int bins)
{
    char what[64];
    snprintf(what, sizeof what, "DeviceHistogram, %d bins,", bins);
    at_sizes(what, type_name<T>(), [bins](size_t n) {
        const std::vector<T> v = random_values<T>(n, (unsigned)bins + 5); // some are outside
        std::vector<int> even(bins), ranges(bins - 1), levels(bins);
        for (int i = 0; i < bins; i++)
            levels[i] = i + i / 3;
        for (T x : v) {
            if (x < (T)bins)
                even[(int)x]++;
            const int above = (int)(std::upper_bound(levels.begin(), levels.end(), (int)x) - levels.begin());
            if (above > 0 && above < bins)
                ranges[above - 1]++;
        }
        const std::vector<T> as_levels(levels.begin(), levels.end());
        device_array<T> in(v), edges(as_levels);
        device_array<int> counts((size_t)bins), in_ranges((size_t)bins - 1);
        CUB(cub::DeviceHistogram::HistogramEven, in.at, counts.at, bins + 1, T(0), (T)bins, (int)n);
        CUB(cub::DeviceHistogram::HistogramRange, in.at, in_ranges.at, bins, edges.at, (int)n);
        return counts.host() == even && in_ranges.host() == ranges;
    });
}

/* Four channels a pixel, three of them counted. */
static void channels()
{
    at_sizes("DeviceHistogram::MultiHistogramEven", "unsigned char", [](size_t n) {
        const std::vector<unsigned char> v = random_values<unsigned char>(4 * n, 256);
        std::vector<int> want(3 * 256);
        for (size_t i = 0; i < n; i++)
            for (int c = 0; c < 3; c++)
                want[256 * c + v[4 * i + c]]++;
        device_array<unsigned char> in(v);
        device_array<int> counts(3 * 256);
        int *each[3] = {counts.at, counts.at + 256, counts.at + 512}, levels[3] = {257, 257, 257};
        int lower[3] = {0, 0, 0}, upper[3] = {256, 256, 256};
        CUB((cub::DeviceHistogram::MultiHistogramEven<4, 3>), in.at, each, levels, lower, upper, (int)n);
        return counts.host() == want;
    });
}

template <typename T> static void differences()
{
    at_sizes("DeviceAdjacentDifference", type_name<T>(), [](size_t n) {
        const std::vector<T> v = random_values<T>(n, 100);
        device_array<T> in(v), left(n), right(v);
        CUB(cub::DeviceAdjacentDifference::SubtractLeftCopy, in.at, left.at, n);
        CUB(cub::DeviceAdjacentDifference::SubtractRight, right.at, n);
        std::vector<T> before(v), behind(v);
        for (size_t i = 1; i < n; i++)
            before[i] = (T)(v[i] - v[i - 1]);
        for (size_t i = 0; i + 1 < n; i++)
            behind[i] = (T)(v[i] - v[i + 1]);
        return left.host() == before && right.host() == behind;
    });
}

/* Pieces of an array to places in another that keep their order but leave gaps. */
static void batches()
{
    at_sizes("DeviceMemcpy::Batched, DeviceCopy::Batched", "unsigned char", [](size_t n) {
        const std::vector<int> offsets = segments(n);
        const size_t count = offsets.size() - 1;
        const std::vector<unsigned char> v = random_values<unsigned char>(n, 256);
        std::vector<unsigned char> want(n + 3 * count + 1);
        device_array<unsigned char> in(v), out(want), copied(want);
        std::vector<unsigned char *> from(count), to(count), to2(count);
        std::vector<int> lengths(count);
        for (size_t s = 0; s < count; s++) {
            const size_t place = (size_t)offsets[s] + 3 * s;
            from[s] = in.at + offsets[s];
            to[s] = out.at + place;
            to2[s] = copied.at + place;
            lengths[s] = offsets[s + 1] - offsets[s];
            std::copy(v.begin() + offsets[s], v.begin() + offsets[s + 1], want.begin() + (long)place);
        }
        device_array<unsigned char *> froms(from), tos(to), tos2(to2);
        device_array<int> lens(lengths);
        CUB(cub::DeviceMemcpy::Batched, (void **)froms.at, (void **)tos.at, lens.at, (long long)count);
        CUB(cub::DeviceCopy::Batched, froms.at, tos2.at, lens.at, (long long)count);
        return out.host() == want && copied.host() == want;
    });
}

struct halve {
    __device__ void operator()(float &x) const { x *= 0.5f; }
};

struct set_square {
    long long *at;

    __device__ void operator()(int i) const { at[i] = (long long)i * i; }
};

struct weighted {
    __host__ __device__ float operator()(float x, short y) const { return 2 * x + (float)y; }
};

static void loops()
{
    at_sizes("DeviceFor, DeviceTransform", "float", [](size_t n) {
        const std::vector<float> v = random_values<float>(n, 1000);
        const std::vector<short> w = random_values<short>(n, 1000);
        device_array<float> halved(v), x(v), sum(n);
        device_array<short> y(w);
        device_array<long long> squares(n);
        CHECK(cub::DeviceFor::ForEach(halved.at, halved.at + n, halve()));
        CHECK(cub::DeviceFor::Bulk((int)n, set_square{squares.at}));
        CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(x.at, y.at), sum.at, (int)n, weighted()));
        const std::vector<float> half = halved.host(), both = sum.host();
        const std::vector<long long> square = squares.host();
        for (size_t i = 0; i < n; i++)
            if (half[i] != v[i] * 0.5f || square[i] != (long long)(i * i) || both[i] != weighted()(v[i], w[i]))
                return false;
        return true;
    });
}

int main()
{
    sum_of<float>();
    sum_of<triple>();
    extremes();
    by_key<int>();
    segmented<int>();
    histograms<float>(64);
    differences<int>();
    batches();
    loops();
#ifdef WIDE
    sum_of<signed char>();
    sum_of<short>();
    sum_of<long long>();
    sum_of<__int128>();
    sum_of<double>();
    by_key<float>();
    by_key<double>();
    by_key<triple>();
    by_key<__int128>();
    by_key<signed char>();
    segmented<double>();
    segmented<long long>();
    histograms<float>(3000);
    histograms<int>(3000);
    histograms<unsigned char>(200);
    channels();
    differences<signed char>();
    differences<double>();
#else
    (void)channels;
#endif
    return failures;
}
