/* program.c - a litmus test's text; see program.h. */
#include "program.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *ending(struct event *e, const char *s, const char **error)
{
    static const struct {
        const char *name;
        size_t at;
    } endings[] = {{".rel", offsetof(struct event, release)},
                   {".acq", offsetof(struct event, acquire)},
                   {".weak", offsetof(struct event, weak)}};
    if (*s != '.')
        return s;
    for (unsigned k = 0; k < sizeof endings / sizeof *endings; k++) {
        const size_t n = strlen(endings[k].name);
        if (!strncmp(s, endings[k].name, n)) {
            *(bool *)((char *)e + endings[k].at) = true;
            return s + n;
        }
    }
    *error = "an ending that is not .rel, .acq or .weak";
    return NULL;
}

static const char *operation(struct event *e, const char *s, const char **error)
{
    static const char letters[] = "WRXF";
    static const uint8_t kinds[] = {WRITE, READ, EXCHANGE, FENCE};
    const char *letter = strchr(letters, *s);
    *error = "an operation that is not W, R, X or F";
    if (!letter || s[1] != ' ')
        return NULL;
    e->kind = kinds[letter - letters];
    if (e->kind == FENCE) {
        *error = "a fence that is not sc or ar";
        e->sc = !strncmp(s + 2, "sc", 2);
        e->release = e->acquire = true;
        return e->sc || !strncmp(s + 2, "ar", 2) ? s + 4 : NULL;
    }
    *error = "a location that is not x, y or z";
    if (s[2] < 'x' || s[2] > 'z')
        return NULL;
    e->location = (uint8_t)(s[2] - 'x');
    return ending(e, s + 3, error);
}

bool program_parse(struct program *p, const char *text, const char **error)
{
    uint8_t written[MAX_LOCATIONS] = {0}, thread = 0;
    *p = (struct program){.threads = 1};
    snprintf(p->text, sizeof p->text, "%s", text);
    for (const char *s = text; *s;) {
        if (*s == ' ' || *s == '|') {
            thread = (uint8_t)(thread + (*s++ == '|'));
            continue;
        }
        *error = "too many threads or operations";
        if (thread == MAX_THREADS || p->events == MAX_EVENTS)
            return false;
        struct event *e = &p->event[p->events++];
        e->thread = thread;
        if (!(s = operation(e, s, error)))
            return false;
        if (e->kind & WRITE)
            e->value = ++written[e->location];
        if (e->kind != FENCE && e->location >= p->locations)
            p->locations = e->location + 1u;
    }
    p->threads = thread + 1u;
    for (unsigned k = 0; k < p->events; k++) {
        *error = "a plain store to a location that others write, too";
        if (p->event[k].weak && written[p->event[k].location] > 1)
            return false;
    }
    return true;
}

bool outcomes_have(const struct outcomes *o, outcome x)
{
    for (unsigned k = 0; k < o->count; k++)
        if (o->is[k] == x)
            return true;
    return false;
}

const char *outcome_text(const struct program *p, outcome x, char *to, unsigned size)
{
    unsigned at = 0;
    to[0] = 0;
    for (unsigned k = 0; k < p->events; k++)
        if (p->event[k].kind & READ) {
            at += (unsigned)snprintf(to + at, size - at, "%u ", (unsigned)(x & 15));
            x >>= 4;
        }
    for (unsigned k = 0; k < p->locations; k++, x >>= 4)
        at += (unsigned)snprintf(to + at, size - at, "%c=%u%s", 'x' + k, (unsigned)(x & 15),
                                 k + 1 < p->locations ? " " : "");
    return to;
}
