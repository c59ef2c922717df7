#include "iw_conclusion.h"

static const struct {
    const char *key, *text, *title;
} conclusions[] = {
    [IW_CONCLUSION_FINE] = {"nothing wrong seen", "nothing wrong seen", "Nothing wrong seen"},
    [IW_CONCLUSION_PARTIAL] = {"partial", "nothing wrong seen, but the capture is incomplete",
        "Nothing wrong seen, but the capture is incomplete"},
    [IW_CONCLUSION_SLOW] = {"cause", "slow", "Slow"},
    [IW_CONCLUSION_VIOLATIONS] = {"violations", "no failure seen, but violations",
        "No failure seen, but violations"},
    [IW_CONCLUSION_NOT_KNOWN] = {"not known", "not known", "Failed for a reason that is not known"},
    [IW_CONCLUSION_FAILED] = {"cause", "failed", "Failed"},
};

enum iw_conclusion iw_conclusion_of(const struct iw_facts *facts, const struct iw_diagnosis *diagnosis) {
    for (unsigned i = 0; i < diagnosis->count; i++)
        if (diagnosis->causes[i].cause->group != IW_CAUSE_SLOW)
            return IW_CONCLUSION_FAILED;
    if (diagnosis->count > 0)
        return IW_CONCLUSION_SLOW;
    if (diagnosis->failed)
        return IW_CONCLUSION_NOT_KNOWN;
    if (facts->counts->findings[IW_SEVERITY_ERROR] > 0)
        return IW_CONCLUSION_VIOLATIONS;
    return iw_facts_is_partial(facts) ? IW_CONCLUSION_PARTIAL : IW_CONCLUSION_FINE;
}

bool iw_conclusion_has_cause(enum iw_conclusion conclusion) {
    return conclusion == IW_CONCLUSION_SLOW || conclusion == IW_CONCLUSION_FAILED;
}

const char *iw_conclusion_key(enum iw_conclusion conclusion) {
    return conclusions[conclusion].key;
}

const char *iw_conclusion_text(enum iw_conclusion conclusion) {
    return conclusions[conclusion].text;
}

const char *iw_conclusion_title(enum iw_conclusion conclusion) {
    return conclusions[conclusion].title;
}
