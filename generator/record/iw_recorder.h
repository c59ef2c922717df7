#ifndef IW_RECORDER_H
#define IW_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_frame.h"
#include "iw_impairment_plan.h"
#include "iw_record_file.h"
#include "iw_status.h"
#include "iw_tcp_segment.h"

/* Writes what crossed connections as a capture file (pcapng) that any capture tool reads: Ethernet, IPv4 or
 * IPv6 and TCP headers are made up around the octets, with sequence numbers, acknowledgements and checksums
 * that are right. Each packet is in the file before the call returns, so that the file is whole at any time;
 * on a full disk it ends with the last packet that had room. The bounds of the peer's TCP segments are not
 * those on the wire but what the socket gave. */

struct iw_recorder;
struct iw_recorder_flow;

enum {
    IW_RECORDER_TEXT_OCTETS = IW_RECORD_FILE_TEXT_OCTETS,
    IW_RECORDER_PACKET_MAX = 65515, /* octets behind an IP header */
};

/* Creates or overwrites the file at `path`. NULL with a line in `text` (of IW_RECORDER_TEXT_OCTETS octets)
 * that starts with `path` if that cannot be. */
struct iw_recorder *iw_recorder_open(const char *path, char *text);

/* The same, for a capture that suffers from `plan`, which is kept: what crosses the connections is the same,
 * and what the file holds of it is what the plan leaves. Packets are in the file when their turn comes. */
struct iw_recorder *iw_recorder_open_hard(
    const char *path, const struct iw_impairment_plan *plan, char *text);

/* Who is told when recording has stopped before its end (iw_record_file_tell). */
void iw_recorder_tell(struct iw_recorder *recorder, iw_record_trouble *trouble, void *user);

/* Nothing more is written, for a reason that is none of the file's: what is missing in it is told. */
void iw_recorder_stop(struct iw_recorder *recorder, const char *reason);

/* Closes the file and releases the recorder with its flows. Returns IW_ERR_IO, with a line in `text` if not
 * NULL, if anything could not be written since it was opened; the line is empty if it has been told. NULL is
 * allowed. */
enum iw_status iw_recorder_close(struct iw_recorder *recorder, char *text);

/* Begins a connection between `addresses` (by enum iw_side; both of one IP version) with initial sequence
 * numbers `isn` (by side too; NULL: ones derived from the count of flows). Writes nothing yet. NULL if there
 * is no memory. It lives as long as the recorder. */
struct iw_recorder_flow *iw_recorder_flow(
    struct iw_recorder *recorder, const struct iw_tcp_address addresses[2], const uint32_t isn[2]);

/* The largest payload of one packet, octets, from now on; 1 to IW_FRAME_SEGMENT_MAX, which it is without.
 */
void iw_recorder_segment(struct iw_recorder_flow *flow, uint32_t octets);

/* The comment of the packets that follow, of this flow; NULL for none. Copied. IW_ERR_NOMEM. */
enum iw_status iw_recorder_comment(struct iw_recorder_flow *flow, const char *comment);

/* Writes the packets of a chunk: START of side A is SYN, of side B SYN+ACK and the ACK that completes the
 * handshake; DATA one packet or more; FIN; RST. GAP leaves out as many sequence numbers. The chunks of both
 * sides in the order of time; a chunk of octets before START gets no handshake. IW_ERR_IO: this and all that
 * follows is not written. */
enum iw_status iw_recorder_chunk(struct iw_recorder_flow *flow, const struct iw_chunk *chunk);

/* Writes one packet of anything else: `octets`, IW_RECORDER_PACKET_MAX at the most, behind an IP header
 * from and to where `path` says. Errors as of iw_recorder_chunk. */
enum iw_status iw_recorder_packet(struct iw_recorder *recorder, const struct iw_frame_path *path,
    const uint8_t *octets, size_t length, uint64_t time_ns, const char *comment);

/* Packets written so far: the frame number of the last one. */
uint64_t iw_recorder_frames(const struct iw_recorder *recorder);

/* The same, or 0: nobody can say in which frame what was given last stands, if in any. */
uint64_t iw_recorder_last_frame(const struct iw_recorder *recorder);

/* What the packets suffer, or NULL: nothing. */
const struct iw_impairment_plan *iw_recorder_plan(const struct iw_recorder *recorder);

/* Nobody knows yet in which frame the octets of a chunk will stand (iw_impairment_moves). */
bool iw_recorder_moves(const struct iw_recorder *recorder);

#endif
