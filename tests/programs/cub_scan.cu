/* cub_scan - CUB's algorithms with decoupled look-back, whose blocks read the sums of those before them as soon as
 * these are published: scans, selections, partitions, run lengths. Then the same in two streams at once and in a graph.
 */
#include <algorithm>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "algorithms.h"

struct plus {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return (T)(a + b); }
};

struct larger {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};

template <typename T> static void sums()
{
    at_sizes("DeviceScan::InclusiveScan, ExclusiveScan", type_name<T>(), [](size_t n) {
        const std::vector<T> v = random_values<T>(n, 8);
        const T first = random_value<T>::of(5);
        device_array<T> in(v), inclusive(n), exclusive(n);
        CUB(cub::DeviceScan::InclusiveScan, in.at, inclusive.at, plus(), n);
        CUB(cub::DeviceScan::ExclusiveScan, in.at, exclusive.at, plus(), first, n);
        const std::vector<T> with = inclusive.host(), without = exclusive.host();
        T sum = first;
        for (size_t i = 0; i < n; i++) {
            if (without[i] != sum)
                return false;
            sum = (T)(sum + v[i]);
            if ((T)(with[i] + first) != sum)
                return false;
        }
        return true;
    });
}

static void other_scans()
{
    at_sizes("DeviceScan::InclusiveScanInit, in place", "int", [](size_t n) {
        const std::vector<int> v = random_values<int>(n, 1 << 24);
        device_array<int> in(v), out(n);
        CUB(cub::DeviceScan::InclusiveScanInit, in.at, out.at, larger(), 1 << 20, n);
        CUB(cub::DeviceScan::ExclusiveSum, in.at, n);
        const std::vector<int> most = out.host(), before = in.host();
        unsigned top = 1 << 20, sum = 0;
        for (size_t i = 0; i < n; i++) {
            top = std::max(top, (unsigned)v[i]);
            if (most[i] != (int)top || (unsigned)before[i] != sum)
                return false;
            sum += (unsigned)v[i];
        }
        return true;
    });
}

/* Keys that stay the same for a while. */
static std::vector<int> runs(size_t n, unsigned longest)
{
    std::vector<int> keys(n);
    for (size_t i = 0; i < n; i++)
        keys[i] = i && random_bits() % longest ? keys[i - 1] : (int)(random_bits() % 5);
    return keys;
}

template <typename T> static void scans_by_key()
{
    at_sizes("DeviceScan::InclusiveSumByKey, ExclusiveSumByKey", type_name<T>(), [](size_t n) {
        const std::vector<int> keys = runs(n, 100);
        const std::vector<T> v = random_values<T>(n, 8);
        device_array<int> in_keys(keys);
        device_array<T> in(v), inclusive(n), exclusive(n);
        CUB(cub::DeviceScan::InclusiveSumByKey, in_keys.at, in.at, inclusive.at, n);
        CUB(cub::DeviceScan::ExclusiveSumByKey, in_keys.at, in.at, exclusive.at, n);
        const std::vector<T> with = inclusive.host(), without = exclusive.host();
        T sum = T();
        for (size_t i = 0; i < n; i++) {
            if (i == 0 || keys[i] != keys[i - 1])
                sum = T();
            if (without[i] != sum)
                return false;
            sum = (T)(sum + v[i]);
            if (with[i] != sum)
                return false;
        }
        return true;
    });
}

template <typename T> struct less_than {
    T limit;

    __host__ __device__ bool operator()(const T &x) const { return x < limit; }
};

template <typename T> static void selections(T limit)
{
    at_sizes("DeviceSelect::If, Flagged", type_name<T>(), [limit](size_t n) {
        const std::vector<T> v = random_values<T>(n, 100);
        const std::vector<unsigned char> flags = random_values<unsigned char>(n, 2);
        device_array<T> in(v), small(n), flagged(n);
        device_array<unsigned char> in_flags(flags);
        device_array<int> counts(2);
        CUB(cub::DeviceSelect::If, in.at, small.at, counts.at, n, less_than<T>{limit});
        CUB(cub::DeviceSelect::Flagged, in.at, in_flags.at, flagged.at, counts.at + 1, n);
        std::vector<T> want, want_flagged;
        for (size_t i = 0; i < n; i++) {
            if (v[i] < limit)
                want.push_back(v[i]);
            if (flags[i])
                want_flagged.push_back(v[i]);
        }
        const std::vector<int> got = counts.host();
        return (size_t)got[0] == want.size() && small.first(want.size()) == want &&
               (size_t)got[1] == want_flagged.size() && flagged.first(want_flagged.size()) == want_flagged;
    });
}

static void uniques()
{
    at_sizes("DeviceSelect::Unique, UniqueByKey, DeviceRunLengthEncode", "int", [](size_t n) {
        const std::vector<int> keys = runs(n, 7), v = random_values<int>(n, 1000);
        device_array<int> in(keys), values(v), unique(n), keys_out(n), values_out(n), counts(3);
        device_array<int> kinds(n), lengths(n), starts(n), long_ones(n), long_count(1);
        CUB(cub::DeviceSelect::Unique, in.at, unique.at, counts.at, n);
        CUB(cub::DeviceSelect::UniqueByKey, in.at, values.at, keys_out.at, values_out.at, counts.at + 1, n);
        CUB(cub::DeviceRunLengthEncode::Encode, in.at, kinds.at, lengths.at, counts.at + 2, (int)n);
        CUB(cub::DeviceRunLengthEncode::NonTrivialRuns, in.at, starts.at, long_ones.at, long_count.at, (int)n);
        std::vector<int> want, firsts, runs_of, from, many;
        for (size_t i = 0, end; i < n; i = end) {
            for (end = i + 1; end < n && keys[end] == keys[i]; end++) {
            }
            want.push_back(keys[i]);
            firsts.push_back(v[i]);
            runs_of.push_back((int)(end - i));
            if (end - i > 1) {
                from.push_back((int)i);
                many.push_back((int)(end - i));
            }
        }
        const size_t k = want.size();
        return counts.host() == std::vector<int>(3, (int)k) && unique.first(k) == want && keys_out.first(k) == want &&
               values_out.first(k) == firsts && kinds.first(k) == want && lengths.first(k) == runs_of &&
               (size_t)long_count.host()[0] == from.size() && starts.first(from.size()) == from &&
               long_ones.first(many.size()) == many;
    });
}

/* What is selected comes first, the rest behind it in reverse. */
template <typename T> static void partitions(T low, T high)
{
    at_sizes("DevicePartition::Flagged, If, three ways", type_name<T>(), [low, high](size_t n) {
        const std::vector<T> v = random_values<T>(n, 100);
        const std::vector<unsigned char> flags = random_values<unsigned char>(n, 2);
        device_array<T> in(v), two(n), flagged(n), below(n), between(n), rest(n);
        device_array<unsigned char> in_flags(flags);
        device_array<int> counts(4);
        CUB(cub::DevicePartition::If, in.at, two.at, counts.at, n, less_than<T>{low});
        CUB(cub::DevicePartition::Flagged, in.at, in_flags.at, flagged.at, counts.at + 1, n);
        CUB(cub::DevicePartition::If, in.at, below.at, between.at, rest.at, counts.at + 2, n, less_than<T>{low},
            less_than<T>{high});
        std::vector<T> want, want_flagged, middle, top;
        for (size_t i = 0; i < n; i++) {
            if (v[i] < low)
                want.push_back(v[i]);
            else
                (v[i] < high ? middle : top).push_back(v[i]);
            if (flags[i])
                want_flagged.push_back(v[i]);
        }
        const std::vector<int> got = counts.host(), should = {(int)want.size(), (int)want_flagged.size(),
                                                              (int)want.size(), (int)middle.size()};
        if (got != should || below.first(want.size()) != want || between.first(middle.size()) != middle ||
            rest.first(top.size()) != top)
            return false;
        for (size_t i = n; i-- > 0;) {
            if (!(v[i] < low))
                want.push_back(v[i]);
            if (!flags[i])
                want_flagged.push_back(v[i]);
        }
        return two.host() == want && flagged.host() == want_flagged;
    });
}

/* A scan and a selection with their memory, to be queued anywhere. */
struct job {
    std::vector<int> v;
    device_array<int> in, sums, small, count;
    device_array<char> memory;
    size_t bytes;

    explicit job(size_t n)
        : v(random_values<int>(n, 100)), in(v), sums(n), small(n), count(1), memory(1 << 20), bytes(1 << 20)
    {
    }
    void queue(cudaStream_t stream)
    {
        CHECK(cub::DeviceScan::InclusiveScan(memory.at, bytes, in.at, sums.at, plus(), in.len, stream));
        CHECK(cub::DeviceSelect::If(memory.at, bytes, in.at, small.at, count.at, in.len, less_than<int>{50}, stream));
    }
    bool right() const
    {
        std::vector<int> want(v.size()), few;
        for (size_t i = 0; i < v.size(); i++) {
            want[i] = v[i] + (i ? want[i - 1] : 0);
            if (v[i] < 50)
                few.push_back(v[i]);
        }
        return sums.host() == want && (size_t)count.host()[0] == few.size() && small.first(few.size()) == few;
    }
};

static void two_streams()
{
    cudaStream_t streams[2];
    job a(60001), b(50003);
    for (cudaStream_t &s : streams)
        CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (int round = 0; round < 3; round++) {
        a.queue(streams[0]);
        b.queue(streams[1]);
    }
    CHECK(cudaDeviceSynchronize());
    verdict(a.right() && b.right(), "in two streams at once");
    for (cudaStream_t s : streams)
        CHECK(cudaStreamDestroy(s));
}

static void graph()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    job a(40009);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    a.queue(stream);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    bool good = true;
    for (int round = 0; round < 3; round++) {
        for (int &x : a.v)
            x = (x + 37) % 100;
        CHECK(cudaMemcpy(a.in.at, a.v.data(), a.v.size() * sizeof(int), cudaMemcpyHostToDevice));
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaStreamSynchronize(stream));
        good &= a.right();
    }
    verdict(good, "in a graph that is launched three times");
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    sums<int>();
    sums<triple>();
    other_scans();
    scans_by_key<int>();
    selections<int>(50);
    uniques();
    partitions<int>(30, 60);
    two_streams();
    graph();
#ifdef WIDE
    sums<signed char>();
    sums<short>();
    sums<long long>();
    sums<__int128>();
    sums<float>();
    sums<double>();
    scans_by_key<signed char>();
    scans_by_key<double>();
    scans_by_key<triple>();
    selections<signed char>(50);
    selections<double>(20);
    selections<__int128>(70);
    selections<triple>(triple{40, 0, 0});
    partitions<short>(30, 60);
    partitions<long long>(10, 90);
    partitions<triple>(triple{30, 1, 1}, triple{31, 0, 0});
#endif
    return failures;
}
