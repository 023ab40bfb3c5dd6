/* rewrite.c - what of CUDA C++ clang does not compile, written as what it does, in the text of a .cu file:
 *
 *     kernel<<<4, 32>>>(p)         in device code           lockstep_launch<kernel>(4, 32)(p)
 *     __managed__ int x[8], y;     for the device           __device__ int x[8] asm("lockstep_managed_x"), y asm(...);
 *                                  for the host             __device__ int lockstep_managed_x[8] asm(...), ...;
 *                                                           extern decltype(lockstep_managed_x) &x asm(...); ...
 *     asm("mov.u32 %0, %laneid;" : ...)                    asm("mov.u32 %0, %%laneid;" : ...)
 *     __shared__ alignas(16) float x[4];                   alignas(16) __shared__ float x[4];
 *
 * So a managed variable is a reference for the host, to device memory, which the host may read and write; the pointer
 * behind it is set before main by a C file written here too. Lines stay where they are, so that messages and debug
 * information are right. Only the file itself is rewritten, not what it includes: there the words give an error.
 *
 * The scanner knows comments, literals, directives and nesting, no grammar: a function whose declaration has __device__
 * or __global__ is device code up to its closing brace, and so is such a lambda. */
#include "ptx/ptx.h"
#include "toolchain/toolchain.h"

#include <ctype.h>
#include <string.h>

enum { NESTING = 256, NAMES = 256 };

struct scanner {
    const char *at;
    char *out;
    size_t len, cap;
    struct arena *mem;
    bool host;          /* this text is for the host pass */
    const char *suffix; /* of static names */
    /* the declaration or statement at hand */
    size_t start;                  /* where it begins in out */
    bool device, on_host, managed; /* which words it has had */
    u32 parens, device_parens;     /* nesting now, and where __device__ stood */
    /* braces: is what they enclose device code, and the host's too? */
    bool inside_device[NESTING], inside_host[NESTING];
    u32 braces;
    /* nesting at each open #if: every branch begins with it */
    u32 if_braces[NESTING], if_parens[NESTING], ifs;
    /* managed variables that are defined here */
    const char *names[NAMES];
    u32 nnames, launches, variables, words;
};

/* ---- output ---- */

static void put(struct scanner *s, const char *text, size_t n)
{
    if (s->len + n + 1 > s->cap) {
        s->cap = (s->len + n + 1) * 2;
        char *more = arena_alloc(s->mem, s->cap);
        if (s->len)
            memcpy(more, s->out, s->len);
        s->out = more;
    }
    memcpy(s->out + s->len, text, n);
    s->len += n;
    s->out[s->len] = 0;
}

static void put_text(struct scanner *s, const char *text) { put(s, text, strlen(text)); }

static void insert(struct scanner *s, size_t where, const char *text)
{
    const size_t n = strlen(text);
    put(s, text, n); /* makes room */
    memmove(s->out + where + n, s->out + where, s->len - n - where);
    memcpy(s->out + where, text, n);
}

static void blank(struct scanner *s, size_t where, size_t n) { memset(s->out + where, ' ', n); }

/* ---- pieces that are copied whole ---- */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *line_end(const char *p)
{
    while (*p && *p != '\n')
        p += *p == '\\' && p[1] ? 2 : 1;
    return p;
}

static const char *literal_end(const char *p)
{
    const char quote = *p++;
    while (*p && *p != quote && *p != '\n')
        p += *p == '\\' && p[1] ? 2 : 1;
    return p + (*p == quote);
}

/* R"x(...)x" from its quote on. */
static const char *raw_end(const char *p, struct arena *mem)
{
    const char *open = strchr(p, '(');
    const char *end = open ? strstr(open, arena_printf(mem, ")%.*s\"", (int)(open - p - 1), p + 1)) : NULL;
    return end ? end + (open - p) + 1 : p + strlen(p);
}

/* The end of a comment, literal or directive that begins at p; p where none does. */
static const char *skip(const char *p, const char *begin, struct arena *mem)
{
    if (p[0] == '/' && p[1] == '/')
        return line_end(p);
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (*p == '"')
        return p > begin && p[-1] == 'R' ? raw_end(p, mem) : literal_end(p);
    if (*p == '\'' && !(p > begin && is_word(p[-1]))) /* not the one in 1'000 */
        return literal_end(p);
    if (*p == '#') {
        const char *q = p;
        while (q > begin && (q[-1] == ' ' || q[-1] == '\t'))
            q--;
        if (q == begin || q[-1] == '\n')
            return line_end(p);
    }
    return p;
}

/* ---- launches from device code ---- */

/* Where the kernel's name begins that ends at out[end): words, ::, and template arguments. */
static size_t callee(const char *out, size_t end)
{
    size_t at = end;
    while (at && isspace((unsigned char)out[at - 1]))
        at--;
    if (at && out[at - 1] == '>') {
        u32 depth = 0;
        do {
            at--;
            depth += out[at] == '>';
            depth -= out[at] == '<';
        } while (at && depth);
    }
    while (at && (is_word(out[at - 1]) || out[at - 1] == ':'))
        at--;
    return at;
}

/* The >>> that closes a <<<, outside of all brackets; NULL: there is none. */
static const char *launch_end(const char *p, struct arena *mem)
{
    const char *begin = p;
    for (u32 depth = 0; *p; p++) {
        const char *past = skip(p, begin, mem);
        if (past > p)
            p = past - 1;
        else if (strchr("([{", *p))
            depth++;
        else if (strchr(")]}", *p))
            depth -= depth > 0;
        else if (!depth && strncmp(p, ">>>", 3) == 0)
            return p;
        else if (!depth && *p == ';')
            return NULL;
    }
    return NULL;
}

static bool rewrite_launch(struct scanner *s)
{
    const char *end = launch_end(s->at + 3, s->mem);
    const size_t name = callee(s->out, s->len);
    if (!end || name == s->len)
        return false;
    insert(s, name, "lockstep_launch<");
    put_text(s, ">(");
    put(s, s->at + 3, (size_t)(end - (s->at + 3)));
    put_text(s, ")");
    s->at = end + 3;
    s->launches++;
    return true;
}

/* ---- managed variables ---- */

static size_t group_end(const char *out, size_t at)
{
    u32 depth = 0;
    do {
        depth += out[at] && strchr("([{", out[at]) ? 1 : 0;
        depth -= out[at] && strchr(")]}", out[at]) ? 1 : 0;
        at++;
    } while (out[at] && depth);
    return at;
}

static bool word_is(const char *out, size_t at, size_t end, const char *word)
{
    return end - at == strlen(word) && memcmp(out + at, word, end - at) == 0;
}

/* Words that parentheses may follow without being the variable's name. */
static bool takes_parens(const char *out, size_t at, size_t end)
{
    static const char *const words[] = {"__attribute__", "__align__", "alignas", "decltype", "__declspec"};
    for (u32 i = 0; i < LS_ARRAY_LEN(words); i++)
        if (word_is(out, at, end, words[i]))
            return true;
    return false;
}

struct declarator {
    size_t name, name_end, label; /* label: behind the name and its brackets */
    size_t end;                   /* at the comma or semicolon */
};

/* The declarator that begins at `at`, specifiers before it or not. */
static struct declarator read_declarator(struct scanner *s, size_t at)
{
    const char *out = s->out;
    struct declarator d = {0};
    u32 angles = 0;
    bool done = false; /* the name is known */
    while (out[at] && out[at] != ';' && !(out[at] == ',' && !angles)) {
        const char *past = skip(out + at, out, s->mem);
        if (past > out + at) {
            at = (size_t)(past - out);
        } else if (is_word(out[at])) {
            const size_t from = at;
            while (is_word(out[at]))
                at++;
            if (takes_parens(out, from, at)) {
                while (isspace((unsigned char)out[at]))
                    at++;
                at = out[at] == '(' ? group_end(out, at) : at;
            } else if (!done && !angles) {
                d.name = from;
                d.name_end = d.label = at;
            }
        } else if (out[at] && strchr("[({", out[at]) && !angles) {
            const bool bracket = out[at] == '[';
            at = group_end(out, at);
            if (bracket && !done)
                d.label = at;
            done = done || !bracket;
        } else {
            angles += !done && out[at] == '<';
            angles -= !done && out[at] == '>' && angles;
            done = done || out[at] == '=';
            at++;
        }
    }
    d.end = at;
    return d;
}

/* Blanks a word of the specifiers; true if it was there. */
static bool take_word(struct scanner *s, size_t at, size_t end, const char *word)
{
    while (at < end) {
        const size_t from = at;
        while (at < end && is_word(s->out[at]))
            at++;
        if (word_is(s->out, from, at, word))
            return blank(s, from, at - from), true;
        at += at == from;
    }
    return false;
}

static bool has_word(const struct scanner *s, size_t at, size_t end, const char *word)
{
    struct scanner copy = {.out = (char *)arena_strndup(s->mem, s->out, s->len), .len = s->len};
    return take_word(&copy, at, end, word);
}

/* The declaration out[s->start..), which ends in a semicolon. */
static void rewrite_managed(struct scanner *s)
{
    const char *references = "";
    size_t at = s->start;
    struct declarator d = read_declarator(s, at);
    const bool local = take_word(s, at, d.name, "static"), external = has_word(s, at, d.name, "extern");
    while (d.name_end) {
        const char *name = arena_strndup(s->mem, s->out + d.name, d.name_end - d.name);
        const char *symbol = arena_printf(s->mem, "%s%s", name, local ? s->suffix : "");
        const char *label = arena_printf(s->mem, " asm(\"lockstep_managed_%s\")", symbol);
        const size_t before = s->len;
        insert(s, d.label, label);
        if (s->host) {
            insert(s, d.name, "lockstep_managed_");
            references =
                arena_printf(s->mem, "%s extern decltype(lockstep_managed_%s) &%s asm(\"lockstep_reference_%s\");",
                             references, name, name, symbol);
        }
        if (s->host && !external)
            references = arena_printf(s->mem,
                                      "%s extern void *lockstep_pointer_%s asm(\"lockstep_reference_%s\"); "
                                      "__attribute__((section(\"lockstep_managed%s\"), used)) static const void "
                                      "*lockstep_entry_%s[] = {&lockstep_pointer_%s, &lockstep_managed_%s};",
                                      references, name, symbol, s->suffix, name, name, name);
        if (!external && s->nnames < NAMES)
            s->names[s->nnames++] = symbol;
        d.end += s->len - before;
        if (s->out[d.end] != ',')
            break;
        d = read_declarator(s, d.end + 1);
    }
    put_text(s, references);
    s->variables++;
}

/* ---- the order of alignas, and registers in asm ---- */

/* The end of the group that p opens, and the first colon directly inside it; NULL: there is none. */
static const char *source_group_end(const char *p, struct arena *mem, const char **colon)
{
    const char *begin = p;
    u32 depth = 0;
    *colon = NULL;
    for (; *p; p++) {
        const char *past = skip(p, begin, mem);
        if (past > p) {
            p = past - 1;
            continue;
        }
        depth += strchr("([{", *p) != NULL;
        depth -= strchr(")]}", *p) != NULL;
        if (!depth)
            return p + 1;
        if (*p == ':' && depth == 1 && !*colon)
            *colon = p;
    }
    return p;
}

/* Where the words begin, directly before the end of out, behind which nvcc takes an alignas and clang does not. */
static size_t specifiers(const struct scanner *s)
{
    static const char *const words[] = {"__shared__", "__device__", "__constant__", "static",
                                        "extern",     "const",      "volatile",     "constexpr"};
    size_t at = s->len;
    for (bool more = true; more;) {
        size_t end = at, from;
        while (end && isspace((unsigned char)s->out[end - 1]))
            end--;
        for (from = end; from && is_word(s->out[from - 1]);)
            from--;
        more = false;
        for (u32 i = 0; i < LS_ARRAY_LEN(words); i++)
            more |= word_is(s->out, from, end, words[i]);
        at = more ? from : at;
    }
    return at;
}

/* Moves the alignas(...) whose word was just read before them; its line breaks stay. */
static bool move_alignas(struct scanner *s)
{
    const size_t where = specifiers(s);
    const char *open = s->at + strspn(s->at, " \t\r\n"), *colon;
    if (where == s->len || *open != '(')
        return false;
    const char *end = source_group_end(open, s->mem, &colon);
    char *text = arena_printf(s->mem, "alignas%.*s ", (int)(end - open), open);
    for (char *p = text; *p; p++)
        *p = *p == '\n' ? ' ' : *p;
    insert(s, where, text);
    for (const char *p = s->at; p < end; p++)
        if (*p == '\n')
            put_text(s, "\n");
    s->at = end;
    s->words++;
    return true;
}

static bool is_special_register(const char *name, size_t n)
{
    static const char *const names[] = {
#define PTX_SREG(name, ...) #name,
#include "ptx/sregs.def"
#undef PTX_SREG
    };
    for (u32 i = 0; i < LS_ARRAY_LEN(names); i++)
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
            return true;
    return false;
}

/* A literal of an asm with operands: nvcc takes a special register's name as it is, clang wants two percent signs. */
static void put_asm_text(struct scanner *s, const char *p, const char *end)
{
    while (p < end) {
        size_t n = 1;
        while (p + n < end && is_word(p[n]))
            n++;
        if (*p != '%')
            n = 1;
        else if (p + 1 < end && p[1] == '%')
            n = 2;
        if (*p == '%' && is_special_register(p + 1, n - 1)) {
            put_text(s, "%");
            s->words++;
        }
        put(s, p, n);
        p += n;
    }
}

static bool is_asm(const char *word, size_t n)
{
    return (n == 3 && memcmp(word, "asm", n) == 0) || (n == 7 && memcmp(word, "__asm__", n) == 0);
}

/* Behind the word asm. */
static void take_asm(struct scanner *s)
{
    const char *open = s->at, *colon;
    while (isspace((unsigned char)*open) || is_word(*open)) /* volatile */
        open++;
    if (*open != '(')
        return;
    source_group_end(open, s->mem, &colon);
    if (!colon)
        return;
    while (s->at < colon) {
        const char *past = skip(s->at, open, s->mem);
        const bool literal = *s->at == '"';
        if (past == s->at)
            past++;
        if (literal)
            put_asm_text(s, s->at, past);
        else
            put(s, s->at, (size_t)(past - s->at));
        s->at = past;
    }
    s->parens++;
}

/* ---- the scan ---- */

static void begin_statement(struct scanner *s)
{
    s->start = s->len;
    s->device = s->on_host = s->managed = false;
}

static void take_identifier(struct scanner *s)
{
    const char *from = s->at;
    while (is_word(*s->at))
        s->at++;
    const size_t n = (size_t)(s->at - from);
    if (n == 7 && memcmp(from, "alignas", n) == 0 && move_alignas(s))
        return;
    const bool managed = n == 11 && memcmp(from, "__managed__", n) == 0;
    if (managed)
        s->managed = true;
    if ((n == 10 && memcmp(from, "__device__", n) == 0) || (n == 10 && memcmp(from, "__global__", n) == 0)) {
        s->device = true;
        s->device_parens = s->parens;
    }
    s->on_host |= n == 8 && memcmp(from, "__host__", n) == 0;
    if (managed)
        put_text(s, "__device__");
    else
        put(s, from, n);
    if (is_asm(from, n))
        take_asm(s);
}

static void open_brace(struct scanner *s)
{
    const bool in = s->braces && s->braces <= NESTING && s->inside_device[s->braces - 1];
    const bool body = s->device && s->parens == s->device_parens;
    if (s->braces < NESTING) {
        s->inside_device[s->braces] = in || body;
        s->inside_host[s->braces] = body ? s->on_host : in && s->inside_host[s->braces - 1];
    }
    s->braces++;
}

static void take_punctuation(struct scanner *s)
{
    const char c = *s->at;
    const bool device = s->braces && s->braces <= NESTING && s->inside_device[s->braces - 1] &&
                        !(s->host && s->inside_host[s->braces - 1]);
    if (device && strncmp(s->at, "<<<", 3) == 0 && rewrite_launch(s))
        return;
    s->parens += c == '(';
    s->parens -= c == ')' && s->parens;
    put(s, s->at++, 1);
    if (c == '{')
        open_brace(s);
    if (c == '}')
        s->braces -= s->braces > 0;
    if (c == ';' && s->managed)
        rewrite_managed(s);
    /* The braces of a managed variable's initializer belong to its declaration. */
    if (c == ';' || ((c == '{' || c == '}') && !s->managed))
        begin_statement(s);
}

/* A function may begin in both branches of a conditional; its braces are counted once. */
static void take_directive(struct scanner *s, const char *p)
{
    p += 1 + strspn(p + 1, " \t");
    if (strncmp(p, "if", 2) == 0) {
        if (s->ifs < NESTING) {
            s->if_braces[s->ifs] = s->braces;
            s->if_parens[s->ifs] = s->parens;
        }
        s->ifs++;
    } else if (strncmp(p, "el", 2) == 0 && s->ifs && s->ifs <= NESTING) {
        s->braces = s->if_braces[s->ifs - 1];
        s->parens = s->if_parens[s->ifs - 1];
    } else if (strncmp(p, "endif", 5) == 0) {
        s->ifs -= s->ifs > 0;
    }
}

/* Copies a directive, in which only an asm is rewritten: it may be a macro's. */
static void put_directive(struct scanner *s, const char *end)
{
    const u32 parens = s->parens;
    while (s->at < end) {
        const char *from = s->at, *past = *from == '#' ? from : skip(from, from, s->mem);
        if (past == from)
            past++;
        while (is_word(*from) && is_word(*past))
            past++;
        put(s, from, (size_t)(past - from));
        s->at = past;
        if (is_asm(from, (size_t)(past - from)) && memchr(past, ':', (size_t)(end - past)))
            take_asm(s);
    }
    s->parens = parens;
}

static void scan(struct scanner *s, const char *text)
{
    for (s->at = text; *s->at;) {
        const char *past = skip(s->at, text, s->mem);
        if (past > s->at) {
            if (*s->at == '#') {
                take_directive(s, s->at);
                put_directive(s, past);
            }
            put(s, s->at, s->at < past ? (size_t)(past - s->at) : 0);
            s->at = past > s->at ? past : s->at;
            if (!s->managed && s->out[s->start + strspn(s->out + s->start, " \t\r\n")] == '#')
                begin_statement(s);
        } else if (is_word(*s->at)) {
            take_identifier(s);
        } else {
            take_punctuation(s);
        }
    }
}

enum tool_rewriting tool_rewriting_of(const char *path, struct arena *mem)
{
    struct diag_list none;
    struct scanner s = {.mem = mem, .suffix = ""};
    size_t len;
    diag_init(&none);
    const char *text = tool_file_read(path, &len, mem, &none);
    diag_free(&none); /* clang says what is wrong with the file */
    if (!text ||
        !(strstr(text, "__managed__") || strstr(text, "<<<") || strstr(text, "alignas") || strstr(text, "asm")))
        return 0;
    put_text(&s, "");
    scan(&s, text);
    return (s.launches ? TOOL_REWRITE_LAUNCHES : 0) | (s.variables ? TOOL_REWRITE_MANAGED : 0) |
           (s.words ? TOOL_REWRITE_WORDS : 0);
}

/* The C file that has the references' pointers and sets them. Each variable has an entry {pointer, variable} in a
 * section of its file. Constructors run in the order of an object's parts, and this part is put behind the one that
 * registers the variables; with -rdc the stub of the link registers them, and calls `hook` after that. */
static enum ls_status write_references(const struct scanner *s, const char *path, struct diag_list *diags)
{
    static const char code[] =
        "extern int cudaGetSymbolAddress(void **address, const void *symbol);\n"
        "extern void *__start_lockstep_managed%s[], *__stop_lockstep_managed%s[];\n"
        "static void set_references(void)\n"
        "{\n"
        "    for (void **entry = __start_lockstep_managed%s; entry < __stop_lockstep_managed%s; entry += 2)\n"
        "        cudaGetSymbolAddress(entry[0], entry[1]);\n"
        "}\n"
        "#ifdef RDC\n"
        "__attribute__((section(\"lockstep_managed\"), used)) static void (*hook)(void) = set_references;\n"
        "#else\n"
        "__attribute__((constructor)) static void at_start(void) { set_references(); }\n"
        "#endif\n";
    const char *text = s->nnames ? arena_printf(s->mem, code, s->suffix, s->suffix, s->suffix, s->suffix) : "";
    for (u32 i = 0; i < s->nnames; i++)
        text = arena_printf(s->mem, "void *lockstep_reference_%s;\n%s", s->names[i], text);
    return tool_file_write(path, text, strlen(text), diags);
}

enum ls_status tool_rewrite_write(const struct tool_step *step, struct arena *mem, struct diag_list *diags)
{
    size_t len;
    const char *text = tool_file_read(step->argv.at[0], &len, mem, diags);
    if (!text)
        return LS_ERR_IO;
    for (u32 pass = 0; pass < 2; pass++) {
        struct scanner s = {.mem = mem, .host = pass == 1, .suffix = arena_printf(mem, "_%s", step->argv.at[1])};
        scan(&s, text);
        const char *whole = arena_printf(mem, "#line 1 \"%s\"\n%s", step->argv.at[0], s.out ? s.out : "");
        const char *path = arena_printf(mem, "%s.%s.cu", step->out, s.host ? "host" : "device");
        enum ls_status status = tool_file_write(path, whole, strlen(whole), diags);
        if (status == LS_OK && s.host && s.variables)
            status = write_references(&s, arena_printf(mem, "%s.managed.c", step->out), diags);
        if (status != LS_OK)
            return status;
    }
    return LS_OK;
}
