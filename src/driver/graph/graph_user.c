/* graph_user.c - user objects: a pointer of the caller's with a count of references, which graphs hold for as long as
 * they, their clones or a launch need what is behind it. The destructor runs in the thread that drops the last one. */
#include "driver/graph/graph.h"

#include "base/alloc.h"

struct CUuserObject_st {
    u32 tag;
    atomic_uint refs;
    void *ptr;
    CUhostFn destroy;
};

static bool user_valid(CUuserObject o) { return o && o->tag == TAG_USER_OBJECT; }

static void drop(CUuserObject o, unsigned count)
{
    if (atomic_fetch_sub(&o->refs, count) != count)
        return;
    o->destroy(o->ptr);
    handle_free(TAG_USER_OBJECT, o);
}

CUresult impl_cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy, unsigned int initialRefcount,
                                 unsigned int flags)
{
    if (!object_out || !destroy || !initialRefcount || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        return CUDA_ERROR_INVALID_VALUE;
    CUuserObject o = handle_new(TAG_USER_OBJECT, sizeof *o);
    if (!o)
        return CUDA_ERROR_OUT_OF_MEMORY;
    o->tag = TAG_USER_OBJECT;
    o->ptr = ptr;
    o->destroy = destroy;
    atomic_init(&o->refs, initialRefcount);
    *object_out = o;
    return CUDA_SUCCESS;
}

CUresult impl_cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    if (!user_valid(object) || !count)
        return CUDA_ERROR_INVALID_VALUE;
    atomic_fetch_add(&object->refs, count);
    return CUDA_SUCCESS;
}

CUresult impl_cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    if (!user_valid(object) || !count || atomic_load(&object->refs) < count)
        return CUDA_ERROR_INVALID_VALUE;
    drop(object, count);
    return CUDA_SUCCESS;
}

/* ---- references of graphs ---- */

static struct user_ref *find(CUgraph g, CUuserObject o)
{
    for (size_t i = 0; i < g->nusers; i++)
        if (g->users[i].object == o)
            return &g->users[i];
    return NULL;
}

static bool hold(CUgraph g, CUuserObject o, unsigned count)
{
    struct user_ref *u = find(g, o);
    if (u) {
        u->count += count;
        return true;
    }
    struct user_ref *to = ls_realloc(g->users, (g->nusers + 1) * sizeof *to);
    if (!to)
        return false;
    g->users = to;
    to[g->nusers++] = (struct user_ref){o, count};
    return true;
}

CUresult impl_cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags)
{
    if (!graph_valid(graph) || !user_valid(object) || !count || (flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE))
        return CUDA_ERROR_INVALID_VALUE;
    if (!hold(graph, object, count))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
        atomic_fetch_add(&object->refs, count);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    if (!graph_valid(graph) || !user_valid(object) || !count)
        return CUDA_ERROR_INVALID_VALUE;
    struct user_ref *u = find(graph, object);
    if (!u || u->count < count)
        return CUDA_ERROR_INVALID_VALUE;
    u->count -= count;
    if (!u->count)
        *u = graph->users[--graph->nusers];
    drop(object, count);
    return CUDA_SUCCESS;
}

/* One reference each, whatever the original has. */
CUresult users_keep(CUgraph from, struct user_ref **users, size_t *n)
{
    if (!from->nusers)
        return CUDA_SUCCESS;
    *users = ls_calloc(from->nusers, sizeof **users);
    if (!*users)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (; *n < from->nusers; ++*n) {
        (*users)[*n] = (struct user_ref){from->users[*n].object, 1};
        atomic_fetch_add(&from->users[*n].object->refs, 1);
    }
    return CUDA_SUCCESS;
}

CUresult users_copy(CUgraph to, CUgraph from) { return users_keep(from, &to->users, &to->nusers); }

void users_free(struct user_ref *users, size_t n)
{
    for (size_t i = 0; i < n; i++)
        drop(users[i].object, users[i].count);
    ls_free(users);
}
