/* replay.c - the main of a fuzz target that is built without libFuzzer: runs it once over each file of the folders (or
 * files) named, so that every input that was ever worth keeping is a test in every preset. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned inputs;

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        return 1;
    }
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    /* Exactly as large as the input, so that the address sanitizer sees a read past its end. */
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    int bad = !data || size < 0 || fread(data, 1, (size_t)size, f) != (size_t)size;
    fclose(f);
    if (!bad) {
        printf("%s\n", path);
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, (size_t)size);
        inputs++;
    }
    free(data);
    return bad;
}

static int replay(const char *path)
{
    DIR *d = opendir(path);
    if (!d)
        return replay_file(path);
    int bad = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char name[4096];
        if (e->d_name[0] == '.' || (size_t)snprintf(name, sizeof name, "%s/%s", path, e->d_name) >= sizeof name)
            continue;
        bad |= replay_file(name);
    }
    closedir(d);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i]);
    printf("%u inputs\n", inputs);
    return bad || !inputs;
}
