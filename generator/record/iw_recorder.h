#pragma once

#include "iw_frame.h"
#include "iw_impairment.h"
#include "iw_record_file.h"
#include "iw_status.h"

/* Writes connections to a capture file (pcapng), with Ethernet, IPv4 or IPv6 and TCP headers around the
 * octets. Without an impairment plan, each packet is in the file before the call returns. On a full disk the
 * file ends with the last packet that fits. Packet boundaries in the peer's data are those of socket reads,
 * not of TCP segments. */

struct iw_recorder;
struct iw_recorder_flow;

enum {
    IW_RECORDER_TEXT_OCTETS = IW_RECORD_FILE_TEXT_OCTETS,
    IW_RECORDER_PACKET_MAX = 65515, /* octets after the IP header */
};

/* Creates or overwrites the file at `path`. `plan` impairs the capture, not the connections; it is borrowed,
 * or NULL. With a plan, packets are in the file as soon as the impairment releases them. On failure returns
 * NULL with a line in `text`, of IW_RECORDER_TEXT_OCTETS octets, that starts with `path`. */
struct iw_recorder *iw_recorder_open(const char *path, const struct iw_impairment_plan *plan, char *text);

/* Sets the function to call if recording stops early (iw_record_file_tell). */
void iw_recorder_tell(struct iw_recorder *recorder, iw_record_trouble *trouble, void *user);

/* Stops recording because of an error elsewhere, and reports `reason`. */
void iw_recorder_stop(struct iw_recorder *recorder, const char *reason);

/* Closes the file and frees the recorder with its flows. Returns IW_ERR_IO if anything was not written,
 * with a line in `text` (or NULL), which is empty if already reported. NULL is allowed. */
enum iw_status iw_recorder_close(struct iw_recorder *recorder, char *text);

/* Begins a connection between `addresses` (by enum iw_side; the same IP version) with initial sequence
 * numbers `isn` (by side; NULL: derived from the number of flows; the plan may replace them). Writes nothing
 * yet. Returns NULL if memory runs out. The flow lives as long as the recorder. */
struct iw_recorder_flow *iw_recorder_flow(
    struct iw_recorder *recorder, const struct iw_tcp_address addresses[2], const uint32_t isn[2]);

/* Sets the largest payload of later packets, 1 to IW_FRAME_SEGMENT_MAX (the default) octets. */
void iw_recorder_segment(struct iw_recorder_flow *flow, uint32_t octets);

/* Sets the comment of the flow's later packets (NULL: none); copied. IW_ERR_NOMEM if memory runs out. */
enum iw_status iw_recorder_comment(struct iw_recorder_flow *flow, const char *comment);

/* Writes the packets of a chunk: START of side A as SYN; START of side B as SYN+ACK, with the ACK of side A;
 * DATA as one or more packets; FIN; RST. GAP skips `length` sequence numbers. Pass the chunks of both sides
 * in order of time. Returns IW_ERR_IO if recording has stopped, IW_ERR_NOMEM, or IW_ERR_ARGUMENT. */
enum iw_status iw_recorder_chunk(struct iw_recorder_flow *flow, const struct iw_chunk *chunk);

/* Writes a packet: `length` octets (to IW_RECORDER_PACKET_MAX) after the IP header. May return IW_ERR_IO. */
enum iw_status iw_recorder_packet(struct iw_recorder *recorder, const struct iw_frame_path *path,
    const uint8_t *octets, size_t length, uint64_t time_ns, const char *comment);

/* Limits the size of the file (iw_record_file_limit). Call it before the first packet. */
void iw_recorder_limit(struct iw_recorder *recorder, uint64_t octets);

/* Marks a frame as important: the limit does not shorten it. */
void iw_recorder_keep(struct iw_recorder *recorder, uint64_t frame);

/* How many frames the limit has shortened to their headers, and how many it has kept from the file. */
void iw_recorder_left_out(const struct iw_recorder *recorder, uint64_t *shortened, uint64_t *missing);

/* The number of packets written: the frame number of the last one. */
uint64_t iw_recorder_frames(const struct iw_recorder *recorder);

/* The number of the last frame; 0 if it is not recorded or the plan changes packets. */
uint64_t iw_recorder_last_frame(const struct iw_recorder *recorder);

/* The plan of the impairments; zeroed if the recorder has no impairments. */
const struct iw_impairment_plan *iw_recorder_plan(const struct iw_recorder *recorder);

/* Whether a chunk's frame is still unknown after iw_recorder_chunk (iw_impairment_changes_packets). */
bool iw_recorder_changes_packets(const struct iw_recorder *recorder);
