/* fuzz_dap.c - libFuzzer target: any bytes as what an editor sends, in pieces as long as the first byte says. The messages
 * must be those that come of all the bytes at once. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/debug/dap/port.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES_MOST = 60000 }; /* a pipe has room for them */

/* Takes all that is there. False: the port has come to its end. */
static bool take(struct port *p, json_t *messages)
{
    for (;;) {
        char why[PORT_WHY];
        json_t *message;
        const enum port_took took = port_take(p, &message, why);
        LS_BUG_ON((took == PORT_MESSAGE) != json_is_object(message));
        LS_BUG_ON(took == PORT_BAD && !why[0]);
        if (took == PORT_NOTHING || took == PORT_END)
            return took == PORT_NOTHING;
        json_array_append_new(messages, message ? message : json_string(why));
    }
}

static json_t *messages_of(const uint8_t *data, size_t size, size_t piece)
{
    json_t *messages = json_array();
    struct port p;
    int ends[2];
    bool goes_on = true;
    LS_BUG_ON(pipe(ends));
    port_open(&p, ends[0], -1);
    while (goes_on && size) {
        const size_t n = size < piece ? size : piece;
        LS_BUG_ON(write(ends[1], data, n) != (ssize_t)n);
        data += n;
        size -= n;
        port_fill(&p);
        goes_on = take(&p, messages);
    }
    close(ends[1]);
    if (goes_on) {
        port_fill(&p);
        LS_BUG_ON(take(&p, messages));
    }
    LS_BUG_ON(!p.gone);
    port_close(&p);
    close(ends[0]);
    return messages;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > BYTES_MOST)
        return 0;
    json_t *pieces = messages_of(data + 1, size - 1, 1 + data[0]);
    json_t *whole = messages_of(data + 1, size - 1, BYTES_MOST);
    LS_BUG_ON(!json_equal(pieces, whole));
    json_decref(pieces);
    json_decref(whole);
    return 0;
}
