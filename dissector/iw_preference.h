#ifndef IW_PREFERENCE_H
#define IW_PREFERENCE_H

#include <stdbool.h>

#include "iw_mpa.h"
#include "iw_requirement.h"

/* What the user has set for the plugin (Preferences, Protocols, iWARP). */

struct iw_preferences {
    enum iw_mpa_term crc;
    enum iw_mpa_term markers[2]; /* by sender: initiator, responder */
    unsigned extensions;         /* documents beyond RFC 5040 in force: set of enum iw_extension */
    bool reassemble;             /* pass reassembled messages to the dissector above */
    bool keep_tagged;   /* keep complete Writes and Read Responses even if no dissector above uses them */
    bool resynchronise; /* search for FPDUs after a loss and in mid-stream */
    bool builtin_off;   /* switch off Wireshark's own iWARP dissector */
    bool show[IW_SEVERITY_ERROR + 1]; /* findings, by enum iw_severity */
};

/* As they are for the file that is open: they change only when iw_preference_take is called, and Wireshark
 * dissects a file anew when its user has changed something. Never NULL. */
extern const struct iw_preferences *const iw_preferences;

/* Registers the preferences of `protocol`; once, when Wireshark starts. */
void iw_preference_register(int protocol);

/* Takes what the user has set until now; for when a file is opened or dissected anew. */
void iw_preference_take(void);

#endif
