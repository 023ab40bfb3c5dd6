/* xml.h - the part of XML 1.0 that tools write their results in: elements and text. Attributes, comments, declarations and CDATA
 * sections are read over or taken as text; there are no entities but the five of XML and numbers. */
#ifndef LS_REPORT_XML_H
#define LS_REPORT_XML_H

#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

struct xml_node {
    const char *name, *text; /* text: all of it that is directly inside, without blanks around */
    struct xml_node *child, *next;
    u32 line;
};

/* The root element. LS_ERR_IO, LS_ERR_SYNTAX with a diagnostic. Lives in mem, whose recovery point is set. */
enum ls_status xml_read_file(struct arena *mem, const char *path, struct xml_node **root, struct diag_list *diags);

/* The first child of that name; NULL: there is none, or no node. */
const struct xml_node *xml_child(const struct xml_node *n, const char *name);
/* The next sibling of that name. */
const struct xml_node *xml_next(const struct xml_node *n, const char *name);
/* The text of a child; NULL: there is none. */
const char *xml_text(const struct xml_node *n, const char *name);

/* Text with what must be escaped, for content and for attributes in double quotes. */
void xml_put(FILE *out, const char *text);

#endif
