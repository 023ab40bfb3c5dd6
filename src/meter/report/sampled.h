/* sampled.h - what a launch that was counted alone takes from one like it that was modelled too. */
#ifndef LS_METER_REPORT_SAMPLED_H
#define LS_METER_REPORT_SAMPLED_H

#include "meter/meter.h"

/* What a modelled launch leaves. */
struct model_sample;

/* lines: those of the report's lines too. NULL: no memory. */
struct model_sample *model_sample_make(const struct meter_report *r, bool lines);
void model_sample_free(struct model_sample *s);

/* The launch did the same: each sum of machine instructions, sectors, wavefronts and the like is the sample's, within 1 %. */
bool model_sample_alike(const struct model_sample *s, const struct meter_report *r);
/* The modelled time is the sample's too, within 5 %. */
bool model_sample_as_long(const struct model_sample *s, const struct meter_report *r);

/* Everything modelled of r, which was not, is that of the sample: metrics, the events behind them, and those of its lines where
 * they are the same lines. */
void model_sample_give(const struct model_sample *s, struct meter_report *r);

#endif
