#include <stdio.h>

#include "iw_confine.h"

/* In place of iw_confine in a build without it. */

static const char none[] = "this program was built without confinement";

void iw_confine_begin(struct iw_confine *confine) {
    *confine = (struct iw_confine){.ruleset = -1};
}

void iw_confine_read(struct iw_confine *confine, const char *path) {
    (void)confine;
    (void)path;
}

void iw_confine_write(struct iw_confine *confine, const char *folder) {
    (void)folder;
    confine->writes = true;
}

void iw_confine_remove(struct iw_confine *confine, const char *folder) {
    (void)confine;
    (void)folder;
}

void iw_confine_connect(struct iw_confine *confine, uint16_t port) {
    (void)confine;
    (void)port;
}

bool iw_confine_enter(struct iw_confine *confine, char text[IW_CONFINE_TEXT_OCTETS]) {
    (void)confine;
    snprintf(text, IW_CONFINE_TEXT_OCTETS, "%s", none);
    return false;
}

void iw_confine_cancel(struct iw_confine *confine) {
    (void)confine;
}

bool iw_confine_state(char text[IW_CONFINE_TEXT_OCTETS]) {
    snprintf(text, IW_CONFINE_TEXT_OCTETS, "%s", none);
    return false;
}
