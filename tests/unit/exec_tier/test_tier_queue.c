/* test_tier_queue.c - jobs run in order in a thread of their own, are dropped when they are cancelled, and keep neither exit
 * nor fork from working. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "exec/tier/llvm.h"
#include "exec/tier/queue.h"

enum { JOBS = 50 };

#ifdef __SANITIZE_THREAD__ /* gcc's */
enum { THREAD_SANITIZER = true };
#elif defined(__has_feature)
enum { THREAD_SANITIZER = __has_feature(thread_sanitizer) };
#else
enum { THREAD_SANITIZER = false };
#endif

static int order[JOBS];
static atomic_int ran, dropped;
static sem_t gate, reached;

static int start(void **state)
{
    (void)state;
    ran = dropped = 0;
    return sem_init(&gate, 0, 0) || sem_init(&reached, 0, 0);
}

static void count_run(void *arg) { order[ran++] = *(int *)arg; }

static void count_drop(void *arg)
{
    (void)arg;
    dropped++;
}

static void wait_at_gate(void *arg)
{
    sem_post(&reached);
    sem_wait(&gate);
    count_run(arg);
}

static void test_order(void **state)
{
    (void)state;
    int numbers[JOBS];
    u64 last = 0;
    for (int i = 0; i < JOBS; i++) {
        numbers[i] = i;
        const u64 ticket = tier_queue_add(count_run, count_drop, &numbers[i]);
        assert_true(ticket > last);
        last = ticket;
    }
    tier_queue_wait(last);
    assert_int_equal(ran, JOBS);
    assert_int_equal(dropped, 0);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(order[i], i);
    tier_queue_wait(0);
    tier_queue_wait(1);
}

static void look_at_thread(void *arg)
{
    int *const nice_of = arg;
    nice_of[0] = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
    sigset_t s;
    pthread_sigmask(SIG_SETMASK, NULL, &s);
    nice_of[1] = sigismember(&s, SIGUSR1) && sigismember(&s, SIGINT);
}

static void test_thread(void **state)
{
    (void)state;
    int said[2] = {0, 0};
    const int here = getpriority(PRIO_PROCESS, 0);
    tier_queue_wait(tier_queue_add(look_at_thread, count_drop, said));
    assert_true(said[0] > here || here == 19);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), here);
    assert_true(said[1]);
}

/* The first test: behind a job that nobody waited for the thread would be nice. */
static void test_awaited(void **state)
{
    (void)state;
    int said[2] = {0, 0};
    assert_true(tier_queue_run(look_at_thread, count_drop, said));
    assert_int_equal(said[0], getpriority(PRIO_PROCESS, 0));
    assert_true(said[1]);
}

static void *open_gate(void *arg)
{
    const struct timespec t = {0, 20000000};
    nanosleep(&t, NULL);
    sem_post(&gate);
    return arg;
}

static void test_cancel(void **state)
{
    (void)state;
    int a = 1, b = 2;
    pthread_t thread;
    tier_queue_add(wait_at_gate, count_drop, &a);
    tier_queue_add(count_run, count_drop, &b);
    const u64 third = tier_queue_add(count_run, count_drop, &a);
    const u64 last = tier_queue_add(count_run, count_drop, &b);
    sem_wait(&reached);
    assert_true(tier_queue_cancel(&b));
    assert_int_equal(dropped, 2);
    assert_int_equal(pthread_create(&thread, NULL, open_gate, NULL), 0);
    assert_true(tier_queue_cancel(&a)); /* drops the third, waits for the first */
    assert_int_equal(dropped, 3);
    assert_int_equal(ran, 1);
    tier_queue_wait(third);
    tier_queue_wait(last);
    pthread_join(thread, NULL);
    assert_int_equal(ran, 1);
    assert_true(tier_queue_cancel(&a));
}

/* What a child of fork tries; its exit status tells. */
static int in_child(int (*what)(void))
{
    const pid_t child = fork();
    if (!child)
        exit(what());
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int runs_its_own(void)
{
    static int n = 3;
    tier_queue_wait(tier_queue_add(count_run, count_drop, &n)); /* behind the one that waited when fork was called */
    return ran == 2 && order[0] == 8 && order[1] == 3 ? 0 : 1;
}

static void test_fork(void **state)
{
    (void)state;
    if (THREAD_SANITIZER)
        skip(); /* it ends a child that starts a thread */
    static int seven = 7, eight = 8;
    tier_queue_add(wait_at_gate, count_drop, &seven);
    const u64 ticket = tier_queue_add(count_run, count_drop, &eight);
    sem_wait(&reached);
    assert_int_equal(in_child(runs_its_own), 0);
    sem_post(&gate);
    tier_queue_wait(ticket);
    assert_int_equal(ran, 2);
    assert_int_equal(order[0], 7);
}

/* ---- the process ends while a job runs ---- */

static char why[LLVM_WHY];

static void rest_for_ever(void *arg)
{
    sem_post(&reached);
    for (;;)
        llvm_rest();
    (void)arg;
}

static void run_guarded(void *arg)
{
    if (llvm_load(why, sizeof why))
        llvm_guard(rest_for_ever, arg, why, sizeof why);
    else
        wait_at_gate(arg);
}

static int ends_in_guard(void)
{
    tier_queue_add(run_guarded, count_drop, NULL);
    tier_queue_add(count_run, count_drop, NULL);
    sem_wait(&reached);
    return ran;
}

static int ends_in_job(void)
{
    tier_queue_add(wait_at_gate, count_drop, NULL);
    tier_queue_add(count_run, count_drop, NULL);
    sem_wait(&reached);
    return ran;
}

static void test_exit(void **state)
{
    (void)state;
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert_int_equal(in_child(ends_in_job), 0);
    assert_int_equal(in_child(ends_in_guard), 0);
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert_true(b.tv_sec - a.tv_sec < 30); /* they end */
}

#define TEST(f) cmocka_unit_test_setup(f, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_exit),    /* first: LLVM is not loaded yet */
        TEST(test_awaited), /* before any job that nobody waits for */
        TEST(test_order),   TEST(test_thread), TEST(test_cancel), TEST(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
