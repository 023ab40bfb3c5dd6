/* html_machine.c - what ptxas made of a kernel, instruction by instruction. */
#include "report/html/html_parts.h"

/* The launch that is shown, or the one whose modelled numbers it has. */
static const struct ncu_launch *launch_with_code(const struct html_kernel *k)
{
    for (u32 i = 0; i < k->n && !k->shown->r->nmachine; i++)
        if (k->launches[i]->r->nmachine && k->launches[i]->r->id == k->shown->r->modelled_as)
            return k->launches[i];
    return k->shown;
}

/* [PTX line, file or -1, line, pipe, text, times issued, reason, cycles, ...]: what behind the text is 0 is left out. */
static json_t *row_of(struct html_page *p, const struct ncu_launch *l, const struct meter_machine *m)
{
    const int file = m->file && m->line ? (int)html_file_number(p, l, m->file) : -1;
    json_t *row = json_pack("[i, i, i, o, o]", (int)m->ptx_line, file, (int)m->line, html_string(p->mem, m->pipe),
                            html_string(p->mem, m->text));
    if (m->issued)
        json_array_append_new(row, html_number((double)m->issued));
    for (u32 k = 0; m->issued && k < STALL_COUNT; k++)
        if (m->stalls[k]) {
            json_array_append_new(row, json_integer(k));
            json_array_append_new(row, html_number((double)m->stalls[k]));
        }
    return row;
}

json_t *html_machine(struct html_page *p, const struct html_kernel *k)
{
    const struct ncu_launch *l = launch_with_code(k);
    json_t *rows = json_array();
    if (!l->r->nmachine) {
        json_decref(rows);
        return json_null();
    }
    for (u32 i = 0; i < l->r->nmachine; i++)
        json_array_append_new(rows, row_of(p, l, &l->r->machine[i]));
    return json_pack("{s:o, s:i, s:o}", "by", html_string(p->mem, l->r->machine_by), "step", METER_MACHINE_BYTES,
                     "rows", rows);
}
