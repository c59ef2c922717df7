#include "iw_private_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* RFC 8797 4.1; the others as Linux sends them. */

static void assert_field(const struct iw_private_format *format, const uint8_t *data, unsigned at,
    const char *name, uint32_t value, const char *meaning) {
    char text[IW_PRIVATE_MEANING_OCTETS];

    assert_true(at < format->part_count);
    assert_string_equal(iw_private_field_name(format->part[at].field), name);
    assert_int_equal(iw_private_value(format, &format->part[at], data), value);
    assert_string_equal(iw_private_meaning(format->part[at].field, value, text), meaning);
}

static void rpc_is_recognised_by_its_format_identifier(void **state) {
    static const uint8_t data[] = {0xF6, 0xAB, 0x0E, 0x18, 1, 1, 3, 0};
    const struct iw_private_carrier request = {.request = true};
    const struct iw_private_format *format = iw_private_format_find(&request, data, sizeof data);

    (void)state;
    assert_string_equal(format->title, "RPC-over-RDMA");
    assert_field(format, data, 0, "Format Identifier", 0xF6AB0E18, "");
    assert_field(format, data, 1, "Version", 1, "");
    assert_field(format, data, 2, "Flags", 1, "Remote Invalidation");
    assert_field(format, data, 3, "Send Size", 3, "4096 octets");
    assert_field(format, data, 4, "Receive Size", 0, "1024 octets");
    assert_null(iw_private_format_find(&request, data, sizeof data - 1));
}

static void nvme_has_three_formats(void **state) {
    static const uint8_t data[32] = {0, 0, 0, 0, 0x20, 0, 0x1F, 0};
    static const uint8_t answer[32] = {0, 0, 0x20, 0};
    struct iw_private_carrier carrier = {.request = true};
    const struct iw_private_format *format = iw_private_format_find(&carrier, data, sizeof data);

    (void)state;
    assert_string_equal(format->title, "NVMe over RDMA, connection request");
    assert_field(format, data, 0, "RECFMT", 0, "");
    assert_field(format, data, 1, "QID", 0, "Admin Queue");
    assert_field(format, data, 2, "HRQSIZE", 32, "");
    assert_field(format, data, 3, "HSQSIZE", 31, "");
    assert_field(format, data, 4, "CNTLID", 0, "");
    carrier.request = false;
    assert_null(iw_private_format_find(&carrier, answer, sizeof answer));
    carrier.protocol = IW_ULP_NVME;
    format = iw_private_format_find(&carrier, answer, sizeof answer);
    assert_string_equal(format->title, "NVMe over RDMA, connection accepted");
    assert_field(format, answer, 1, "CRQSIZE", 32, "");
    carrier.rejected = true;
    format = iw_private_format_find(&carrier, answer, 4);
    assert_string_equal(format->title, "NVMe over RDMA, connection rejected");
    assert_field(format, answer, 1, "STS", 32, "");
    assert_null(iw_private_format_find(&carrier, answer, 3));
}

static void port_or_protocol_and_size_show_iser(void **state) {
    static const uint8_t data[] = {0x80, 0, 0, 0}, other[] = {0x81, 0, 0, 0};
    struct iw_private_carrier carrier = {.request = true, .port = IW_ULP_PORT_ISER};
    const struct iw_private_format *format = iw_private_format_find(&carrier, data, sizeof data);
    char text[IW_PRIVATE_MEANING_OCTETS];

    (void)state;
    assert_string_equal(format->title, "iSER");
    assert_field(format, data, 0, "Flags", 0x80, "no zero-based addresses");
    assert_string_equal(iw_private_meaning(IW_PRIVATE_ISER_FLAGS, 0xC0, text),
        "no zero-based addresses, no Send with Invalidate");
    assert_null(iw_private_format_find(&carrier, other, sizeof other));
    carrier.port = 0;
    assert_null(iw_private_format_find(&carrier, data, sizeof data));
    carrier.protocol = IW_ULP_ISER;
    assert_non_null(iw_private_format_find(&carrier, data, sizeof data));
}

static void assert_text(enum iw_private_field field, uint32_t value, const char *expected) {
    char text[IW_PRIVATE_TEXT_OCTETS];

    assert_string_equal(iw_private_text(field, value, text), expected);
}

static void values_have_the_base_of_their_field(void **state) {
    (void)state;
    assert_text(IW_PRIVATE_ISER_FLAGS, 0x80, "0x80");
    assert_text(IW_PRIVATE_NVME_CNTLID, 1, "0x0001");
    assert_text(IW_PRIVATE_RPC_FORMAT, 0xF6AB0E18, "0xf6ab0e18");
    assert_text(IW_PRIVATE_SMBD_IRD, UINT32_MAX, "4294967295");
}

/* 14 bits hold 3FFFh. */
static void one_rule_tells_the_byte_order_of_smb_direct(void **state) {
    static const struct {
        uint8_t data[8];
        bool little;
    } rows[] = {
        {{0, 0, 0, 1, 0, 0, 0, 8}, false},
        {{32, 0, 0, 0, 1, 0, 0, 0}, true},
        {{0, 0, 0, 0, 16, 0, 0, 0}, true}, /* IRD 0 fits both ways, ORD does not */
        {{0, 0, 0, 0, 0, 0, 0, 0}, false}, /* both fit */
        {{0, 0, 0x3F, 0xFF, 0, 0, 0, 1}, false},
        {{0xFF, 0x3F, 0, 0, 1, 0, 0, 0}, true},
        {{0, 0x40, 0, 0, 1, 0, 0, 0}, false}, /* 4000h fits neither way */
        {{'e', 'i', 'g', 'h', 't', '!', '!', '!'}, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(iw_private_smbd_find(rows[i].data, 8)->little_endian, rows[i].little);
    assert_null(iw_private_smbd_find(rows[0].data, 7));
}

static void smb_direct_comes_in_both_byte_orders(void **state) {
    static const uint8_t big[] = {0, 0, 0, 1, 0, 0, 0, 8}, little[] = {32, 0, 0, 0, 1, 0, 0, 0};
    const struct iw_private_carrier carrier = {.protocol = IW_ULP_SMB_DIRECT};
    const struct iw_private_format *format = iw_private_format_find(&carrier, big, sizeof big);

    (void)state;
    assert_string_equal(format->title, "SMB Direct");
    assert_field(format, big, 0, "IRD", 1, "");
    assert_field(format, big, 1, "ORD", 8, "");
    format = iw_private_format_find(&carrier, little, sizeof little);
    assert_string_equal(format->title, "SMB Direct, least significant octet first");
    assert_field(format, little, 0, "IRD", 32, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rpc_is_recognised_by_its_format_identifier),
        cmocka_unit_test(nvme_has_three_formats),
        cmocka_unit_test(port_or_protocol_and_size_show_iser),
        cmocka_unit_test(values_have_the_base_of_their_field),
        cmocka_unit_test(one_rule_tells_the_byte_order_of_smb_direct),
        cmocka_unit_test(smb_direct_comes_in_both_byte_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
