/* options.c - reads a command line by its command's table (options.h). argp_parse could do it too, but tells of unknown
 * options by itself, without the nearest name, and ends the process. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/likeness.h"
#include "cli/cli.h"
#include "cli/options.h"

enum { ROWS_MAX = LS_ARRAY_LEN(((struct option_reader *)0)->given), LONG_KEY = 256 };

/* What every command has. */
static const struct option_row standard[] = {
    {.name = "help", .kind = OPTION_HELP, .letter = '?', .help = "Give this help list"},
    {.name = "usage", .kind = OPTION_USAGE, .help = "Give a short usage message"},
    {.kind = OPTION_HELP, .letter = 'h'},
};

u32 option_row_count(const struct option_table *t) { return t->n + LS_ARRAY_LEN(standard); }

const struct option_row *option_row_at(const struct option_table *t, u32 i)
{
    return i < t->n ? &t->rows[i] : &standard[i - t->n];
}

static const struct option_row *row_named(const struct option_table *t, const char *name)
{
    for (u32 i = 0; i < option_row_count(t); i++) {
        const struct option_row *r = option_row_at(t, i);
        if ((r->name && strcmp(r->name, name) == 0) || (r->alias && strcmp(r->alias, name) == 0))
            return r;
    }
    return NULL;
}

/* ---- the table itself ---- */

/* Whether a value of that kind fits where it goes. */
static bool fits(const struct option_row *r)
{
    static const size_t sizes[] = {
        [OPTION_FLAG] = sizeof(bool),   [OPTION_YES_NO] = sizeof(bool),
        [OPTION_CONST] = sizeof(u32),   [OPTION_CHOICE] = sizeof(u32),
        [OPTION_NUMBER] = sizeof(u64),  [OPTION_COUNT] = sizeof(u64),
        [OPTION_SECONDS] = sizeof(f64), [OPTION_SIZES] = 3 * sizeof(u32),
        [OPTION_TEXT] = sizeof(char *), [OPTION_OUTPUT] = sizeof(struct option_output),
    };
    const size_t size = r->at.size;
    if (r->as_text)
        return size == sizeof(char *);
    if (r->kind == OPTION_CHOICE && size == sizeof(bool))
        return strchr(r->value, '|') == strrchr(r->value, '|');
    if ((r->kind == OPTION_NUMBER || r->kind == OPTION_COUNT) && size == sizeof(u32))
        return r->most && r->most <= UINT32_MAX;
    return size == sizes[r->kind];
}

/* A table that is wrong is our own mistake. */
static void check_table(const struct option_table *t)
{
    LS_BUG_ON(option_row_count(t) > ROWS_MAX);
    for (u32 i = 0; i < option_row_count(t); i++) {
        const struct option_row *r = option_row_at(t, i);
        LS_BUG_ON(r->kind == OPTION_CHOICE && !r->value);
        LS_BUG_ON(r->at.size && !fits(r));
        LS_BUG_ON((r->kind == OPTION_REFUSED || r->kind == OPTION_ALWAYS) && !r->help);
        LS_BUG_ON(r->name && row_named(t, r->name) != r);
        LS_BUG_ON(r->alias && row_named(t, r->alias) != r);
        for (u32 k = 0; r->letter && k < i; k++)
            LS_BUG_ON(option_row_at(t, k)->letter == r->letter);
    }
}

/* ---- --help ---- */

bool option_is_shown(const struct option_row *r)
{
    return r->help && r->kind != OPTION_REFUSED && r->kind != OPTION_ALWAYS;
}

/* argp sorts the options of a group by name. */
static void print_help(const struct option_table *t, FILE *out, unsigned what, const char *name)
{
    struct argp_option options[2 * ROWS_MAX + 1] = {0};
    char text[64];
    u32 n = 0;
    int group = 0;
    for (u32 i = 0; i < option_row_count(t); i++) {
        const struct option_row *r = option_row_at(t, i);
        const bool last = r->kind == OPTION_HELP || r->kind == OPTION_USAGE;
        if (r->kind == OPTION_SECTION)
            options[n++] = (struct argp_option){.doc = r->help, .group = ++group};
        if (r->kind == OPTION_SECTION || !option_is_shown(r))
            continue;
        options[n++] = (struct argp_option){.name = r->name,
                                            .key = r->letter ? r->letter : LONG_KEY + (int)i,
                                            .arg = r->value,
                                            .flags = r->optional ? OPTION_ARG_OPTIONAL : 0,
                                            .doc = r->help,
                                            .group = last ? -1 : group};
        if (r->alias)
            options[n++] = (struct argp_option){.name = r->alias, .flags = OPTION_ALIAS, .group = group};
    }
    const struct argp argp = {options, NULL, t->words, t->about, NULL, NULL, NULL};
    snprintf(text, sizeof text, "%s", name);
    argp_help(&argp, out, what, text);
}

/* ---- errors ---- */

void option_wrong(struct option_reader *o, const char *fmt, ...)
{
    va_list args;
    if (*o->wrong)
        return;
    va_start(args, fmt);
    vsnprintf(o->wrong, sizeof o->wrong, fmt, args);
    va_end(args);
}

/* How the command line names the option. */
static const char *spelled(const struct option_row *r)
{
    static char text[80];
    if (r->name)
        snprintf(text, sizeof text, "--%s", r->name);
    else
        snprintf(text, sizeof text, "-%c", r->letter);
    return text;
}

/* "full or no", of "full|no". */
static void list_words(const char *value, char *out, size_t room)
{
    size_t at = 0;
    for (; *value && at + 5 < room; value++) {
        const bool bar = *value == '|';
        const char *join = !bar ? "" : strchr(value + 1, '|') ? ", " : " or ";
        at += (size_t)(bar ? snprintf(out + at, room - at, "%s", join) : snprintf(out + at, room - at, "%c", *value));
    }
}

/* "needs a number", "is full or no" */
static void say_what_fits(const struct option_row *r, char *out, size_t room)
{
    const bool number = r->kind == OPTION_NUMBER || r->kind == OPTION_COUNT;
    if (r->takes)
        snprintf(out, room, "needs %s", r->takes);
    else if (r->kind == OPTION_SECONDS)
        snprintf(out, room, "needs seconds");
    else if (number && r->most)
        snprintf(out, room, "needs a number from %" PRIu64 " to %" PRIu64, r->least, r->most);
    else if (number && r->least)
        snprintf(out, room, "needs a number from %" PRIu64 " on", r->least);
    else if (number)
        snprintf(out, room, "needs a number");
    else {
        snprintf(out, room, "is ");
        list_words(r->value, out + 3, room - 3);
    }
}

static void wrong_value(struct option_reader *o, const struct option_row *r, const char *text)
{
    char what[400];
    say_what_fits(r, what, sizeof what);
    option_wrong(o, "%s %s, not '%s'%s%s", spelled(r), what, text, r->note ? ": " : "", r->note ? r->note : "");
}

static void unknown(struct option_reader *o, const char *word)
{
    char name[100];
    const char *dashless = word + strspn(word, "-"), *near = NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(dashless, "="), dashless);
    for (u32 i = 0; i < option_row_count(o->table); i++) {
        const struct option_row *r = option_row_at(o->table, i);
        likeness_keep(&near, name, r->name ? r->name : "");
        likeness_keep(&near, name, r->alias ? r->alias : "");
    }
    option_wrong(o, "unrecognized option '%.*s'%s%s%s", (int)strcspn(word, "="), word,
                 near ? "; the nearest is '--" : "", near ? near : "", near ? "'" : "");
}

/* Some names begin with what was written, or none. */
static void unknown_or_short(struct option_reader *o, const char *word)
{
    char names[1000] = "";
    const size_t n = strcspn(word + 2, "=");
    for (u32 i = 0; i < option_row_count(o->table); i++) {
        const struct option_row *r = option_row_at(o->table, i);
        if (r->name && strncmp(r->name, word + 2, n) == 0)
            snprintf(names + strlen(names), sizeof names - strlen(names), " '--%s'", r->name);
    }
    if (*names)
        option_wrong(o, "option '%.*s' is ambiguous; possibilities:%s", (int)n + 2, word, names);
    else
        unknown(o, word);
}

/* ---- values ---- */

static bool read_digits(const char *text, char **end, int base, u64 *n)
{
    errno = 0;
    *n = strtoull(text, end, base);
    return isdigit((unsigned char)*text) && !errno;
}

bool option_read_count(const char *text, u64 most, u64 *n)
{
    static const char units[] = "kmg";
    char *end;
    if (!read_digits(text, &end, text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10, n))
        return false;
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
    const u64 by = unit ? 10 * (u64)(unit - units + 1) : 0;
    if (end[unit != NULL] || *n > UINT64_MAX >> by)
        return false;
    *n <<= by;
    return *n <= most;
}

bool option_read_sizes(const char *text, u64 least, u64 most, u32 out[3])
{
    u32 sizes[3] = {1, 1, 1};
    for (u32 i = 0; i < most; i++) {
        char *end;
        u64 n;
        if (!read_digits(text, &end, 10, &n) || !n || n > UINT32_MAX)
            return false;
        sizes[i] = (u32)n;
        if (!*end && i + 1 >= least) {
            memcpy(out, sizes, sizeof sizes);
            return true;
        }
        if (!*end || !strchr("xX,", *end))
            return false;
        text = end + 1;
    }
    return false;
}

static bool read_yes_no(const char *text, u64 *n)
{
    static const char *const words[] = {"no", "yes", "off", "on", "0", "1", "false", "true"};
    for (u32 i = 0; i < LS_ARRAY_LEN(words); i++)
        if (strcmp(text, words[i]) == 0) {
            *n = i % 2;
            return true;
        }
    return false;
}

static bool read_choice(const char *words, const char *text, u64 *n)
{
    const size_t len = strlen(text);
    for (*n = 0; *words; ++*n) {
        const size_t one = strcspn(words, "|");
        if (one == len && memcmp(words, text, len) == 0)
            return true;
        words += one + (words[one] == '|');
    }
    return false;
}

static bool read_seconds(const char *text, f64 *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    return end != text && !*end && *seconds >= 0 && *seconds <= 1e9;
}

/* "-" is where all else is printed. */
static struct option_output output(const char *text)
{
    return (struct option_output){true, text && strcmp(text, "-") == 0 ? NULL : text};
}

/* The name of a file that is no name. */
static bool is_nameless(const struct option_row *r, const char *text)
{
    const bool names = r->kind == OPTION_TEXT || r->kind == OPTION_OUTPUT;
    return names && text && !*text && r->value && !strncmp(r->value, "FILE", 4);
}

static bool read_value(const struct option_row *r, struct option_value *v)
{
    const u64 most = r->most ? r->most : UINT64_MAX;
    char *end;
    switch (r->kind) {
    case OPTION_FLAG:
        v->n = 1;
        return true;
    case OPTION_CONST:
        v->n = r->constant;
        return true;
    case OPTION_YES_NO:
    case OPTION_ALWAYS:
        return read_yes_no(v->text, &v->n);
    case OPTION_CHOICE:
        return read_choice(r->value, v->text, &v->n);
    case OPTION_NUMBER:
        return read_digits(v->text, &end, 10, &v->n) && !*end && v->n >= r->least && v->n <= most;
    case OPTION_COUNT:
        return option_read_count(v->text, most, &v->n) && v->n >= r->least;
    case OPTION_SECONDS:
        return read_seconds(v->text, &v->seconds);
    case OPTION_SIZES:
        return option_read_sizes(v->text, r->least, r->most, v->sizes);
    default:
        return true;
    }
}

static void store_number(const struct option_place *at, u64 n, void *to)
{
    if (at->size == sizeof(bool))
        *(bool *)to = n != 0;
    else if (at->size == sizeof(u32))
        memcpy(to, &(u32){(u32)n}, sizeof(u32)); /* an enum, often */
    else
        *(u64 *)to = n;
}

static void store(const struct option_row *r, const struct option_value *v, void *into)
{
    void *to = (char *)into + r->at.offset;
    if (!r->at.size)
        return;
    if (r->as_text || r->kind == OPTION_TEXT)
        *(const char **)to = v->text;
    else if (r->kind == OPTION_SECONDS)
        *(f64 *)to = v->seconds;
    else if (r->kind == OPTION_SIZES)
        memcpy(to, v->sizes, sizeof v->sizes);
    else if (r->kind == OPTION_OUTPUT)
        *(struct option_output *)to = output(v->text);
    else
        store_number(&r->at, r->negate ? !v->n : v->n, to);
}

/* ---- the command line ---- */

void option_unused(struct option_reader *o, const char *name)
{
    const size_t n = strlen(o->unused);
    snprintf(o->unused + n, sizeof o->unused - n, "%s--%s", n ? ", " : "", name);
}

bool option_given(const struct option_reader *o, const char *name)
{
    for (u32 i = 0; i < o->table->n; i++)
        if (o->given[i] && o->table->rows[i].name && strcmp(o->table->rows[i].name, name) == 0)
            return true;
    return false;
}

const char *option_given_for_run(const struct option_reader *o)
{
    for (u32 i = 0; i < o->table->n; i++)
        if (o->given[i] && o->table->rows[i].runs)
            return o->table->rows[i].name;
    return NULL;
}

static void take(struct option_reader *o, u32 index, const char *text)
{
    const struct option_row *r = option_row_at(o->table, index);
    struct option_value v = {.text = text};
    if (is_nameless(r, text)) {
        option_wrong(o, "%s needs the name of a file, not ''", spelled(r));
        return;
    }
    if (!read_value(r, &v)) {
        wrong_value(o, r, text);
        return;
    }
    if (r->kind == OPTION_REFUSED || (r->kind == OPTION_ALWAYS && !v.n))
        option_wrong(o, "%s: %s", spelled(r), r->help);
    if (r->kind == OPTION_UNUSED)
        option_unused(o, r->name);
    store(r, &v, o->into);
    if (r->take)
        r->take(o, &v);
    o->given[index] = true;
}

/* What getopt_long needs of the table: the value of a long name is LONG_KEY and its row. A - first: words that are no
 * options come in their turn. A : then: a missing value is told apart from an unknown option. */
struct spelling {
    struct option names[2 * ROWS_MAX + 1];
    char letters[3 * ROWS_MAX + 3];
};

static void spell(const struct option_table *t, struct spelling *s)
{
    u32 n = 0;
    char *letter = s->letters;
    *letter++ = '-';
    *letter++ = ':';
    for (u32 i = 0; i < option_row_count(t); i++) {
        const struct option_row *r = option_row_at(t, i);
        const int has = !r->value ? no_argument : r->optional ? optional_argument : required_argument;
        if (r->name)
            s->names[n++] = (struct option){r->name, has, NULL, LONG_KEY + (int)i};
        if (r->alias)
            s->names[n++] = (struct option){r->alias, has, NULL, LONG_KEY + (int)i};
        if (r->letter && r->letter != '?') /* getopt's own answer to what it does not know */
            letter += sprintf(letter, "%c%.*s", r->letter, has, "::");
    }
    s->names[n] = (struct option){0};
}

/* The row of what getopt_long returned; ROWS_MAX: none. */
static u32 row_of(const struct option_table *t, int key)
{
    if (key >= LONG_KEY)
        return (u32)(key - LONG_KEY);
    for (u32 i = 0; i < option_row_count(t); i++)
        if (key > 0 && option_row_at(t, i)->letter == key)
            return i;
    return ROWS_MAX;
}

/* getopt_long took `word` for no option; key: the option or letter that it tells of. */
static void misspelled(struct option_reader *o, const char *word, int key)
{
    const u32 row = row_of(o->table, key);
    if (row < ROWS_MAX)
        option_wrong(o, "%s takes no argument", spelled(option_row_at(o->table, row)));
    else if (strncmp(word, "--", 2) == 0)
        unknown_or_short(o, word);
    else
        unknown(o, row_named(o->table, word + 1) ? word : (const char[]){'-', (char)key, 0});
}

/* All words from the first one that is no option; how many of them are taken. */
static int take_words(struct option_reader *o, char **words, int n)
{
    const struct option_table *t = o->table;
    if (t->program.size)
        *(char ***)((char *)o->into + t->program.offset) = words;
    else if (t->word)
        t->word(o, *words);
    else
        option_wrong(o, "there is no use for '%s': this command takes options alone", *words);
    return t->program.size ? n : 1;
}

/* --help and its like end the command. */
static bool print_about(const struct option_reader *o, const struct option_row *r)
{
    if (r->kind == OPTION_HELP)
        print_help(o->table, stdout, ARGP_HELP_STD_HELP, o->name);
    else if (r->kind == OPTION_USAGE)
        print_help(o->table, stdout, ARGP_HELP_USAGE, o->name);
    else if (r->kind == OPTION_VERSION)
        puts("lockstep " LS_VERSION);
    else
        return false;
    return true;
}

/* False: it is over, after --help or with an error in o->wrong. */
static bool read_all(struct option_reader *o, int argc, char **argv)
{
    struct spelling s;
    spell(o->table, &s);
    opterr = optind = 0; /* 0: getopt starts anew */
    while (!*o->wrong) {
        const char *word = argv[optind ? optind : 1];
        const int key = getopt_long(argc, argv, s.letters, s.names, NULL);
        if (key == -1)
            break;
        if (key == 1) { /* no option */
            optind += take_words(o, argv + optind - 1, argc - optind + 1) - 1;
        } else if (key == ':') {
            const struct option_row *r = option_row_at(o->table, row_of(o->table, optopt));
            option_wrong(o, "%s requires an argument: %s", spelled(r), r->takes ? r->takes : r->value);
        } else if (key == '?' && optopt != '?') {
            misspelled(o, word, optopt);
        } else if (print_about(o, option_row_at(o->table, row_of(o->table, key)))) {
            return false;
        } else {
            take(o, row_of(o->table, key), optarg);
        }
    }
    while (!*o->wrong && optind < argc) /* behind -- */
        optind += take_words(o, argv + optind, argc - optind);
    if (!*o->wrong && o->table->finish)
        o->table->finish(o);
    return !*o->wrong;
}

static struct {
    option_taker *take; /* NULL: command lines are read */
    void *ctx;
} collector;

void options_collect(option_taker *taker, void *ctx)
{
    collector.take = taker;
    collector.ctx = ctx;
}

bool options_collected(void) { return collector.take != NULL; }

bool options_read(const struct option_table *table, void *into, int argc, char **argv, int *status)
{
    struct option_reader o = {.into = into, .table = table, .name = argv[0]};
    check_table(table);
    *status = CLI_OK;
    if (collector.take) {
        collector.take(collector.ctx, table, argv[0]);
        return false;
    }
    const bool good = read_all(&o, argc, argv);
    *status = *o.wrong ? CLI_USAGE : CLI_OK;
    if (*o.wrong) {
        fprintf(stderr, "%s: %s\n", o.name, o.wrong);
        print_help(table, stderr, ARGP_HELP_SEE, o.name);
    } else if (good && *o.unused) {
        fprintf(stderr, "%s: without effect here: %s\n", o.name, o.unused);
    }
    return good;
}
