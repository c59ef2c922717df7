#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Shared by the plugin's tests: runs tshark with and without the plugin, and writes captures octet by octet.
 * If tshark or a file operation fails, the test fails. */

/* Runs tshark with the plugin of this build, without the user's settings. Returns its output; the caller
 * frees it. */
char *iw_tshark_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same without any plugin. */
char *iw_tshark_run_plain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A capture of TCP connections between 10.0.0.1 and 10.0.0.2, the server. */
struct iw_tshark_capture {
    char path[32];
    FILE *file;
    uint16_t client_port; /* of the connection being written */
    uint16_t server_port;
    uint32_t next[2]; /* next sequence number of the client, and of the server */
};

enum { IW_TSHARK_FIN = 0x01, IW_TSHARK_SYN = 0x02, IW_TSHARK_RST = 0x04, IW_TSHARK_ACK = 0x10 };

void iw_tshark_open(struct iw_tshark_capture *capture);
void iw_tshark_close(struct iw_tshark_capture *capture);
void iw_tshark_remove(const struct iw_tshark_capture *capture);

/* Begins a new connection: a SYN with sequence number 99, and its answer with 499. */
void iw_tshark_connect(struct iw_tshark_capture *capture, uint16_t server_port);

/* Writes a segment of the connection, from the server if `back`. The capture has the first `captured` of its
 * `count` octets of payload. */
void iw_tshark_put(struct iw_tshark_capture *capture, bool back, uint8_t flags, uint32_t seq, uint32_t ack,
    const void *payload, size_t count, size_t captured);

/* Writes the next segment in order, completely captured. */
void iw_tshark_say(struct iw_tshark_capture *capture, bool back, const void *payload, size_t count);
