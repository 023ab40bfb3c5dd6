/* wire.h - lines of JSON over a socket: what the debugger asks for, read by a thread of its own, and what it is told. */
#ifndef LS_DEBUG_WIRE_H
#define LS_DEBUG_WIRE_H

#include <jansson.h>

#include "base/base.h"

struct wire;

/* where: the path of a Unix socket, or the number of an open descriptor. woken is called on the reader's thread when a
 * request has come, or when the other side has gone. NULL: *why says what is wrong. */
struct wire *wire_open(const char *where, void (*woken)(void), const char **why);

/* The next request, an object; the caller's. NULL: there is none (wait: the other side has gone, or *cancel was set). */
json_t *wire_take(struct wire *w, bool wait, const volatile bool *cancel);
bool wire_waiting(const struct wire *w); /* a request is there, or the other side has gone */
bool wire_gone(const struct wire *w);

/* Takes the object. NULL (no memory for it) is passed over. From any thread. */
void wire_send(struct wire *w, json_t *message);
/* Nothing is sent or read from now on; the other side sees the end. */
void wire_close(struct wire *w);
/* For who knows that no other thread has it; a process of a user's ends with its wire. */
void wire_free(struct wire *w);
void wire_forked(struct wire *w); /* in a child of fork */

#endif
