#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_catalogue.h"

/* The built-in cases, for a group of tests: cmocka_run_group_tests(tests, iw_catalogue_load,
 * iw_catalogue_unload). */

static struct iw_catalogue catalogue;

static int iw_catalogue_load(void **state) {
    char error[256];

    (void)state;
    return iw_catalogue_init(&catalogue, NULL, error, sizeof error) == IW_OK ? 0 : -1;
}

static int iw_catalogue_unload(void **state) {
    (void)state;
    iw_catalogue_dispose(&catalogue);
    return 0;
}
