/* run.c - runs the rows: one child process an environment, because a process has one driver; a rung and shape once. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "curriculum.h"
#include "lab/expect.h"

enum { MEMO = 2 * ROWS };

struct runner {
    struct lab *lab;
    struct arena mem;
    struct diag_list diags;
    struct memo {
        const struct command *command;
        struct lab_result result;
    } *memo;
    u32 n;
};

static bool same_run(const struct command *a, const struct command *b)
{
    const struct shape *s = &a->shape, *t = &b->shape;
    return a->rung == b->rung && s->n == t->n && s->rows == t->rows && s->cols == t->cols && s->k == t->k &&
           s->batch == t->batch && s->bx == t->bx && s->by == t->by;
}

static const struct lab_result *result_of(struct runner *w, const struct command *c)
{
    for (u32 i = 0; i < w->n; i++)
        if (same_run(w->memo[i].command, c))
            return &w->memo[i].result;
    struct memo *m = &w->memo[w->n];
    lab_set_shape(w->lab, &c->shape);
    if (w->n == MEMO || lab_run(w->lab, c->family, c->rung, &w->mem, &m->result, &w->diags) != LS_OK)
        return NULL;
    m->command = c;
    w->n++;
    return &m->result;
}

/* Why a result is no evidence; NULL: it is. */
static const char *unfit(const struct lab_result *r)
{
    if (!r)
        return "it could not be run";
    if (r->verdict == LAB_UNSUPPORTED)
        return r->text;
    if (r->rung->broken)
        return lab_result_bad(r) ? "a broken rung was not caught" : NULL;
    if (r->nfindings)
        return "an expectation of the rung's head is not met";
    return r->verdict == LAB_RIGHT ? NULL : r->text;
}

static void check_row(struct row *row, const struct lab_result *r, const struct lab_result *was)
{
    for (u32 i = 0; i < row->nchecks; i++) {
        struct check_line *c = &row->checks[i];
        const char *why = formula_check(c, r, was);
        if (why)
            snprintf(row->trouble, sizeof row->trouble, "'%.160s': %.100s", c->text, why);
        else if (!expect_holds(c->relation, c->got, c->want))
            snprintf(row->trouble, sizeof row->trouble, "'%.160s' does not hold: %.10g against %.10g", c->text, c->got,
                     c->want);
    }
}

static const char *not_refused(const struct row *row, const struct lab_result *r)
{
    if (!r || r->verdict != LAB_UNSUPPORTED)
        return "it is not refused";
    return strstr(r->text, row->refused) ? NULL : r->text;
}

static void run_row(struct runner *w, struct row *row)
{
    const struct lab_result *r = result_of(w, &row->command), *was = NULL;
    const char *why = row->refused ? not_refused(row, r) : unfit(r);
    if (!why && row->against) {
        was = result_of(w, &row->reference);
        why = unfit(was);
    }
    if (why)
        snprintf(row->trouble, sizeof row->trouble, "%s", why);
    else
        check_row(row, r, was);
    row->done = true;
}

static bool measured(const struct row *row) { return row->nchecks || row->refused; }

static bool belongs(const struct row *row, const char *environment)
{
    return measured(row) && strcmp(row->command.environment, environment) == 0;
}

static void set_environment(const char *text)
{
    char copy[120], *save = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        setenv(word, value, 1);
    }
}

static bool run_in(struct runner *w, struct book *b, const char *environment)
{
    const struct lab_request request = {.no_awkward = true};
    if (lab_open(&request, &w->lab, &w->diags) != LS_OK)
        return false;
    for (u32 i = 0; i < b->n; i++)
        if (belongs(&b->rows[i], environment))
            run_row(w, &b->rows[i]);
    return true;
}

/* The child's work; rows are in memory that it shares with its parent. */
static int child(struct book *b, const char *environment)
{
    struct runner w = {.mem = ARENA("curriculum"), .memo = ls_calloc(MEMO, sizeof *w.memo)};
    diag_init(&w.diags);
    set_environment(environment);
    if (!w.memo || setjmp(w.mem.oom)) {
        fprintf(stderr, "ls_curriculum: out of memory\n");
        return 2;
    }
    const bool good = run_in(&w, b, environment);
    if (w.diags.errors)
        fprintf(stderr, "%s\n", diag_text(&w.diags));
    for (u32 i = 0; i < w.n; i++)
        lab_result_free(&w.memo[i].result);
    lab_close(w.lab);
    diag_free(&w.diags);
    arena_free(&w.mem);
    ls_free(w.memo);
    return good ? 0 : 2;
}

static bool run_environment(struct book *b, const char *environment)
{
    int status;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        exit(child(b, environment));
    if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    fprintf(stderr, "ls_curriculum: the run in environment '%s' failed\n", environment);
    return false;
}

bool run_rows(struct book *b)
{
    for (u32 i = 0; i < b->n; i++)
        if (measured(&b->rows[i]) && !b->rows[i].done && !run_environment(b, b->rows[i].command.environment))
            return false;
    return true;
}
