/* check_suppress.h - compute-sanitizer's XML: what `--xml --save` writes and `--suppressions` reads. A record that is read takes out
 * the findings that it describes.
 *
 *     <ComputeSanitizerOutput>
 *       <record>
 *         <kind>Initcheck</kind>
 *         <what><text>...</text><size>4</size></what>
 *         <where><func>scale</func><path>x.cu</path><line>12</line></where>
 *         <hostStack><saveLocation>kernel launch time</saveLocation>
 *           <frame><func>main</func><path>x.cu</path><line>40</line><module>x</module></frame></hostStack>
 *       </record>
 *     </ComputeSanitizerOutput>
 *
 * What a record leaves out fits anything: it may be cut down by hand to what matters. */
#ifndef LS_REPORT_CHECK_SUPPRESS_H
#define LS_REPORT_CHECK_SUPPRESS_H

#include "report/check/check_report.h"
#include "report/xml.h"

struct check_suppressions {
    const struct xml_node *root; /* NULL: none */
};

/* LS_ERR_IO, LS_ERR_SYNTAX with diagnostics; a record of a kind that is not known is a warning. */
enum ls_status check_suppressions_read(struct arena *mem, const char *path, struct check_suppressions *out,
                                       struct diag_list *diags);
/* Takes the findings out that some record describes; how many. */
u32 check_suppressions_apply(const struct check_suppressions *s, struct check_report *r);

/* All findings as such records. */
void check_xml(FILE *out, const struct check_report *r);

#endif
