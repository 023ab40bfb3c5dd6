/* gpus_command.c - `lockstep gpus`: what is known of each GPU that Lockstep can be. */
#include <stdio.h>

#include "base/gpu.h"
#include "cli/cli.h"
#include "cli/options.h"

static const struct option_table table = {.about = "Lists the GPUs that Lockstep can be (LOCKSTEP_GPU, climb --gpu)."};

static void print_gpu(const struct gpu *g)
{
    printf("%-10s %-32s cc %u.%u  %3u SMs  %3u KiB shared an SM  %2u banks of %u bytes\n", g->id, g->name, g->cc_major,
           g->cc_minor, g->sms, g->shared_per_sm / 1024, g->banks, g->bank_bytes);
}

int cli_gpus(int argc, char **argv)
{
    int status;
    if (!options_read(&table, NULL, argc, argv, &status))
        return status;
    struct diag_list diags;
    diag_init(&diags);
    const char *id;
    for (unsigned i = 0; (id = gpu_builtin(i)); i++) {
        struct gpu gpu;
        if (gpu_find(id, &gpu, &diags) == LS_OK)
            print_gpu(&gpu);
        else
            status = CLI_TROUBLE;
    }
    if (diags.errors)
        cli_print_diags(&diags);
    diag_free(&diags);
    return status;
}
