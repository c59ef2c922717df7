#include "iw_sctp.h"

#include <string.h>

#include "iw_cursor.h"
#include "iw_name.h"

bool iw_sctp_session_decode(const uint8_t *octets, size_t length, struct iw_sctp_session *session) {
    struct iw_cursor cursor = iw_cursor_over(octets, length);
    const uint8_t *header = iw_cursor_take(&cursor, iw_sctp_control_octets);

    memset(session, 0, sizeof *session);
    if (header == NULL)
        return false;
    iw_sctp_control_decode(header, &session->header);

    if (session->header.function >= IW_SCTP_ENHANCED_INITIATE &&
        session->header.function <= IW_SCTP_ENHANCED_REJECT &&
        iw_cursor_left(&cursor) >= iw_mpa_enhanced_octets) {
        session->enhanced = true;
        iw_mpa_enhanced_decode(iw_cursor_take(&cursor, iw_mpa_enhanced_octets), &session->enhanced_data);
    }
    session->private_octets = iw_cursor_left(&cursor);
    session->private_data = iw_cursor_take(&cursor, session->private_octets);
    return true;
}
