/* settings-table.c - prints the tables of docs/environment.md from settings.def, in Markdown. */
#include <stdio.h>

#include "base/settings.h"

static void print(enum setting_scope scope)
{
    printf("\n| variable | takes | default | meaning |\n| --- | --- | --- | --- |\n");
    for (int n = 0; n < SETTING_COUNT; n++) {
        const struct setting_info *s = setting_info((enum setting)n);
        char takes[160];
        setting_takes((enum setting)n, takes);
        if (s->scope == scope && s->usual)
            printf("| `%s` | %s | %s | %s |\n", s->name, takes, s->usual, s->meaning);
        else if (s->scope == scope)
            printf("| `%s` | %s | `%s` | %s |\n", s->name, takes, s->preset, s->meaning);
    }
}

int main(void)
{
    print(SETTING_SCOPE_USER);
    printf("\nAbout one run. A command that starts a program (`lockstep check`, `profile`, `trace`) clears those that "
           "it does "
           "not set.\n");
    print(SETTING_SCOPE_RUN);
    printf("\nVariables of CUDA's:\n");
    print(SETTING_SCOPE_FOREIGN);
    printf("\nVariables of others:\n\n| variable | what for |\n| --- | --- |\n");
    for (int n = 0; n < OTHERS_COUNT; n++) {
        const char *meaning, *name = settings_other_name((enum setting_other)n, &meaning);
        printf("| `%s` | %s |\n", name, meaning);
    }
    return 0;
}
