/* test_options.c - the reader of the commands' options: each kind of value, good and bad, and how options are spelled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/options.h"

enum colour { RED, GREEN, BLUE };

struct command {
    bool flag, yes, no, second;
    enum colour colour;
    u32 page, small;
    u64 number, bytes;
    f64 seconds;
    u32 sizes[3];
    const char *text, *weak, *word;
    struct option_output json;
    u32 calls, words;
    char **program;
};

static void take_call(struct option_reader *o, const struct option_value *v)
{
    struct command *c = o->into;
    c->calls++;
    if (!strcmp(v->text, "bad"))
        option_wrong(o, "--call: %s", v->text);
    if (!strcmp(v->text, "twice") && option_given(o, "call"))
        option_wrong(o, "--call was given before");
}

#define TO(member) .at = OPTION_AT(struct command, member)

static const struct option_row rows[] = {
    OPTION_TITLE("First:"),
    OPTION(FLAG, "flag", NULL, "a flag", TO(flag), .letter = 'f'),
    OPTION(YES_NO, "yes", "yes|no", "yes or no", TO(yes)),
    OPTION(YES_NO, "no", "on|off", "the other way round", TO(no), .negate = true),
    OPTION(CONST, "page", NULL, "a constant", TO(page), .constant = 7),
    OPTION(CHOICE, "colour", "red|green|blue", "a choice", TO(colour)),
    OPTION(CHOICE, "second", "first|last", "one of two", TO(second), .note = "there is no third"),
    OPTION(CHOICE, "weak", "weak|strong", "a choice as text", TO(weak), .as_text = true, .runs = true),
    OPTION_TITLE("Then:"),
    OPTION(NUMBER, "number", "N", "a number", TO(number), .letter = 'n'),
    OPTION(NUMBER, "number-small", "N", "a small one", TO(small), .least = 3, .most = 9),
    OPTION(NUMBER, "number-some", "N", "some", TO(number), .least = 1, .takes = "some"),
    OPTION(COUNT, "bytes", "BYTES", "with a unit", TO(bytes), .most = 1ull << 40),
    OPTION(SECONDS, "seconds", "SECONDS", "a time", TO(seconds)),
    OPTION(SIZES, "sizes", "X[xY]", "sizes", TO(sizes), .least = 1, .most = 2),
    OPTION(TEXT, "text", "TEXT", "a text", TO(text), .letter = 't', .alias = "name"),
    OPTION(OUTPUT, "json", "FILE", "a file or not", TO(json), .optional = true),
    OPTION(CALL, "call", "WORD", "a function", .take = take_call),
    OPTION(UNUSED, "padding", "N", NULL, .letter = 'p'),
    OPTION(ALWAYS, "always", "yes|no", "it is always so"),
    OPTION(REFUSED, "refused", "FILE", "there is none"),
};

static void take_word(struct option_reader *o, const char *word)
{
    struct command *c = o->into;
    c->word = word;
    c->words++;
}

static void finish(struct option_reader *o)
{
    const struct command *c = o->into;
    if (c->words > 2)
        option_wrong(o, "two words at most");
    if (c->words == 2 && option_given_for_run(o))
        option_wrong(o, "--%s runs", option_given_for_run(o));
}

#define TABLE .rows = rows, .n = LS_ARRAY_LEN(rows)

static const struct option_table words = {TABLE, .words = "[WORD]", .about = "Tests.\vThe end.", .word = take_word,
                                          .finish = finish};
static const struct option_table program = {TABLE, .words = "PROGRAM", .about = "Tests.",
                                            .program = OPTION_AT(struct command, program)};
static const struct option_table alone = {TABLE, .about = "Tests."};

/* ---- reading, with what is said ---- */

static struct command c;
static int status;
static char said[20000];

/* Reads the words of a line, with blanks between them; what stdout and stderr got goes to `said`. */
static bool read_line(const struct option_table *t, const char *line)
{
    static char copy[500];
    static char *argv[40];
    int argc = 0;
    snprintf(copy, sizeof copy, "lockstep test %s", line);
    copy[8] = '_'; /* the command's name is one word */
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    argv[argc] = NULL;
    argv[0][8] = ' ';
    c = (struct command){0};
    FILE *out = tmpfile();
    assert_non_null(out);
    fflush(NULL);
    const int kept_out = dup(1), kept_err = dup(2);
    dup2(fileno(out), 1);
    dup2(fileno(out), 2);
    const bool good = options_read(t, &c, argc, argv, &status);
    fflush(NULL);
    dup2(kept_out, 1);
    dup2(kept_err, 2);
    close(kept_out);
    close(kept_err);
    rewind(out);
    said[fread(said, 1, sizeof said - 1, out)] = 0;
    fclose(out);
    return good;
}

static void good(const char *line) { assert_true(read_line(&words, line)); }

static void says(const char *text)
{
    if (!strstr(said, text))
        fail_msg("'%s' is not in '%s'", text, said);
}

/* The line is refused, by this text and where to read more. */
static void bad(const char *line, const char *text)
{
    char whole[400];
    if (read_line(&words, line))
        fail_msg("'%s' was taken", line);
    assert_int_equal(status, 2);
    snprintf(whole, sizeof whole, "lockstep test: %s\nTry `lockstep test --help'", text);
    says(whole);
}

/* ---- values ---- */

static void flags(void **state)
{
    (void)state;
    good("");
    assert_false(c.flag);
    good("-f --yes yes --no on --page");
    assert_true(c.flag && c.yes && !c.no);
    assert_int_equal(c.page, 7);
    good("--flag --yes=true --no=0");
    assert_true(c.flag && c.yes && c.no);
    good("--yes 1 --yes off");
    assert_false(c.yes);
    bad("--yes maybe", "--yes is yes or no, not 'maybe'");
    bad("--no maybe", "--no is on or off, not 'maybe'");
    bad("--flag=3", "--flag takes no argument");
}

static void choices(void **state)
{
    (void)state;
    good("--colour blue --second last --weak strong");
    assert_int_equal(c.colour, BLUE);
    assert_true(c.second);
    assert_string_equal(c.weak, "strong");
    good("--colour=red --second first");
    assert_int_equal(c.colour, RED);
    assert_false(c.second);
    bad("--colour", "--colour requires an argument: red|green|blue");
    bad("--colour=", "--colour is red, green or blue, not ''");
    bad("--colour gree", "--colour is red, green or blue, not 'gree'");
    bad("--colour red|green", "--colour is red, green or blue, not 'red|green'");
    bad("--second third", "--second is first or last, not 'third': there is no third");
    bad("--weak soft", "--weak is weak or strong, not 'soft'");
}

static void numbers(void **state)
{
    (void)state;
    good("--number 18446744073709551615 --number-small 9");
    assert_true(c.number == UINT64_MAX);
    assert_int_equal(c.small, 9);
    good("-n5");
    assert_int_equal(c.number, 5);
    good("-n 6 --number-some 1");
    assert_int_equal(c.number, 1);
    bad("--number 18446744073709551616", "--number needs a number, not '18446744073709551616'");
    bad("--number -1", "--number needs a number, not '-1'");
    bad("--number 1x", "--number needs a number, not '1x'");
    bad("--number=", "--number needs a number, not ''");
    bad("--number-small 2", "--number-small needs a number from 3 to 9, not '2'");
    bad("--number-small 10", "--number-small needs a number from 3 to 9, not '10'");
    bad("--number-some 0", "--number-some needs some, not '0'");
}

static void counts(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",   "k",   "-1",   "1kk",   "1t",
                                        "0x", "1x1", "1.5k", "1025g", "99999999999999999999"};
    good("--bytes 0");
    assert_int_equal(c.bytes, 0);
    good("--bytes 48k");
    assert_int_equal(c.bytes, 48 << 10);
    good("--bytes 0x10M");
    assert_int_equal(c.bytes, 16 << 20);
    good("--bytes 1024g");
    assert_true(c.bytes == 1ull << 40);
    for (u32 i = 0; i < LS_ARRAY_LEN(wrong); i++) {
        u64 n;
        if (option_read_count(wrong[i], 1ull << 40, &n))
            fail_msg("'%s' was taken", wrong[i]);
    }
    bad("--bytes lots", "--bytes needs a number from 0 to 1099511627776, not 'lots'");
    good("--seconds 0.5");
    assert_true(c.seconds == 0.5);
    bad("--seconds soon", "--seconds needs seconds, not 'soon'");
    bad("--seconds -1", "--seconds needs seconds, not '-1'");
    bad("--seconds nan", "--seconds needs seconds, not 'nan'");
}

static void sizes(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "0", "x", "1x", "1x2x3", "1x0", "-1", "4294967296", "2y2", "+1", " 1"};
    u32 n[3];
    good("--sizes 32x8");
    assert_true(c.sizes[0] == 32 && c.sizes[1] == 8 && c.sizes[2] == 1);
    good("--sizes 5");
    assert_true(c.sizes[0] == 5 && c.sizes[1] == 1 && c.sizes[2] == 1);
    assert_true(option_read_sizes("1,2X3", 1, 3, n) && n[0] == 1 && n[1] == 2 && n[2] == 3);
    assert_false(option_read_sizes("1", 2, 2, n));
    for (u32 i = 0; i < LS_ARRAY_LEN(wrong); i++)
        if (option_read_sizes(wrong[i], 1, 2, n))
            fail_msg("'%s' was taken", wrong[i]);
}

static void texts(void **state)
{
    (void)state;
    good("--text a --name b");
    assert_string_equal(c.text, "b");
    good("-t--flag");
    assert_string_equal(c.text, "--flag");
    assert_false(c.flag);
    bad("--text", "--text requires an argument: TEXT");
    bad("-t", "--text requires an argument: TEXT");
    good("--json");
    assert_true(c.json.wanted && !c.json.to);
    good("--json=-");
    assert_true(c.json.wanted && !c.json.to);
    good("--json=a.json file");
    assert_string_equal(c.json.to, "a.json");
    assert_string_equal(c.word, "file");
}

static void functions(void **state)
{
    (void)state;
    good("--call a --call b");
    assert_int_equal(c.calls, 2);
    bad("--call bad --number x", "--call: bad");
    good("--call twice");
    bad("--call a --call twice", "--call was given before");
    good("-p 1 --padding=2 --always yes");
    says("lockstep test: without effect here: --padding, --padding\n");
    bad("--always no", "--always: it is always so");
    bad("--always x", "--always is yes or no, not 'x'");
    bad("--refused a", "--refused: there is none");
}

/* ---- the command line ---- */

static void spelling(void **state)
{
    (void)state;
    good("--fl --col=green -fn3 --number-so 4");
    assert_true(c.flag && c.colour == GREEN && c.number == 4);
    bad("--numbre 3", "unrecognized option '--numbre'; the nearest is '--number'");
    bad("--number-smoll=3", "unrecognized option '--number-smoll'; the nearest is '--number-small'");
    bad("--nam3 3", "unrecognized option '--nam3'; the nearest is '--name'");
    bad("--quite-another", "unrecognized option '--quite-another'");
    bad("-x", "unrecognized option '-x'");
    bad("-fx", "unrecognized option '-x'");
    bad("-json", "unrecognized option '-json'; the nearest is '--json'");
    bad("--se 3", "option '--se' is ambiguous; possibilities: '--second' '--seconds'");
}

static void other_words(void **state)
{
    (void)state;
    good("a -f");
    assert_string_equal(c.word, "a");
    assert_true(c.flag);
    good("-- -f");
    assert_string_equal(c.word, "-f");
    assert_false(c.flag);
    bad("a b c", "two words at most");
    bad("a b --weak weak", "--weak runs");
    assert_true(read_line(&program, "-f prog -f --text x -- y"));
    assert_string_equal(c.program[0], "prog");
    assert_string_equal(c.program[5], "y");
    assert_null(c.program[6]);
    assert_null(c.text);
    assert_true(read_line(&program, "-- prog"));
    assert_string_equal(c.program[0], "prog");
    assert_true(read_line(&program, ""));
    assert_null(c.program);
    assert_false(read_line(&alone, "word"));
    says("there is no use for 'word'");
}

/* What --help shows is what the table has: each name that is not hidden, and no other. */
static void help(void **state)
{
    (void)state;
    for (u32 k = 0; k < 3; k++) {
        assert_false(read_line(&words, (const char *const[]){"--help", "-?", "-f -h"}[k]));
        assert_int_equal(status, 0);
        says("Usage: lockstep test [OPTION...] [WORD]\nTests.\n");
        says("\nThe end.\n");
    }
    u32 shown = 0, lines = 0;
    for (u32 i = 0; i < LS_ARRAY_LEN(rows); i++) {
        const bool hidden = !rows[i].help || rows[i].kind == OPTION_REFUSED || rows[i].kind == OPTION_ALWAYS;
        char name[80];
        snprintf(name, sizeof name, " --%s%s", rows[i].name ? rows[i].name : "",
                 rows[i].value && !rows[i].optional ? "=" : "");
        if (rows[i].name && hidden == (strstr(said, name) != NULL))
            fail_msg("--%s is%s in --help", rows[i].name, hidden ? "" : " not");
        shown += rows[i].name && !hidden;
    }
    for (const char *at = said; (at = strchr(at, '\n')); at++)
        lines += !strncmp(at, "\n      --", 9) || !strncmp(at, "\n  -", 4);
    assert_int_equal(lines, shown + 2); /* --help and --usage */
    assert_false(read_line(&words, "--usage"));
    assert_int_equal(status, 0);
    says("[--colour=red|green|blue]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags),     cmocka_unit_test(choices),  cmocka_unit_test(numbers),
        cmocka_unit_test(counts),    cmocka_unit_test(sizes),    cmocka_unit_test(texts),
        cmocka_unit_test(functions), cmocka_unit_test(spelling), cmocka_unit_test(other_words),
        cmocka_unit_test(help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
