/* tier_sample.c - what test_tier_object loads: constants, a jump table, a table of addresses, calls to the inside and to
 * the outside. Only its object file is used. */
#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN int outside(int x);
HIDDEN int sample_twice(int x);
HIDDEN double sample_constant(int i);
HIDDEN const char *sample_name(unsigned i);
HIDDEN int sample_choose(int i, int x);
HIDDEN int sample_call(int x);

__attribute__((noinline)) int sample_twice(int x) { return 2 * x; }

double sample_constant(int i)
{
    static const double table[] = {0.5, 1.25, 3e300, -0.0};
    return table[i & 3] + 0.125;
}

const char *sample_name(unsigned i)
{
    static const char *const names[] = {"zero", "one", "two"};
    return names[i % 3];
}

int sample_choose(int i, int x)
{
    switch (i) {
    case 0:
        return outside(x);
    case 1:
        return x * x;
    case 2:
        return x / 3;
    case 3:
        return x ^ 0x55;
    case 4:
        return outside(x) - x;
    case 5:
        return sample_twice(x) + 1;
    case 6:
        return ~x;
    default:
        return -1;
    }
}

int sample_call(int x) { return outside(x) + sample_twice(x); }
