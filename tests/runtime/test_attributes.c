/* test_attributes.c - every attribute of the device, and every number of cudaDeviceProp, against what an H200 says
 * (tests/hw/h200/device-attributes.txt). What differs does so for a reason, which stands here; what an H200 accepts and
 * refuses of limits and windows of L2 was tried out on the same one. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime_test.h"

/* What Lockstep's H200 says instead, and why. */
static const struct {
    const char *name;
    int ours;
    const char *why;
} differences[] = {
    {"PCI_DEVICE_ID", 0, "where the card is plugged in"},
    {"GPU_PCI_DEVICE_ID", 0, "there is no PCI device"},
    {"GPU_PCI_SUBSYSTEM_ID", 0, "there is no PCI device"},
    {"COOPERATIVE_MULTI_DEVICE_LAUNCH", 0, "there is one device, and CUDA 13 has no such launch any more"},
    {"GENERIC_COMPRESSION_SUPPORTED", 0, "memory is not compressed"},
    {"GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED", 0, "no other device can reach the memory"},
    {"GPU_DIRECT_RDMA_SUPPORTED", 0, "no other device can reach the memory"},
    {"GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS", 0, "no other device can reach the memory"},
    {"GPU_DIRECT_RDMA_WRITES_ORDERING", 0, "no other device can reach the memory"},
    {"DMA_BUF_SUPPORTED", 0, "no other device can reach the memory"},
    {"SPARSE_CUDA_ARRAY_SUPPORTED", 0, "arrays are not sparse"},
    {"DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED", 0, "arrays have their memory at once"},
    {"TIMELINE_SEMAPHORE_INTEROP_SUPPORTED", 0, "there are no external semaphores"},
    {"MEMPOOL_SUPPORTED_HANDLE_TYPES", 0, "pools cannot be shared"},
    {"HANDLE_TYPE_FABRIC_SUPPORTED", 0, "there is no fabric"},
    {"CLUSTER_LAUNCH", 0, "a cluster has one block"},
    {"TENSOR_MAP_ACCESS_SUPPORTED", 0, "tensor maps are not there"},
    {"UNIFIED_FUNCTION_POINTERS", 0, "a function's address is its module's"},
    {"HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", 0, "memory is mapped on the device alone"},
    {"HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", 0, "memory is mapped on the device alone"},
    {"HOST_NUMA_MEMORY_POOLS_SUPPORTED", 0, "pools are the device's"},
    {"HOST_MEMORY_POOLS_SUPPORTED", 0, "pools are the device's"},
};

struct record {
    char what[16], name[80];
    int number;
    long long value;
};

/* The next line; false at the end. Lines of properties have no number. */
static bool next(FILE *f, struct record *r)
{
    char line[256];
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "attribute %d %79s %lld", &r->number, r->name, &r->value) == 3) {
            strcpy(r->what, "attribute");
            return true;
        }
        if (sscanf(line, "property %79s %lld", r->name, &r->value) == 2) {
            strcpy(r->what, "property");
            return true;
        }
        assert_int_equal(line[0], '#');
    }
    return false;
}

static FILE *recorded(void)
{
    FILE *f = fopen(RECORDED, "r");
    assert_non_null(f);
    return f;
}

static int expected(const struct record *r)
{
    for (size_t k = 0; k < sizeof differences / sizeof differences[0]; k++)
        if (strcmp(differences[k].name, r->name) == 0) {
            assert_int_not_equal(differences[k].ours, r->value); /* else it is no difference any more */
            return differences[k].ours;
        }
    return (int)r->value;
}

static void attributes_are_an_h200s(void **state)
{
    (void)state;
    struct record r;
    int n = 0, last = 0, value, bad = 0;
    FILE *f = recorded();
    while (next(f, &r)) {
        if (strcmp(r.what, "attribute") != 0)
            continue;
        value = -12345;
        if (cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)r.number, 0) != cudaSuccess || value != expected(&r)) {
            fprintf(stderr, "attribute %d %s is %d, not %d\n", r.number, r.name, value, expected(&r));
            bad++;
        }
        n++;
        last = r.number;
    }
    fclose(f);
    assert_int_equal(bad, 0);
    assert_int_equal(n, 147);
    FAILS(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)(last + 1), 0), cudaErrorInvalidValue);
    FAILS(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)0, 0), cudaErrorInvalidValue);
}

/* PROP(member, attribute): the member is that attribute, whose value was compared above. The rest are named here. */
static long long property(const struct cudaDeviceProp *p, const char *name, const char **attribute)
{
#define PROP(member, a)                                                                                                \
    if (strcmp(name, #member) == 0) {                                                                                  \
        *attribute = #a;                                                                                               \
        return (long long)p->member;                                                                                   \
    }
#include "runtime/props.def"
    PROP(deviceNumaConfig, NUMA_CONFIG)
    PROP(deviceNumaId, NUMA_ID)
    PROP(mpsEnabled, MPS_ENABLED)
    PROP(hostNumaId, HOST_NUMA_ID)
    PROP(gpuPciDeviceID, GPU_PCI_DEVICE_ID)
    PROP(gpuPciSubsystemID, GPU_PCI_SUBSYSTEM_ID)
    PROP(hostNumaMultinodeIpcSupported, HOST_NUMA_MULTINODE_IPC_SUPPORTED)
    PROP(totalGlobalMem, -)
    PROP(luidDeviceNodeMask, -)
#undef PROP
    fail_msg("nobody fills %s", name);
    return 0;
}

static void properties_are_an_h200s(void **state)
{
    (void)state;
    struct cudaDeviceProp p;
    struct record r;
    int n = 0, bad = 0;
    OK(cudaGetDeviceProperties(&p, 0));
    assert_string_equal(p.name, "NVIDIA H200");
    FILE *f = recorded();
    while (next(f, &r)) {
        if (strcmp(r.what, "property") != 0)
            continue;
        const char *attribute = "-";
        const long long value = property(&p, r.name, &attribute);
        struct record as = {.value = r.value};
        snprintf(as.name, sizeof as.name, "%s", attribute);
        if (strcmp(attribute, "-") == 0 ? value != r.value : value != expected(&as)) {
            fprintf(stderr, "property %s is %lld, not %lld\n", r.name, value, r.value);
            bad++;
        }
        n++;
    }
    fclose(f);
    assert_int_equal(bad, 0);
    assert_int_equal(n, 113);
}

/* ---- L2 ---- */

static size_t limit(enum cudaLimit which)
{
    size_t value = 0;
    OK(cudaDeviceGetLimit(&value, which));
    return value;
}

static void l2_is_set_aside_in_sixteenths(void **state)
{
    (void)state;
    const enum cudaLimit l2 = cudaLimitPersistingL2CacheSize, fetch = cudaLimitMaxL2FetchGranularity;
    assert_int_equal(limit(l2), 11796480);
    OK(cudaDeviceSetLimit(l2, 1));
    assert_int_equal(limit(l2), 3932160);
    OK(cudaDeviceSetLimit(l2, 0));
    assert_int_equal(limit(l2), 0);
    OK(cudaDeviceSetLimit(l2, 39321600));
    FAILS(cudaDeviceSetLimit(l2, 39321601), cudaErrorInvalidValue);
    OK(cudaCtxResetPersistingL2Cache());
    assert_int_equal(limit(l2), 39321600);
    assert_int_equal(limit(fetch), 64);
    OK(cudaDeviceSetLimit(fetch, 100));
    FAILS(cudaDeviceSetLimit(fetch, 129), cudaErrorInvalidValue);
    assert_int_equal(limit(fetch), 100);
}

static void windows_are_looked_at(void **state)
{
    (void)state;
    enum { MOST = 134217728 };
    static const struct {
        size_t bytes;
        float ratio;
        int hit, miss;
        cudaError_t result;
    } windows[] = {
        {1 << 20, .5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming, cudaSuccess},
        {MOST, 1, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming, cudaSuccess},
        {MOST + 1, 1, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming, cudaErrorInvalidValue},
        {1000, 1.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming, cudaErrorInvalidValue},
        {1000, -.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming, cudaErrorInvalidValue},
        {1000, .5f, cudaAccessPropertyPersisting, cudaAccessPropertyPersisting, cudaErrorInvalidValue},
        {1000, .5f, cudaAccessPropertyNormal, cudaAccessPropertyNormal, cudaSuccess},
        {0, 0, cudaAccessPropertyNormal, cudaAccessPropertyNormal, cudaSuccess},
    };
    cudaStream_t s;
    char *p;
    cudaStreamAttrValue last = {0};
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc((void **)&p, 1 << 20));
    for (size_t k = 0; k < sizeof windows / sizeof windows[0]; k++) {
        cudaStreamAttrValue v = {0}, got;
        v.accessPolicyWindow.base_ptr = p;
        v.accessPolicyWindow.num_bytes = windows[k].bytes;
        v.accessPolicyWindow.hitRatio = windows[k].ratio;
        v.accessPolicyWindow.hitProp = (enum cudaAccessProperty)windows[k].hit;
        v.accessPolicyWindow.missProp = (enum cudaAccessProperty)windows[k].miss;
        FAILS(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v), windows[k].result);
        last = windows[k].result == cudaSuccess ? v : last;
        OK(cudaStreamGetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &got));
        assert_memory_equal(&got.accessPolicyWindow, &last.accessPolicyWindow, sizeof got.accessPolicyWindow);
    }
    OK(cudaFree(p));
    OK(cudaStreamDestroy(s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_an_h200s),
        cmocka_unit_test(properties_are_an_h200s),
        cmocka_unit_test(l2_is_set_aside_in_sixteenths),
        cmocka_unit_test(windows_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
