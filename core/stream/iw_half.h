#pragma once

#include "iw_half_state.h"

/* One direction of a connection, from the startup frame to the FIN: turns its octets into events. iw_mpa.h
 * tells each half what the other half has settled (RFC 5044 7.1.1).
 * Each of these files calls only files after it: iw_half (phases, close), iw_half_startup, iw_half_operation
 * (full operation), iw_half_search (the next FPDU after a loss), iw_half_framing and iw_half_loss. */

/* Starts one direction with unknown terms. The functions below pass events to `sink` with `user`. Allocates
 * memory only when octets must be kept; iw_half_dispose frees it. */
void iw_half_init(struct iw_half *half, enum iw_side side, iw_llp_sink *sink, void *user);
void iw_half_dispose(struct iw_half *half);

/* Feeds the next chunk of this side. */
void iw_half_feed(struct iw_half *half, const struct iw_chunk *chunk);

/* `other_streams`: the other side, captured from its SYN, has sent only octets that are not a startup frame.
 * Then this side, too, is in streaming mode (RFC 5044 7.1) or uses a different protocol from its first octet
 * on, even if that is missing. It is not searched for FPDUs before a startup frame, unless `forced`. */
void iw_half_note_other_streams(struct iw_half *half, bool other_streams);

/* Reports that the other side has sent `answer`. If it is unknown whether FPDUs begin where PD_Length says,
 * decides from the octets so far: the other side may have done so, too. If the startup frame may have an
 * extension, the acknowledgement in `answer` may show that it does not exist. */
void iw_half_answer(struct iw_half *half, const struct iw_chunk *answer);

/* In phase HOLD, begins full operation with these terms, and reads the octets kept so far. */
void iw_half_begin_operation(struct iw_half *half, bool markers, enum iw_crc_use crc);

/* Begins full operation without the other side's startup frame; but ends reading if the Request may be data
 * of the ULP. Unless known, Markers are in use if the first octets are a Marker of zeros (RFC 5044 7.1.2). */
void iw_half_begin_unsettled(struct iw_half *half);

/* Drops the octets that the half keeps, and ends reading. All octets from stream offset `from` on, also those
 * to come, are reported as LOSS with `given_up`. */
void iw_half_end_reading(struct iw_half *half, uint64_t from);

/* The input has ended. */
void iw_half_finish(struct iw_half *half);
