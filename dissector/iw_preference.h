#ifndef IW_PREFERENCE_H
#define IW_PREFERENCE_H

#include "iw_epan.h"

#include "iw_mpa.h"
#include "iw_requirement.h"

/* The user's settings of the plugin (Preferences, Protocols, iWARP), in the types that Wireshark sets. */
struct iw_preferences {
    int crc;                    /* enum iw_mpa_term */
    int markers[2];             /* enum iw_mpa_term, by sender: initiator, responder */
    unsigned extensions;        /* documents beyond RFC 5040 in force: set of enum iw_extension */
    iw_epan_bool reassemble;    /* pass reassembled messages to the dissector above */
    iw_epan_bool keep_tagged;   /* keep complete Writes and Read Responses that no dissector above uses */
    iw_epan_bool resynchronise; /* search for FPDUs after a loss, and in a stream captured from its middle */
    iw_epan_bool builtin_off;   /* switch off Wireshark's own iWARP dissector */
    iw_epan_bool show[IW_SEVERITY_ERROR + 1]; /* show findings, by enum iw_severity */
};

/* The settings for the open file: they change only in iw_preference_take. Wireshark dissects the file again
 * after a change. Never NULL. */
extern const struct iw_preferences *const iw_preferences;

/* Registers the preferences of `protocol`. Call once, when Wireshark starts. */
void iw_preference_register(int protocol);

/* Copies the user's current settings. Call when a file is opened or dissected again. */
void iw_preference_take(void);

#endif
