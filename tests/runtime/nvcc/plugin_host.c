/* plugin_host.c - opens, uses and closes a library with kernels, twice: each time its variables are as new. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int once(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;
    int (*run)(int);
    if (!library) {
        printf("%s\n", dlerror());
        return 1;
    }
    symbol = dlsym(library, "plugin_run");
    memcpy(&run, &symbol, sizeof run);
    const int a = run(100), b = run(100);
    dlclose(library);
    if (a == 101 && b == 102)
        return 0;
    printf("%d and %d instead of 101 and 102\n", a, b);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 2 || once(argv[1]) || once(argv[1]))
        return 1;
    printf("ok\n");
    return 0;
}
