#include "iw_order.h"

#include <stdio.h>
#include <unistd.h>

#include "iw_trial_record.h"

enum iw_status iw_order_init(
    struct iw_order *order, const struct iw_run_config *config, char *error, size_t error_octets) {
    enum iw_status status;

    *order = (struct iw_order){.config = config, .repeat = 1};
    status = iw_selection_init(&order->selection, config);
    if (status != IW_OK) {
        snprintf(error, error_octets, "%s", iw_selection_failure(config));
        return status;
    }
    status = iw_repeats_init(
        &order->repeats, config->catalogue, config->earlier.cases, config->earlier.case_count);
    if (status != IW_OK) {
        snprintf(error, error_octets, "%s",
            status == IW_ERR_NOMEM
                ? "out of memory"
                : "the results to resume have a repeat twice, or one far above their number");
        iw_selection_dispose(&order->selection);
    }
    return status;
}

void iw_order_dispose(struct iw_order *order) {
    iw_selection_dispose(&order->selection);
    iw_repeats_dispose(&order->repeats);
}

const struct iw_case *iw_order_next(struct iw_order *order) {
    const struct iw_run_limits *limits = &order->config->limits;
    unsigned last = limits->repeats > 0 ? limits->repeats : 1;

    while (order->selection.count > 0) {
        const struct iw_case *one;

        if (order->next == order->selection.count) {
            order->next = 0;
            order->repeat++;
        }
        if (!limits->endless && order->repeat > last)
            return NULL;
        one = order->selection.cases[order->next];
        if (!iw_repeats_had(&order->repeats, one, order->repeat))
            return one;
        order->next++;
    }
    return NULL;
}

void iw_order_take(struct iw_order *order) {
    order->next++;
}

unsigned iw_order_take_rest(struct iw_order *order) {
    unsigned count = 0, begun = order->repeat;

    while (iw_order_next(order) != NULL && (!order->config->limits.endless || order->repeat == begun)) {
        iw_order_take(order);
        count++;
    }
    return count;
}

unsigned iw_order_number(const struct iw_order *order, unsigned repeat) {
    const struct iw_run_limits *limits = &order->config->limits;

    return limits->repeats > 1 || limits->endless ? repeat : 0;
}

void iw_order_name_capture(
    const struct iw_order *order, const struct iw_case *one, unsigned repeat, char path[512]) {
    const char *folder = order->config->folder;

    path[0] = '\0';
    if (folder != NULL && repeat == 1)
        snprintf(path, 512, "%s/%s.pcapng", folder, one->id);
    else if (folder != NULL)
        snprintf(path, 512, "%s/%s-%u.pcapng", folder, one->id, repeat);
}

static void order_drop_evidence(struct iw_trial_result *result) {
    char log[sizeof result->capture];

    iw_trial_record_log_path(result->capture, log, sizeof log);
    unlink(result->capture);
    unlink(log);
    result->capture[0] = '\0';
}

void iw_order_count(struct iw_order *order, struct iw_trial_result *result, unsigned repeat) {
    if (result->end == IW_TRIAL_FINISHED)
        iw_repeats_add(&order->repeats, result->one, result->verdict);
    if (result->capture[0] != '\0' && repeat > 1 &&
        result->verdict == iw_repeats_first(&order->repeats, result->one))
        order_drop_evidence(result);
}

unsigned iw_order_report_flakes(const struct iw_order *order) {
    const struct iw_run_config *config = order->config;
    unsigned count = 0;

    for (size_t i = 0; i < order->selection.count; i++) {
        const struct iw_case *one = order->selection.cases[i];
        const unsigned *verdicts = iw_repeats_flaky(&order->repeats, one);

        if (verdicts == NULL)
            continue;
        count++;
        if (config->handlers.flake != NULL)
            config->handlers.flake(config->handlers.user, one, verdicts);
    }
    return count;
}
