#include "iw_pcapng.h"

#include <string.h>
#include <sys/stat.h>

#include "iw_cursor.h"

enum {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET = 6,
    BYTE_ORDER_MAGIC = 0x1A2B3C4D,
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_NAME = 2,        /* option of the Interface Description Block */
    OPTION_APPLICATION = 4, /* option of the Section Header Block */
    OPTION_PACKET_ID = 5,   /* option of the Enhanced Packet Block */
    OPTION_RESOLUTION = 9,  /* option of the Interface Description Block */
    NANOSECONDS = 9,        /* 10^-9 s */
    PACKET_FIXED = 32,      /* octets of a packet block without the packet and options */
    OPTION_HEADER = 4,
};

struct writer {
    struct iw_output output;
    enum iw_pcapng_order order;
};

static void pcapng_block_put(struct writer *writer, uint32_t value, unsigned count) {
    uint8_t octets[4];

    for (unsigned i = 0; i < count; i++)
        octets[i] = (uint8_t)(value >> 8 * (writer->order == IW_PCAPNG_LITTLE ? i : count - 1 - i));
    iw_output_octets(&writer->output, octets, count);
}

static size_t pcapng_padded_length(size_t length) {
    return (length + 3) / 4 * 4;
}

static void pcapng_block_put_padded(struct writer *writer, const void *octets, size_t length) {
    iw_output_octets(&writer->output, octets, length);
    iw_output_zeros(&writer->output, pcapng_padded_length(length) - length);
}

static void pcapng_block_put_option(struct writer *writer, uint32_t code, const void *value, size_t length) {
    pcapng_block_put(writer, code, 2);
    pcapng_block_put(writer, (uint32_t)length, 2);
    pcapng_block_put_padded(writer, value, length);
}

static void pcapng_block_begin(struct writer *writer, uint32_t type) {
    pcapng_block_put(writer, type, 4);
    pcapng_block_put(writer, 0, 4);
}

/* Writes the total length at both ends of the block. */
static void pcapng_block_end(struct writer *writer, size_t begin) {
    size_t length = writer->output.length + 4 - begin;
    struct writer front = {iw_output_into(writer->output.octets + begin + 4, 4), writer->order};

    pcapng_block_put(&front, (uint32_t)length, 4);
    pcapng_block_put(writer, (uint32_t)length, 4);
}

enum iw_pcapng_order iw_pcapng_order_for(int descriptor) {
    struct stat status;

    return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) ? IW_PCAPNG_HOST : IW_PCAPNG_BIG;
}

size_t iw_pcapng_named_interface(
    enum iw_pcapng_order order, uint16_t link, uint32_t snaplen, const char *name, uint8_t *octets) {
    static const uint8_t resolution = NANOSECONDS;
    struct writer writer = {iw_output_into(octets, IW_PCAPNG_HEAD_MAX), order};

    pcapng_block_begin(&writer, BLOCK_INTERFACE);
    pcapng_block_put(&writer, link, 2);
    pcapng_block_put(&writer, 0, 2);
    pcapng_block_put(&writer, snaplen, 4);
    if (name != NULL)
        pcapng_block_put_option(&writer, OPTION_NAME, name, strnlen(name, IW_PCAPNG_NAME_MAX));
    pcapng_block_put_option(&writer, OPTION_RESOLUTION, &resolution, 1);
    pcapng_block_put(&writer, OPTION_END, 4);
    pcapng_block_end(&writer, 0);
    return writer.output.length;
}

size_t iw_pcapng_interface(enum iw_pcapng_order order, uint16_t link, uint32_t snaplen, uint8_t *octets) {
    return iw_pcapng_named_interface(order, link, snaplen, NULL, octets);
}

static void pcapng_put_section(struct writer *writer, const char *comment, size_t comment_octets) {
    static const char application[] = "warpcheck";

    pcapng_block_begin(writer, BLOCK_SECTION);
    pcapng_block_put(writer, BYTE_ORDER_MAGIC, 4);
    pcapng_block_put(writer, 1, 2); /* version 1.0 */
    pcapng_block_put(writer, 0, 2);
    pcapng_block_put(writer, UINT32_MAX, 4); /* section length unspecified */
    pcapng_block_put(writer, UINT32_MAX, 4);
    if (comment_octets > 0)
        pcapng_block_put_option(writer, OPTION_COMMENT, comment, comment_octets);
    pcapng_block_put_option(writer, OPTION_APPLICATION, application, sizeof application - 1);
    pcapng_block_put(writer, OPTION_END, 4);
    pcapng_block_end(writer, 0);
}

size_t iw_pcapng_section(enum iw_pcapng_order order, const char *comment, uint8_t *octets) {
    size_t length = strnlen(comment, IW_PCAPNG_SECTION_COMMENT_MAX);
    size_t size = IW_PCAPNG_HEAD_MAX + pcapng_padded_length(length);
    struct writer writer = {iw_output_into(octets, size), order};

    if (octets == NULL)
        return size;
    pcapng_put_section(&writer, comment, length);
    return writer.output.length;
}

size_t iw_pcapng_head(
    enum iw_pcapng_order order, uint16_t link, uint32_t snaplen, uint8_t octets[IW_PCAPNG_HEAD_MAX]) {
    struct writer writer = {iw_output_into(octets, IW_PCAPNG_HEAD_MAX), order};

    pcapng_put_section(&writer, NULL, 0);
    return writer.output.length + iw_pcapng_interface(order, link, snaplen, octets + writer.output.length);
}

static size_t pcapng_comment_octets(const char *comment) {
    size_t length = comment == NULL ? 0 : strlen(comment);

    if (length <= IW_PCAPNG_COMMENT_MAX)
        return length;
    length = IW_PCAPNG_COMMENT_MAX;
    while (length > 0 && ((uint8_t)comment[length] & 0xc0) == 0x80) /* inside a character of UTF-8 */
        length--;
    return length;
}

static void pcapng_put_id(struct writer *writer, uint64_t id) {
    bool little = writer->order == IW_PCAPNG_LITTLE;

    pcapng_block_put(writer, OPTION_PACKET_ID, 2);
    pcapng_block_put(writer, sizeof id, 2);
    pcapng_block_put(writer, (uint32_t)(little ? id : id >> 32), 4);
    pcapng_block_put(writer, (uint32_t)(little ? id >> 32 : id), 4);
}

size_t iw_pcapng_packet_octets(const struct iw_pcapng_packet *packet) {
    size_t text = pcapng_comment_octets(packet->comment);
    size_t options = text == 0 ? 0 : OPTION_HEADER + pcapng_padded_length(text);

    options += packet->id == 0 ? 0 : OPTION_HEADER + sizeof packet->id;
    options += options == 0 ? 0 : OPTION_HEADER;
    return PACKET_FIXED + pcapng_padded_length(packet->captured) + options;
}

void iw_pcapng_packet(const struct iw_pcapng_packet *packet, uint8_t *octets) {
    struct writer writer = {iw_output_into(octets, iw_pcapng_packet_octets(packet)), packet->order};
    size_t text = pcapng_comment_octets(packet->comment);

    pcapng_block_begin(&writer, BLOCK_PACKET);
    pcapng_block_put(&writer, packet->interface, 4);
    pcapng_block_put(&writer, (uint32_t)(packet->time_ns >> 32), 4);
    pcapng_block_put(&writer, (uint32_t)packet->time_ns, 4);
    pcapng_block_put(&writer, (uint32_t)packet->captured, 4);
    pcapng_block_put(&writer, (uint32_t)packet->length, 4);
    pcapng_block_put_padded(&writer, packet->octets, packet->captured);
    if (text > 0)
        pcapng_block_put_option(&writer, OPTION_COMMENT, packet->comment, text);
    if (packet->id > 0)
        pcapng_put_id(&writer, packet->id);
    if (text > 0 || packet->id > 0)
        pcapng_block_put(&writer, OPTION_END, 4);
    pcapng_block_end(&writer, 0);
}

enum { AT_LENGTH = 4, AT_CAPTURED = 20, AT_DATA = 28, LENGTH_OCTETS = 4 }; /* in the block of a packet */

static uint32_t pcapng_block_get(enum iw_pcapng_order order, const uint8_t *octets) {
    uint32_t value = 0;

    for (unsigned i = 0; i < 4; i++)
        value = value << 8 | octets[order == IW_PCAPNG_BIG ? i : 3 - i];
    return value;
}

static void pcapng_block_set(enum iw_pcapng_order order, uint8_t *octets, uint32_t value) {
    for (unsigned i = 0; i < 4; i++, value >>= 8)
        octets[order == IW_PCAPNG_BIG ? 3 - i : i] = (uint8_t)value;
}

bool iw_pcapng_shorten(enum iw_pcapng_order order, uint8_t *block, uint32_t captured, size_t *length) {
    uint32_t before = pcapng_block_get(order, block + AT_CAPTURED);
    uint32_t octets = before < captured ? before : captured;
    size_t padded = pcapng_padded_length(octets);

    *length = AT_DATA + padded + LENGTH_OCTETS;
    memset(block + AT_DATA + octets, 0, padded - octets);
    pcapng_block_set(order, block + AT_LENGTH, (uint32_t)*length);
    pcapng_block_set(order, block + AT_CAPTURED, octets);
    pcapng_block_set(order, block + AT_DATA + padded, (uint32_t)*length);
    return octets < before;
}
