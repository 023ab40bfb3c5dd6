/* test_queue.c - queues: order, waits between queues, works done by the submitter, and closing with works left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "driver/stream/queue.h"

static struct hub hub = HUB_INIT;

struct step {
    struct work work;
    atomic_int *clock; /* counts steps that ran */
    int *at;           /* when this one did */
    atomic_int *gate;  /* waits until it is not 0 */
};

static atomic_int released;

static void run_step(struct work *w)
{
    struct step *s = (struct step *)w;
    const struct timespec ms = {0, 1000000};
    while (s->gate && !atomic_load(s->gate))
        nanosleep(&ms, NULL);
    *s->at = atomic_fetch_add(s->clock, 1);
}

static void release_step(struct work *w)
{
    atomic_fetch_add(&released, 1);
    free(w);
}

static u64 push(struct queue *q, atomic_int *clock, int *at, atomic_int *gate)
{
    struct step *s = calloc(1, sizeof *s);
    *s = (struct step){{.run = run_step, .release = release_step}, clock, at, gate};
    pthread_mutex_lock(&hub.lock);
    assert_true(queue_push(q, &s->work));
    u64 n = q->submitted;
    pthread_mutex_unlock(&hub.lock);
    return n;
}

static void works_run_in_order(void **state)
{
    (void)state;
    enum { N = 500 };
    static int at[N];
    atomic_int clock = 0;
    u64 last = 0;
    struct queue *q = queue_new(&hub);
    for (int i = 0; i < N; i++)
        last = push(q, &clock, &at[i], NULL);
    assert_int_equal(last, N);
    queue_wait(q, last);
    for (int i = 0; i < N; i++)
        assert_int_equal(at[i], i);
    queue_close(q);
}

static void a_queue_waits_for_another(void **state)
{
    (void)state;
    atomic_int clock = 0, gate = 0;
    int first = -1, second = -1;
    struct queue *a = queue_new(&hub), *b = queue_new(&hub);
    u64 n = push(a, &clock, &first, &gate);
    pthread_mutex_lock(&hub.lock);
    assert_true(queue_push_wait(b, a, n));
    assert_true(queue_push_wait(b, b, 1)); /* for itself: nothing to do */
    pthread_mutex_unlock(&hub.lock);
    u64 m = push(b, &clock, &second, NULL);
    assert_int_equal(m, 2);
    queue_close(a); /* the wait holds on to it */
    const struct timespec ms = {0, 20000000};
    nanosleep(&ms, NULL);
    assert_int_equal(atomic_load(&clock), 0);
    atomic_store(&gate, 1);
    queue_wait(b, m);
    assert_int_equal(first, 0);
    assert_int_equal(second, 1);
    queue_close(b);
}

/* While a submitter works for an idle queue, what comes after it has to wait. */
static void the_submitter_may_do_the_work(void **state)
{
    (void)state;
    atomic_int clock = 0;
    int at = -1;
    struct queue *q = queue_new(&hub);
    pthread_mutex_lock(&hub.lock);
    assert_true(queue_idle(q));
    queue_enter(q);
    assert_false(queue_idle(q));
    pthread_mutex_unlock(&hub.lock);
    u64 n = push(q, &clock, &at, NULL);
    const struct timespec ms = {0, 20000000};
    nanosleep(&ms, NULL);
    assert_int_equal(atomic_load(&clock), 0);
    queue_leave(q);
    pthread_mutex_unlock(&hub.lock);
    queue_wait(q, n);
    assert_int_equal(at, 0);
    queue_close(q);
}

static void closing_lets_works_finish(void **state)
{
    (void)state;
    enum { N = 20 };
    static int at[N];
    atomic_int clock = 0, gate = 0;
    struct queue *q = queue_new(&hub);
    atomic_store(&released, 0);
    for (int i = 0; i < N; i++)
        push(q, &clock, &at[i], &gate);
    queue_close(q);
    atomic_store(&gate, 1);
    const struct timespec ms = {0, 1000000};
    for (int i = 0; i < 5000 && atomic_load(&released) < N; i++)
        nanosleep(&ms, NULL);
    assert_int_equal(atomic_load(&released), N);
    assert_int_equal(atomic_load(&clock), N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(works_run_in_order),
        cmocka_unit_test(a_queue_waits_for_another),
        cmocka_unit_test(the_submitter_may_do_the_work),
        cmocka_unit_test(closing_lets_works_finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
