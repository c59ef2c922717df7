#include "iw_origin.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#include "iw_json.h"

void iw_origin_time(char text[IW_ORIGIN_TIME_OCTETS]) {
    time_t now = time(NULL);
    struct tm utc;

    text[0] = '\0';
    if (gmtime_r(&now, &utc))
        strftime(text, IW_ORIGIN_TIME_OCTETS, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void iw_origin_add(json_t *object, const struct iw_origin *origin) {
    const struct {
        const char *key, *text;
    } told[] = {{"device", origin->device}, {"firmware", origin->firmware}, {"serial", origin->serial},
        {"lab", origin->lab}};
    char started[IW_ORIGIN_TIME_OCTETS], kernel[sizeof(struct utsname)];
    struct utsname host;

    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (told[i].text)
            iw_json_set_text(object, told[i].key, told[i].text);
    iw_origin_time(started);
    iw_json_set_text(object, "started", started);
    if (uname(&host) != 0)
        return;
    snprintf(kernel, sizeof kernel, "%s %s %s", host.sysname, host.release, host.machine);
    iw_json_set_text(object, "host", host.nodename);
    iw_json_set_text(object, "kernel", kernel);
}
