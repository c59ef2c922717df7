#include <stdio.h>
#include <string.h>

#include "iw_doctor_part.h"
#include "iw_network.h"

/* Whether this machine can make networks for `run --network`: tries, in a child process. */

/* iw_network_new names what is missing, then after a semicolon what to do. */
static void network_report(struct iw_doctor_finding *finding, const char *error) {
    size_t missing = strcspn(error, ";");
    const char *advice = error[missing] == ';' ? error + missing + 1 : "run it by hand, to see more";

    iw_doctor_missing(finding, advice + strspn(advice, " "), "%.*s", (int)missing, error);
}

static void network_try(const char *name, const char *good, struct iw_doctor_finding *finding) {
    struct iw_network_profile profile;
    char error[IW_NETWORK_TEXT_OCTETS];

    if (iw_network_profile_read(name, &profile, error, sizeof error) &&
        iw_network_is_possible(&profile, error))
        iw_doctor_ok(finding, "%s", good);
    else
        network_report(finding, error);
}

void iw_doctor_network(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    (void)place;
    network_try("rate-10mbit", "two network namespaces can be joined, and their link slowed down", finding);
}

void iw_doctor_netem(const struct iw_doctor_place *place, struct iw_doctor_finding *finding) {
    (void)place;
    network_try("loss-1", "the kernel has netem", finding);
}
