/* run_no_ptx.c - a program whose fat binary has machine code only (an entry of kind 2, for sm_90), and which imports its
 * registration, as one does that was built with the shared runtime. */
#include <stdint.h>

struct container {
    uint32_t magic;
    uint16_t version, header;
    uint64_t body;
    uint16_t kind, pad;
    uint32_t entry_header;
    uint64_t payload;
    uint32_t compressed, options;
    uint16_t minor, major;
    uint32_t sm;
    uint64_t name, flags, reserved, plain;
    unsigned char code[64];
};

__attribute__((section(".nv_fatbin"), used, aligned(8))) static const struct container device = {
    .magic = 0xba55ed50,
    .version = 1,
    .header = 16,
    .body = 64 + 64,
    .kind = 2,
    .entry_header = 64,
    .payload = 64,
    .minor = 7,
    .major = 1,
    .sm = 90,
    .flags = 0x11,
    .code = {0x7f, 'E', 'L', 'F'}};

void **__cudaRegisterFatBinary(void *wrapper);

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 99 ? __cudaRegisterFatBinary((void *)&device) != 0 : 0;
}
