"""values_twin.py - what the variables of a kernel are at each line: the kernel's source, read, and a twin of it that prints.

A source's functions stand above `int main`. Their bodies' lines name what is to be printed: `//+ sum; p.x` says that from
the next line on, as long as the innermost brace is open, the variable and the member have values; behind the brace that
opens a scope, they have them in it. `h.__x = __half_as_ushort(h)` prints what is right of the `=`, and asks the debugger
for what is left of it. `//` alone marks variables that are declared here and have no value yet, `//-` a line that compilers may give no code.

The twin prints them all in front of each statement: `@LINE NUMBER BLOCK THREAD VALUE`."""
import re

HEAD = r"""
template <class T> __device__ void twin_value(int line, int k, T v);
__device__ inline int twin_block() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
__device__ inline int twin_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
#define TWIN(type, format, as) \
    __device__ inline void twin_value(int line, int k, type v) \
    { printf("@%d %d %d %d " format "\n", line, k, twin_block(), twin_thread(), as); }
TWIN(bool, "%s", v ? "true" : "false")
TWIN(float, "%.9g", (double)v)
TWIN(double, "%.17g", v)
TWIN(unsigned long long, "%llu", v)
TWIN(unsigned long, "%lu", v)
template <class T> __device__ void twin_value(int line, int k, T v)
{ printf("@%d %d %d %d %lld\n", line, k, twin_block(), twin_thread(), (long long)v); }
"""


class Line:
    """One line of a function: what is known of it."""

    def __init__(self, number, text):
        self.number, self.text = number, text
        self.marks = []        # (for the debugger, for the twin)
        self.declared = set()  # names that the scopes around it declare somewhere
        self.kind = None       # None: no statement begins here; "statement", "loop", "end" (of a function), "none": no code
        self.function = None   # whose line it is; None: a lambda's
        self.empty = False     # it may have no code of its own: `//-`
        self.wrap = False      # a statement without braces of an if or a loop


def code_of(text):
    """Without comments and what is quoted."""
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    text = re.sub(r"'(\\.|[^'\\])'", "0", text)
    return re.sub(r"//.*", "", text).strip()


def marks_of(text):
    comment = re.search(r"//\+(.*?)(//|$)", text)
    found = []
    for mark in comment.group(1).split(";") if comment else []:
        left, _, right = mark.partition(" = ")
        found.append((left.strip(), (right or left).strip()))
    return found


def names_of(mark):
    """The variables in an expression: no members."""
    return set(re.findall(r"(?<![\w.:>])[a-zA-Z_]\w*", mark))


NO_CODE = re.compile(r"(else|do \{|case|default|struct|using|typedef|__shared__|extern|enum|static|public|\w+:$|"
                     r"(?:const )?[\w:<>]+ [*&]?\w+(\[\w+\])*;$|break;|continue;|goto )")
LOOP = re.compile(r"(for|while)\b")


class Scope:
    def __init__(self, kind, function):
        self.kind, self.function, self.marks, self.names = kind, function, [], set()


def opens(code, before, scopes):
    """Which kind of scope a line's last brace opens."""
    if code == "{" and (before.endswith(")") or before.endswith("const")) and not any(s.kind == "body" for s in scopes):
        return "body"
    if re.search(r"\[[=&\w, ]*\]\(.*\) \{$", code):
        return "lambda"
    if re.match(r"(struct|union|class|enum|namespace)\b", code) or re.match(r"(struct|union|class|namespace)\b", before):
        return "type"
    return "block"


def visible(scopes):
    """The marks that can be seen: those of the innermost function, the last of a name."""
    inner = []
    for scope in reversed(scopes):
        inner = scope.marks + inner
        if scope.kind in ("body", "lambda", "type"):
            break
    return list({mark[0]: mark for mark in inner}.values())


def read(text):
    """The lines of the source's functions, by number, and all its lines."""
    lines, scopes, before, known = text.splitlines(), [], "", []
    for number, line in enumerate(lines, 1):
        code = code_of(line)
        if code.startswith("int main("):
            break
        if not code:
            continue
        function = next((s for s in reversed(scopes) if s.kind in ("body", "lambda", "type")), None)
        here = Line(number, line)
        here.scopes = list(scopes)
        if function and function.kind != "type":
            known.append(here)
            here.marks, here.function, here.empty = visible(scopes), function.function, line.endswith("//-")
            ends = code.startswith("}") and scopes[-1] is function
            begins = before[-1:] in (";", "{", "}", ":")
            here.wrap = bool(re.match(r"(if|for|while|else)\b", before)) and before[-1:] in (")", "e")
            if ends and code == "}":
                here.kind = "end"
            elif not (begins or here.wrap) or code[0] in "{}" or "](" in code and code.endswith("{"):
                here.kind = None
            elif NO_CODE.match(code):
                here.kind = "none"
            else:
                here.kind = "loop" if LOOP.match(code) else "statement"
        marks = marks_of(line)
        if code.startswith("}"):
            scopes.pop()
        if code.endswith("{"):
            kind = opens(code, before, scopes)
            scopes.append(Scope(kind, re.search(r"(\w+)\(", before).group(1) if kind == "body" else None))
        if scopes and marks:
            scopes[-1].marks = scopes[-1].marks + marks
        if scopes:
            scopes[-1].names |= {n for m in marks for n in names_of(m[0])}
            declared = re.match(r".*?(\w+)(\[\w+\])*( = .*)?; //$", line)
            if declared:
                scopes[-1].names.add(declared.group(1))
            lambda_name = re.match(r"auto (\w+) = \[", code)
            if lambda_name:
                scopes[-2].names.add(lambda_name.group(1))
        before = code
    for line in known:
        line.declared |= {n for m in marks_of(line.text) for n in names_of(m[0])}
        for scope in reversed(line.scopes):
            line.declared |= scope.names
            if scope.kind in ("body", "lambda", "type"):
                break
    return known, lines


def twin(text):
    known, lines = read(text)
    out = list(lines)
    for line in known:
        if line.kind in (None, "none"):
            continue
        said = "".join("twin_value(%d, %d, %s); " % (line.number, k, m[1]) for k, m in enumerate(line.marks))
        said = "twin_value(%d, -1, 0); " % line.number + said
        code = out[line.number - 1]
        out[line.number - 1] = "{ %s %s }" % (said, re.sub(r"//.*", "", code)) if line.wrap else said + code
    at = 1 + max(k for k, line in enumerate(lines) if line.startswith("#include"))
    return "\n".join(out[:at] + [HEAD] + out[at:]) + "\n"


def printed(output):
    """(line, number, block, thread) -> the values in the order of their printing; number -1 counts the line's turns."""
    values = {}
    for line in output.splitlines():
        m = re.fullmatch(r"@(\d+) (-?\d+) (\d+) (\d+) (.*)", line)
        if m:
            values.setdefault(tuple(int(m.group(k)) for k in range(1, 5)), []).append(m.group(5))
    return values
