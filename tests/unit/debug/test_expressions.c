/* test_expressions.c - expressions and values as text, on registers and memory that the test makes. What is expected of C
 * itself is what gdb 13 prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

static struct rig rig;

/* kern at line 47: p and a in local memory at 64, tile in shared memory at 0, in and out as parameters. */
static int setup(void **state)
{
    (void)state;
    rig_open(&rig, "nvcc-G.ptx");
    rig_at_line(&rig, 47);
    rig_place(&rig, "__local_depot2", 64);
    rig_place(&rig, "_ZN2ns5countE", 512);
    rig_place(&rig, "_ZN2ns4coefE", 128);
    rig_write(&rig, SPACE_LOCAL, 64, &(int){42}, 4);
    rig_write(&rig, SPACE_LOCAL, 68, &(float){1.5f}, 4);
    rig_write(&rig, SPACE_LOCAL, 72, &(float){-2}, 4);
    rig_write(&rig, SPACE_LOCAL, 76, &(u32){5 | 17 << 3}, 4);
    rig_write(&rig, SPACE_LOCAL, 80, (int[]){7, 8, 9}, 12);
    rig_write(&rig, SPACE_PARAM, 0, &(u64){1024}, 8);
    rig_write(&rig, SPACE_PARAM, 16, &(int){100}, 4);
    rig_write(&rig, SPACE_NONE, 1024, (float[]){0.5f, 1, 2, 3}, 16);
    rig_write(&rig, SPACE_NONE, 2048, "hello", 6);
    rig_write(&rig, SPACE_GLOBAL, 512, &(int){-6}, 4);
    rig_write(&rig, SPACE_SHARED, 32, &(float){2.5f}, 4); /* tile[1][0] */
    rig_set_register(&rig, "%r1", 13);
    rig_set_register(&rig, "%r2", 5);
    rig_set_register(&rig, "%r4", 2);
    rig_set_register(&rig, "%rd1", 2048);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_close(&rig);
    return 0;
}

static void values(void **state)
{
    (void)state;
    assert_prints(&rig, "i", "13");
    assert_prints(&rig, "c", "GREEN");
    assert_prints(&rig, "p", "{<Base> = {id = 42}, x = 1.5, y = -2, flags = 5, mode = 17}");
    assert_prints(&rig, "a", "{v = {7, 8, 9}}");
    assert_prints(&rig, "n", "100");
    assert_prints(&rig, "in", "(const float *) 0x400");
    assert_prints(&rig, "name", "0x800 \"hello\"");
    assert_prints(&rig, "tile[1]", "{2.5, 0, 0, 0, 0, 0, 0, 0}");
    assert_prints(&rig, "ns::count", "-6");
    assert_prints(&rig, "coef", "{0, 0, 0, 0}");
    assert_prints(&rig, "s", "<optimized out>");
    assert_prints(&rig, "q", "<optimized out>");
    assert_prints(&rig, "u", "{i = 0, f = 0}");
}

static void operators(void **state)
{
    (void)state;
    assert_prints(&rig, "i * 2 + k", "28");
    assert_prints(&rig, "i - 2 * 3 % 4", "11");
    assert_prints(&rig, "-i / 2", "-6");
    assert_prints(&rig, "10 / 3.0f", "3.33333325");
    assert_prints(&rig, "1.5 + 1", "2.5");
    assert_prints(&rig, "0x7fffffff + 1", "-2147483648");
    assert_prints(&rig, "-1u", "4294967295");
    assert_prints(&rig, "2147483648", "2147483648");
    assert_prints(&rig, "1 << 4 | 3", "19");
    assert_prints(&rig, "~0", "-1");
    assert_prints(&rig, "-8 >> 1", "-4");
    assert_prints(&rig, "i == 13 && n > 50", "true");
    assert_prints(&rig, "-1 < 0u", "false"); /* the int becomes unsigned */
    assert_prints(&rig, "i < 0 ? n : k", "2");
    assert_prints(&rig, "0 && s", "false"); /* s is not asked for */
    assert_prints(&rig, "'a' + 1", "98");
    assert_prints(&rig, "c == GREEN", "true");
    assert_prints(&rig, "10 / 0", "Division by zero");
    assert_prints(&rig, "1.5 % 2", "Integer-only operation on floating point number.");
    assert_prints(&rig, "(-2147483647 - 1) / -1", "-2147483648");
}

static void paths(void **state)
{
    (void)state;
    assert_prints(&rig, "p.x", "1.5");
    assert_prints(&rig, "p.id", "42");
    assert_prints(&rig, "(&p)->mode", "17");
    assert_prints(&rig, "a.v[k]", "9");
    assert_prints(&rig, "*in", "0.5");
    assert_prints(&rig, "in[3]", "3");
    assert_prints(&rig, "*in@3", "{0.5, 1, 2}");
    assert_prints(&rig, "a.v[1]@2", "{8, 9}");
    assert_prints(&rig, "*(in + 2)", "2");
    assert_prints(&rig, "&in[3] - in", "3");
    assert_prints(&rig, "&tile", "(@shared float (*)[4][8]) 0x0");
    assert_prints(&rig, "&tile[1]", "(@shared float (*)[8]) 0x20");
    assert_prints(&rig, "*(@shared float *)32", "2.5");
    assert_prints(&rig, "&p.y", "(@local float *) 0x48");
    assert_prints(&rig, "*(int *)&p", "42"); /* a cast keeps the space */
    assert_prints(&rig, "&i", "Attempt to take address of value not located in memory.");
    assert_prints(&rig, "in[100000]", "Cannot access memory at address 0x61e80");
    assert_prints(&rig, "i.x", "Attempt to extract a component of a value that is not a structure.");
    assert_prints(&rig, "p.z", "There is no member named z.");
    assert_prints(&rig, "*i", "Attempt to take contents of a non-pointer value.");
    assert_prints(&rig, "sizeof(Point) + sizeof i + sizeof(unsigned short)", "22");
    assert_prints(&rig, "(Color)6", "BLUE");
    assert_prints(&rig, "(int)2.9", "2");
    assert_prints(&rig, "(unsigned char)300", "44 ','");
    assert_prints(&rig, "((Arr<int, 3> *)&a)->v[0]", "7");
}

static void special(void **state)
{
    (void)state;
    assert_prints(&rig, "threadIdx", "{x = 3, y = 0, z = 0}");
    assert_prints(&rig, "threadIdx.x + blockIdx.y", "10");
    assert_prints(&rig, "blockDim.x / warpSize", "1");
    assert_prints(&rig, "%tid.x", "3");
    assert_prints(&rig, "$r1", "13");
    assert_prints(&rig, "%r1 % 4", "1");
    assert_prints(&rig, "$pc", "57");
    assert_prints(&rig, "$nosuch", "No register or variable $nosuch here.");
    assert_prints(&rig, "nosuch", "No symbol \"nosuch\" in current context.");
    assert_prints(&rig, "1 +", "A syntax error in expression, near `'.");
    assert_prints(&rig, "i )", "A syntax error in expression, near `)'.");
    assert_prints(&rig, "08", "Invalid number \"08\".");
    assert_prints(&rig, "f(1)", "Functions of the program cannot be called.");
}

static void assignments(void **state)
{
    (void)state;
    assert_prints(&rig, "i = 20", "20");
    assert_int_equal(rig_register(&rig, "%r1"), 20);
    assert_prints(&rig, "i += 2.9", "22");
    assert_prints(&rig, "p.x = i", "22");
    assert_prints(&rig, "p.mode = 3", "3");
    assert_prints(&rig, "p", "{<Base> = {id = 42}, x = 22, y = -2, flags = 5, mode = 3}");
    assert_prints(&rig, "c = BLUE", "BLUE");
    assert_prints(&rig, "tile[0][2] = a.v[0] = 3", "3");
    assert_prints(&rig, "tile[0]", "{0, 0, 3, 0, 0, 0, 0, 0}");
    assert_prints(&rig, "s = 2.5", "2.5"); /* into the register that has it */
    assert_prints(&rig, "5 = 6", "Left operand of assignment is not an lvalue.");
    rig.c.may_write = false;
    assert_prints(&rig, "i = 1", "Values cannot be changed here.");
    assert_prints(&rig, "i", "22");
}

static void references(void **state)
{
    (void)state;
    rig_at_line(&rig, 32);
    rig_set_register(&rig, "%rd1", 3000);
    rig_write(&rig, SPACE_NONE, 3004, &(float){4}, 4);
    assert_prints(&rig, "p.x", "4");
    assert_prints(&rig, "p", "(const Point &) @0xbb8: {<Base> = {id = 0}, x = 4, y = 0, flags = 0, mode = 0}");
    assert_prints(&rig, "&p", "(const Point *) 0xbb8");
}

static void formats(void **state)
{
    (void)state;
    assert_string_equal(rig_print_as(&rig, "(short)-3", 'x'), "0xfffd");
    assert_string_equal(rig_print_as(&rig, "(short)-3", 'u'), "65533");
    assert_string_equal(rig_print_as(&rig, "(short)-3", 'o'), "0177775");
    assert_string_equal(rig_print_as(&rig, "(short)-3", 't'), "1111111111111101");
    assert_string_equal(rig_print_as(&rig, "(short)-3", 'c'), "-3 '\\375'");
    assert_string_equal(rig_print_as(&rig, "0.1f", 'x'), "0x3dcccccd");
    assert_string_equal(rig_print_as(&rig, "1", 'f'), "1.40129846e-45");
    assert_string_equal(rig_print_as(&rig, "a", 'z'), "{v = {0x00000007, 0x00000008, 0x00000009}}");
}

static void text(void **state)
{
    (void)state;
    rig_write(&rig, SPACE_NONE, 100, "abc\0\0\0\0\0\0", 10);
    assert_prints(&rig, "*(char (*)[10])100", "\"abc\\000\\000\\000\\000\\000\\000\"");
    rig_write(&rig, SPACE_NONE, 200, "aaaaaaaaaaaaaaaaaaaaab", 22);
    assert_prints(&rig, "*(char (*)[40])200", "'a' <repeats 21 times>, \"b\", '\\000' <repeats 17 times>");
    assert_prints(&rig, "(char)97", "97 'a'");
    assert_prints(&rig, "*(int (*)[12])1100", "{0 <repeats 12 times>}");
    assert_prints(&rig, "*(int (*)[10])1100", "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}");
    assert_prints(&rig, "\"a\\tb\\\"\"", "\"a\\tb\\\"\"");
    assert_prints(&rig, "0.1", "0.10000000000000001");
    rig_write(&rig, SPACE_NONE, 300, &(u32){0x7fc00000}, 4);
    assert_prints(&rig, "*(float *)300", "nan(0x400000)");
    assert_prints(&rig, "-1 / 0.0", "-inf");
    rig.c.error = NULL;
    assert_prints(&rig, "true", "true");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(values),      TEST(operators),  TEST(paths),   TEST(special),
                                       TEST(assignments), TEST(references), TEST(formats), TEST(text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
