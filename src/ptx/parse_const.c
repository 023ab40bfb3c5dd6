/* parse_const.c - constant expressions (PTX ISA 4.5.3 to 4.5.6): C's operators over 64-bit integers, casts (.s64) and
 * (.u64), and the ternary. An operation is unsigned when an operand is; literals are signed when they fit.
 *
 *     expr    = binary ['?' expr ':' expr]
 *     binary  = unary {operator unary}             by precedence climbing
 *     unary   = {'+' | '-' | '!' | '~' | '(' '.s64' ')' | '(' '.u64' ')'} primary
 *     primary = number | '(' expr ')'
 *
 * Floating-point literals take a sign and nothing else. */
#include <string.h>

#include "ptx/parser.h"

enum { DEPTH_MAX = 100 }; /* of parentheses and signs: a limit for the C stack */

static struct number expr(struct parser *p, int depth);

static void check_depth(struct parser *p, int depth)
{
    if (depth > DEPTH_MAX)
        fail(p, p->at, "expression is nested too deeply");
}

static struct number integer(u64 bits, bool is_unsigned)
{
    return (struct number){.bits = bits, .is_unsigned = is_unsigned};
}

static bool is_float(struct number n) { return n.is_f32 || n.is_f64; }

static void need_integer(struct parser *p, struct number n)
{
    if (is_float(n))
        fail(p, p->at, "a floating-point number cannot stand in an integer expression");
}

static struct number literal(struct parser *p)
{
    struct number n = lex_number(p);
    if (!is_float(n) && n.bits > INT64_MAX)
        n.is_unsigned = true; /* 4.5.1 */
    return n;
}

/* (.s64) or (.u64), just behind the parenthesis. */
static bool cast(struct parser *p, bool *is_unsigned)
{
    const char *start;
    size_t len;
    if (lex_peek(p) != '.')
        return false;
    const struct keyword *k = lex_directive(p, &start, &len);
    if (!k || (k->type != PTX_S64 && k->type != PTX_U64))
        fail(p, start - 1, "only .s64 and .u64 are casts");
    *is_unsigned = k->type == PTX_U64;
    lex_expect(p, ')', "the cast");
    return true;
}

static struct number negate(struct number n)
{
    if (n.is_f32)
        n.bits ^= 1u << 31;
    else if (n.is_f64)
        n.bits ^= 1ull << 63;
    else
        n = integer(0 - n.bits, n.is_unsigned);
    return n;
}

static struct number unary(struct parser *p, int depth)
{
    check_depth(p, depth);
    struct number n;
    bool is_unsigned;
    switch (lex_peek(p)) {
    case '-':
        p->at++;
        return negate(unary(p, depth + 1));
    case '+':
        p->at++;
        return unary(p, depth + 1);
    case '!':
        p->at++;
        need_integer(p, n = unary(p, depth + 1));
        return integer(n.bits == 0, false);
    case '~':
        p->at++;
        need_integer(p, n = unary(p, depth + 1));
        return integer(~n.bits, n.is_unsigned);
    case '(':
        p->at++;
        if (cast(p, &is_unsigned)) {
            need_integer(p, n = unary(p, depth + 1));
            return integer(n.bits, is_unsigned);
        }
        n = expr(p, depth + 1);
        lex_expect(p, ')', "the expression");
        return n;
    default:
        return literal(p);
    }
}

/* Operators, longest first where one begins another. */
static const struct {
    char text[3];
    u8 precedence;
} operators[] = {
    {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6}, {"&&", 2}, {"||", 1}, {"*", 10},
    {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<", 7},  {">", 7},  {"&", 5},  {"^", 4},  {"|", 3},
};

static int find_operator(struct parser *p)
{
    lex_skip(p);
    for (size_t i = 0; i < LS_ARRAY_LEN(operators); i++)
        if (strncmp(p->at, operators[i].text, strlen(operators[i].text)) == 0)
            return (int)i;
    return -1;
}

static struct number divide(struct parser *p, char op, struct number a, struct number b, bool u)
{
    if (b.bits == 0)
        fail(p, p->at, "division by zero");
    if (u)
        return integer(op == '/' ? a.bits / b.bits : a.bits % b.bits, true);
    if ((i64)b.bits == -1) /* INT64_MIN / -1 traps */
        return integer(op == '/' ? 0 - a.bits : 0, false);
    return integer((u64)(op == '/' ? (i64)a.bits / (i64)b.bits : (i64)a.bits % (i64)b.bits), false);
}

static struct number compare(const char *op, struct number a, struct number b, bool u)
{
    const int order =
        u ? (a.bits > b.bits) - (a.bits < b.bits) : ((i64)a.bits > (i64)b.bits) - ((i64)a.bits < (i64)b.bits);
    const bool equal = op[1] == '=';
    return integer(op[0] == '<' ? order < 0 || (equal && order == 0) : order > 0 || (equal && order == 0), false);
}

static struct number shift(char op, struct number a, struct number b)
{
    const unsigned n = (unsigned)(b.bits & 63);
    if (op == '<')
        return integer(a.bits << n, a.is_unsigned);
    return integer(a.is_unsigned ? a.bits >> n : (u64)((i64)a.bits >> n), a.is_unsigned);
}

static struct number apply(struct parser *p, const char *op, struct number a, struct number b)
{
    need_integer(p, a);
    need_integer(p, b);
    const bool u = a.is_unsigned || b.is_unsigned;
    if (op[1] == op[0] && (*op == '<' || *op == '>'))
        return shift(*op, a, b);
    switch (*op) {
    case '*':
        return integer(a.bits * b.bits, u);
    case '/':
    case '%':
        return divide(p, *op, a, b, u);
    case '+':
        return integer(a.bits + b.bits, u);
    case '-':
        return integer(a.bits - b.bits, u);
    case '<':
    case '>':
        return compare(op, a, b, u);
    case '=':
        return integer(a.bits == b.bits, false);
    case '!':
        return integer(a.bits != b.bits, false);
    case '&':
        return op[1] ? integer(a.bits && b.bits, false) : integer(a.bits & b.bits, u);
    case '|':
        return op[1] ? integer(a.bits || b.bits, false) : integer(a.bits | b.bits, u);
    default:
        return integer(a.bits ^ b.bits, u);
    }
}

static struct number binary(struct parser *p, struct number left, int lowest, int depth)
{
    check_depth(p, depth);
    for (;;) {
        const int i = find_operator(p);
        if (i < 0 || operators[i].precedence < lowest)
            return left;
        p->at += strlen(operators[i].text);
        struct number right = binary(p, unary(p, depth + 1), operators[i].precedence + 1, depth + 1);
        left = apply(p, operators[i].text, left, right);
    }
}

static struct number ternary(struct parser *p, struct number n, int depth)
{
    n = binary(p, n, 1, depth);
    if (!lex_accept(p, '?'))
        return n;
    need_integer(p, n);
    const struct number yes = expr(p, depth + 1);
    lex_expect(p, ':', "the first alternative");
    const struct number no = expr(p, depth + 1);
    return n.bits ? yes : no;
}

static struct number expr(struct parser *p, int depth) { return ternary(p, unary(p, depth), depth); }

struct number const_expr(struct parser *p) { return expr(p, 0); }

struct number const_more(struct parser *p, struct number left) { return ternary(p, left, 0); }

u64 const_unsigned(struct parser *p, const char *what, u64 max)
{
    lex_skip(p);
    const char *at = p->at;
    const struct number n = const_expr(p);
    if (is_float(n) || n.bits > max)
        fail(p, at, "%s must be an integer from 0 to %llu", what, (unsigned long long)max);
    return n.bits;
}
