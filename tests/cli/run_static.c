/* run_static.c - what a program with the static runtime looks like from outside: a section with device code, and nobody
 * from whom to import its registration. */
__attribute__((section(".nv_fatbin"), used)) static const unsigned char code[64] = {0x50, 0xed, 0x55, 0xba};

int main(void) { return code[0] != 0x50; }
