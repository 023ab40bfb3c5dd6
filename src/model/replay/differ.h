/* differ.h - a launch whose blocks differ in what they cost: all SMs are gone through (dispatch.h), at the pace that the replay
 * of one SM shows. Internal to the replay. */
#ifndef LS_MODEL_REPLAY_DIFFER_H
#define LS_MODEL_REPLAY_DIFFER_H

#include "model/replay/dispatch.h"
#include "model/replay/plan.h"

/* Some block costs more than the others, so that which SM has which matters; and enough of them were replayed to know how long they take. */
bool differ(const struct replay_launch *l, const struct plan *p, const struct sm_run *run);

/* All SMs, as many times longer as this one took in the replay than its blocks do by the same rule. */
struct dispatched differ_all_sms(struct arena *mem, const struct replay_launch *l, const struct machine *m,
                                 const struct plan *p, const struct sm_run *run);

#endif
