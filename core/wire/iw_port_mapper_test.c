#include "iw_port_mapper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Written by hand, after the structure in iwpmd. Version 0, Request, IPv4, mapped port 50001. 10.0.0.1:40000
 * asks for 10.0.0.2:3260; the connection will come from 10.0.0.1:50001. */
static const uint8_t request[IW_PORT_MAPPER_REQUEST_OCTETS] = {0x04, 0x00, 0xc3, 0x51, 0x0c, 0xbc, 0x9c, 0x40,
    1, 2, 3, 4, 5, 6, 7, 8, [16] = 10, 0, 0, 1, [32] = 10, 0, 0, 2, [48] = 10, 0, 0, 1};

static void a_request_is_decoded(void **state) {
    (void)state;
    struct iw_port_mapper message;
    assert_true(iw_port_mapper_decode(request, sizeof request, &message));
    assert_int_equal(message.version, 0);
    assert_int_equal(message.type, IW_PORT_MAPPER_REQUEST);
    assert_int_equal(message.ip_version, 4);
    assert_int_equal(message.time, 0);
    assert_int_equal(message.mapped_cp_port, 50001);
    assert_int_equal(message.ap_port, 3260);
    assert_int_equal(message.cp_port, 40000);
    assert_true(message.handle == 0x0102030405060708);
    assert_memory_equal(message.cp_address, "\x0a\x00\x00\x01", 5);
    assert_memory_equal(message.ap_address, "\x0a\x00\x00\x02", 5);
    assert_memory_equal(message.mapped_cp_address, "\x0a\x00\x00\x01", 5);
    assert_true(message.mapped_cp_known);
    assert_string_equal(iw_port_mapper_type_name(message.type), "Request");
}

static void other_messages_have_no_mapped_address(void **state) {
    (void)state;
    struct iw_port_mapper message;
    uint8_t octets[sizeof request];
    memcpy(octets, request, sizeof octets);
    octets[0] = 0xd6; /* version 3, Accept, IPv6 */
    assert_true(iw_port_mapper_decode(octets, IW_PORT_MAPPER_OCTETS, &message));
    assert_int_equal(message.version, 3);
    assert_int_equal(message.type, IW_PORT_MAPPER_ACCEPT);
    assert_int_equal(message.ip_version, 6);
    assert_int_equal(message.mapped_cp_port, 0);
    assert_false(message.mapped_cp_known);
    octets[0] = 0x34;
    assert_true(iw_port_mapper_decode(octets, IW_PORT_MAPPER_OCTETS, &message));
    assert_string_equal(iw_port_mapper_type_name(message.type), "Reject");
}

static void invalid_messages_are_rejected(void **state) {
    (void)state;
    struct iw_port_mapper message;
    for (size_t count = 0; count < IW_PORT_MAPPER_OCTETS; count++) {
        uint8_t *octets = malloc(count + 1);
        memcpy(octets + 1, request, count);
        assert_false(iw_port_mapper_decode(octets + 1, count, &message));
        free(octets);
    }
    uint8_t octets[sizeof request];
    memcpy(octets, request, sizeof octets);
    octets[0] = 0x05;
    assert_false(iw_port_mapper_decode(octets, sizeof octets, &message));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_decoded),
        cmocka_unit_test(other_messages_have_no_mapped_address),
        cmocka_unit_test(invalid_messages_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
