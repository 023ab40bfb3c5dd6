/* program_look.c - what a program's file tells before it runs: where it is, whether it is ELF, which runtime library it
 * wants, whether its device code has PTX. Read with libelf; nothing of it is executed. */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gpu.h"
#include "cli/program.h"
#include "cli/said.h"
#include "cli/source.h"

/* ---- where it is ---- */

static bool runnable(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* As execvp: a name with a slash is a path, others are looked for along PATH. */
static bool find(const char *name, char out[PATH_MAX])
{
    if (strchr(name, '/'))
        return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX && runnable(out);
    const char *path = settings_other(OTHERS_PATH);
    for (const char *at = path ? path : "/bin:/usr/bin"; *name && at; at = *at ? at + 1 : NULL) {
        const size_t len = strcspn(at, ":");
        if (snprintf(out, PATH_MAX, "%.*s%s%s", (int)len, at, len ? "/" : "", name) < PATH_MAX && runnable(out))
            return true;
        at += len;
        if (!*at)
            break;
    }
    return false;
}

bool program_there(const char *name)
{
    char path[PATH_MAX];
    return find(name, path);
}

static enum ls_status not_found(const char *name, struct diag_list *diags)
{
    const struct diag_place nowhere = {0};
    struct stat s;
    char here[PATH_MAX];
    const bool there = stat(name, &s) == 0;
    struct diag *d;
    if (there && S_ISDIR(s.st_mode))
        d = diag_add(diags, DIAG_ERROR, nowhere, "'%s' is a folder", name);
    else if (there && strchr(name, '/'))
        d = diag_add(diags, DIAG_ERROR, nowhere, "'%s' is not executable", name);
    else
        d = diag_add(diags, DIAG_ERROR, nowhere, "there is no program '%s'", name);
    if (!strchr(name, '/') && snprintf(here, sizeof here, "./%s", name) < PATH_MAX && runnable(here) && d)
        diag_set_note(diags, d, "there is one in this folder: ./%s", name);
    else if (there && !S_ISDIR(s.st_mode) && !strchr(name, '/') && d)
        diag_set_note(diags, d, "the file of that name in this folder is not executable");
    return there && strchr(name, '/') ? LS_ERR_UNSUPPORTED : LS_ERR_NOT_FOUND;
}

/* ---- what is in it ---- */

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* NVIDIA's libraries that carry a runtime or a driver interface of their own inside. */
static bool is_foreign(const char *soname)
{
    static const char *const names[] = {"libcublas",   "libcufft.",   "libcufftw",  "libcurand",
                                        "libcusolver", "libcusparse", "libcudnn",   "libnccl",
                                        "libnpp",      "libnvjpeg",   "libcutensor"};
    for (u32 i = 0; i < LS_ARRAY_LEN(names); i++)
        if (starts(soname, names[i]))
            return true;
    return false;
}

static void read_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *h, struct program_facts *f)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn d;
    for (int i = 0; data && gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
        const char *text = d.d_tag == DT_NEEDED ? elf_strptr(elf, h->sh_link, d.d_un.d_val) : NULL;
        f->rpath |= d.d_tag == DT_RPATH;
        if (text && is_foreign(text))
            snprintf(f->foreign, sizeof f->foreign, "%s", text);
    }
}

/* Whether some symbol of the table is `name`, undefined: a shared library will provide it. */
static bool wants(Elf *elf, Elf_Scn *section, const GElf_Shdr *h, const char *name)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym s;
    for (int i = 0; data && gelf_getsym(data, i, &s); i++) {
        const char *text = s.st_shndx == SHN_UNDEF ? elf_strptr(elf, h->sh_link, s.st_name) : NULL;
        if (text && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* The static runtime's symbols keep this prefix; a stripped program has none left. */
static bool has_static_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *h)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym s;
    for (int i = 0; data && gelf_getsym(data, i, &s); i++) {
        const char *text = elf_strptr(elf, h->sh_link, s.st_name);
        if (text && starts(text, "libcudart_static"))
            return true;
    }
    return false;
}

static void look_for_ptx(Elf *elf, struct program_facts *f)
{
    struct diag_list diags;
    struct gpu gpu;
    struct image img = {0};
    size_t size;
    const void *data = elf_rawfile(elf, &size);
    diag_init(&diags);
    if (gpu_find(said.gpu, &gpu, &diags) == LS_OK &&
        image_elf(&img, data, size, gpu.cc_major * 10 + gpu.cc_minor, false) != LS_OK)
        snprintf(f->no_ptx, sizeof f->no_ptx, "%s", img.why[0] ? img.why : "its device code cannot be read");
    image_free(&img);
    diag_free(&diags);
}

static void read_elf(Elf *elf, struct program_facts *f)
{
    bool registers = false, shared = false, inside = false;
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        GElf_Shdr h;
        if (!gelf_getshdr(s, &h))
            continue;
        const char *name = elf_strptr(elf, names, h.sh_name);
        f->device_code |= name && (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, "__nv_relfatbin") == 0);
        if (h.sh_type == SHT_DYNAMIC)
            read_dynamic(elf, s, &h, f);
        else if (h.sh_type == SHT_DYNSYM) {
            registers |= wants(elf, s, &h, "__cudaRegisterFatBinary");
            shared |= wants(elf, s, &h, "__cudaUnregisterFatBinary");
        } else if (h.sh_type == SHT_SYMTAB)
            inside |= has_static_symbols(elf, s, &h);
    }
    /* nvcc links a program without kernels with an empty fat binary, which nothing registers: it needs no PTX. */
    f->static_runtime = inside || (f->device_code && !registers && !shared);
    if (f->device_code && registers && !f->static_runtime)
        look_for_ptx(elf, f);
}

enum ls_status program_look(const char *name, struct program_facts *f, struct diag_list *diags)
{
    memset(f, 0, sizeof *f);
    if (!find(name, f->path))
        return not_found(name, diags);
    const int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return LS_OK; /* may be run, not read: nothing can be said */
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    f->elf = elf && elf_kind(elf) == ELF_K_ELF;
    if (f->elf && gelf_getclass(elf) == ELFCLASS64)
        read_elf(elf, f);
    elf_end(elf);
    close(fd);
    return LS_OK;
}

enum ls_status program_check(const struct program_facts *f, struct diag_list *diags)
{
    const struct diag_place nowhere = {0};
    struct diag *d = NULL;
    if (f->static_runtime) {
        d = diag_add(diags, DIAG_ERROR, nowhere, "%s has NVIDIA's runtime library linked into it", f->path);
        if (d)
            diag_set_note(diags, d,
                          "that copy accepts NVIDIA's driver only; rebuild with `nvcc -cudart shared` (or "
                          "NVCC_APPEND_FLAGS='-cudart shared', or CMAKE_CUDA_RUNTIME_LIBRARY=Shared), or with "
                          "`lockstep cc`");
    } else if (f->no_ptx[0]) {
        d = diag_add(diags, DIAG_ERROR, nowhere, "%s: %s", f->path, f->no_ptx);
        if (d)
            diag_set_note(diags, d,
                          "Lockstep runs PTX: rebuild with PTX in the program, as `nvcc -arch=sm_90` or "
                          "`-gencode arch=compute_90,code=compute_90` does");
    }
    if (d)
        return LS_ERR_UNSUPPORTED;
    if (f->foreign[0]) {
        d = diag_add(diags, DIAG_WARNING, nowhere, "%s needs %s, which has NVIDIA's runtime library inside", f->path,
                     f->foreign);
        if (d)
            diag_set_note(diags, d, "its calls will fail here; the program's own kernels run");
    }
    return LS_OK;
}
