/* fuzz_agent.c - libFuzzer target: any bytes as what a debugger sends to the agent, while a small launch stands still at its
 * first instruction: calls, local and shared memory, lanes that part, a barrier. A line is a request, sent when the one
 * before it is answered and the launch stands still again. Then the debugger has gone, and the launch must end. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/gpu.h"
#include "debug/agent/internal.h"
#include "exec/memory/device_memory.h"
#include "exec/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES_MOST = 60000, OUT = 4096 };

static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".global .align 4 .u32 counter;\n"
    ".func (.param .b32 r) twice(.param .b32 p)\n{\n"
    "    .reg .b32 %x;\n    ld.param.u32 %x, [p];\n    add.u32 %x, %x, %x;\n    st.param.b32 [r], %x;\n    ret;\n}\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    "    .reg .b64 %out, %l;\n    .reg .b32 %t, %v, %a;\n    .reg .pred %p;\n"
    "    .local .align 4 .b8 own[16];\n    .shared .align 4 .b8 cells[256];\n"
    "    ld.param.u64 %out, [out];\n    mov.u32 %t, %tid.x;\n    mov.u64 %l, own;\n    st.local.u32 [%l], %t;\n"
    "    mul.lo.u32 %a, %t, 4;\n    mov.u32 %v, cells;\n    add.u32 %a, %a, %v;\n    st.shared.u32 [%a], %t;\n"
    "    bar.sync 0;\n    and.b32 %v, %t, 1;\n    setp.eq.u32 %p, %v, 0;\n    @%p bra even;\n"
    "    { .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %t; call (r0), twice, (p0); ld.param.b32 %v, [r0]; }\n"
    "    bra.uni done;\n"
    "even:\n    ld.local.u32 %v, [%l];\n    atom.global.add.u32 %v, [counter], 1;\n"
    "done:\n    mul.wide.u32 %l, %t, 4;\n    add.u64 %out, %out, %l;\n    st.global.u32 [%out], %v;\n    ret;\n}\n";

static struct {
    struct gpu gpu;
    struct exec_device device;
    struct exec_module *module;
    u64 out;
} subject;

static void nobody(void) {}
static u64 new_id(void) { return 2; }

static bool made(void)
{
    struct diag_list diags;
    struct ptx_module *ptx;
    diag_init(&diags);
    LS_BUG_ON(gpu_find("h200", &subject.gpu, &diags));
    subject.gpu.memory_bytes = 1 << 24;
    LS_BUG_ON(exec_device_init(&subject.device, &subject.gpu));
    LS_BUG_ON(mem_alloc(subject.device.mem, OUT, 256, MEM_DEVICE, NULL, &subject.out));
    LS_BUG_ON(ptx_parse(text, sizeof text - 1, "fuzz.ptx", &ptx, &diags));
    LS_BUG_ON(exec_module_load(&subject.device, &ptx, 1, &subject.module, &diags));
    diag_free(&diags);
    agent.config = (struct agent_config){
        .mem = subject.device.mem, .memory_most = 1 << 24, .new_id = new_id, .gpu = &subject.gpu, .devices = 1};
    agent.on = true;
    agent_module_made(subject.module);
    return true;
}

/* ---- the debugger ---- */

struct debugger {
    int fd;
    const uint8_t *data;
    size_t size;
    char bytes[1 << 16]; /* received; a message is cut there */
    size_t len;
};

/* The agent's next message; NULL: it has gone. What is longer than the room is an object, too, for here. */
static json_t *receive(struct debugger *d)
{
    char *end;
    while (!(end = memchr(d->bytes, '\n', d->len))) {
        if (d->len == sizeof d->bytes)
            d->len = 1; /* some letters of a long one */
        const ssize_t n = recv(d->fd, d->bytes + d->len, sizeof d->bytes - d->len, 0);
        if (n <= 0)
            return NULL;
        d->len += (size_t)n;
    }
    json_t *message = json_loadb(d->bytes, (size_t)(end - d->bytes), 0, NULL);
    d->len -= (size_t)(end + 1 - d->bytes);
    memmove(d->bytes, end + 1, d->len);
    return message ? message : json_pack("{s:n}", "id"); /* only answers are that long */
}

enum came { CAME_END, CAME_OK, CAME_REFUSAL, CAME_STOP, CAME_OTHER };

static enum came next(struct debugger *d)
{
    json_t *message = receive(d);
    const char *event = message ? json_string_value(json_object_get(message, "event")) : "end";
    const enum came came = !event ? json_is_true(json_object_get(message, "ok")) ? CAME_OK : CAME_REFUSAL
                           : strcmp(event, "end") == 0  ? CAME_END
                           : strcmp(event, "stop") == 0 ? CAME_STOP
                                                        : CAME_OTHER;
    json_decref(message);
    return came;
}

/* Does the launch go on when this is accepted, up to the next stop? */
static bool goes(const uint8_t *line, size_t n)
{
    static const char *const words[] = {"continue", "step", "goto", "reverse_continue", "reverse_step"};
    json_t *request = json_loadb((const char *)line, n, 0, NULL);
    const char *cmd = json_string_value(json_object_get(request, "cmd"));
    bool found = false;
    for (unsigned k = 0; cmd && k < LS_ARRAY_LEN(words); k++)
        found |= strcmp(cmd, words[k]) == 0;
    json_decref(request);
    return found;
}

/* Sends a line and waits for what it leads to. False: the launch or the agent is no longer there. */
static bool ask(struct debugger *d, const uint8_t *line, size_t n)
{
    enum came came = CAME_OTHER;
    if (send(d->fd, line, n, MSG_NOSIGNAL) != (ssize_t)n || send(d->fd, "\n", 1, MSG_NOSIGNAL) != 1)
        return false;
    while (came == CAME_OTHER || came == CAME_STOP)
        came = next(d);
    if (came == CAME_OK && goes(line, n))
        while (came != CAME_STOP && came != CAME_END)
            came = next(d);
    return came != CAME_END;
}

/* A thread: the input's lines, one at a time; then it is gone. */
static void *debug(void *debugger)
{
    struct debugger *d = debugger;
    enum came came = CAME_OTHER;
    bool there = true;
    while (came != CAME_STOP && came != CAME_END)
        came = next(d);
    while (there && d->size) {
        const uint8_t *end = memchr(d->data, '\n', d->size);
        const size_t n = end ? (size_t)(end - d->data) : d->size;
        there = !n || ask(d, d->data, n);
        d->data += n + (end != NULL);
        d->size -= n + (end != NULL);
    }
    shutdown(d->fd, SHUT_WR);
    while (next(d) != CAME_END) /* what else is answered goes nowhere */
        ;
    return NULL;
}

/* ---- the launch ---- */

static void stop_at_entry(void)
{
    char why[200];
    json_t *q = json_pack("{s:s}", "kind", "entry");
    agent.stops = stop_make(q, why);
    LS_BUG_ON(!agent.stops);
    json_decref(q);
}

static void launch(void)
{
    struct exec_fault fault;
    const struct exec_launch l = {.device = &subject.device,
                                  .module = subject.module,
                                  .kernel = exec_module_kernel(subject.module, "k"),
                                  .grid = {2, 1, 1},
                                  .block = {48, 1, 1},
                                  .params = &subject.out,
                                  .id = 1,
                                  .workers = 1};
    agent_launch(&l, &fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct debugger d;
    static bool ready;
    char number[16];
    const char *why;
    pthread_t thread;
    int pair[2];
    if (size > BYTES_MOST)
        return 0;
    LS_BUG_ON(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    snprintf(number, sizeof number, "%d", pair[1]);
    LS_BUG_ON(!(agent.wire = wire_open(number, nobody, &why)));
    ready = ready || made();
    agent.on = true;
    agent.keep = KEEP_ALL;
    stop_at_entry();
    d.fd = pair[0];
    d.data = data;
    d.size = size;
    d.len = 0;
    LS_BUG_ON(pthread_create(&thread, NULL, debug, &d));
    launch();
    LS_BUG_ON(agent.run || agent.stopped);
    let_loose();
    pthread_join(thread, NULL);
    wire_free(agent.wire);
    close(pair[0]);
    return 0;
}
