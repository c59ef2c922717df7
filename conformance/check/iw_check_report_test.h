#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_check_report.h"
#include "iw_pcap_test.h"
#include "iw_temporary_test.h"

/* What a form prints about a capture, and the exit code. */
struct printed {
    char *text;
    size_t octets;
    enum iw_exit exit;
    char path[TEMPORARY_PATH]; /* of the capture, which has been deleted */
};

static inline void print(
    struct printed *printed, const struct iw_check_report_form *form, const struct pcap_test *file) {
    const char *path = temporary_path(printed->path, "iw_check_report_test");
    struct iw_check_report report = {
        .out = open_memstream(&printed->text, &printed->octets), .form = form, .extensions = IW_EXT_ALL};
    int descriptor = mkstemp(printed->path);

    assert_true(descriptor >= 0);
    close(descriptor);
    pcap_write(file, file->length, path);
    printed->exit = iw_check_report_files(&report, &path, 1);
    printed->exit = iw_check_report_end(&report, printed->exit);
    fclose(report.out);
    unlink(path);
}

static inline void with_send(struct pcap_test *file, const char *send) {
    pcap_startup(file);
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, send);
    pcap_close(file);
}
