/* ptxas.c - asks an installed ptxas what it makes of a module: `ptxas -v -lineinfo -arch=sm_90 -o x.cubin module.ptx` prints
 * "Compiling entry function 'k'" and then "Used 16 registers", and the cubin tells what became of each line (sass.h). For
 * counting only: the machine code is read, never run.
 *
 * Optional: the caller names the program, or none. Every answer, also that there is none, is kept a module text and
 * architecture, so a module is assembled once a process. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/locked.h"
#include "meter/rules.h"
#include "meter/sass/child.h"

enum { ANSWERS_MAX = 256, OUTPUT_MAX = 1 << 20 };

/* ---- running it ---- */

/* Its messages go to fd, the machine code to another file. */
static bool run(const char *program, const char *ptx_file, u32 sm, int fd, const char *cubin_file)
{
    char arch[32];
    snprintf(arch, sizeof arch, "-arch=sm_%u", sm);
    const char *argv[] = {program, "-v", "-lineinfo", arch, "-o", cubin_file, ptx_file, NULL};
    return child_run(argv, fd, fd);
}

struct answer {
    u64 key;
    char *said; /* NULL: it could not be asked */
    struct arena mem;
    const struct sass *code; /* NULL: its output could not be read */
};

static char *read_said(int fd)
{
    char *text = ls_calloc(1, OUTPUT_MAX);
    if (text && pread(fd, text, OUTPUT_MAX - 1, 0) >= 0)
        return text;
    ls_free(text);
    return NULL;
}

/* a->mem lives as long as the process; without memory there is no answer. */
static void read_code(struct answer *a, const struct ptxas *with, const char *cubin_file, int fd)
{
    struct stat st;
    void *cubin = fstat(fd, &st) == 0 && st.st_size > 0
                      ? mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;
    if (cubin == MAP_FAILED)
        return;
    struct arena tmp = ARENA_UNDER("words", &a->mem);
    if (!setjmp(a->mem.oom)) {
        struct sass *code = sass_read(&a->mem, cubin, (size_t)st.st_size);
        if (code && with->words)
            disassemble(&a->mem, &tmp, code, with, cubin_file);
        a->code = code;
    }
    arena_free(&tmp);
    munmap(cubin, (size_t)st.st_size);
}

static void ask(struct answer *a, const struct ptxas *with, const char *ptx, size_t len, u32 sm)
{
    char ptx_file[512], out_file[512], cubin_file[512];
    const int in = child_file(with->tmp, ptx_file, sizeof ptx_file, "ptx", ptx, len);
    const int out = in < 0 ? -1 : child_file(with->tmp, out_file, sizeof out_file, "ptxas", "", 0);
    const int cubin = out < 0 ? -1 : child_file(with->tmp, cubin_file, sizeof cubin_file, "cubin", "", 0);
    if (cubin >= 0 && run(with->program, ptx_file, sm, out, cubin_file)) {
        a->said = read_said(out);
        const int made = open(cubin_file, O_RDONLY | O_CLOEXEC); /* it may be a new file of that name */
        if (made >= 0) {
            read_code(a, with, cubin_file, made);
            close(made);
        }
    }
    if (cubin >= 0 && close(cubin) == 0)
        unlink(cubin_file);
    if (out >= 0 && close(out) == 0)
        unlink(out_file);
    if (in >= 0 && close(in) == 0)
        unlink(ptx_file);
}

/* ---- reading its messages ---- */

static u32 find_registers(const char *said, const char *kernel)
{
    char entry[1100];
    const int n = snprintf(entry, sizeof entry, "entry function '%s'", kernel);
    if (n < 0 || (size_t)n >= sizeof entry)
        return 0;
    const char *at = strstr(said, entry);
    const char *used = at ? strstr(at, "Used ") : NULL;
    const char *next = at ? strstr(at + n, "entry function '") : NULL;
    if (!used || (next && next < used))
        return 0;
    return (u32)strtoul(used + 5, NULL, 10);
}

/* ---- remembering ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct answer answers[ANSWERS_MAX];
static u32 nanswers;

/* FNV-1a, 64 bits. */
static u64 key_of(const char *ptx, size_t len, u32 sm)
{
    u64 h = 0xcbf29ce484222325ull ^ sm;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (u8)ptx[i]) * 0x100000001b3ull;
    return h;
}

/* lock held. NULL: too many modules. */
static const struct answer *answer_about(const struct ptxas *with, const char *ptx, size_t len, u32 sm)
{
    LS_LOCKED(&lock);
    while (len && !ptx[len - 1])
        len--;
    const u64 key = key_of(ptx, len, sm);
    for (u32 i = 0; i < nanswers; i++)
        if (answers[i].key == key)
            return &answers[i];
    if (nanswers == ANSWERS_MAX)
        return NULL;
    struct answer *a = &answers[nanswers++];
    *a = (struct answer){.key = key, .mem = ARENA("ptxas")};
    ask(a, with, ptx, len, sm);
    return a;
}

u32 ptxas_ask(const struct ptxas *with, const char *ptx, size_t len, u32 sm, const char *kernel,
              const struct sass_func **code)
{
    *code = NULL;
    if (!with->program)
        return 0;
    pthread_mutex_lock(&lock);
    const struct answer *a = answer_about(with, ptx, len, sm);
    const u32 registers = a && a->said ? find_registers(a->said, kernel) : 0;
    if (a && a->code)
        *code = sass_find(a->code, kernel);
    pthread_mutex_unlock(&lock);
    return registers;
}
