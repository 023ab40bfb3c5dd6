/* check_names.c - how the printers of findings name functions, frames and files, and where they find a source line. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/check/check_report.h"

/* ---- functions and frames ---- */

const char *check_name(const char *mangled, enum kernel_base name, char *out, size_t size)
{
    return kernel_name(mangled ? mangled : "an unknown function", name, out, size);
}

const char *check_name_short(const char *mangled, enum kernel_base name, char out[KERNEL_SHORT])
{
    if (mangled && name == KERNEL_DEMANGLED)
        return kernel_name_short(mangled, out);
    return check_name(mangled, name, out, KERNEL_SHORT);
}

const char *check_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool starts(const char *text, const char *start) { return !strncmp(text, start, strlen(start)); }

/* What nvcc and clang make of a kernel for the host: a function that packs the arguments and launches. */
static const char *stub_of(const char *function) { return function ? strstr(function, "__device_stub__") : NULL; }

/* nvcc calls that from a host function of the kernel's own name, whose mangled name, but for _, is in the stub's. */
static bool is_kernel(const char *stub, const char *function)
{
    return stub && function &&
           (*function == '_' ? strstr(stub, function + 1) != NULL : starts(stub + strlen("__device_stub__"), function));
}

/* cudaMalloc<float>: the toolkit's headers wrap calls in templates. */
static bool is_wrapper(const char *function)
{
    char name[256];
    if (!function)
        return false;
    kernel_name(function, KERNEL_FUNCTION, name, sizeof name);
    return starts(name + (starts(name, "__cuda") ? 2 : 0), "cuda") && strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static bool is_library(const char *module)
{
    static const char *const libraries[] = {"libc.so", "libc-", "libpthread", "ld-linux", "libcuda.so", "libcudart.so"};
    for (u32 k = 0; module && k < LS_ARRAY_LEN(libraries); k++)
        if (starts(check_base_name(module), libraries[k]))
            return true;
    return false;
}

bool check_frame_hidden(const struct check_call *call, u32 k)
{
    const struct check_frame *f = &call->frames[k];
    return is_library(f->module) || stub_of(f->function) || is_wrapper(f->function) ||
           (k && is_kernel(stub_of(f[-1].function), f->function));
}

const struct check_frame *check_site(const struct check_call *call)
{
    for (u32 k = 0; k < call->n; k++) {
        const struct check_frame *f = &call->frames[k];
        if (f->file && f->line && !check_frame_hidden(call, k))
            return f;
    }
    return NULL;
}

/* ---- findings ---- */

const char *check_headline(const struct check_record *f, char *out, size_t size)
{
    const bool both =
        f->what && !strcmp(f->tool, check_tool_name(CHECK_ERRORCHECK)); /* the call, and what is wrong with it */
    snprintf(out, size, "%s%s%s", both ? f->title : "", both ? ": " : "", f->what ? f->what : f->title);
    return out;
}

/* ---- files ---- */

/* The file as it can be opened: absolute, from here, or beside the program. */
static bool find_file(const struct check_paths *p, const char *file, char out[PATH_MAX])
{
    if (realpath(file, out) && !access(out, R_OK))
        return true;
    if (*file == '/' || !p->beside)
        return false;
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/%s", p->beside, file);
    return n > 0 && n < PATH_MAX && realpath(path, out) && !access(out, R_OK);
}

/* What is behind the working directory; NULL: it is not below it. */
static const char *below(const char *here, const char *path)
{
    const size_t n = here ? strlen(here) : 0;
    return n && !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : NULL;
}

/* A name that says nothing of a file here stays as the compiler wrote it. */
static const char *shorten(const struct check_paths *p, const char *file, char found[PATH_MAX])
{
    if (!find_file(p, file, found))
        snprintf(found, PATH_MAX, "%s", file);
    const char *rest = below(p->here, found);
    if (rest)
        return rest;
    return starts(found, "./") ? found + 2 : found;
}

const char *check_file(const struct check_paths *p, const char *file, char *out, size_t size)
{
    char found[PATH_MAX];
    snprintf(out, size, "%s", p->strip ? check_base_name(file) : shorten(p, file, found));
    return out;
}

static bool read_line(FILE *f, u32 n, char *out, size_t size)
{
    for (u32 line = 1; line < n;) {
        const int c = fgetc(f);
        if (c == EOF)
            return false;
        line += c == '\n';
    }
    if (!fgets(out, (int)size, f))
        return false;
    out[strcspn(out, "\r\n")] = 0;
    return true;
}

FILE *check_source_open(const struct check_paths *p, const char *file)
{
    char found[PATH_MAX];
    return file && find_file(p, file, found) ? fopen(found, "re") : NULL;
}

bool check_source_line(const struct check_paths *p, const char *file, u32 n, char *out, size_t size)
{
    FILE *f = n ? check_source_open(p, file) : NULL;
    const bool good = f && read_line(f, n, out, size);
    if (f)
        fclose(f);
    return good;
}

/* ---- URIs (RFC 3986) ---- */

static bool is_plain(char c) { return isalnum((unsigned char)c) || (c && strchr("-._~/", c)); }

void check_uri(const struct check_paths *p, const char *file, char *out, size_t size)
{
    char found[PATH_MAX];
    const char *path = shorten(p, file, found);
    size_t n = (size_t)snprintf(out, size, "%s", *path == '/' ? "file://" : "");
    for (; *path && n + 4 < size; path++)
        n += (size_t)snprintf(out + n, size - n, is_plain(*path) ? "%c" : "%%%02X", (unsigned char)*path);
}

bool check_uri_relative(const char *uri) { return !starts(uri, "file://"); }
