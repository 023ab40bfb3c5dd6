/* arguments.h - the arguments of a row of api.def (this directory's and runtime's), for the function that is made of it: as
 * they are passed on, and as a trace prints them. LS_DECL_n (cuda_abi.h) declares them. */
#ifndef LS_DRIVER_ARGUMENTS_H
#define LS_DRIVER_ARGUMENTS_H

#include <stddef.h>

/* An argument as the wrapper saw it: its declared type as text, its name, and where it stands. */
struct call_arg {
    const char *type, *name;
    const void *at;
    size_t size;
};

/* clang-format off: braces of initializers */
#define PASS_0()
#define PASS_1(T1, a1) a1
#define PASS_2(T1, a1, ...) a1, PASS_1(__VA_ARGS__)
#define PASS_3(T1, a1, ...) a1, PASS_2(__VA_ARGS__)
#define PASS_4(T1, a1, ...) a1, PASS_3(__VA_ARGS__)
#define PASS_5(T1, a1, ...) a1, PASS_4(__VA_ARGS__)
#define PASS_6(T1, a1, ...) a1, PASS_5(__VA_ARGS__)
#define PASS_7(T1, a1, ...) a1, PASS_6(__VA_ARGS__)
#define PASS_8(T1, a1, ...) a1, PASS_7(__VA_ARGS__)
#define PASS_9(T1, a1, ...) a1, PASS_8(__VA_ARGS__)
#define PASS_10(T1, a1, ...) a1, PASS_9(__VA_ARGS__)
#define PASS_11(T1, a1, ...) a1, PASS_10(__VA_ARGS__)
#define PASS_12(T1, a1, ...) a1, PASS_11(__VA_ARGS__)
#define PASS_13(T1, a1, ...) a1, PASS_12(__VA_ARGS__)
#define PASS_14(T1, a1, ...) a1, PASS_13(__VA_ARGS__)
#define PASS_15(T1, a1, ...) a1, PASS_14(__VA_ARGS__)

#define ARG(T, a) {#T, #a, &(a), sizeof(a)}
#define ARGS_0() {"", "", NULL, 0}
#define ARGS_1(T1, a1) ARG(T1, a1)
#define ARGS_2(T1, a1, ...) ARG(T1, a1), ARGS_1(__VA_ARGS__)
#define ARGS_3(T1, a1, ...) ARG(T1, a1), ARGS_2(__VA_ARGS__)
#define ARGS_4(T1, a1, ...) ARG(T1, a1), ARGS_3(__VA_ARGS__)
#define ARGS_5(T1, a1, ...) ARG(T1, a1), ARGS_4(__VA_ARGS__)
#define ARGS_6(T1, a1, ...) ARG(T1, a1), ARGS_5(__VA_ARGS__)
#define ARGS_7(T1, a1, ...) ARG(T1, a1), ARGS_6(__VA_ARGS__)
#define ARGS_8(T1, a1, ...) ARG(T1, a1), ARGS_7(__VA_ARGS__)
#define ARGS_9(T1, a1, ...) ARG(T1, a1), ARGS_8(__VA_ARGS__)
#define ARGS_10(T1, a1, ...) ARG(T1, a1), ARGS_9(__VA_ARGS__)
#define ARGS_11(T1, a1, ...) ARG(T1, a1), ARGS_10(__VA_ARGS__)
#define ARGS_12(T1, a1, ...) ARG(T1, a1), ARGS_11(__VA_ARGS__)
#define ARGS_13(T1, a1, ...) ARG(T1, a1), ARGS_12(__VA_ARGS__)
#define ARGS_14(T1, a1, ...) ARG(T1, a1), ARGS_13(__VA_ARGS__)
#define ARGS_15(T1, a1, ...) ARG(T1, a1), ARGS_14(__VA_ARGS__)
/* clang-format on */

#endif
