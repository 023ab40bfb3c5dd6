/* check_subject.c - a program that stands for one on Lockstep's driver: it writes records of `lockstep check` itself,
 * so that the command is tested without a kernel. Built with and without debug information, and at a fixed address.
 *
 *     check_subject STATUS [none | open | cut | broken | twice | environment | filtered] */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* As check/core/finding_print.c has them. */
static void put_frames(FILE *f)
{
    void *at[16];
    const int n = backtrace(at, 16);
    for (int k = 1; k < n; k++) {
        Dl_info i;
        if (!dladdr((char *)at[k] - 1, &i) || !i.dli_fname)
            continue;
        fprintf(f, "%s{\"module\":\"%s\",\"offset\":%ju}", k > 1 ? "," : "", i.dli_fname,
                (uintmax_t)((uintptr_t)at[k] - (uintptr_t)i.dli_fbase));
    }
}

__attribute__((noinline)) static void put_finding(FILE *f)
{
    fputs("{\"type\":\"finding\",\"id\":1,\"kind\":\"leak\",\"tool\":\"leakcheck\",\"severity\":\"error\","
          "\"title\":\"Memory was never freed\",\"what\":\"Leaked 8 bytes\",\"size\":8,"
          "\"call\":{\"api\":\"cudaMalloc\",\"frames\":[",
          f);
    put_frames(f);
    fputs("]}}\n", f);
}

/* What headers of the toolkit put around a call: in the debug information alone. */
__attribute__((always_inline)) static inline void cudaWrapper(FILE *f) { put_finding(f); /* HERE: cudaWrapper */ }

__attribute__((noinline)) static void allocate(FILE *f)
{
    cudaWrapper(f); /* HERE: allocate */
    fflush(f);
}

static FILE *records(const char *mode)
{
    char path[4096], program[4096] = "";
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        return NULL;
    snprintf(path, sizeof path, "%s/%ld.chk", getenv("LOCKSTEP_SESSION"), (long)getpid());
    FILE *f = fopen(path, mode);
    if (f)
        fprintf(f, "{\"type\":\"process\",\"pid\":%ld,\"program\":\"%s\",\"gpu\":\"h200\",\"tools\":[\"memcheck\"]}\n",
                (long)getpid(), program);
    return f;
}

static void print_environment(void)
{
    for (char **e = environ; *e; e++)
        if ((!strncmp(*e, "LOCKSTEP_", 9) && strncmp(*e, "LOCKSTEP_SESSION", 16) != 0) || !strncmp(*e, "CUDA_", 5))
            puts(*e);
}

int main(int argc, char **argv)
{
    const int status = argc > 1 ? atoi(argv[1]) : 0;
    const char *what = argc > 2 ? argv[2] : "";
    puts("the program's own output");
    fputs("and its errors\n", stderr);
    if (!strcmp(what, "none"))
        return status;
    if (!strcmp(what, "environment"))
        print_environment();
    fflush(stdout);
    if (!strcmp(what, "twice") && fork() > 0)
        wait(NULL);
    FILE *f = records("w");
    if (!f)
        return 99;
    if (strcmp(what, "environment") != 0 && strcmp(what, "filtered") != 0)
        allocate(f); /* HERE: main */
    if (!strcmp(what, "cut"))
        fputs("{\"type\":\"again\",\"id\":1,\"cou", f);
    else if (!strcmp(what, "broken"))
        fputs("{\"type\":\"finding\",\"id\":2}\nnonsense\n", f);
    else if (!strcmp(what, "filtered"))
        fprintf(f, "{\"type\":\"end\",\"pid\":%ld,\"launches\":0,\"passed_over\":2}\n", (long)getpid());
    else if (strcmp(what, "open") != 0)
        fprintf(f, "{\"type\":\"end\",\"pid\":%ld}\n", (long)getpid());
    fclose(f);
    return status;
}
