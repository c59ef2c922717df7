#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_outcome.h"
#include "iw_temporary_test.h"

/* Results files for tests. */

#define OUTCOME_RUN                                                                                          \
    "{\"type\":\"run\",\"version\":\"1.0\",\"profile\":{\"profile\":\"rnic\"},\"catalogue\":\"aa\","         \
    "\"selected\":3}\n"
#define OUTCOME_PASS                                                                                         \
    "{\"type\":\"case\",\"case\":\"mpa-crc-001\",\"title\":\"A CRC\",\"requirements\":[\"RFC5044-4.4-13\"]," \
    "\"role\":\"responder\",\"verdict\":\"pass\",\"close\":\"fin\",\"close_verdict\":\"right\","             \
    "\"file\":\"out/mpa-crc-001.pcapng\",\"duration_ms\":2}\n"
#define OUTCOME_FAIL                                                                                         \
    "{\"type\":\"case\",\"case\":\"rdma-send-001\",\"title\":\"A <Send> & more\",\"requirements\":"          \
    "[\"RFC5040-5.3-05\",\"RFC5041-5.2-04\"],\"role\":\"responder\",\"verdict\":\"fail\",\"close\":\"rst\"," \
    "\"close_verdict\":\"wrong\",\"message\":\"something else came\",\"expected\":\"a <Send>\","             \
    "\"actual\":\"silence\",\"script\":\"send.lua\",\"line\":7,\"step\":\"ask\","                            \
    "\"outstanding\":\"1 request of the <suite>\","                                                          \
    "\"file\":\"out/rdma-send-001.pcapng\",\"duration_ms\":1500}\n"                                          \
    "{\"type\":\"finding\",\"file\":\"out/rdma-send-001.pcapng\",\"stream\":0,\"case\":\"rdma-send-001\","   \
    "\"frame\":9,\"side\":\"responder\",\"requirement\":\"RFC5044-4.4-11\",\"message\":\"CRC is wrong\"}\n"
#define OUTCOME_NA                                                                                           \
    "{\"type\":\"case\",\"case\":\"mpa-marker-001\",\"title\":\"Markers\",\"requirements\":"                 \
    "[\"RFC5044-7.1.1-06\"],\"role\":\"responder\",\"verdict\":\"not applicable\","                          \
    "\"message\":\"needs what the device does not claim\"}\n"
#define OUTCOME_SUMMARY "{\"type\":\"summary\",\"cases\":3,\"exit\":1}\n"
#define OUTCOME_WHOLE OUTCOME_RUN OUTCOME_PASS OUTCOME_FAIL OUTCOME_NA OUTCOME_SUMMARY

struct outcome_test {
    char folder[TEMPORARY_PATH];
    char path[TEMPORARY_FILE]; /* the last file written */
};

static inline void outcome_begin(struct outcome_test *test) {
    assert_non_null(mkdtemp(temporary_path(test->folder, "iw_outcome")));
}

static inline void outcome_end(struct outcome_test *test) {
    assert_true(temporary_remove(test->folder));
}

/* Writes a file in the folder; `name` may contain a subfolder. */
static inline const char *outcome_write(struct outcome_test *test, const char *name, const char *text) {
    const char *slash = strchr(name, '/');
    FILE *out;

    snprintf(test->path, sizeof test->path, "%s/%.*s", test->folder, slash != NULL ? (int)(slash - name) : 0,
        name);
    if (slash != NULL)
        mkdir(test->path, 0700);
    snprintf(test->path, sizeof test->path, "%s/%s", test->folder, name);
    out = fopen(test->path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    return test->path;
}

/* Reads the operand, and compares the diagnostic with `said`, which follows the path of the folder; NULL:
 * no diagnostic. */
static inline enum iw_status outcome_read(
    const struct outcome_test *test, struct iw_outcome_run *run, const char *operand, const char *said) {
    char *text = NULL, *wanted = NULL;
    size_t octets;
    FILE *diagnostics = open_memstream(&text, &octets);
    enum iw_status status = iw_outcome_read(run, operand, diagnostics);

    fclose(diagnostics);
    if (said == NULL) {
        assert_string_equal(text, "");
    } else {
        wanted = malloc(strlen(test->folder) + strlen(said) + 3);
        sprintf(wanted, "%s/%s\n", test->folder, said);
        assert_string_equal(text, wanted);
    }
    free(text);
    free(wanted);
    return status;
}

/* Reads the results `text` as a run called `name`. */
static inline void outcome_run(
    struct outcome_test *test, struct iw_outcome_run *run, const char *name, const char *text) {
    char operand[TEMPORARY_FILE + 64], file[64];

    snprintf(file, sizeof file, "%zu/results.jsonl", strlen(text));
    snprintf(operand, sizeof operand, "%s=%s", name, outcome_write(test, file, text));
    assert_int_equal(outcome_read(test, run, operand, NULL), IW_OK);
}
