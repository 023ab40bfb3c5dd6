/* gpus.c - `lockstep gpus`: what is known of each GPU that Lockstep can be. */
#include <argp.h>
#include <stdio.h>

#include "base/gpu.h"
#include "cli/cli.h"

static const struct argp argp = {NULL, NULL, "",  "Lists the GPUs that Lockstep can be (LOCKSTEP_GPU, climb --gpu).",
                                 NULL, NULL, NULL};

static void print_gpu(const struct gpu *g)
{
    printf("%-10s %-32s cc %u.%u  %3u SMs  %3u KiB shared an SM  %2u banks of %u bytes\n", g->id, g->name, g->cc_major,
           g->cc_minor, g->sms, g->shared_per_sm / 1024, g->banks, g->bank_bytes);
}

int cli_gpus(int argc, char **argv)
{
    argp_err_exit_status = CLI_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    struct diag_list diags;
    diag_init(&diags);
    int status = CLI_OK;
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
