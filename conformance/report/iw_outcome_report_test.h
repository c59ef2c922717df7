#pragma once

#include "iw_outcome_report.h"
#include "iw_outcome_test.h"

/* Reports of one or two runs, for tests. */

/* A second run: the case that fails in the first one passes, and one case is missing. */
#define OTHER                                                                                                \
    "{\"type\":\"case\",\"case\":\"rdma-send-001\",\"title\":\"A <Send> & more\",\"requirements\":"          \
    "[\"RFC5040-5.3-05\",\"RFC5041-5.2-04\"],\"verdict\":\"pass\"}\n"                                        \
    "{\"type\":\"case\",\"case\":\"mpa-crc-001\",\"repeat\":2,\"title\":\"A CRC\",\"requirements\":"         \
    "[\"RFC5044-4.4-13\"],\"verdict\":\"warning\",\"message\":\"it was late\"}\n" OUTCOME_SUMMARY

struct reported {
    struct outcome_test test;
    struct iw_outcome_run runs[2];
    struct iw_expect expect;
    struct iw_outcome_report report;
    char *text;
};

static inline struct reported *reported_begin(size_t count, const char *known) {
    struct reported *reported = calloc(1, sizeof *reported);

    outcome_begin(&reported->test);
    outcome_write(&reported->test, "rnic/rdma-send-001.log", "1  the log\n    ! error <here>\n2  more\n");
    assert_int_equal(outcome_read(&reported->test, &reported->runs[0],
                         outcome_write(&reported->test, "rnic/results.jsonl", OUTCOME_WHOLE), NULL),
        IW_OK);
    if (count > 1)
        outcome_run(&reported->test, &reported->runs[1], "x/y", OTHER);
    reported->report = (struct iw_outcome_report){.runs = reported->runs, .count = count};
    if (known != NULL) {
        assert_int_equal(
            iw_expect_read(&reported->expect, outcome_write(&reported->test, "known", known), stderr), IW_OK);
        for (size_t i = 0; i < count; i++)
            iw_expect_use(&reported->expect, &reported->runs[i]);
        reported->report.expect = &reported->expect;
    }
    return reported;
}

static inline void reported_put(struct reported *reported, const char *form) {
    size_t octets;

    free(reported->text);
    reported->report.out = open_memstream(&reported->text, &octets);
    iw_outcome_form_find(form)(&reported->report);
    fclose(reported->report.out);
}

static inline void reported_end(struct reported *reported) {
    for (size_t i = 0; i < reported->report.count; i++)
        iw_outcome_clear(&reported->runs[i]);
    iw_expect_clear(&reported->expect);
    outcome_end(&reported->test);
    free(reported->text);
    free(reported);
}

static inline void reported_has(const struct reported *reported, const char *text) {
    if (strstr(reported->text, text) == NULL)
        fail_msg("no '%s' in:\n%s", text, reported->text);
}

static inline void reported_title(struct reported *reported, const char *words) {
    char title[128];

    snprintf(title, sizeof title, "<title>%s: a - warpcheck</title>", words);
    reported_put(reported, "html");
    reported_has(reported, title);
}
