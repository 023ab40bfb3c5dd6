/* thrust_algorithms - Thrust's algorithms as programs use them: on device vectors of numbers and structs, with zipped
 * and counting iterators, in a stream, and on memory that host and device share. */
#include <algorithm>
#include <map>
#include <numeric>

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <thrust/universal_vector.h>

#include "algorithms.h"

static std::vector<int> host(const thrust::device_vector<int> &v)
{
    std::vector<int> h(v.size());
    thrust::copy(v.begin(), v.end(), h.begin());
    return h;
}

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};

struct square {
    __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};

static void sorting(const std::vector<int> &v)
{
    std::vector<int> order(v.size()), sorted(v);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return v[a] < v[b]; });
    std::sort(sorted.begin(), sorted.end());
    thrust::device_vector<int> keys(v.begin(), v.end()),
        values(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>((int)v.size()));
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
    verdict(host(keys) == sorted && host(values) == order, "stable_sort_by_key");

    thrust::device_vector<int> unique(keys), counts(v.size());
    std::vector<int> want(sorted);
    want.erase(std::unique(want.begin(), want.end()), want.end());
    unique.erase(thrust::unique(unique.begin(), unique.end()), unique.end());
    verdict(host(unique) == want, "unique");

    std::map<int, int> times;
    for (int x : v)
        times[x]++;
    thrust::device_vector<int> ones(v.size(), 1), kinds(v.size());
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), ones.begin(), kinds.begin(), counts.begin());
    kinds.erase(ends.first, kinds.end());
    counts.erase(ends.second, counts.end());
    bool good = host(kinds) == want;
    const std::vector<int> got = host(counts);
    for (size_t i = 0; good && i < want.size(); i++)
        good = got[i] == times[want[i]];
    verdict(good, "reduce_by_key");

    thrust::device_vector<int> wanted(v.begin(), v.end()), places(v.size());
    thrust::lower_bound(unique.begin(), unique.end(), wanted.begin(), wanted.end(), places.begin());
    const std::vector<int> at = host(places);
    good = true;
    for (size_t i = 0; i < v.size(); i++)
        good &= want[at[i]] == v[i];
    verdict(good, "lower_bound of many");
}

static void choosing(const std::vector<int> &v)
{
    thrust::device_vector<int> in(v.begin(), v.end()), odd(v.size());
    odd.erase(thrust::copy_if(in.begin(), in.end(), odd.begin(), is_odd()), odd.end());
    std::vector<int> want;
    std::copy_if(v.begin(), v.end(), std::back_inserter(want), is_odd());
    verdict(host(odd) == want, "copy_if");

    auto middle = thrust::stable_partition(in.begin(), in.end(), is_odd());
    std::vector<int> parted(v);
    std::stable_partition(parted.begin(), parted.end(), is_odd());
    verdict(host(in) == parted && (size_t)(middle - in.begin()) == want.size(), "stable_partition");
}

static void sets(std::vector<int> a, std::vector<int> b)
{
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    thrust::device_vector<int> x(a.begin(), a.end()), y(b.begin(), b.end()), both(a.size() + b.size());
    thrust::merge(x.begin(), x.end(), y.begin(), y.end(), both.begin());
    std::vector<int> want(both.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
    verdict(host(both) == want, "merge");
    want.clear();
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));
    both.erase(thrust::set_intersection(x.begin(), x.end(), y.begin(), y.end(), both.begin()), both.end());
    verdict(host(both) == want, "set_intersection");
}

static void moving(const std::vector<int> &v)
{
    const int n = (int)v.size();
    std::vector<int> map(v.size());
    for (int i = 0; i < n; i++)
        map[i] = (int)((long long)i * 7919 % n); // 7919 is prime: each place once
    thrust::device_vector<int> in(v.begin(), v.end()), places(map.begin(), map.end()), there(n), back(n);
    thrust::scatter(in.begin(), in.end(), places.begin(), there.begin());
    thrust::gather(places.begin(), places.end(), there.begin(), back.begin());
    verdict(host(back) == v, "scatter and gather");
    const long long squares = thrust::transform_reduce(in.begin(), in.end(), square(), 0LL, thrust::plus<long long>());
    long long want = 0;
    for (int x : v)
        want += square()(x);
    verdict(squares == want, "transform_reduce");
}

struct particle {
    float x, y;
    int id;
};

struct step {
    __host__ __device__ particle operator()(const particle &p) const { return particle{p.x + 0.5f, p.y * 2, p.id}; }
};

struct by_id {
    __host__ __device__ bool operator()(const particle &a, const particle &b) const { return a.id < b.id; }
};

static void structs(size_t n)
{
    std::vector<particle> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = particle{(float)i, (float)(i % 10), (int)(i * 7919 % n)};
    thrust::device_vector<particle> p(v.begin(), v.end());
    thrust::transform(p.begin(), p.end(), p.begin(), step());
    thrust::sort(p.begin(), p.end(), by_id());
    std::vector<particle> got(n);
    thrust::copy(p.begin(), p.end(), got.begin());
    std::transform(v.begin(), v.end(), v.begin(), step());
    std::sort(v.begin(), v.end(), by_id());
    bool good = true;
    for (size_t i = 0; i < n; i++)
        good &= got[i].x == v[i].x && got[i].y == v[i].y && got[i].id == v[i].id;
    verdict(good, "structs");
}

struct dot {
    __host__ __device__ int operator()(const thrust::tuple<int, int> &t) const
    {
        return thrust::get<0>(t) * thrust::get<1>(t);
    }
};

static void zips_and_streams(const std::vector<int> &v)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    thrust::device_vector<int> in(v.begin(), v.end()), sums(v.size());
    auto first = thrust::make_zip_iterator(thrust::make_tuple(in.begin(), thrust::counting_iterator<int>(0)));
    const int got = thrust::transform_reduce(thrust::cuda::par.on(stream), first, first + (long)v.size(), dot(), 0,
                                             thrust::plus<int>());
    unsigned want = 0;
    for (size_t i = 0; i < v.size(); i++)
        want += (unsigned)v[i] * (unsigned)i;
    verdict((unsigned)got == want, "zipped iterators, in a stream");
    thrust::inclusive_scan(thrust::cuda::par_nosync.on(stream), in.begin(), in.end(), sums.begin());
    CHECK(cudaStreamSynchronize(stream));
    std::vector<int> running(v.size());
    std::partial_sum(v.begin(), v.end(), running.begin());
    verdict(host(sums) == running, "inclusive_scan without waiting");
    CHECK(cudaStreamDestroy(stream));
}

static void shared_memory(const std::vector<int> &v)
{
    thrust::universal_vector<int> u(v.begin(), v.end());
    thrust::transform(thrust::device, u.begin(), u.end(), u.begin(), thrust::negate<int>());
    CHECK(cudaDeviceSynchronize());
    bool good = true;
    for (size_t i = 0; i < v.size(); i++)
        good &= u[i] == -v[i];
    verdict(good, "universal_vector");
}

int main()
{
    const std::vector<int> v = random_values<int>(20011, 3000), w = random_values<int>(7001, 3000);
    sorting(v);
    choosing(v);
    sets(v, w);
    moving(v);
    structs(5000);
    zips_and_streams(v);
    shared_memory(v);
    return failures;
}
