#pragma once

#include "iw_epan.h"

#include "iw_mpa.h"
#include "iw_requirement.h"

/* What happens with the rules of the protocol above RDMAP, as in `warpcheck check --upper`. */
enum iw_preference_upper {
    IW_PREFERENCE_UPPER_OFF,  /* its messages are not followed */
    IW_PREFERENCE_UPPER_WARN, /* findings are warnings at most, as they are no violations of iWARP */
    IW_PREFERENCE_UPPER_JUDGE,
};

/* The user's settings (Preferences, Protocols, iWARP), in the types that Wireshark sets. */
struct iw_preferences {
    int crc;                    /* enum iw_mpa_term */
    int markers[2];             /* enum iw_mpa_term, by sender: initiator, responder */
    unsigned extensions;        /* documents in force beyond RFC 5040: set of enum iw_extension */
    iw_epan_bool reassemble;    /* pass reassembled messages to the dissector above */
    iw_epan_bool keep_tagged;   /* store the octets of all complete Writes and Read Responses */
    iw_epan_bool keep_memory;   /* store what is placed in the memory of each STag */
    iw_epan_bool resynchronise; /* search for FPDUs after a loss, or if the beginning is not captured */
    iw_epan_bool builtin_off;   /* switch off Wireshark's own iWARP dissector */
    int upper;                  /* enum iw_preference_upper */
    iw_epan_bool show[IW_SEVERITY_ERROR + 1]; /* show findings, by enum iw_severity */
};

/* The settings in use. Only iw_preference_take changes them: Wireshark dissects the file again after the user
 * changes a setting. Never NULL. */
extern const struct iw_preferences *const iw_preferences;

/* Registers the preferences for `protocol`. Call this function once, when Wireshark starts. */
void iw_preference_register(int protocol);

/* Copies the user's settings. Call this function when a file is opened or dissected again. */
void iw_preference_take(void);
