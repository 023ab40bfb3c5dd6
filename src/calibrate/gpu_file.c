/* gpu_file.c - the file of a known GPU with its numbers replaced by those that were measured (fields.def). */
#include "calibrate/gpu_file.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/gpu_files.h"
#include "driver/cuda_abi.h"

/* ---- the GPU that is most like it ---- */

static i64 number_in(const json_t *gpu, const char *field)
{
    return json_integer_value(json_object_get(json_object_get(gpu, field), "value"));
}

static u32 likeness(const struct calibration *c, const json_t *gpu)
{
    const char *name = json_string_value(json_object_get(gpu, "name"));
    if (name && strcmp(name, c->device) == 0)
        return 3;
    if (number_in(gpu, "cc_major") != c->cc_major)
        return 0;
    return number_in(gpu, "cc_minor") == c->cc_minor ? 2 : 1;
}

static json_t *most_like(const struct calibration *c, u32 *how)
{
    json_t *best = NULL;
    *how = 0;
    for (const struct gpu_file *f = gpu_files; f->id; f++) {
        json_t *gpu = json_loadb((const char *)f->text, f->len, 0, NULL);
        const u32 like = likeness(c, gpu);
        if (!best || like > *how || (like == *how && strcmp(f->id, "h200") == 0 && like < 2)) {
            json_decref(best);
            best = json_incref(gpu);
            *how = like;
        }
        json_decref(gpu);
    }
    return best;
}

/* ---- numbers ---- */

/* As a number of the kind that stands there. */
static json_t *number(const json_t *old, f64 value)
{
    if (json_is_real(old))
        return json_real(value);
    const f64 unit = value > 1e9 ? 1e5 : 1; /* bytes a second are not known to the last one */
    return json_integer((json_int_t)(round(value / unit) * unit));
}

static void put(json_t *gpu, const char *field, f64 value, const char *source, bool verified)
{
    json_t *member = json_object_get(gpu, field);
    if (!member)
        return;
    json_object_set_new(member, "value", number(json_object_get(member, "value"), value));
    json_object_set_new(member, "source", json_string(source));
    json_object_set_new(member, "mark", json_string(verified ? "verified" : "recalled"));
}

static void put_measured(json_t *gpu, const struct calibration *c, const char *field, const char *row, f64 times,
                         const char *what)
{
    char source[300];
    const struct calibrate_row *r = calibrate_find(c, row);
    if (!r || !(r->value > 0))
        return;
    if (c->gpu)
        snprintf(source, sizeof source, "measured: %s, %s, driver %s", what, c->device, c->driver);
    else
        snprintf(source, sizeof source, "Lockstep's model of an %s makes of: %s", c->device, what);
    put(gpu, field, r->value * times, source, c->gpu);
}

static void put_attribute(json_t *gpu, const struct calibration *c, const char *field, int attribute, f64 times)
{
    char source[300];
    if (c->attributes[attribute] <= 0)
        return;
    snprintf(source, sizeof source, "device attribute, %s, driver %s", c->device, c->driver);
    put(gpu, field, c->attributes[attribute] * times, source, c->gpu);
}

/* What was copied from another GPU says so. */
static void disown(json_t *gpu, const char *id)
{
    const char *key;
    json_t *member;
    json_object_foreach(gpu, key, member) {
        const char *source = json_string_value(json_object_get(member, "source"));
        char text[400];
        if (!source)
            continue;
        snprintf(text, sizeof text, "as in %s.json: %s", id, source);
        json_object_set_new(member, "source", json_string(text));
        if (strcmp(json_string_value(json_object_get(member, "mark")), "verified") == 0)
            json_object_set_new(member, "mark", json_string("recalled"));
    }
}

static void put_all(json_t *gpu, const struct calibration *c)
{
#define MEASURED(field, row, times, what) put_measured(gpu, c, #field, #row, times, what);
#define ATTRIBUTE(field, attribute, times) put_attribute(gpu, c, #field, CU_DEVICE_ATTRIBUTE_##attribute, times);
#include "calibrate/fields.def"
}

/* ---- text ---- */

/* "NVIDIA GeForce RTX 4090" -> "geforcertx4090". */
static void id_of(const char *name, char *out, size_t room)
{
    size_t n = 0;
    if (strncmp(name, "NVIDIA ", 7) == 0)
        name += 7;
    for (; *name && n + 1 < room; name++)
        if (isalnum((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
}

/* A member a line, as the files in gpus/ have them. */
static char *text_of(const json_t *gpu)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    const char *key, *between = "{\n";
    json_t *member;
    json_object_foreach((json_t *)gpu, key, member) {
        char *value = json_dumps(member, JSON_ENCODE_ANY | JSON_REAL_PRECISION(4));
        char name[80];
        snprintf(name, sizeof name, "\"%s\":", key);
        fprintf(out, "%s    %-*s %s", between, json_is_object(member) ? 26 : 1, name, value ? value : "null");
        free(value);
        between = ",\n";
    }
    fputs("\n}\n", out);
    char *own = fclose(out) == 0 ? ls_realloc(NULL, size + 1) : NULL;
    if (own)
        memcpy(own, text, size + 1);
    free(text);
    return own;
}

char *calibrate_gpu_file(const struct calibration *c, const char *id)
{
    u32 like;
    char made[32];
    json_t *gpu = most_like(c, &like);
    if (!gpu)
        return NULL;
    if (like < 3)
        disown(gpu, json_string_value(json_object_get(gpu, "id")));
    id_of(c->device, made, sizeof made);
    if (id || like < 3)
        json_object_set_new(gpu, "id", json_string(id ? id : made));
    json_object_set_new(gpu, "name", json_string(c->device));
    put_all(gpu, c);
    char *text = text_of(gpu);
    json_decref(gpu);
    return text;
}
