#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "iw_requirement.h"
#include "iw_status.h"

/* A policy: what a certificate demands of the results of a device. A JSON file:
 *
 *     {"policy": "mandatory", "title": "...", "level": "MUST", "every_case": false,
 *      "attacks": false, "except": {"RFC5044-4.4-11": "why it is not needed"},
 *      "partners": {"of": 3, "pass": 2}}
 *
 * `level` demands the requirements of that level and above: MUST, SHOULD or MAY. Each must be tested by a
 * case or, with `every_case`, by all cases about it that apply to the device, unless the device does not
 * claim what they need. What RFC 5042 describes without a key word (level IMPLIED) counts only with
 * `attacks`: RFC 5042 does not demand that a device withstands these attacks. `partners` demands runs with
 * that many partners, and that the device conforms in all runs with at least `pass` of them; such runs are
 * named A/B, for initiator A and responder B. A policy has `level`, `partners`, or both. */

enum { IW_GRADE_POLICY_PARTNERS_MAX = 1000 };

struct iw_grade_policy {
    char name[64];
    char title[160];
    bool has_level;
    enum iw_severity level; /* the mildest that it demands */
    bool every_case;
    bool attacks;                     /* demands what RFC 5042 says without a key word, too */
    unsigned partners, partners_pass; /* 0: it demands none */
    json_t *except;                   /* maps the id of a requirement to the reason; or NULL */
};

/* Loads the built-in policy of that name or, if `name` contains a slash or a dot, the file. Returns IW_OK, or
 * IW_ERR_FORMAT, IW_ERR_IO or IW_ERR_NOMEM with the reason as one line in `error`. Clear `policy` in any
 * case.
 */
enum iw_status iw_grade_policy_load(
    struct iw_grade_policy *policy, const char *name, char *error, size_t error_octets);
void iw_grade_policy_clear(struct iw_grade_policy *policy);
