#include <string.h>

#include "iw_upper_iser.h"

/* The login of iSER. It belongs into the byte stream, before MPA; some implementations send it over MPA. */

enum { FLAG_CONTINUE = 0x40 };

/* Whether a key of the Login Request says that the session is for discovery. The text consists of KEY=VALUE,
 * each with a NUL at the end (RFC 7143 6.1). `continues`: it begins within a KEY=VALUE of the previous
 * request. */
static bool iser_is_discovery(
    const struct iw_upper_send *send, const struct iw_upper_iser_pdu *pdu, bool continues) {
    static const char key[] = "SessionType=Discovery"; /* with its NUL */
    size_t at = IW_ISER_HEADER_OCTETS + IW_ISCSI_HEADER_OCTETS +
                4u * pdu->bhs[4];       /* after the Additional Header Segments */
    size_t end = at + pdu->data_octets; /* before the padding */

    if (end > send->captured)
        end = (size_t)send->captured;
    while (at < end) {
        const uint8_t *text = send->data + at, *nul = memchr(text, 0, end - at);

        if (!continues && end - at >= sizeof key && memcmp(text, key, sizeof key) == 0)
            return true;
        if (nul == NULL)
            break;
        at += (size_t)(nul - text) + 1;
        continues = false;
    }
    return false;
}

/* The final Login Response ends the login: it moves to the full feature phase, and its status is 0 (RFC 7143
 * 11.13). */
static bool iser_ends_login(const struct iw_upper_iser_pdu *pdu) {
    enum { TRANSIT = 0x80, NEXT_STAGE = 0x03, FULL_FEATURE = 3, STATUS_CLASS = 36 };

    return pdu->opcode == IW_ISCSI_LOGIN_RESPONSE && (pdu->bhs[1] & TRANSIT) != 0 &&
           (pdu->bhs[1] & NEXT_STAGE) == FULL_FEATURE && pdu->bhs[STATUS_CLASS] == 0;
}

/* Whether the login is over and the PDU is of another one. A Login Request that the target had received
 * before its final response may be captured after it. */
static bool iser_logs_in_again(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_iser_pdu *pdu) {
    bool login = pdu->opcode == IW_ISCSI_LOGIN_REQUEST || pdu->opcode == IW_ISCSI_LOGIN_RESPONSE;
    bool again =
        login && upper->logged_in && (send->side != upper->initiator || send->end > upper->login_received);

    if (!iw_upper_all_messages_seen(upper))
        return false;
    if (again)
        iw_upper_report(upper, IW_UPPER_RFC7145_7_3_9_01, 0, "", "", "%s is sent after the login",
            pdu->opcode == IW_ISCSI_LOGIN_REQUEST ? "a Login Request" : "a Login Response");
    upper->logs_in |= login;
    if (!upper->logged_in && (iser_ends_login(pdu) || !upper->logs_in)) {
        upper->logged_in = true;
        upper->login_received = login ? send->received : 0;
    }
    return again;
}

static void iser_judge_login(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_iser_pdu *pdu) {
    bool continues = upper->text_continues;

    upper->text_continues = (pdu->bhs[1] & FLAG_CONTINUE) != 0;
    if (!iw_upper_all_seen(upper))
        return;
    if (!upper->login_reported)
        iw_upper_report(upper, IW_UPPER_RFC7145_5_1_2_01, 0, "a login in the byte stream, before MPA",
            "a Login Request in a Send", "the login is sent over MPA");
    upper->login_reported = true;
    if (!upper->discovery_reported && iser_is_discovery(send, pdu, continues)) {
        iw_upper_report(upper, IW_UPPER_RFC7145_5_1_02, 0, "a discovery session without iSER", "",
            "a discovery session uses iSER");
        upper->discovery_reported = true;
    }
}

void iw_upper_iser_login(
    struct iw_upper *upper, const struct iw_upper_send *send, const struct iw_upper_iser_pdu *pdu) {
    if (!iser_logs_in_again(upper, send, pdu) && pdu->opcode == IW_ISCSI_LOGIN_REQUEST)
        iser_judge_login(upper, send, pdu);
}
