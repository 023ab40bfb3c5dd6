/* fuzz_fatbin.c - libFuzzer: any bytes as a fat binary, a linked image or a text. The first byte chooses the GPU. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "driver/module/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct image img = {0};
    enum ls_status s = image_read(&img, data + 1, size - 1, data[0], "fuzz");
    LS_BUG_ON(s == LS_OK && img.n == 0);
    LS_BUG_ON(s != LS_OK && s != LS_ERR_NOMEM && !img.why[0]);
    for (unsigned i = 0; i < img.n; i++)
        LS_BUG_ON(img.texts[i].text[img.texts[i].len] != 0);
    image_free(&img);
    return 0;
}
