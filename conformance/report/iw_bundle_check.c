#include "iw_bundle_check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "iw_show.h"
#include "iw_text.h"

enum { FAULT_OCTETS = 1024 };

void iw_bundle_fault(struct iw_bundle_check *check, const char *name, const char *format, ...) {
    char text[FAULT_OCTETS], shown[FAULT_OCTETS];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    iw_show_line(shown, sizeof shown, name);
    iw_show_line(text, sizeof text, text);
    fprintf(check->faults, "%s: %s: %s\n", check->bundle->path, shown, text);
    check->count++;
}

/* Reports the diagnostic of iw_outcome_read without the path of the temporary folder. */
static void bundle_check_unreadable(struct iw_bundle_check *check, const char *diagnostic) {
    const char *at = strstr(diagnostic, IW_RESULTS_FILE);

    if (at != NULL)
        at += strlen(IW_RESULTS_FILE);
    while (at != NULL && (*at == ':' || *at == ' '))
        at++;
    iw_bundle_fault(check, IW_RESULTS_FILE, "%.*s", (int)strcspn(at != NULL ? at : diagnostic, "\n"),
        at != NULL ? at : diagnostic);
}

static void bundle_check_read(struct iw_bundle_check *check) {
    char *path = iw_bundle_path(check->bundle, IW_RESULTS_FILE);
    struct iw_text diagnostics;
    bool opened = iw_text_open(&diagnostics);
    enum iw_status status =
        path != NULL && opened ? iw_outcome_read(&check->run, path, diagnostics.out) : IW_ERR_NOMEM;
    char *diagnostic = iw_text_close(&diagnostics);

    check->read = status == IW_OK;
    if (status == IW_ERR_NOMEM)
        iw_bundle_note_no_memory();
    else if (status != IW_OK)
        bundle_check_unreadable(check, diagnostic != NULL ? diagnostic : "out of memory");
    free(diagnostic);
    free(path);
}

void iw_bundle_check_init(
    struct iw_bundle_check *check, const struct iw_bundle *bundle, const char *cases, FILE *faults) {
    *check = (struct iw_bundle_check){.bundle = bundle, .cases = cases, .faults = faults};
    if (iw_bundle_find(bundle, IW_RESULTS_FILE) != NULL)
        bundle_check_read(check);
    iw_bundle_verify(check);
    if (check->count == 0 && !check->read)
        iw_bundle_fault(check, IW_RESULTS_FILE, "is missing");
    if (!check->read)
        return;
    iw_bundle_plan_init(&check->plan, &check->run, cases);
    iw_bundle_origin_check_order(check);
    iw_bundle_total_check(check);
    iw_bundle_case_check(check);
    iw_bundle_log_check(check);
    iw_bundle_judge(check);
}

void iw_bundle_check_dispose(struct iw_bundle_check *check) {
    if (check->plan.places != NULL)
        iw_bundle_plan_dispose(&check->plan);
    iw_outcome_clear(&check->run);
}
