/* port.h - messages of the Debug Adapter Protocol: a header with Content-Length, an empty line, and so many bytes of JSON. */
#ifndef LS_CLI_DEBUG_DAP_PORT_H
#define LS_CLI_DEBUG_DAP_PORT_H

#include <jansson.h>

#include "base/base.h"

enum { PORT_HEADER_MOST = 4096, PORT_BODY_MOST = 8 << 20, PORT_WHY = 200 };

enum port_took {
    PORT_NOTHING, /* not a whole message yet */
    PORT_MESSAGE, /* *message is an object, the caller's */
    PORT_BAD,     /* a message that is none; the next one can be read */
    PORT_END,     /* the other side has gone, or what it sends cannot be followed (`why` is not empty) */
};

struct port {
    int in, out; /* in is set not to block */
    bool gone;   /* nothing more can be read */
    bool mute;   /* nothing can be sent; that alone is for the sender */
    u64 sent;    /* messages */
    char *bytes;
    size_t len, room;
};

void port_open(struct port *p, int in, int out);
void port_close(struct port *p);
void port_fill(struct port *p); /* reads what is there now */
enum port_took port_take(struct port *p, json_t **message, char why[PORT_WHY]);
/* Takes the object and numbers it. NULL (no memory for it) is passed over. */
void port_send(struct port *p, json_t *message);

#endif
