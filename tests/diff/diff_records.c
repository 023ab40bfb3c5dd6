/* diff_records.c - whether two session folders hold the same launches with the same counters.
 *
 *     diff_records FOLDER FOLDER
 *
 * Each folder holds one *.rec file of JSON lines. Times and the process differ from run to run and are not compared;
 * nothing else is left out. Prints the first path that differs in each record. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static FILE *open_record(const char *folder)
{
    FILE *f = NULL;
    DIR *d = opendir(folder);
    if (!d)
        return NULL;
    for (struct dirent *e; !f && (e = readdir(d));) {
        char path[4096];
        size_t n = strlen(e->d_name);
        if (n > 4 && !strcmp(e->d_name + n - 4, ".rec")) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            f = fopen(path, "r");
        }
    }
    closedir(d);
    return f;
}

/* Of time, and of which process it was; nothing else. */
static bool is_volatile(const char *key)
{
    return strstr(key, "second") || strstr(key, "time") || !strcmp(key, "process");
}

static bool same(const json_t *a, const json_t *b, char *path, size_t n)
{
    if (json_is_object(a) && json_is_object(b)) {
        const char *key;
        json_t *x;
        json_object_foreach((json_t *)(size_t)a, key, x) {
            if (is_volatile(key))
                continue;
            size_t at = strlen(path);
            snprintf(path + at, n - at, ".%s", key);
            if (!json_object_get(b, key) || !same(x, json_object_get(b, key), path, n))
                return false;
            path[at] = 0;
        }
        return json_object_size(a) == json_object_size(b);
    }
    if (json_is_array(a) && json_is_array(b)) {
        for (size_t i = 0; i < json_array_size(a) && i < json_array_size(b); i++) {
            size_t at = strlen(path);
            snprintf(path + at, n - at, "[%zu]", i);
            if (!same(json_array_get(a, i), json_array_get(b, i), path, n))
                return false;
            path[at] = 0;
        }
        return json_array_size(a) == json_array_size(b);
    }
    return json_equal(a, b);
}

static json_t *next(FILE *f, char **line, size_t *cap)
{
    json_error_t error;
    return getline(line, cap, f) > 0 ? json_loads(*line, JSON_DECODE_ANY, &error) : NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: diff_records FOLDER FOLDER\n");
        return 2;
    }
    FILE *f[2] = {open_record(argv[1]), open_record(argv[2])};
    if (!f[0] || !f[1]) {
        printf("diff_records: no record in %s\n", argv[f[0] ? 2 : 1]);
        return 1;
    }
    char *line = NULL;
    size_t cap = 0;
    unsigned n = 0, bad = 0;
    for (;; n++) {
        char path[512] = "";
        json_t *a = next(f[0], &line, &cap), *b = next(f[1], &line, &cap);
        if (!a && !b)
            break;
        if (!a || !b) {
            printf("record %u: only in %s\n", n, argv[a ? 1 : 2]);
            bad++;
        } else if (!same(a, b, path, sizeof path)) {
            char *name = json_dumps(json_object_get(a, "name"), JSON_ENCODE_ANY);
            printf("record %u, kernel %s: %s differs\n", n, name ? name : "?", *path ? path : "the set of keys");
            free(name);
            bad++;
        }
        bool end = !a || !b;
        json_decref(a);
        json_decref(b);
        if (end)
            break;
    }
    printf("%u records, %u differ\n", n, bad);
    free(line);
    fclose(f[0]);
    fclose(f[1]);
    return bad || !n;
}
