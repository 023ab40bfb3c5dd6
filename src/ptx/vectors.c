/* vectors.c - vector registers (.reg .v2 .f32 v, PTX ISA 5.4.2) are registers of their elements, so that nobody behind the parser has
 * to know them: v.y is the register v$y, and v where a vector is wanted is {v$x, v$y}. */
#include <string.h>

#include "ptx/parser.h"

static struct vector_register *make_elements(struct parser *p, const struct ptx_var *v)
{
    struct vector_register r = {.var = v};
    for (u32 k = 0; k < v->vec; k++) {
        struct ptx_var *e = r.elements[k] = arena_new(&p->m->mem, struct ptx_var);
        *e = *v;
        e->name = arena_printf(&p->m->mem, "%s$%c", v->name, "xyzw"[k]);
        e->vec = 1;
        e->align = e->size = type_natural_align(v->type, 1);
        e->index = UINT32_MAX; /* not used yet */
    }
    vec_push(&p->tmp, &p->vectors, r);
    return &p->vectors.at[p->vectors.len - 1];
}

static struct vector_register *elements_of(struct parser *p, const struct ptx_var *v)
{
    for (u32 k = 0; k < p->vectors.len; k++)
        if (p->vectors.at[k].var == v)
            return &p->vectors.at[k];
    return make_elements(p, v);
}

static void set_element(struct parser *p, const struct vector_register *r, u32 k, struct ptx_operand *o)
{
    o->kind = PTX_REG;
    o->var = r->elements[k];
    o->comp = 0;
    use_register(p, o->var);
}

void split_vector(struct parser *p, const char *at, struct ptx_operand *o)
{
    static const char names[] = "xyzwrgba";
    const struct ptx_var *v = o->var;
    const u32 element = o->comp ? (u32)(strchr(names, o->comp) - names) % VECTOR_MOST : 0;
    if (v->vec > VECTOR_MOST || element >= v->vec)
        fail(p, at, "'%s' has no such element", v->name);
    const struct vector_register *r = elements_of(p, v);
    if (o->comp) {
        set_element(p, r, element, o);
        return;
    }
    o->kind = PTX_VEC;
    o->n = v->vec;
    o->elems = arena_array(&p->m->mem, struct ptx_operand, v->vec);
    for (u32 k = 0; k < v->vec; k++) {
        o->elems[k].column = o->column;
        set_element(p, r, k, &o->elems[k]);
    }
}
