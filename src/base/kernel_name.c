/* kernel_name.c - see kernel_name.h. The bare name is read off the mangled one here, so that launches can be selected
 * without a demangler; the full form comes from __cxa_demangle, which every C++ runtime library has, and is then
 * spelled as NVIDIA's tools spell it: const in front, a space before * and &. Names are the Itanium ABI's
 * (section 5.1). */
#include "base/kernel_name.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kernel_base_find(const char *name, enum kernel_base *out)
{
    static const char *const names[] = {"function", "demangled", "mangled"};
    for (size_t i = 0; i < LS_ARRAY_LEN(names); i++)
        if (!strcmp(name, names[i])) {
            *out = (enum kernel_base)i;
            return true;
        }
    return false;
}

static const char *copy(const char *from, size_t len, char *out, size_t size)
{
    len = len < size ? len : size - 1;
    memmove(out, from, len);
    out[len] = 0;
    return out;
}

/* ---- the bare name ---- */

/* A source name "6kernel" at p: its text and length; returns what is behind it, NULL when there is none. */
static const char *source_name(const char *p, const char **text, size_t *len)
{
    size_t n = 0;
    if (!isdigit((unsigned char)*p))
        return NULL;
    while (isdigit((unsigned char)*p) && n < 100000)
        n = n * 10 + (size_t)(*p++ - '0');
    if (strnlen(p, n) < n)
        return NULL;
    *text = p;
    *len = n;
    return p + n;
}

/* _Z [L] source-name ..., or _ZN then namespaces and the name: kernels are functions of namespaces, which have no
 * template arguments, so the last source name in a row is the function's. */
static bool bare_name(const char *mangled, const char **text, size_t *len)
{
    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    const char *p = mangled + 2;
    const bool nested = *p == 'N';
    p += nested;
    *len = 0;
    for (const char *next;; p = next) {
        if (p[0] == 'S' && p[1] == 't')
            p += 2; /* std:: */
        p += *p == 'L';
        next = source_name(p, text, len);
        if (!next || !nested)
            return *len > 0;
    }
}

/* ---- the demangled name ---- */

typedef char *demangler(const char *mangled, char *out, size_t *size, int *status);

static demangler *find_demangler(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    for (size_t i = 0; i < LS_ARRAY_LEN(libraries); i++) {
        void *lib = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        void *symbol = lib ? dlsym(lib, "__cxa_demangle") : NULL;
        if (symbol) {
            demangler *f;
            memcpy(&f, &symbol, sizeof f);
            return f;
        }
    }
    return NULL;
}

static demangler *the_demangler;
static void set_demangler(void) { the_demangler = find_demangler(); }

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == ':'; }

/* Where the type that ends before `end` begins: a word, or words of a built-in type, with template arguments. */
static size_t type_start(const char *s, size_t end)
{
    static const char *const words[] = {"unsigned", "signed", "long", "short"};
    size_t at = end;
    for (;;) {
        for (u32 depth = 0; at > 0; at--) {
            const char c = s[at - 1];
            if (c == '>' || c == ')')
                depth++;
            else if (depth && (c == '<' || c == '('))
                depth--;
            else if (!depth && !is_word(c))
                break;
        }
        bool more = false;
        for (size_t i = 0; i < LS_ARRAY_LEN(words) && !more; i++) {
            const size_t n = strlen(words[i]);
            more = at > n && s[at - 1] == ' ' && !strncmp(s + at - 1 - n, words[i], n) &&
                   (at - 1 == n || !is_word(s[at - 2 - n]));
            at -= more ? n + 1 : 0;
        }
        if (!more)
            return at;
    }
}

void kernel_name_spell(const char *name, char *out, size_t size)
{
    size_t n = 0;
    for (const char *p = name; *p && n + 8 < size;) {
        if (!strncmp(p, " const", 6) && !is_word(p[6])) { /* behind a type: in front of it; behind a pointer it stays */
            const bool pointer = n && (out[n - 1] == '*' || out[n - 1] == '&');
            const size_t at = pointer ? n : type_start(out, n);
            memmove(out + at + 6, out + at, n - at);
            memcpy(out + at, pointer ? " const" : "const ", 6);
            n += 6;
            p += 6;
            continue;
        }
        if ((*p == '*' || *p == '&') && n && (is_word(out[n - 1]) || out[n - 1] == '>'))
            out[n++] = ' ';
        out[n++] = *p++;
    }
    out[n] = 0;
}

/* The demangler's own text, to be freed; NULL: there is none. */
static char *demangled(const char *mangled)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status = -1;
    pthread_once(&once, set_demangler);
    return the_demangler && !strncmp(mangled, "_Z", 2) ? the_demangler(mangled, NULL, NULL, &status) : NULL;
}

const char *kernel_name(const char *mangled, enum kernel_base base, char *out, size_t size)
{
    const char *text = mangled;
    size_t len = strlen(mangled);
    if (base == KERNEL_FUNCTION && !bare_name(mangled, &text, &len))
        text = mangled, len = strlen(mangled);
    char *whole = base == KERNEL_DEMANGLED ? demangled(mangled) : NULL;
    if (!whole)
        return copy(text, len, out, size);
    kernel_name_spell(whole, out, size);
    free(whole); /* its own memory, by its documentation */
    return out;
}

/* ---- short names ---- */

enum { MOST = 120, DEEPEST = 1000 };

/* < and > that are no brackets: of operators, and of ->. */
static bool is_bracket(const char *name, const char *p)
{
    static const char word[] = "operator";
    const char *q = p;
    while (q > name && strchr("<>=-", q[-1]))
        q--;
    const size_t n = sizeof word - 1;
    return !((size_t)(q - name) >= n && !strncmp(q - n, word, n)) && !(*p == '>' && p > name && p[-1] == '-');
}

struct short_name {
    char text[KERNEL_SHORT];
    size_t n; /* all that there would be with room */
};
static void put(struct short_name *s, const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++, s->n++)
        if (s->n < sizeof s->text - 1)
            s->text[s->n] = text[k];
}

/* The name with "..." for what stands in more than `depth` templates, and with `bare` for the parameters; its length. */
static size_t shorten(const char *name, u32 depth, bool bare, char out[KERNEL_SHORT])
{
    struct short_name s = {.n = 0};
    u32 in = 0, round = 0; /* templates, and parentheses outside of them, around p */
    for (const char *p = name; *p; p++) {
        const bool opens = *p == '<' && is_bracket(name, p);
        in -= *p == '>' && in && is_bracket(name, p);
        round -= *p == ')' && !in && round;
        if (in <= depth && !(bare && round))
            put(&s, p, 1);
        if (opens && in++ == depth && !(bare && round))
            put(&s, "...", 3);
        if (*p == '(' && !in && !round++ && bare && p[1] != ')')
            put(&s, "...", 3);
    }
    memcpy(out, s.text, sizeof s.text); /* its end is 0 */
    return s.n;
}

const char *kernel_name_short(const char *mangled, char out[KERNEL_SHORT])
{
    char *name = demangled(mangled);
    size_t n = 0;
    if (!name)
        return copy(mangled, strlen(mangled), out, KERNEL_SHORT);
    char *spelled = malloc(strlen(name) * 2 + 16);
    if (spelled)
        kernel_name_spell(name, spelled, strlen(name) * 2 + 16);
    n = shorten(spelled ? spelled : name, DEEPEST, false, out);
    for (u32 depth = 8; n > MOST && depth-- > 0;)
        n = shorten(spelled ? spelled : name, depth, false, out);
    if (n > MOST)
        n = shorten(spelled ? spelled : name, 0, true, out);
    if (n > MOST)
        memcpy(out + MOST, "...", 4);
    free(spelled);
    free(name);
    return out;
}
