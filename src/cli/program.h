/* program.h - the user's program, run on Lockstep: found, looked at, and started with our libraries in front.
 *
 * A program meets Lockstep through the dynamic linker alone: our libcuda.so.1 and libcudart.so.N come first on
 * LD_LIBRARY_PATH (or are preloaded where the program's DT_RPATH would beat that). What makes this impossible can be seen
 * in the file: NVIDIA's runtime inside it (nvcc's default), device code without PTX, libraries that bring a runtime of
 * their own. program_look reads it, program_check says so in one diagnostic each. */
#ifndef LS_CLI_PROGRAM_H
#define LS_CLI_PROGRAM_H

#include <limits.h>
#include <sys/types.h>

#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"

/* What is seen of a file before it runs. */
struct program_facts {
    char path[PATH_MAX]; /* as exec takes it */
    bool elf;            /* else a script or something that the kernel will refuse */
    bool device_code;    /* it has fat binaries of its own */
    bool static_runtime; /* NVIDIA's runtime library is linked into it */
    bool rpath;          /* DT_RPATH: searched before LD_LIBRARY_PATH */
    char no_ptx[256];    /* why its device code cannot run here; "" when it can */
    char foreign[64];    /* a library of NVIDIA's that it needs and Lockstep has no part in; "" when none */
};

/* Finds `name` as execvp does and reads it. LS_ERR_NOT_FOUND with a diagnostic when there is no such program. A file
 * that is not ELF has elf = false and nothing else set. */
enum ls_status program_look(const char *name, struct program_facts *f, struct diag_list *diags);

/* Whether there is a program of that name, likewise. */
bool program_there(const char *name);

/* An error for what cannot work, a warning for what may not. LS_ERR_UNSUPPORTED after an error. */
enum ls_status program_check(const struct program_facts *f, struct diag_list *diags);

/* Puts Lockstep's libraries in front of everything that this process will start. LS_ERR_NOT_FOUND: there are none beside
 * the command. */
enum ls_status program_environment(const struct program_facts *f, struct diag_list *diags);

/* program_look, program_check (unless `unchecked`) and program_environment, with their diagnostics printed: the exit
 * status for the shell, 0 when the program can be started. As in a shell, 127: not found, 126: cannot be run here. */
int program_ready(const char *name, bool unchecked, struct program_facts *f);

/* Replaces this process; returns only when that failed: the exit status, with the reason printed. */
int program_exec(const struct program_facts *f, char **argv);
/* Starts it as a child (0 and *pid; else an exit status), and waits for it: its exit status, 128 + n for signal n. From one
 * call to the other, signals that end a program (Ctrl-C, Ctrl-\, SIGTERM, SIGHUP) are the child's: this process goes on. */
int program_spawn(const struct program_facts *f, char **argv, pid_t *pid);
int program_wait(pid_t pid);
/* "exit status 3", "exit status 139: signal 11, Segmentation fault"; valid until the next call. */
const char *program_end_text(int status);

#endif
