/* l1_stores.c - see l1_stores.h; traffic.h has the rules. */
#include "model/cache/l1_stores.h"

enum {
    /* Of a lone word (below), requests: the warp's own before it, and the SM's since its neighbour's. */
    LONE_AFTER = 6,
    LONE_WAIT = 32,
    ROW_MOST = 64,  /* requests: four stores of vectors are joined, sixteen of words are not */
    FEW_LINES = 6,  /* of a store: the next one comes while it still waits */
    COME_APART = 3, /* of more lines one in so many goes alone; fitted on four vectors a lane (chacha20_vector) */
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

/* Stores of a warp that follow each other. */
struct row {
    u64 first, end;
};

/* A store whose lines stand as one word: a row of such is long. */
static bool is_folded_store(u64 request)
{
    return request_is_again(request) && is_store(request_kind(request_of_again(request, request)));
}

static struct row row_of(const struct requests *r, u64 at, u64 most)
{
    struct row row = {at, at + 1};
    while (row.first && is_store(request_kind(r->at[row.first - 1])) && at - row.first < most)
        row.first--;
    while (row.end < r->len && is_store(request_kind(r->at[row.end])) && row.end - row.first <= most)
        row.end++;
    return row;
}

/* A store of another instruction to all of these sectors. */
static bool goes_along(u64 other, u64 request)
{
    return request_number(other) == request_number(request) && request_site(other) != request_site(request) &&
           !(request_sectors(request) & ~request_sectors(other));
}

/* A store to parts of sectors goes to L2 together with the warp's others to the same sectors, in a row of stores that is short. A
 * long one fills the queues, and the stores of other warps come in between. (Of four vectors a lane, an H200 joins two
 * thirds in a kernel that mostly computes; of single words of sectors, or of a loop around the store, none, but for one in ten where eight fill
 * a row of 32 bytes.) True: an earlier one has taken it along; else *request has what it takes along itself. */
bool stores_join(struct sm *s, const struct requests *r, u64 at, u64 *request)
{
    const struct row row = row_of(r, at, ROW_MOST);
    const u32 sectors = request_sectors(*request);
    u32 words = 0, lines = 0;
    if (row.end - row.first > ROW_MOST || (row.first && is_folded_store(r->at[row.first - 1])) ||
        (row.end < r->len && is_folded_store(r->at[row.end])))
        return false;
    for (u64 k = row.first; k < row.end; k++)
        lines += request_site(r->at[k]) == request_site(*request);
    for (u64 k = row.first; k < row.end; k++) {
        const bool along = goes_along(r->at[k], *request);
        if (k < at && along)
            return lines <= FEW_LINES || ++s->joined % COME_APART;
        words += along || k == at ? request_words(r->at[k]) : 0;
    }
    *request =
        request_make(request_number(*request), sectors, kind_of(words), request_last(*request), request_site(*request));
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
