/* finding_words.c - what the tools of `lockstep check` find, as stops: `break finding`, `info findings`, `party`. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/core/finding.h"
#include "cli/debug/debug.h"

static bool tools_are_known(struct debug_cli *d, const char *list)
{
    char name[64];
    unsigned one;
    for (const char *at = list; *at;) {
        const size_t n = strcspn(at, ", ");
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), at);
        if (n && !check_tool_by_name(name, &one)) {
            debug_wrong(d, "There is no tool \"%s\": they are those of lockstep check (memcheck, racecheck, ...).",
                        name);
            return false;
        }
        at += n + (at[n] != 0);
    }
    return true;
}

void debug_catch_finding(struct debug_cli *d, const char *rest)
{
    const struct session_breakpoint_spec spec = {.kind = SESSION_AT_FINDING, .place = *rest ? rest : NULL};
    u32 number;
    if (!tools_are_known(d, rest))
        return;
    if (!session_break(d->s, &spec, &number)) {
        debug_failed(d);
        return;
    }
    debug_say(d, "Catchpoint %u (finding%s%s)", number, *rest ? " of " : "", rest);
    if (session_breakpoint(d->s, number)->pending && session_state(d->s) != SESSION_NONE)
        debug_say(d, "The tools listen from where CUDA starts: `run` it again.");
}

static json_t *object_of(struct debug_cli *d, const struct session_finding *f)
{
    json_t *o = json_deep_copy(f->message);
    json_object_del(o, "call"); /* addresses of code, which mean nothing outside */
    json_object_del(o, "allocation");
    json_object_set_new(o, "text", json_string(session_finding_text(d->s, f)));
    return json_pack("{s:o}", "finding", o);
}

void debug_say_finding(struct debug_cli *d, const struct session_finding *f)
{
    debug_tell(d, object_of(d, f), "%s", session_finding_text(d->s, f));
}

void debug_say_findings_here(struct debug_cli *d)
{
    const struct session_finding *all;
    const u32 n = session_findings_here(d->s, &all);
    for (u32 k = 0; k < n; k++)
        debug_say_finding(d, &all[k]);
}

void word_info_findings(struct debug_cli *d, const char *rest)
{
    const struct session_finding *all;
    u32 n;
    (void)rest;
    if (!session_findings(d->s, &all, &n)) {
        debug_failed(d);
        return;
    }
    if (!n)
        debug_say(d, "Nothing is found in this launch.");
    for (u32 k = 0; k < n; k++)
        debug_say_finding(d, &all[k]);
}

static void go_to(struct debug_cli *d, u32 number, u32 party)
{
    if (session_go_to_finding(d->s, number, party))
        debug_wait(d);
    else
        debug_failed(d);
}

/* party 1|2: of the finding at which it stands, or of the one that was gone to last; party 1|2 of N. */
void word_party(struct debug_cli *d, const char *rest)
{
    char *end;
    const u32 party = (u32)strtoul(rest, &end, 10);
    const char *of = end + strspn(end, " ");
    if (party < 1 || party > 2 || (*of && strncmp(of, "of ", 3) != 0)) {
        debug_wrong(d, "party 1 or party 2, or party 1 of N (`info findings` has the numbers).");
        return;
    }
    const struct session_finding *here;
    if (*of)
        d->finding = (u32)strtoul(of + 3, NULL, 10);
    else if (session_findings_here(d->s, &here) && !d->finding)
        d->finding = here[0].number;
    go_to(d, d->finding, party);
}

void word_finding(struct debug_cli *d, const char *rest)
{
    d->finding = (u32)strtoul(rest, NULL, 10);
    if (!d->finding)
        debug_wrong(d, "finding N: `info findings` has the numbers.");
    else
        go_to(d, d->finding, 0);
}
