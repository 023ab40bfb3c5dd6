/* fuzz_baseline.c - the files that `lockstep gate` and `lockstep check` compare with: the first byte says which. A baseline that can be
 * read is as itself when it is compared; written, it can be read, and is written in the same way again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/check/check_baseline.h"
#include "report/check/check_suppress.h"
#include "report/gate/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_of(const void *data, size_t size, char path[64])
{
    const int fd = memfd_create("input", MFD_CLOEXEC);
    LS_BUG_ON(fd < 0 || write(fd, data, size) != (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static bool same(struct arena *mem, const struct gate_baseline *a, const struct gate_baseline *b)
{
    struct gate_result r;
    const struct check_paths paths = {0};
    gate_compare(mem, a, b, &paths, &r);
    return !gate_changed(&r) && !r.count[GATE_MOVED];
}

static char *text_of(const struct gate_baseline *b, size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    gate_write(f, b);
    fclose(f);
    return text;
}

static void read_gate(struct arena *mem, const char *path, struct diag_list *diags)
{
    struct gate_baseline b, again;
    char written[64];
    size_t n = 0, m = 0;
    if (gate_read(mem, path, &b, diags) != LS_OK)
        return;
    LS_BUG_ON(!same(mem, &b, &b));
    char *text = text_of(&b, &n);
    const int fd = file_of(text, n, written);
    const enum ls_status status = gate_read(mem, written, &again, diags);
    close(fd);
    LS_BUG_ON(status != LS_OK);
    char *twice = text_of(&again, &m);
    LS_BUG_ON(n != m || memcmp(text, twice, n) != 0);
    free(text);
    free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct arena mem = ARENA("tmp");
    struct diag_list diags;
    struct check_baseline known;
    struct check_suppressions suppressed = {0};
    if (!size)
        return 0;
    diag_init(&diags);
    const int fd = file_of(data + 1, size - 1, path);
    if (!setjmp(mem.oom)) {
        if (data[0] == 'g')
            read_gate(&mem, path, &diags);
        else if (data[0] == 'c')
            check_baseline_read(&mem, path, &known, &diags);
        else
            check_suppressions_read(&mem, path, &suppressed, &diags);
    }
    close(fd);
    diag_free(&diags);
    arena_free(&mem);
    return 0;
}
