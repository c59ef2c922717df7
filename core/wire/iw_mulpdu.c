#include "iw_mulpdu.h"

uint16_t iw_mulpdu(uint32_t emss, bool markers) {
    uint32_t framing = iw_mulpdu_framing(emss, markers);

    if (emss < framing + IW_MULPDU_MIN)
        return IW_MULPDU_MIN;
    if (emss - framing > IW_MULPDU_MAX)
        return IW_MULPDU_MAX;
    return (uint16_t)(emss - framing);
}
