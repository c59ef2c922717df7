#pragma once

#include "iw_doctor.h"

/* The checks, and what they share. */

iw_doctor_look iw_doctor_program, iw_doctor_crc, iw_doctor_confine, iw_doctor_tshark, iw_doctor_plugin,
    iw_doctor_extcap, iw_doctor_dumpcap, iw_doctor_live, iw_doctor_sctp, iw_doctor_memlock, iw_doctor_rdma,
    iw_doctor_siw, iw_doctor_port, iw_doctor_network, iw_doctor_netem, iw_doctor_clock, iw_doctor_ssh_keygen;

/* Set the finding: the text, formatted, and what to do. */
void iw_doctor_ok(struct iw_doctor_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void iw_doctor_missing(struct iw_doctor_finding *finding, const char *advice, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void iw_doctor_wrong(struct iw_doctor_finding *finding, const char *advice, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Finds a program in PATH. Returns false if this user cannot run any of that name; `path` is then the first
 * of them, or "". */
bool iw_doctor_find_program(const char *name, char path[IW_DOCTOR_PATH_OCTETS]);
