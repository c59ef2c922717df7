#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_check_group.h"
#include "iw_pcap_test.h"
#include "iw_temporary_test.h"

static char directory[TEMPORARY_PATH];

static int set_up(void **state) {
    (void)state;
    return mkdtemp(temporary_path(directory, "iw_check_group_test")) == NULL;
}

/* Groups the files of `names`, which begin at `times` in seconds (0: no packet), and compares with
 * `expected`: the names, with a bar after each group. */
static void expect(enum iw_check_grouping grouping, const char *expected, size_t count,
    const char *const names[], const unsigned times[]) {
    struct iw_check_groups groups;
    char paths[8][TEMPORARY_FILE], text[512] = "";
    char *list[8];

    for (size_t i = 0; i < count; i++) {
        struct pcap_test file;

        snprintf(paths[i], sizeof paths[i], "%s/%s", directory, names[i]);
        list[i] = paths[i];
        pcap_begin(&file);
        file.packets = times[i] - 1; /* the packet's time is its number, in seconds */
        if (times[i] > 0)
            pcap_packet(&file, IW_SIDE_A, IW_TCP_SYN, "");
        pcap_write(&file, file.length, paths[i]);
    }
    assert_true(iw_check_groups_make(&groups, list, count, grouping));
    for (size_t i = 0, group = 0; i < count; i++) {
        strcat(text, groups.paths[i] + strlen(directory) + 1);
        strcat(text, i + 1 == groups.group_end[group] ? "|" : " ");
        group += i + 1 == groups.group_end[group];
        unlink(groups.paths[i]);
    }
    assert_string_equal(text, expected);
    iw_check_groups_clear(&groups);
}

static void tcpdump_names_are_grouped(void **state) {
    (void)state;
    expect(IW_CHECK_GROUP_AUTO, "a.pcap9 a.pcap a.pcap1 a.pcap10|b.pcap1|c.pcap|", 6,
        (const char *const[]){"a.pcap10", "a.pcap", "b.pcap1", "a.pcap9", "c.pcap", "a.pcap1"},
        (const unsigned[]){40, 20, 5, 10, 5, 30});
}

static void dumpcap_names_are_grouped(void **state) {
    (void)state;
    expect(IW_CHECK_GROUP_AUTO,
        "a_00001_20260131120000.pcapng a_00002_20260131120001.pcapng|b_00001_20260131120000.pcapng|", 3,
        (const char *const[]){"a_00002_20260131120001.pcapng", "b_00001_20260131120000.pcapng",
            "a_00001_20260131120000.pcapng"},
        (const unsigned[]){2, 1, 1});
    expect(IW_CHECK_GROUP_AUTO, "a_20260131120000_00001.pcap a_20260131120001_00002.pcap|", 2,
        (const char *const[]){"a_20260131120001_00002.pcap", "a_20260131120000_00001.pcap"},
        (const unsigned[]){2, 1});
}

/* Compressed or not: capture programs compress a file after they have rotated to the next one. */
static void compressed_and_uncompressed_names_are_grouped(void **state) {
    (void)state;
    expect(IW_CHECK_GROUP_AUTO, "x.pcap1.gz x.pcap2.zst x.pcap3|y.pcap.gz|", 4,
        (const char *const[]){"x.pcap3", "x.pcap2.zst", "x.pcap1.gz", "y.pcap.gz"},
        (const unsigned[]){3, 2, 1, 1});
    expect(IW_CHECK_GROUP_AUTO, "a_00001_20260131120000.pcapng.xz a_00002_20260131120001.pcapng|", 2,
        (const char *const[]){"a_00002_20260131120001.pcapng", "a_00001_20260131120000.pcapng.xz"},
        (const unsigned[]){2, 1});
}

/* Numbers alone do not suffice: these may be captures of three days. */
static void other_names_are_not_grouped(void **state) {
    (void)state;
    expect(IW_CHECK_GROUP_AUTO, "run3.pcap|run1.pcap|run_00001.pcap|run1|", 4,
        (const char *const[]){"run3.pcap", "run1.pcap", "run_00001.pcap", "run1"},
        (const unsigned[]){3, 1, 1, 2});
}

static void options_group_all_files_or_none(void **state) {
    (void)state;
    expect(IW_CHECK_GROUP_ALL, "b.pcap c a.pcap|", 3, (const char *const[]){"a.pcap", "b.pcap", "c"},
        (const unsigned[]){0, 1, 2}); /* the first has no packet */
    expect(IW_CHECK_GROUP_NONE, "a.pcap2|a.pcap1|", 2, (const char *const[]){"a.pcap2", "a.pcap1"},
        (const unsigned[]){2, 1});
}

/* Reading the beginning would consume it, or wait for a writer forever. */
static void a_pipe_is_not_read_for_its_time(void **state) {
    struct iw_check_groups groups;
    char paths[2][TEMPORARY_FILE];
    char *list[2] = {paths[0], paths[1]};

    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/x.pcap%d", directory, i);
        assert_int_equal(mkfifo(paths[i], 0600), 0);
    }
    assert_true(iw_check_groups_make(&groups, list, 2, IW_CHECK_GROUP_AUTO));
    assert_non_null(groups.pipe);
    iw_check_groups_clear(&groups);
    assert_true(iw_check_groups_make(&groups, list, 2, IW_CHECK_GROUP_NONE));
    assert_null(groups.pipe);
    iw_check_groups_clear(&groups);
    assert_true(iw_check_reads_once(paths[0]));
    assert_false(iw_check_reads_once(directory));
    for (int i = 0; i < 2; i++)
        unlink(paths[i]);
}

static int tear_down(void **state) {
    (void)state;
    return rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcpdump_names_are_grouped),
        cmocka_unit_test(dumpcap_names_are_grouped),
        cmocka_unit_test(compressed_and_uncompressed_names_are_grouped),
        cmocka_unit_test(other_names_are_not_grouped),
        cmocka_unit_test(options_group_all_files_or_none),
        cmocka_unit_test(a_pipe_is_not_read_for_its_time),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
