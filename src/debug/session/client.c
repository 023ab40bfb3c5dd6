/* client.c - requests to the agent and its messages: lines of JSON over a socket. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "debug/session/internal.h"

/* ---- members ---- */

u64 text_u64(const json_t *v)
{
    return json_is_string(v) ? strtoull(json_string_value(v), NULL, 0) : (u64)json_integer_value(v);
}

u64 member_u64(const json_t *o, const char *name, u64 otherwise)
{
    const json_t *v = json_object_get(o, name);
    return v ? text_u64(v) : otherwise;
}

const char *member_text(const json_t *o, const char *name)
{
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "";
}

void member_dim(const json_t *o, const char *name, u32 out[3])
{
    const json_t *list = json_object_get(o, name);
    for (size_t k = 0; k < 3; k++)
        out[k] = (u32)json_integer_value(json_array_get(list, k));
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

bool text_bytes(const char *text, u8 *to, u64 n)
{
    for (u64 k = 0; k < n; k++) {
        const int high = digit(text[2 * k]), low = high < 0 ? -1 : digit(text[2 * k + 1]);
        if (low < 0)
            return false;
        to[k] = (u8)(high << 4 | low);
    }
    return true;
}

const char *space_word(enum ptx_space space)
{
    switch (space) {
    case SPACE_GLOBAL:
        return "global";
    case SPACE_SHARED:
        return "shared";
    case SPACE_LOCAL:
        return "local";
    case SPACE_PARAM:
        return "param";
    case SPACE_CONST:
        return "const";
    default:
        return "generic";
    }
}

/* ---- the socket ---- */

static bool send_all(struct session *s, const char *text, size_t len)
{
    while (len) {
        const ssize_t n = send(s->fd, text, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text += n;
        len -= (size_t)n;
    }
    return true;
}

bool client_send(struct session *s, const char *cmd, json_t *words, u64 *id)
{
    json_t *q = words ? words : json_object();
    *id = ++s->last_id;
    json_object_set_new(q, "cmd", json_string(cmd));
    json_object_set_new(q, "id", json_integer((json_int_t)*id));
    char *text = json_dumps(q, JSON_COMPACT);
    json_decref(q);
    if (!text)
        return session_fail(s, "the request could not be written");
    const bool sent = s->fd >= 0 && send_all(s, text, strlen(text)) && send_all(s, "\n", 1);
    free(text); /* jansson's */
    return sent || session_fail(s, "the program has gone");
}

/* More bytes. False: the end. */
static bool receive(struct session *s)
{
    if (s->in_cap - s->in_len < 65536) {
        char *more = ls_realloc(s->in, s->in_cap * 2 + 131072);
        if (!more)
            arena_out_of_memory(&s->mem);
        s->in = more;
        s->in_cap = s->in_cap * 2 + 131072;
    }
    const ssize_t n = recv(s->fd, s->in + s->in_len, s->in_cap - s->in_len, 0);
    if (n > 0)
        s->in_len += (size_t)n;
    return n > 0 || (n < 0 && errno == EINTR);
}

/* A message that is there, or NULL. */
static json_t *take_line(struct session *s)
{
    char *end = s->in_len ? memchr(s->in, '\n', s->in_len) : NULL;
    if (!end)
        return NULL;
    json_t *message = json_loadb(s->in, (size_t)(end - s->in), 0, NULL);
    s->in_len -= (size_t)(end + 1 - s->in);
    memmove(s->in, end + 1, s->in_len);
    return message ? message : json_object();
}

/* The next message. NULL: timeout, a second interrupt, or s->gone. */
static json_t *next_message(struct session *s, int timeout)
{
    u32 interrupts = 0;
    for (;;) {
        json_t *message = take_line(s);
        if (message || s->gone || s->fd < 0)
            return message;
        if (s->interrupt && *s->interrupt) {
            u64 id;
            *s->interrupt = 0;
            if (interrupts++)
                return NULL;
            client_send(s, "interrupt", NULL, &id);
        }
        struct pollfd p = {.fd = s->fd, .events = POLLIN};
        const int n = poll(&p, 1, timeout < 0 ? 200 : timeout); /* a signal may come just before poll */
        if (n == 0 && timeout >= 0)
            return NULL;
        if (n > 0 && !receive(s))
            s->gone = true;
    }
}

json_t *client_event(struct session *s, int timeout)
{
    if (json_array_size(s->events)) {
        json_t *first = json_incref(json_array_get(s->events, 0));
        json_array_remove(s->events, 0);
        return first;
    }
    for (;;) {
        json_t *message = next_message(s, timeout);
        if (!message || json_object_get(message, "event"))
            return message;
        json_decref(message); /* the answer of an interrupt */
    }
}

const json_t *client_ask(struct session *s, const char *cmd, json_t *words)
{
    u64 id;
    if (!client_send(s, cmd, words, &id))
        return NULL;
    for (;;) {
        json_t *message = next_message(s, -1);
        if (!message && !s->gone)
            continue;
        if (!message) {
            session_fail(s, "the program has gone");
            return NULL;
        }
        if (json_object_get(message, "event")) {
            json_array_append_new(s->events, message);
            continue;
        }
        if (member_u64(message, "id", 0) != id) {
            json_decref(message);
            continue;
        }
        json_array_append_new(s->kept, message);
        if (json_is_true(json_object_get(message, "ok")))
            return message;
        session_fail(s, "%s", member_text(message, "error"));
        return NULL;
    }
}

const json_t *client_ask_cached(struct session *s, const char *cmd, json_t *words)
{
    if (!words)
        words = json_object();
    json_object_set_new(words, "cmd", json_string(cmd));
    char *key = json_dumps(words, JSON_COMPACT | JSON_SORT_KEYS);
    const json_t *answer = key ? json_object_get(s->cache, key) : NULL;
    if (answer)
        json_decref(words);
    else if ((answer = client_ask(s, cmd, words)) && key)
        json_object_set_new(s->cache, key, json_incref((json_t *)answer));
    free(key); /* jansson's */
    return answer;
}

const json_t *session_ask(struct session *s, const char *cmd, json_t *words) { return client_ask(s, cmd, words); }
