/* port.c - see port.h. Lengths are believed only up to a limit; a message behind a header that says nothing of its length
 * cannot be found, so that is the end. */
#include "cli/debug/dap/port.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"

void port_open(struct port *p, int in, int out)
{
    *p = (struct port){.in = in, .out = out};
    fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
}

void port_close(struct port *p)
{
    ls_free(p->bytes);
    p->bytes = NULL;
    p->len = p->room = 0;
    p->gone = true;
}

/* ---- reading ---- */

static bool make_room(struct port *p, size_t more)
{
    if (p->len + more <= p->room)
        return true;
    const size_t room = (p->len + more) * 2;
    char *bytes = ls_realloc(p->bytes, room);
    if (!bytes)
        return false;
    p->bytes = bytes;
    p->room = room;
    return true;
}

void port_fill(struct port *p)
{
    enum { PIECE = 1 << 16 };
    while (!p->gone && p->len < PORT_BODY_MOST + PORT_HEADER_MOST) {
        const ssize_t n = make_room(p, PIECE) ? read(p->in, p->bytes + p->len, PIECE) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0)
            p->gone = true;
        else
            p->len += (size_t)n;
    }
}

static enum port_took end(struct port *p, char why[PORT_WHY], const char *text)
{
    snprintf(why, PORT_WHY, "%s", text);
    p->len = 0;
    p->gone = true;
    return PORT_END;
}

/* The length that a header's lines tell; false: they tell none. */
static bool read_header(const char *at, const char *stop, size_t *length)
{
    static const char field[] = "Content-Length:";
    bool found = false;
    while (at < stop) {
        const char *line_end = memchr(at, '\n', (size_t)(stop - at));
        const char *line = at;
        at = line_end ? line_end + 1 : stop;
        if ((size_t)(at - line) < sizeof field || strncasecmp(line, field, sizeof field - 1) != 0)
            continue;
        const char *digit = line + sizeof field - 1;
        while (digit < at && *digit == ' ')
            digit++;
        found = isdigit((unsigned char)*digit);
        for (*length = 0; digit < at && isdigit((unsigned char)*digit); digit++)
            if (*length <= PORT_BODY_MOST)
                *length = *length * 10 + (size_t)(*digit - '0');
    }
    return found;
}

/* Behind the empty line that ends the header; 0: it is not here yet. */
static size_t header_size(const struct port *p)
{
    for (size_t i = 0; i + 1 < p->len && i < PORT_HEADER_MOST; i++) {
        if (p->bytes[i] == '\n' && p->bytes[i + 1] == '\n')
            return i + 2;
        if (i + 2 < p->len && p->bytes[i] == '\n' && p->bytes[i + 1] == '\r' && p->bytes[i + 2] == '\n')
            return i + 3;
    }
    return 0;
}

static enum port_took parse(const char *text, size_t n, json_t **message, char why[PORT_WHY])
{
    json_error_t error;
    *message = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(*message))
        return PORT_MESSAGE;
    snprintf(why, PORT_WHY, "%s", *message ? "a message is an object" : error.text);
    json_decref(*message);
    *message = NULL;
    return PORT_BAD;
}

enum port_took port_take(struct port *p, json_t **message, char why[PORT_WHY])
{
    size_t length = 0;
    why[0] = '\0';
    *message = NULL;
    const size_t header = header_size(p);
    if (!header && p->len >= PORT_HEADER_MOST)
        return end(p, why, "a header has at most 4096 bytes");
    if (!header)
        return p->gone ? end(p, why, "") : PORT_NOTHING;
    if (!read_header(p->bytes, p->bytes + header, &length))
        return end(p, why, "a message needs a header with its Content-Length");
    if (length > PORT_BODY_MOST)
        return end(p, why, "a message has at most 8 MiB");
    if (p->len < header + length)
        return p->gone ? end(p, why, "") : PORT_NOTHING;
    const enum port_took took = parse(p->bytes + header, length, message, why);
    p->len -= header + length;
    memmove(p->bytes, p->bytes + header + length, p->len);
    return took;
}

/* ---- sending ---- */

static bool send_all(struct port *p, const char *at, size_t n)
{
    while (n) {
        const ssize_t sent = write(p->out, at, n);
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            poll(&(struct pollfd){.fd = p->out, .events = POLLOUT}, 1, -1);
            continue;
        }
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

void port_send(struct port *p, json_t *message)
{
    char header[64], *text;
    json_object_set_new(message, "seq", json_integer((json_int_t)++p->sent));
    text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (!text)
        return;
    const size_t n = strlen(text);
    const int head = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", n);
    p->mute = p->mute || !send_all(p, header, (size_t)head) || !send_all(p, text, n);
    free(text);
}
