#include "iw_pcapng.h"

#include <string.h>

#include "iw_cursor.h"

enum {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET = 6,
    BYTE_ORDER_MAGIC = 0x1A2B3C4D,
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_APPLICATION = 4, /* of a section */
    OPTION_RESOLUTION = 9,  /* of an interface */
    NANOSECONDS = 9,        /* 10^-9 s */
    PACKET_FIXED = 32,      /* octets of a packet block without packet and options */
    OPTION_HEADER = 4,
};

static void put16(struct iw_output *output, uint32_t value) {
    uint8_t octets[2] = {(uint8_t)(value >> 8), (uint8_t)value};

    iw_output_octets(output, octets, sizeof octets);
}

static void put32(struct iw_output *output, uint32_t value) {
    put16(output, value >> 16);
    put16(output, value & 0xFFFF);
}

static size_t padded(size_t length) {
    return (length + 3) / 4 * 4;
}

static void put_padded(struct iw_output *output, const void *octets, size_t length) {
    iw_output_octets(output, octets, length);
    iw_output_zeros(output, padded(length) - length);
}

static void put_option(struct iw_output *output, uint32_t code, const void *value, size_t length) {
    put16(output, code);
    put16(output, (uint32_t)length);
    put_padded(output, value, length);
}

static void begin_block(struct iw_output *output, uint32_t type) {
    put32(output, type);
    put32(output, 0);
}

/* The total length stands at both ends of a block. */
static void end_block(struct iw_output *output, size_t begin) {
    size_t length = output->length + 4 - begin;
    struct iw_output front = iw_output_into(output->octets + begin + 4, 4);

    put32(&front, (uint32_t)length);
    put32(output, (uint32_t)length);
}

size_t iw_pcapng_head(uint16_t link, uint32_t snaplen, uint8_t octets[IW_PCAPNG_HEAD_MAX]) {
    static const char application[] = "warpcheck";
    static const uint8_t resolution = NANOSECONDS;
    struct iw_output output = iw_output_into(octets, IW_PCAPNG_HEAD_MAX);
    size_t begin;

    begin_block(&output, BLOCK_SECTION);
    put32(&output, BYTE_ORDER_MAGIC);
    put16(&output, 1); /* version 1.0 */
    put16(&output, 0);
    put32(&output, UINT32_MAX); /* section length not given */
    put32(&output, UINT32_MAX);
    put_option(&output, OPTION_APPLICATION, application, sizeof application - 1);
    put32(&output, OPTION_END);
    end_block(&output, 0);

    begin = output.length;
    begin_block(&output, BLOCK_INTERFACE);
    put16(&output, link);
    put16(&output, 0);
    put32(&output, snaplen);
    put_option(&output, OPTION_RESOLUTION, &resolution, 1);
    put32(&output, OPTION_END);
    end_block(&output, begin);
    return output.length;
}

static size_t comment_octets(const char *comment) {
    size_t length = comment == NULL ? 0 : strlen(comment);

    return length < IW_PCAPNG_COMMENT_MAX ? length : IW_PCAPNG_COMMENT_MAX;
}

size_t iw_pcapng_packet_octets(const struct iw_pcapng_packet *packet) {
    size_t text = comment_octets(packet->comment);
    size_t options = text == 0 ? 0 : OPTION_HEADER + padded(text) + OPTION_HEADER;

    return PACKET_FIXED + padded(packet->captured) + options;
}

void iw_pcapng_packet(const struct iw_pcapng_packet *packet, uint8_t *octets) {
    struct iw_output output = iw_output_into(octets, iw_pcapng_packet_octets(packet));
    size_t text = comment_octets(packet->comment);

    begin_block(&output, BLOCK_PACKET);
    put32(&output, 0); /* interface */
    put32(&output, (uint32_t)(packet->time_ns >> 32));
    put32(&output, (uint32_t)packet->time_ns);
    put32(&output, (uint32_t)packet->captured);
    put32(&output, (uint32_t)packet->length);
    put_padded(&output, packet->octets, packet->captured);
    if (text > 0) {
        put_option(&output, OPTION_COMMENT, packet->comment, text);
        put32(&output, OPTION_END);
    }
    end_block(&output, 0);
}
