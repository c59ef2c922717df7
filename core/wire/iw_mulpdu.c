#include "iw_mulpdu.h"

uint16_t iw_mulpdu(uint32_t emss, bool markers) {
    uint32_t framing = 6 + emss % 4; /* ULPDU_Length, CRC, and the octets that do not fill a word */

    if (markers)
        framing += 4 * ((emss + 511) / 512);
    if (emss < framing + IW_MULPDU_MIN)
        return IW_MULPDU_MIN;
    if (emss - framing > IW_MULPDU_MAX)
        return IW_MULPDU_MAX;
    return (uint16_t)(emss - framing);
}
