/* metrics-table.c - prints the table of metrics of docs/metrics.md from metrics.def, in Markdown. */
#include <stdio.h>

#include "meter/metrics.h"

int main(void)
{
    printf("| metric | unit | kind | meaning | formula |\n| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < METRIC_COUNT; i++) {
        const struct metric_info *m = metric_info((enum metric_id)i);
        printf("| `%s` | %s | %s | %s | `%s` |\n", m->name, m->unit, metric_kind_name(m->kind), m->text, m->formula);
    }
    printf("\n| nvprof | metric |\n| --- | --- |\n");
    enum metric_id id;
    const char *alias;
    for (unsigned n = 0; (alias = metric_alias(n, &id)); n++)
        printf("| `%s` | `%s` |\n", alias, metric_info(id)->name);
    printf("\n| event | one of it is |\n| --- | --- |\n");
    for (int e = 0; e < EVENT_COUNT; e++)
        printf("| `%s` | %s |\n", event_name((enum event_id)e), event_text((enum event_id)e));
    return 0;
}
