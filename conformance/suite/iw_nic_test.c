#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_nic.h"
#include "iw_temporary_test.h"

static void write_file(const char *folder, const char *name, const char *text) {
    char path[2 * TEMPORARY_FILE];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void make_folder(const char *folder, const char *name) {
    char path[2 * TEMPORARY_FILE];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

/* A folder as /sys/class/net has: a device on the bus, and an interface without one. */
static void an_interface_has_driver_and_ids(void **state) {
    char folder[TEMPORARY_PATH], link[2 * TEMPORARY_FILE], text[IW_NIC_OCTETS];

    (void)state;
    assert_non_null(mkdtemp(temporary_path(folder, "iw_nic")));
    make_folder(folder, "eth2");
    make_folder(folder, "eth2/device");
    write_file(folder, "eth2/device/vendor", "0x15b3\n");
    write_file(folder, "eth2/device/device", "0x1019\n");
    snprintf(link, sizeof link, "%s/eth2/device/driver", folder);
    assert_int_equal(symlink("../../../../bus/pci/drivers/mlx5_core", link), 0);
    make_folder(folder, "tap0");
    iw_nic_describe(folder, "eth2", text);
    assert_string_equal(text, "eth2 mlx5_core 15b3:1019");
    iw_nic_describe(folder, "tap0", text);
    assert_string_equal(text, "tap0");
    unlink(link);
    assert_true(temporary_remove(folder));
}

static void the_loopback_is_found(void **state) {
    char text[IW_NIC_OCTETS];

    (void)state;
    iw_nic_towards("127.0.0.1", text);
    assert_string_equal(text, "lo");
    iw_nic_towards("no host has a blank", text);
    assert_string_equal(text, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interface_has_driver_and_ids),
        cmocka_unit_test(the_loopback_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
