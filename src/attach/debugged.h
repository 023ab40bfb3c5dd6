/* debugged.h - the debugger's agent (src/debug/agent) at work in this process. */
#ifndef LS_ATTACH_DEBUGGED_H
#define LS_ATTACH_DEBUGGED_H

#include "base/base.h"

/* Connects and waits for the debugger, if LOCKSTEP_DEBUG wants it, and takes the launcher. False: there is none. */
bool debugged_start(void);

#endif
