#include "iw_outer.h"

#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_outer_frame.h"

/* ---- file ---- */

/* The link-type numbers of capture files. */
static const uint32_t link_types[IW_OUTER_LINKS] = {
    [IW_OUTER_ETHERNET] = 1,
    [IW_OUTER_SLL] = 113,
    [IW_OUTER_SLL2] = 276,
    [IW_OUTER_NULL] = 0,
    [IW_OUTER_RAW] = 101,
};

struct writer {
    const struct iw_outer *outer;
    FILE *file;
    struct iw_outer_frames *frames;
    enum iw_outer_link link;
};

static void write_number(const struct writer *writer, uint32_t value, unsigned octets) {
    for (unsigned i = 0; i < octets; i++)
        fputc((int)(value >> 8 * (writer->outer->big_endian ? octets - 1 - i : i) & 0xFF), writer->file);
}

static void write_words(const struct writer *writer, const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        write_number(writer, words[i], 4);
}

static void write_file_header(const struct writer *writer) {
    const struct iw_outer *outer = writer->outer;

    if (outer->pcapng) {
        write_words(writer, (uint32_t[]){0x0A0D0D0A, 28, 0x1A2B3C4D}, 3);
        write_number(writer, 1, 2);
        write_number(writer, 0, 2);
        write_words(writer, (uint32_t[]){UINT32_MAX, UINT32_MAX, 28, 1, 32}, 5);
        write_number(writer, link_types[writer->link], 2);
        write_number(writer, 0, 2);
        write_number(writer, 0, 4);
        write_number(writer, 9, 2); /* if_tsresol */
        write_number(writer, 1, 2);
        fputc(outer->nanoseconds ? 9 : 6, writer->file);
        for (int i = 0; i < 3; i++)
            fputc(0, writer->file);
        write_words(writer, (uint32_t[]){0, 32}, 2);
        return;
    }
    write_number(writer, outer->nanoseconds ? 0xA1B23C4D : 0xA1B2C3D4, 4);
    write_number(writer, 2, 2);
    write_number(writer, 4, 2);
    write_words(writer, (uint32_t[]){0, 0, 262144, link_types[writer->link]}, 4);
}

static void write_record(const struct writer *writer, const struct iw_outer_frame *frame, uint64_t time_ns) {
    const struct iw_outer *outer = writer->outer;
    uint32_t kept = (uint32_t)frame->kept;
    uint64_t second = outer->nanoseconds ? 1000000000 : 1000000;
    uint64_t ticks = outer->nanoseconds ? time_ns : time_ns / 1000;
    uint32_t padded;

    if (outer->snaplen != 0 && kept > outer->snaplen)
        kept = outer->snaplen;
    padded = (kept + 3) & ~3u;
    if (outer->pcapng)
        write_words(writer,
            (uint32_t[]){
                6, 32 + padded, 0, (uint32_t)(ticks >> 32), (uint32_t)ticks, kept, (uint32_t)frame->count},
            7);
    else
        write_words(writer,
            (uint32_t[]){
                (uint32_t)(ticks / second), (uint32_t)(ticks % second), kept, (uint32_t)frame->count},
            4);
    fwrite(frame->begin, 1, kept, writer->file);
    if (!outer->pcapng)
        return;
    for (uint32_t i = kept; i < padded; i++)
        fputc(0, writer->file);
    write_number(writer, 32 + padded, 4);
}

/* ---- frames of a trace ---- */

void iw_outer_frames_dispose(struct iw_outer_frames *frames) {
    free(frames->packet);
    memset(frames, 0, sizeof *frames);
}

static bool note_frame(struct iw_outer_frames *frames, size_t packet) {
    if (!iw_array_grow(&frames->packet, frames->count, sizeof *frames->packet))
        return false;
    frames->packet[frames->count++] = (uint32_t)packet;
    return true;
}

static bool finish_frame(
    struct writer *writer, struct iw_outer_frame *frame, size_t packet, uint64_t time_ns) {
    iw_outer_put_tunnels(frame, writer->outer);
    iw_outer_put_link(frame, writer->link);
    write_record(writer, frame, time_ns);
    return note_frame(writer->frames, packet);
}

/* The payload octets that the snapshot length leaves; `before` octets of headers come before them in the
 * frame. */
static void note_cut(const struct writer *writer, struct iw_tcp_segment *segment, size_t before) {
    uint32_t snaplen = writer->outer->snaplen;
    uint32_t left = snaplen > before ? (uint32_t)(snaplen - before) : 0;

    if (snaplen != 0 && segment->captured > left)
        segment->captured = left;
}

/* Writes the IP payload as IP fragments. */
static bool write_fragments(struct writer *writer, const struct iw_outer_frame *whole, size_t packet,
    const struct iw_tcp_segment *segment, uint8_t protocol) {
    uint32_t piece = writer->outer->fragment;

    for (uint32_t at = 0; at < whole->count; at += piece) {
        static struct iw_outer_frame frame;
        uint32_t left = (uint32_t)whole->count - at;
        uint32_t count = left < piece ? left : piece;

        frame.begin = frame.octets + IW_OUTER_HEADROOM;
        frame.count = frame.kept = count;
        memcpy(frame.begin, whole->begin + at, count);
        iw_outer_put_ip(&frame, writer->outer, segment, protocol, (uint32_t)packet + 1,
            at / 8 | (left > piece ? 0x2000 : 0));
        if (!finish_frame(writer, &frame, packet, segment->time_ns))
            return false;
    }
    return true;
}

static bool write_packet(struct writer *writer, struct iw_trace *trace, size_t index) {
    static struct iw_outer_frame frame;
    struct iw_tcp_segment *segment = &trace->packets[index].segment;
    uint8_t protocol = trace->sctp ? IW_OUTER_PROTOCOL_SCTP : IW_OUTER_PROTOCOL_TCP;

    if (segment->length > IW_OUTER_FRAME_MAX - IW_OUTER_HEADROOM)
        return false;
    frame.begin = frame.octets + IW_OUTER_HEADROOM;
    frame.count = segment->length;
    frame.kept = segment->captured;
    if (segment->captured > 0)
        memcpy(frame.begin, segment->payload, segment->captured);
    if (trace->sctp)
        iw_outer_put_sctp(&frame, segment);
    else
        iw_outer_put_tcp(&frame, writer->outer, &trace->packets[index]);
    if (writer->outer->fragment != 0 && frame.count > writer->outer->fragment && frame.kept == frame.count)
        return write_fragments(writer, &frame, index, segment, protocol);
    iw_outer_put_ip(&frame,
        &(struct iw_outer){
            .ipv6 = writer->outer->ipv6, .extension_headers = writer->outer->extension_headers},
        segment, protocol, 0, 0);
    if (!finish_frame(writer, &frame, index, segment->time_ns))
        return false;
    note_cut(writer, segment, frame.count - segment->length);
    return true;
}

/* Builds the first packet without writing it, to find the link type of the file. */
static enum iw_outer_link link_for(const struct iw_outer *outer, const struct iw_trace *trace) {
    static struct iw_outer_frame frame;

    frame.begin = frame.octets + IW_OUTER_HEADROOM;
    frame.count = frame.kept = 0;
    if (trace->count == 0)
        return outer->link;
    iw_outer_put_ip(&frame, outer, &trace->packets[0].segment, IW_OUTER_PROTOCOL_TCP, 0, 0);
    iw_outer_put_tunnels(&frame, outer);
    return iw_outer_link_of(&frame, outer);
}

bool iw_outer_write(
    const struct iw_outer *outer, struct iw_trace *trace, FILE *file, struct iw_outer_frames *frames) {
    struct writer writer = {outer, file, frames, link_for(outer, trace)};

    frames->count = 0;
    write_file_header(&writer);
    for (size_t i = 0; i < trace->count; i++)
        if (!write_packet(&writer, trace, i))
            return false;
    return fflush(file) == 0 && !ferror(file);
}
