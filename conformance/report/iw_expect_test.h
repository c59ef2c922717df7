#pragma once

#include "iw_expect.h"
#include "iw_outcome_test.h"

/* Expectations and results for tests. */

#define KNOWN "rdma-send-001 verdict=fail clause=\"RFC 5040 5.3\" reason=\"firmware 3\" owner=bob\n"

static inline void read_expect(
    struct outcome_test *test, struct iw_expect *expect, const char *text, const char *said) {
    char *complained = NULL, wanted[1024];
    size_t octets;
    FILE *diagnostics = open_memstream(&complained, &octets);
    enum iw_status status = iw_expect_read(expect, outcome_write(test, "known", text), diagnostics);

    fclose(diagnostics);
    if (said == NULL)
        assert_string_equal(complained, "");
    else {
        snprintf(wanted, sizeof wanted, "%s:%s\n", test->path, said);
        assert_string_equal(complained, wanted);
    }
    assert_int_equal(status, said == NULL ? IW_OK : IW_ERR_FORMAT);
    free(complained);
}

#define NOT_CLAIMED "rdma-send-001 verdict=not_applicable clause=\"RFC 5040 5.3\" reason=\"not claimed\"\n"

#define BY_CHANCE "rdma-send-001 verdict=fail|pass clause=\"RFC 5040 5.3\" reason=\"a race\"\n"

/* The results of rdma-send-001 with these members, and with findings of these two requirements. */
static inline void read_fault(struct outcome_test *test, struct iw_outcome_run *run, const char *name,
    const char *members, const char *second) {
    char text[1024];

    snprintf(text, sizeof text,
        "{\"type\":\"case\",\"case\":\"rdma-send-001\",\"requirements\":[\"RFC5040-5.3-05\"],"
        "\"verdict\":\"fail\"%s}\n"
        "{\"type\":\"finding\",\"case\":\"rdma-send-001\",\"requirement\":\"RFC5044-4.4-11\"}\n"
        "{\"type\":\"finding\",\"case\":\"rdma-send-001\",\"requirement\":\"%s\"}\n" OUTCOME_SUMMARY,
        members, second);
    outcome_run(test, run, name, text);
}

#define SAME                                                                                                 \
    ",\"close\":\"terminate+fin\",\"step\":\"send a \\\"Send\\\"\",\"crash\":\"[  7.1] Oops: 0002 [#1]\""
#define TERMINATE ",\"terminate\":\"1/2/01\""

/* Results of three cases: one fails by its own checks, two only by a finding. */
#define WAIVED_CASE(id, more)                                                                                \
    "{\"type\":\"case\",\"case\":\"" id "\",\"title\":\"t\",\"requirements\":[\"RFC5040-5.3-05\"],"          \
    "\"role\":\"responder\",\"verdict\":\"fail\",\"close\":\"fin\"" more "}\n"                               \
    "{\"type\":\"finding\",\"case\":\"" id "\",\"frame\":9,\"side\":\"responder\",\"requirement\":"          \
    "\"RFC5044-4.4-11\",\"message\":\"CRC is wrong\"}\n"
static const char waived_results[] = WAIVED_CASE("rdma-send-001",
    ",\"script\":\"send.lua\",\"step\":\"ask\",\"expected\":\"an answer\",\"actual\":\"silence\"")
    WAIVED_CASE("rdma-send-002", "") WAIVED_CASE("rdma-read-001", "") OUTCOME_SUMMARY;

/* The checks of a case failed, after these findings; `more`: further members of the case. */
#define STREAM_CASE(more, second)                                                                            \
    "{\"type\":\"case\",\"case\":\"rdma-send-001\",\"title\":\"t\",\"requirements\":[\"RFC5040-5.3-05\"],"   \
    "\"role\":\"responder\",\"verdict\":\"fail\",\"close\":\"fin\",\"script\":\"send.lua\",\"step\":"        \
    "\"ask\","                                                                                               \
    "\"expected\":\"an answer\",\"actual\":\"close\"" more "}\n"                                             \
    "{\"type\":\"finding\",\"case\":\"rdma-send-001\",\"number\":1,\"frame\":9,\"side\":\"responder\","      \
    "\"requirement\":\"RFC5044-4.4-11\",\"message\":\"CRC is wrong\"}\n" second OUTCOME_SUMMARY
#define SECOND_FINDING                                                                                       \
    "{\"type\":\"finding\",\"case\":\"rdma-send-001\",\"number\":2,\"frame\":9,\"side\":\"responder\","      \
    "\"requirement\":\"RFC5040-4.8-07\",\"message\":\"M is set\"}\n"
