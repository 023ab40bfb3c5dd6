/* run_subject.c - what test_run.sh starts: says which driver it got, copies stdin to stdout, and ends as it is told.
 *
 *     run_subject exit N | signal N | cat | driver | arguments ... */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    puts(library && dlsym(library, "lockstep_driver_version") ? "Lockstep's driver" : "another driver or none");
    library = dlopen("libcudart.so.13", RTLD_NOW);
    puts(library && dlsym(library, "cudaMalloc") ? "a runtime" : "no runtime");
    const char *preload = getenv("LD_PRELOAD");
    puts(preload && strstr(preload, "libcuda.so.1") ? "preloaded" : "not preloaded");
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int c;
    if (strcmp(what, "exit") == 0)
        return atoi(argv[2]);
    if (strcmp(what, "signal") == 0)
        return raise(atoi(argv[2]));
    if (strcmp(what, "driver") == 0)
        return driver();
    if (strcmp(what, "cat") == 0)
        while ((c = getchar()) != EOF)
            putchar(c);
    else
        for (int i = 0; i < argc; i++)
            printf("[%s]", argv[i]);
    return 0;
}
