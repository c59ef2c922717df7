#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iw_bundle_check.h"
#include "iw_capture_file.h"
#include "iw_evidence.h"
#include "iw_line_reader.h"
#include "iw_results.h"

/* Evidence that `run --evidence-limit` has shortened, and that cannot be judged again. */

static bool bundle_limit_is_shortened(const char *path) {
    struct iw_capture_file *file;
    struct iw_packet packet;
    char error[512];
    bool shortened = false;

    if (iw_capture_file_open(path, &file, error, sizeof error) != IW_OK)
        return false;
    while (!shortened && iw_capture_file_next(file, &packet, error, sizeof error) == IW_CAPTURE_PACKET)
        shortened = packet.captured < packet.length;
    iw_capture_file_close(file);
    return shortened;
}

/* Whether the log says that something was left out. */
static bool bundle_limit_is_abridged(const char *path) {
    struct iw_line_reader lines = {.in = fopen(path, "r"), .limit = IW_RESULTS_LINE_MAX};
    bool abridged = false;

    while (lines.in != NULL && !abridged && iw_line_reader_next(&lines))
        abridged = strncmp(lines.text, "  (", 3) == 0 &&
                   strstr(lines.text, " left out here: --evidence-limit)") != NULL;
    iw_line_reader_clear(&lines);
    if (lines.in != NULL)
        fclose(lines.in);
    return abridged;
}

/* The results alone do not prove that: whoever changes them could excuse any case. */
bool iw_bundle_is_limited(const struct iw_outcome_case *one) {
    return json_is_object(json_object_get(one->object, "left_out")) &&
           (bundle_limit_is_shortened(one->capture) || bundle_limit_is_abridged(one->log));
}

static bool bundle_limit_is_reached(const char *path, uint64_t octets) {
    struct stat status;

    return stat(path, &status) == 0 && (uint64_t)status.st_size >= octets;
}

/* Capture and log are written whole up to half of the limit. */
bool iw_bundle_limit_fits(const struct iw_bundle_check *check, const struct iw_outcome_case *one) {
    const json_t *left_out = json_object_get(one->object, "left_out");
    uint64_t limit = check->plan.run.evidence_octets, least = limit / 2;
    bool shortens_capture =
        iw_outcome_number(left_out, "frames_shortened") + iw_outcome_number(left_out, "frames_missing") > 0;
    bool shortens_log = iw_outcome_number(left_out, "log_lines") > 0;

    if (!check->plan.selected) /* the limit is unknown */
        return true;
    return limit > 0 && (!shortens_capture || bundle_limit_is_reached(one->capture, least)) &&
           (!shortens_log || bundle_limit_is_reached(one->log, least));
}
