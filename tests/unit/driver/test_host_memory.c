/* test_host_memory - what the host has to give, from files as Linux has them, and what becomes the device's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/settings.h"
#include "driver/memory/host_memory.h"

enum { MIB = 1 << 20 };
#define GIB (1ull << 30)

static char root[64];

static void put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = 0;
        mkdir(full, 0755);
        *at = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int new_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/test_host_memory.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int drop_root(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

static void the_machine_alone(void **state)
{
    (void)state;
    assert_true(host_memory_available(root) == UINT64_MAX);
    put("proc/meminfo", "MemTotal:       33554432 kB\nMemFree:         1048576 kB\nMemAvailable:   16777216 kB\n");
    assert_int_equal(host_memory_available(root), 16 * GIB);
    put("proc/self/cgroup", "0::/\n");
    put("sys/fs/cgroup/memory.max", "max\n");
    assert_int_equal(host_memory_available(root), 16 * GIB);
}

static void a_group_and_those_above_it(void **state)
{
    (void)state;
    put("proc/meminfo", "MemAvailable:   16777216 kB\n");
    put("proc/self/cgroup", "0::/a/b\n");
    put("sys/fs/cgroup/a/b/memory.max", "max\n");
    put("sys/fs/cgroup/a/b/memory.current", "1073741824\n");
    put("sys/fs/cgroup/a/memory.max", "8589934592\n");
    put("sys/fs/cgroup/a/memory.current", "2147483648\n");
    assert_int_equal(host_memory_available(root), 6 * GIB);
    put("sys/fs/cgroup/a/memory.stat", "anon 1\nfile 1073741824\ninactive_file 1073741824\n");
    assert_int_equal(host_memory_available(root), 7 * GIB);
    put("sys/fs/cgroup/a/b/memory.max", "536870912\n");
    assert_int_equal(host_memory_available(root), 0);
}

static void the_first_version_of_groups(void **state)
{
    (void)state;
    put("proc/meminfo", "MemAvailable:   16777216 kB\n");
    put("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/not/here\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "4294967296\n");
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n");
    assert_int_equal(host_memory_available(root), 3 * GIB);
}

static void what_becomes_of_it(void **state)
{
    (void)state;
    assert_int_equal(device_memory(0, 141 * GIB, 24 * GIB), 12 * GIB);
    assert_int_equal(device_memory(ROOM_HOST, 16 * GIB, 64 * GIB), 16 * GIB);
    assert_int_equal(device_memory(0, 16 * GIB, UINT64_MAX), 16 * GIB);
    assert_int_equal(device_memory(ROOM_HOST, 16 * GIB, 0), 64 * MIB);
    assert_int_equal(device_memory(ROOM_GPU, 141 * GIB, 24 * GIB), 141 * GIB);
    assert_int_equal(device_memory(200 * GIB, 141 * GIB, 24 * GIB), 200 * GIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_machine_alone, new_root, drop_root),
        cmocka_unit_test_setup_teardown(a_group_and_those_above_it, new_root, drop_root),
        cmocka_unit_test_setup_teardown(the_first_version_of_groups, new_root, drop_root),
        cmocka_unit_test(what_becomes_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
