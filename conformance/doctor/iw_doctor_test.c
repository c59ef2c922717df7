#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_doctor.h"
#include "iw_doctor_part.h"
#include "iw_temporary_test.h"

/* A folder with the files of another machine. */
static char root[TEMPORARY_PATH];
static struct iw_doctor_place place = {.root = root};

static int make_root(void **state) {
    (void)state;
    return mkdtemp(temporary_path(root, "iw_doctor_test")) == NULL;
}

static int remove_root(void **state) {
    (void)state;
    return !temporary_remove(root);
}

/* Writes root/PATH, with its folders. */
static void put(const char *path, const char *text) {
    char full[512];
    FILE *file;

    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        mkdir(full, 0700);
    }
    file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const struct iw_doctor_finding *look(iw_doctor_look *check) {
    static struct iw_doctor_finding finding;

    memset(&finding, 'x', sizeof finding);
    check(&place, &finding);
    assert_true(memchr(finding.text, '\0', sizeof finding.text) != NULL && finding.text[0] != '\0');
    assert_true(memchr(finding.advice, '\0', sizeof finding.advice) != NULL);
    if (finding.status == IW_DOCTOR_OK)
        assert_string_equal(finding.advice, "");
    else
        assert_string_not_equal(finding.advice, "");
    return &finding;
}

static void each_check_gives_a_text_and_advice(void **state) {
    (void)state;
    for (size_t i = 0; i < iw_doctor_check_count; i++)
        look(iw_doctor_checks[i].look);
}

static void devices_are_iwarp_or_not(void **state) {
    const struct iw_doctor_finding *finding = look(iw_doctor_rdma);
    char path[64];

    (void)state;
    assert_int_equal(finding->status, IW_DOCTOR_MISSING);
    assert_string_equal(finding->text, "no iWARP device");
    put("sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
    finding = look(iw_doctor_rdma);
    assert_int_equal(finding->status, IW_DOCTOR_MISSING);
    assert_string_equal(finding->text, "no iWARP device, only mlx5_0");
    put("sys/class/infiniband/siw0/node_type", "4: RNIC\n");
    finding = look(iw_doctor_rdma);
    assert_int_equal(finding->status, IW_DOCTOR_OK);
    assert_string_equal(finding->text, "iWARP: siw0; others: mlx5_0");
    for (int i = 10; i < 80; i++) {
        snprintf(path, sizeof path, "sys/class/infiniband/cxgb4_%d/node_type", i);
        put(path, "4: RNIC\n");
    }
    assert_int_equal(look(iw_doctor_rdma)->status, IW_DOCTOR_OK);
}

static void siw_is_loaded_or_can_be(void **state) {
    char path[256];
    struct utsname system;

    (void)state;
    uname(&system);
    assert_int_equal(look(iw_doctor_siw)->status, IW_DOCTOR_MISSING);
    snprintf(path, sizeof path, "lib/modules/%s/modules.dep", system.release);
    /* another module that needs siw is not siw */
    put(path, "kernel/a.ko: kernel/drivers/infiniband/sw/siw/siw.ko\n");
    assert_int_equal(look(iw_doctor_siw)->status, IW_DOCTOR_MISSING);
    put(path, "kernel/a.ko:\nkernel/drivers/infiniband/sw/siw/siw.ko.xz: kernel/a.ko\n");
    assert_int_equal(look(iw_doctor_siw)->status, IW_DOCTOR_OK);
    assert_non_null(strstr(look(iw_doctor_siw)->text, "modprobe siw"));
    put("sys/module/siw/refcnt", "0\n");
    assert_string_equal(look(iw_doctor_siw)->text, "the module siw is loaded");
}

static void capabilities_are_those_of_the_process(void **state) {
    struct rlimit limit = {1 << 20, 1 << 20};

    (void)state;
    put("proc/self/status", "Name:\tx\nCapPrm:\tffffffffffffffff\nCapEff:\t0000000000000000\n");
    assert_int_equal(look(iw_doctor_live)->status, IW_DOCTOR_MISSING);
    put("proc/self/status", "CapEff:\t0000000000002000\n"); /* bit 13 */
    assert_int_equal(look(iw_doctor_live)->status, IW_DOCTOR_OK);
    assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
    assert_int_equal(look(iw_doctor_memlock)->status, IW_DOCTOR_MISSING);
    assert_string_equal(look(iw_doctor_memlock)->text, "memory that can be registered: 1024 KiB");
    put("proc/self/status", "CapEff:\t0000000000004000\n"); /* bit 14 */
    assert_int_equal(look(iw_doctor_memlock)->status, IW_DOCTOR_OK);
    assert_int_equal(look(iw_doctor_live)->status, IW_DOCTOR_MISSING);
}

static void programs_are_found_in_the_path(void **state) {
    char path[IW_DOCTOR_PATH_OCTETS], folders[600], *before = strdup(getenv("PATH"));

    (void)state;
    put("first/tool", "");
    put("second/tool", "");
    put("first/folder/x", "");
    snprintf(folders, sizeof folders, "/nonexistent:%s/first:%s/second", root, root);
    setenv("PATH", folders, 1);
    assert_false(iw_doctor_find_program("nothing", path));
    assert_string_equal(path, "");
    assert_false(iw_doctor_find_program("folder", path));
    assert_false(iw_doctor_find_program("tool", path));
    assert_non_null(strstr(path, "/first/tool"));
    snprintf(folders, sizeof folders, "%s/second/tool", root);
    assert_int_equal(chmod(folders, 0700), 0);
    assert_true(iw_doctor_find_program("tool", path));
    assert_string_equal(path, folders);
    setenv("PATH", before, 1);
    free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_check_gives_a_text_and_advice),
        cmocka_unit_test(devices_are_iwarp_or_not),
        cmocka_unit_test(siw_is_loaded_or_can_be),
        cmocka_unit_test(capabilities_are_those_of_the_process),
        cmocka_unit_test(programs_are_found_in_the_path),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
