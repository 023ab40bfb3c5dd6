/* disassemble.c - PTX: instructions with addresses, and the text of a module. An instruction's address, which only an
 * editor knows, is (1 + module) << 44 | function << 24 | instruction. */
#include <inttypes.h>
#include <string.h>

#include "cli/debug/dap/dap.h"

enum { MODULE_BIT = 44, FUNCTION_BIT = 24, INSTRUCTIONS_MOST = 20000 };

/* ---- addresses ---- */

static u64 place_address(const struct dap *d, struct debug_place at)
{
    const struct session_module *const *modules;
    const u32 n = session_modules(d->session, &modules);
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < modules[i]->ptx->nfuncs; k++)
            if (modules[i]->ptx->funcs[k] == at.func)
                return (u64)(i + 1) << MODULE_BIT | (u64)k << FUNCTION_BIT | at.inst;
    return 0;
}

static const struct session_module *address_place(const struct dap *d, u64 address, struct debug_place *at)
{
    const struct session_module *const *modules;
    const u32 n = session_modules(d->session, &modules);
    const u64 module = address >> MODULE_BIT, function = address >> FUNCTION_BIT & 0xfffff;
    if (!module || module > n || function >= modules[module - 1]->ptx->nfuncs)
        return NULL;
    *at = (struct debug_place){modules[module - 1]->ptx->funcs[function], (u32)address & 0xffffff};
    return at->inst < at->func->ninsts ? modules[module - 1] : NULL;
}

json_t *instruction_reference(const struct dap *d, struct debug_place at)
{
    return text_format("0x%" PRIx64, place_address(d, at));
}

bool instruction_place(const struct dap *d, const char *reference, i64 offset, struct debug_place *at)
{
    u64 address;
    return read_number(reference, &address) && address_place(d, address + (u64)offset, at);
}

/* ---- instructions ---- */

static json_t *tell_instruction(struct dap *d, u64 address)
{
    struct debug_place at;
    const struct session_module *m = address_place(d, address, &at);
    json_t *out = json_pack("{s:o}", "address", text_format("0x%" PRIx64, address));
    char text[256];
    if (!m) {
        json_object_set_new(out, "instruction", json_string("??"));
        json_object_set_new(out, "presentationHint", json_string("invalid"));
        return out;
    }
    ptx_print_inst(&at.func->insts[at.inst], text, sizeof text);
    json_object_set_new(out, "instruction", text_of(text));
    if (at.inst == 0)
        json_object_set_new(out, "symbol", text_of(at.func->name));
    const struct debug_line line = debug_line_at(m->info, at);
    json_t *source = line.line ? dap_source(d, line.file) : NULL;
    if (!source)
        return out;
    json_object_set_new(out, "location", source);
    json_object_set_new(out, "line", json_integer(dap_line(d, line.line)));
    return out;
}

static bool argument_offset(const json_t *arguments, const char *name, i64 *out, char why[DAP_WHY])
{
    const json_t *v = json_object_get(arguments, name);
    *out = json_integer_value(v);
    return !v || json_is_integer(v) || dap_fail(why, "%s: a number is wanted", name);
}

json_t *request_disassemble(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    const char *reference;
    u64 address, count;
    i64 offset, instructions;
    if (!argument_text(arguments, "memoryReference", NULL, &reference, why) ||
        !argument_number(arguments, "instructionCount", 0, INSTRUCTIONS_MOST, &count, why) ||
        !argument_offset(arguments, "offset", &offset, why) ||
        !argument_offset(arguments, "instructionOffset", &instructions, why))
        return NULL;
    if (!read_number(reference, &address))
        return dap_fail(why, "memoryReference is none that was given out");
    json_t *list = json_array();
    for (u64 i = 0; i < count; i++)
        json_array_append_new(list, tell_instruction(d, address + (u64)offset + (u64)instructions + i));
    return json_pack("{s:o}", "instructions", list);
}

/* ---- text ---- */

bool text_line_place(const struct dap *d, u64 text, u32 line, struct debug_place *at)
{
    const struct session_module *const *modules;
    u32 best = UINT32_MAX;
    if (!text || text > session_modules(d->session, &modules))
        return false;
    const struct ptx_module *m = modules[text - 1]->ptx;
    for (u32 k = 0; k < m->nfuncs; k++)
        for (u32 i = 0; i < m->funcs[k]->ninsts; i++)
            if (m->funcs[k]->insts[i].line >= line && m->funcs[k]->insts[i].line < best) {
                best = m->funcs[k]->insts[i].line;
                *at = (struct debug_place){m->funcs[k], i};
            }
    return best != UINT32_MAX;
}

json_t *request_source(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    const struct session_module *const *modules;
    const u32 n = session_modules(d->session, &modules);
    const json_t *source = json_object_get(arguments, "source");
    u64 outer, reference;
    if (!argument_number(arguments, "sourceReference", 0, UINT32_MAX, &outer, why) ||
        !argument_number(source, "sourceReference", outer, UINT32_MAX, &reference, why))
        return NULL;
    if (!reference || reference > n)
        return dap_fail(why, "there is no such text");
    const struct ptx_module *m = modules[reference - 1]->ptx;
    return json_pack("{s:o, s:s}", "content", text_json(m->text, m->text_len), "mimeType", "text/x-ptx");
}
