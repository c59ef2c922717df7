#include "iw_defect_state.h"

#include <assert.h>
#include <string.h>

/* Applies defects of DDP over SCTP to the chunks that an association sends. */

static bool sctp_concerns(const struct iw_defect *defect, const struct iw_ddp_emit *emit) {
    unsigned chunks = defect->sctp.chunks;
    struct iw_sctp_session session;

    if (emit->ppid == IW_SCTP_PPID_SEGMENT)
        return chunks & 1;
    return iw_sctp_session_decode(emit->octets, emit->length, &session) && session.header.function < 32 &&
           (chunks >> session.header.function & 1);
}

static void sctp_change_length(const struct iw_defect *defect, struct iw_ddp_emit *emit) {
    emit->length -= emit->length < defect->octets.shorter ? emit->length : defect->octets.shorter;
    if (defect->octets.longer > emit->capacity - emit->length)
        return;
    memset(emit->octets + emit->length, 0xEE, defect->octets.longer);
    emit->length += defect->octets.longer;
}

static void sctp_change(void *user, struct iw_ddp_emit *emit) {
    static const unsigned times[] = {[IW_DEFECT_ONCE] = 1, [IW_DEFECT_NEVER] = 0, [IW_DEFECT_TWICE] = 2};
    const struct iw_defect *defect = user;

    if (!sctp_concerns(defect, emit))
        return;
    iw_defect_change_field(defect,
        emit->ppid == IW_SCTP_PPID_CONTROL ? iw_layout_sctp_control : iw_layout_sctp_segment, emit->octets);
    sctp_change_length(defect, emit);
    emit->ordered |= defect->sctp.ordered;
    emit->times = times[defect->times];
}

void iw_defect_configure_association(
    const struct iw_defect *defect, struct iw_ddp_association_config *config) {
    const struct iw_ddp_policy given = config->policy;

    if (!defect || defect->of != IW_DEFECT_OF_SCTP)
        return;
    assert(given.send == NULL && given.broken == NULL && config->link.policy.outbound == 0 &&
           !config->link.policy.flooding && config->link.policy.cut == 0);
    config->policy = defect->sctp.policy;
    config->policy.omitted_checks |= given.omitted_checks;
    config->policy.unusual_checks |= given.unusual_checks;
    config->policy.send = sctp_change;
    config->policy.user = (void *)(uintptr_t)defect;
    config->link.policy = defect->sctp.link;
    config->link.unindicated |= defect->sctp.unindicated;
    if (defect->sctp.indication != 0)
        config->link.indication = defect->sctp.indication;
}
