/* test_tier_llvm.c - libLLVM is found, or why there is none; a fatal error of LLVM's does not end the process. What depends
 * on the first llvm_load of a process is tried in processes of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/settings.h"
#include "exec/tier/llvm.h"

static char why[LLVM_WHY];

static const struct llvm *load_or_skip(void)
{
    struct settings s;
    settings_read(&s, NULL, NULL);
    llvm_choose(s.llvm);
    const struct llvm *const ll = llvm_load(why, sizeof why);
    if (!ll) {
        print_message("no LLVM: %s\n", why);
        skip();
    }
    return ll;
}

/* What fails is told by the exit status. */
static void in_child(bool (*holds)(void))
{
    const pid_t child = fork();
    if (!child)
        _exit(holds() ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool long_name_is_none(void)
{
    char name[1000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    llvm_choose(name);
    return !llvm_load(why, sizeof why) && strstr(why, "xxxx");
}

static bool none_is_none(void)
{
    llvm_choose("none");
    return !llvm_load(why, sizeof why) && strcmp(why, "LLVM is set to none") == 0 && !*llvm_version();
}

static bool missing_file_is_named(void)
{
    llvm_choose("/nowhere/libLLVM.so");
    return !llvm_load(why, sizeof why) && strstr(why, "/nowhere/libLLVM.so");
}

static bool missing_function_is_named(void)
{
    llvm_choose("libm.so.6");
    return !llvm_load(why, sizeof why) && strstr(why, "libm.so.6 has no function LLVM");
}

static void test_none(void **state)
{
    (void)state;
    in_child(none_is_none);
    in_child(missing_file_is_named);
    in_child(missing_function_is_named);
    in_child(long_name_is_none);
}

static void build_add(void *arg)
{
    const struct llvm *const ll = arg;
    const llvm_context c = ll->ContextCreate();
    const llvm_module m = ll->ModuleCreateWithNameInContext("m", c);
    llvm_type i32t = ll->Int32TypeInContext(c), v = ll->VectorType(i32t, 16), both[] = {v, v};
    const llvm_value f = ll->AddFunction(m, "add", ll->FunctionType(v, both, 2, 0));
    const llvm_builder b = ll->CreateBuilderInContext(c);
    ll->PositionBuilderAtEnd(b, ll->AppendBasicBlockInContext(c, f, ""));
    ll->BuildRet(b, ll->BuildAdd(b, ll->GetParam(f, 0), ll->GetParam(f, 1), ""));
    char *const text = ll->PrintModuleToString(m);
    assert_non_null(strstr(text, "%3 = add <16 x i32> %0, %1"));
    ll->DisposeMessage(text);
    ll->DisposeBuilder(b);
    ll->DisposeModule(m);
    ll->ContextDispose(c);
}

static void test_build(void **state)
{
    (void)state;
    const struct llvm *const ll = load_or_skip();
    print_message("LLVM %s, %s\n", llvm_version(), llvm_file());
    assert_true(llvm_load(why, sizeof why) == ll);
    assert_true(llvm_guard(build_add, (void *)ll, why, sizeof why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none), /* first: nothing is loaded yet */
        cmocka_unit_test(test_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
