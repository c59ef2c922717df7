#include "iw_smbd.h"

#include "iw_upper_words.h"

/* [MS-SMBD] 2.2.1 and 2.2.2. */
bool iw_smbd_is_negotiate(const uint8_t *data, uint64_t captured, uint64_t octets) {
    if (captured != octets || octets < IW_SMBD_NEGOTIATE_REQUEST_OCTETS ||
        iw_upper_little16(data) != IW_SMBD_VERSION || iw_upper_little16(data + 2) != IW_SMBD_VERSION)
        return false;
    if (octets == IW_SMBD_NEGOTIATE_REQUEST_OCTETS)
        return iw_upper_little16(data + 4) == 0 && iw_upper_little16(data + 6) > 0 &&
               iw_upper_little32(data + 12) >= 128;
    return octets == IW_SMBD_NEGOTIATE_RESPONSE_OCTETS && iw_upper_little16(data + 4) == IW_SMBD_VERSION &&
           iw_upper_little16(data + 6) == 0;
}

/* [MS-SMBD] 2.2.3. */
bool iw_smbd_is_data(const uint8_t *data, uint64_t captured, uint64_t octets) {
    if (captured < IW_SMBD_HEADER_OCTETS || iw_upper_little16(data + 4) > 1 ||
        iw_upper_little16(data + 6) != 0)
        return false;
    if (octets == IW_SMBD_HEADER_OCTETS)
        return iw_upper_are_zero(data + 8, 12);
    return captured >= IW_SMBD_DATA_AT && iw_upper_little32(data + 12) == IW_SMBD_DATA_AT &&
           iw_upper_little32(data + 16) > 0 && iw_upper_little32(data + 16) <= octets - IW_SMBD_DATA_AT;
}
