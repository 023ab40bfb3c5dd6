/* l1_stores.c - see l1_stores.h; traffic.h has the rules. */
#include "model/cache/l1/l1_stores.h"

enum {
    /* Of a lone word (below), requests: the warp's own before it, and the SM's since its neighbour's. */
    LONE_AFTER = 6,
    LONE_WAIT = 32,
    /* Of stores in a row, lines from one to the one that may take it along; and what rows have. */
    NEAR_LINES = 4,
    SOME_LINES = 8,
    FAR_LINES = 16,
    ROW_MOST = 64, /* lines: more fill what L1 has for them, and none goes along */
    FEW_STORES = 8,
    COME_APART = 3, /* of those that could go along one in so many goes alone */
    /* Of warps that store to the same lines (tests/hw/h200/part-stores.csv): lines that wait, and of those that come while an earlier one
     * does, one in so many goes along. */
    LINES_WAIT = 16,
    GO_ALONG = 2,
};

/* ---- of a warp ---- */

/* More rather than less: what several stores fill must become whole. */
static enum traffic_kind kind_of(u32 words)
{
    return words > 4   ? TRAFFIC_STORE
           : words > 2 ? TRAFFIC_STORE_FOUR
           : words > 1 ? TRAFFIC_STORE_TWO
                       : TRAFFIC_STORE_WORD;
}

/* A store of another instruction to all of these sectors. */
static bool goes_along(u64 other, u64 request)
{
    return request_number(other) == request_number(request) && request_site(other) != request_site(request) &&
           !(request_sectors(request) & ~request_sectors(other));
}

/* How many lines before it the warp stored to the same sectors, FAR_LINES at most; 0: it did not. *in_row: all stores from there on stand next to each
 * other. */
static u32 lines_since(const struct sm *s, const struct requests *r, u64 at, bool *in_row)
{
    const u8 *how = *s->how;
    u32 site = request_site(r->at[at]);
    *in_row = true;
    for (u32 n = 1; n <= FAR_LINES && n <= at; n++) {
        const u64 other = r->at[at - n];
        if (!is_store(request_kind(other)))
            return 0;
        if (request_site(other) != site)
            *in_row &= (how[site] & SITE_AFTER) != 0;
        site = request_site(other);
        if (goes_along(other, r->at[at]))
            return n;
    }
    return 0;
}

/* Stores that a warp makes one after the other: lines, ROW_MOST + 1 at most, and instructions. */
struct row {
    u64 first, end;
    u32 stores;
};

static bool is_stored(u64 request) { return is_store(request_kind(request)); }

/* Whether the store at `at` stands next to what the warp did before it: another of its instruction's lines, or a store. */
static bool goes_on(const struct sm *s, const struct requests *r, u64 at)
{
    return !request_last(r->at[at - 1]) || (*s->how)[request_site(r->at[at])] & SITE_AFTER;
}

/* near: of those that stand next to each other alone. */
static struct row row_of(const struct sm *s, const struct requests *r, u64 at, bool near)
{
    struct row row = {at, at + 1, 0};
    while (row.first && at - row.first < ROW_MOST && is_stored(r->at[row.first - 1]) &&
           (!near || goes_on(s, r, row.first)))
        row.first--;
    while (row.end < r->len && row.end - row.first <= ROW_MOST && is_stored(r->at[row.end]) &&
           (!near || goes_on(s, r, row.end)))
        row.end++;
    for (u64 k = row.first; k < row.end; k++)
        row.stores += request_last(r->at[k]);
    return row;
}

/* A store waits in L1 until what is before it has left; what comes to the same sectors meanwhile goes along. So it matters how many lines the warp stores
 * in between, whether it does so at once, how much it stores in all, and whether L1 has other stores to do (tests/hw/h200/row-stores.csv,
 * loop-stores.csv). Warps that have nothing to wait for before they store fill it most (memory-cases.csv). */
static bool goes_with(struct sm *s, const struct row *row, u32 lines)
{
    if (lines <= NEAR_LINES)
        return row->stores <= FEW_STORES || ++s->joined % COME_APART;
    if (lines <= SOME_LINES)
        return !s->stores_queue || (row->first && ++s->joined % COME_APART == 0);
    return !s->stores_queue && ++s->joined % COME_APART;
}

/* The stores among which one may go along. *apart: also with what stands further away, as L1 is busy, and the warp stores little. */
static struct row row_around(const struct sm *s, const struct requests *r, u64 at, bool in_row, bool *apart)
{
    *apart = false;
    if (!in_row && s->stores_queue) {
        const struct row all = row_of(s, r, at, false);
        *apart = all.stores <= 2 * FEW_STORES;
        if (*apart)
            return all;
    }
    return row_of(s, r, at, true);
}

bool stores_join(struct sm *s, const struct requests *r, u64 at, u64 *request)
{
    const u64 one = *request;
    bool in_row, apart;
    const u32 lines = lines_since(s, r, at, &in_row);
    const struct row row = row_around(s, r, at, lines && in_row, &apart);
    if (lines && row.end - row.first <= ROW_MOST && (in_row || (apart && lines <= NEAR_LINES)) &&
        goes_with(s, &row, lines))
        return true;
    u32 words = request_words(one);
    for (u64 k = at + 1; k < row.end; k++)
        words += goes_along(one, r->at[k]) ? request_words(r->at[k]) : 0;
    *request =
        request_make(request_number(one), request_sectors(one), kind_of(words), request_last(one), request_site(one));
    return false;
}

/* ---- stores that wait ---- */

/* What one warp writes of a sector, another one may complete: stores wait in L1 until others have come after them, and those to the same line leave
 * together.
 *
 * Surfaces: texels of neighbouring rows are in one sector. Of warps that come to their stores together an H200 joins two thirds and more (70 % behind
 * loads of the same texels, 95 % of a transpose's columns), of such as come at any time a fifth; where many lines lie between, none
 * (tests/hw/h200/texel-cases.csv).
 *
 * Memory (tests/hw/h200/part-stores.csv): of a block's words in any order, 256 to 512 of them, an H200 joins half where all SMs store at any
 * time, four fifths where warps leave a barrier together, a fifth where they come from long loops; of columns of rows that are 32 lines, none. */
static bool leave(struct sm *s, const struct waiting_store *w)
{
    const u64 r = w->request;
    return l1_push(s, request_make(request_number(r), request_sectors(r), kind_of(w->words),
                                   request_last(r) || is_texels(r), request_site(r)));
}

bool stores_leave(struct sm *s)
{
    bool good = true;
    for (u64 k = s->nwaiting > STORES_WAIT ? s->nwaiting - STORES_WAIT : 0; k < s->nwaiting; k++)
        good &= leave(s, &s->waiting[k % STORES_WAIT]);
    s->nwaiting = 0;
    return good;
}

/* A store of one word of a single sector, as the lane makes that has a row's result. Those of neighbouring warps go to L2 together where the rows are
 * so short that the warps are still in step (rows_tile32: of a warp's round, an H200 joins 57 %); behind longer ones, one in ten or none (edit_warp,
 * hash_warp, forest_trees, matvec_half). Request: an access's first. */
static bool is_lone_word(u64 request)
{
    return request_kind(request) == TRAFFIC_STORE_WORD && request_last(request) &&
           sectors_in(request_sectors(request)) == 1;
}

static bool same_line(const struct waiting_store *w, u64 request)
{
    return request_number(w->request) == request_number(request);
}

/* The one that waits with the same sectors, and how many of those that could go along with theirs do. */
static struct waiting_store *like_of(struct sm *s, u64 request)
{
    const u64 most = is_texels(request) ? UINT64_MAX : LONE_WAIT;
    const u32 n = s->nwaiting < STORES_WAIT ? (u32)s->nwaiting : STORES_WAIT;
    for (u32 k = 0; k < n; k++) {
        struct waiting_store *w = &s->waiting[k];
        if (same_line(w, request) && s->looked - w->came < most &&
            request_sectors(w->request) == request_sectors(request))
            return ++s->joined % COME_APART ? w : NULL;
    }
    return NULL;
}

/* The last one of another warp to the same line. */
static struct waiting_store *other_of(struct sm *s, const struct requests *of, u64 request)
{
    for (u64 k = s->nwaiting; k && s->nwaiting - k < LINES_WAIT; k--) {
        struct waiting_store *w = &s->waiting[(k - 1) % STORES_WAIT];
        if (w->of != of && same_line(w, request))
            return ++s->met % GO_ALONG ? w : NULL;
    }
    return NULL;
}

static void take_along(struct waiting_store *w, u64 request)
{
    const u32 before = request_sectors(w->request), added = request_sectors(request), all = before | added;
    const u32 words = w->words * sectors_in(before) + request_words(request) * sectors_in(added), n = sectors_in(all);
    w->request |= (u64)added << 40;
    w->words = (words + n - 1) / n;
}

bool stores_wait(struct sm *s, const struct requests *of, u64 at, u64 request, u32 *saved)
{
    const bool lone = is_lone_word(request), like = is_texels(request) || (lone && at <= LONE_AFTER);
    struct waiting_store *other = like ? like_of(s, request) : lone ? NULL : other_of(s, of, request);
    *saved = other ? sectors_in(request_sectors(request) & request_sectors(other->request)) : 0;
    if (other) {
        take_along(other, request);
        return true;
    }
    struct waiting_store *place = &s->waiting[s->nwaiting % STORES_WAIT];
    const bool good = s->nwaiting < STORES_WAIT || leave(s, place);
    *place = (struct waiting_store){request, s->looked, of, request_words(request)};
    s->nwaiting++;
    return good;
}
