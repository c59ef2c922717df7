#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What this machine lacks for parts of the kit. Each check has one line, and says what to do. */

enum iw_doctor_status {
    IW_DOCTOR_OK,
    IW_DOCTOR_MISSING, /* a part of the kit cannot be used here */
    IW_DOCTOR_WRONG,   /* parts contradict each other, or results would be wrong */
};

enum { IW_DOCTOR_TEXT_OCTETS = 512, IW_DOCTOR_PATH_OCTETS = 512 };

struct iw_doctor_finding {
    enum iw_doctor_status status;
    char text[IW_DOCTOR_TEXT_OCTETS];   /* what was found */
    char advice[IW_DOCTOR_TEXT_OCTETS]; /* what to do; "" if IW_DOCTOR_OK */
};

/* Where the checks look. */
struct iw_doctor_place {
    const char *root; /* folder that has /proc, /sys and /lib; "" on this machine */
    bool sctp;        /* the program can test devices over SCTP */
};

typedef void iw_doctor_look(const struct iw_doctor_place *place, struct iw_doctor_finding *finding);

struct iw_doctor_check {
    const char *name;
    const char *about; /* what needs it */
    iw_doctor_look *look;
};

extern const struct iw_doctor_check iw_doctor_checks[];
extern const size_t iw_doctor_check_count;

/* "ok", "missing" or "wrong" */
const char *iw_doctor_status_name(enum iw_doctor_status status);
