/* staging.c - see staging.h. */
#include "meter/access/staging.h"

#include <string.h>

#include "base/clones.h"
#include "base/fetch.h"

static bool asks_nothing(u64 request)
{
    return request_kind(request) == TRAFFIC_EMPTY_L1 && !request_is_again(request);
}

static bool is_order(u64 request) { return asks_nothing(request) && !request_barrier(request); }

static bool looks_same(u64 a, u64 b)
{
    return request_kind(a) == TRAFFIC_LOAD_PAST && (a | REQUEST_LAST) == (b | REQUEST_LAST);
}

/* Of a warp that looks again at what it has just looked at, two looks are kept: it waits, and how often it looks says nothing of a GPU. The
 * second is in the turn of what follows, so that it does not matter either who looks only once. Orders and barriers stay behind both. turn: it ends one. */
static bool put(struct requests *r, u64 request, bool turn)
{
    u64 n = r->len;
    while (n > r->next && asks_nothing(r->at[n - 1]))
        n--;
    if (n == r->next || !looks_same(r->at[n - 1], request)) {
        r->turns += turn;
        return requests_push(r, request);
    }
    if (n - r->next >= 2 && looks_same(r->at[n - 2], request))
        return true;
    if (!requests_room(r, 1))
        return false;
    memmove(r->at + n + 1, r->at + n, sizeof *r->at * (r->len - n));
    r->at[n] = request & ~REQUEST_LAST;
    r->len++;
    return true;
}

/* A run of bytes writes all but its ends, which its neighbours do. */
enum traffic_kind staging_store_kind(const struct exec_access *a, const struct lines *l)
{
    u32 sectors = 0;
    if (a->pattern == PATTERN_CONTIGUOUS)
        return TRAFFIC_STORE;
    for (u32 k = 0; k < l->n; k++)
        sectors += sectors_in(l->sectors[k]);
    const u32 bytes = (a->pattern == PATTERN_UNIFORM ? 1 : (u32)__builtin_popcount(a->mask)) * a->size;
    return bytes >= 24 * sectors   ? TRAFFIC_STORE
           : bytes >= 12 * sectors ? TRAFFIC_STORE_FOUR
           : bytes >= 5 * sectors  ? TRAFFIC_STORE_TWO
                                   : TRAFFIC_STORE_WORD;
}

static bool put_look(struct requests *to, u32 site, const struct lines *l, bool turn)
{
    bool good = true;
    for (u32 k = 0; k < l->n; k++) {
        const bool last = k + 1 == l->n;
        good &= put(to, request_make(l->number[k], l->sectors[k], TRAFFIC_LOAD_PAST, last, site), last && turn);
    }
    return good;
}

/* of_all: what is the same in all. */
CLONES static void requests_of_lines(u64 *restrict to, const u64 *restrict number, const u8 *restrict sectors, u32 n,
                                     u64 of_all)
{
    for (u32 k = 0; k < n; k++)
        to[k] = request_make(number[k], sectors[k], 0, false, 0) | of_all;
}

static void put_all(struct requests *to, u32 site, enum traffic_kind kind, const struct lines *l)
{
    u64 *at = to->at + to->len;
    const u64 of_all = request_make(0, 0, kind, false, site);
    to->len += l->n;
    if (l->n == 1) {
        *at = request_make(l->number[0], l->sectors[0], 0, true, 0) | of_all;
    } else if (l->n) {
        fetch_to_write(at + l->n, l->n); /* where the warp's next access will be */
        requests_of_lines(at, l->number, l->sectors, l->n, of_all);
        at[l->n - 1] |= REQUEST_LAST;
    }
}

/* put_all, of those lines that stand for all, and the last one, as it ends the instruction. */
static void put_some(struct sm *s, struct requests *to, u32 site, enum traffic_kind kind, const struct lines *l)
{
    enum { TOGETHER = 64 };
    u64 *const from = to->at + to->len, *at = from;
    const u64 of_all = request_make(0, 0, kind, false, site);
    u32 staged = 0;
    for (u32 k = 0; k < l->n; k += TOGETHER) {
        const u32 n = l->n - k < TOGETHER ? l->n - k : TOGETHER;
        u64 stays = sample_kept(l->number + k, n, s->staged_in);
        for (stays |= k + n == l->n ? 1ull << (n - 1) : 0; stays; stays &= stays - 1) {
            const u32 i = k + (u32)__builtin_ctzll(stays);
            *at++ = request_make(l->number[i], l->sectors[i], 0, false, 0) | of_all;
            staged += sectors_in(l->sectors[i]);
        }
    }
    at[-1] |= REQUEST_LAST;
    to->len += (u64)(at - from);
    (*s->l2.sites)[site]->drawn.beyond += sectors_of_all(l->sectors, l->n) - staged;
    s->looked += l->n - (u64)(at - from);
}

/* Whether only some lines of this access are staged. Stores must know each other. */
static inline bool draws(struct sm *s, enum traffic_kind kind, u32 n)
{
    if (n < SM_SPREAD)
        return false;
    s->spread += n;
    s->scattered += n > SM_TILE ? n : 0;
    if (kind != TRAFFIC_LOAD && kind != TRAFFIC_LOCAL_LOAD)
        return false;
    if (sm_draws_fewer(s, s->looked + s->staged, s->staged_in))
        s->staged_in *= 2;
    return s->staged_in > 1;
}

bool staging_put(struct sm *s, struct requests *to, u32 site, enum traffic_kind kind, const struct lines *l)
{
    const u64 before = to->len;
    const bool turn = !((*s->how)[site] & SITE_WITH_NEXT), look = kind == TRAFFIC_LOAD_PAST;
    bool good = true;
    to->turns += !look && turn && l->n;
    if (look)
        good = put_look(to, site, l, turn);
    else if (draws(s, kind, l->n))
        put_some(s, to, site, kind, l);
    else
        put_all(to, site, kind, l);
    if (to->len > before + 1 && (kind == TRAFFIC_LOAD || (kind == TRAFFIC_STORE_WORD && !((*s->how)[site] & SITE_ROW))))
        requests_fold(to, (u32)(to->len - before));
    s->staged += to->len - before;
    return good;
}

bool staging_order(struct sm *s, struct requests *to, u32 site, u32 order)
{
    if (to->len > to->next && is_order(to->at[to->len - 1])) {
        to->at[to->len - 1] |= order;
        return true;
    }
    s->staged++;
    return requests_push(to, request_make(order, 0, TRAFFIC_EMPTY_L1, false, site));
}

bool staging_barrier(struct sm *s, struct requests *to)
{
    const u64 request = request_make(ORDER_BARRIER | (u64)++to->barriers << ORDER_BITS, 0, TRAFFIC_EMPTY_L1, false, 0);
    if (to->len > to->next && request_barrier(to->at[to->len - 1])) {
        to->at[to->len - 1] = request;
        return true;
    }
    s->staged++;
    return requests_push(to, request);
}
