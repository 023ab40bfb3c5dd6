/* locked.h - "lock held", as code. A mutex can tell that somebody holds it, not who: that finds the caller who forgot. In
 * debug builds alone. */
#ifndef LS_BASE_LOCKED_H
#define LS_BASE_LOCKED_H

#include <pthread.h>

#include "base/base.h"

static inline bool ls_is_locked(pthread_mutex_t *m)
{
    if (pthread_mutex_trylock(m))
        return true;
    pthread_mutex_unlock(m);
    return false;
}

#define LS_LOCKED(m) LS_DEBUG_BUG_ON(!ls_is_locked(m))

#endif
