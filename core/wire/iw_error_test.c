#include <stdarg.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_error.h"

/* RFC 5040 4.8 figure 9, RFC 5041 7.2, RFC 5044 8, RFC 6581 8, RFC 6580 3.2. */
static const struct {
    uint8_t layer, etype, code;
    enum iw_error error;
} triples[] = {
    {0, 0, 0x00, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC},
    {0, 1, 0x00, IW_ERROR_RDMAP_INVALID_STAG},
    {0, 1, 0x01, IW_ERROR_RDMAP_BASE_BOUNDS},
    {0, 1, 0x02, IW_ERROR_RDMAP_ACCESS_RIGHTS},
    {0, 1, 0x03, IW_ERROR_RDMAP_STAG_NOT_ASSOCIATED},
    {0, 1, 0x04, IW_ERROR_RDMAP_TO_WRAP},
    {0, 1, 0x09, IW_ERROR_RDMAP_CANNOT_INVALIDATE},
    {0, 1, 0xFF, IW_ERROR_RDMAP_PROTECTION_UNSPECIFIED},
    {0, 2, 0x05, IW_ERROR_RDMAP_VERSION},
    {0, 2, 0x06, IW_ERROR_RDMAP_UNEXPECTED_OPCODE},
    {0, 2, 0x07, IW_ERROR_RDMAP_CATASTROPHIC_STREAM},
    {0, 2, 0x08, IW_ERROR_RDMAP_CATASTROPHIC_GLOBAL},
    {0, 2, 0x09, IW_ERROR_RDMAP_OPERATION_CANNOT_INVALIDATE},
    {0, 2, 0xFF, IW_ERROR_RDMAP_OPERATION_UNSPECIFIED},
    {1, 0, 0x00, IW_ERROR_DDP_LOCAL_CATASTROPHIC},
    {1, 1, 0x00, IW_ERROR_DDP_INVALID_STAG},
    {1, 1, 0x01, IW_ERROR_DDP_BASE_BOUNDS},
    {1, 1, 0x02, IW_ERROR_DDP_STAG_NOT_ASSOCIATED},
    {1, 1, 0x03, IW_ERROR_DDP_TO_WRAP},
    {1, 1, 0x04, IW_ERROR_DDP_TAGGED_VERSION},
    {1, 2, 0x01, IW_ERROR_DDP_INVALID_QN},
    {1, 2, 0x02, IW_ERROR_DDP_MSN_NO_BUFFER},
    {1, 2, 0x03, IW_ERROR_DDP_MSN_RANGE},
    {1, 2, 0x04, IW_ERROR_DDP_INVALID_MO},
    {1, 2, 0x05, IW_ERROR_DDP_TOO_LONG},
    {1, 2, 0x06, IW_ERROR_DDP_UNTAGGED_VERSION},
    {1, 3, 0x00, IW_ERROR_DDP_LLP},
    {2, 0, 0x01, IW_ERROR_MPA_CONNECTION_LOST},
    {2, 0, 0x02, IW_ERROR_MPA_CRC},
    {2, 0, 0x03, IW_ERROR_MPA_MARKER},
    {2, 0, 0x04, IW_ERROR_MPA_STARTUP},
    {2, 0, 0x05, IW_ERROR_MPA_LOCAL_CATASTROPHIC},
    {2, 0, 0x06, IW_ERROR_MPA_INSUFFICIENT_IRD},
    {2, 0, 0x07, IW_ERROR_MPA_NO_RTR},
};

enum { TRIPLES = sizeof triples / sizeof *triples };

static void table_has_every_error_and_no_other(void **state) {
    (void)state;
    assert_int_equal(iw_error_row_count, TRIPLES);
    for (size_t i = 0; i < TRIPLES; i++) {
        uint16_t triple = iw_error_triple(triples[i].layer, triples[i].etype, triples[i].code);
        const struct iw_error_row *row = iw_error_find(triple);

        print_message("%x/%x/%02x\n", triples[i].layer, triples[i].etype, triples[i].code);
        assert_int_equal(triple, triples[i].error);
        assert_non_null(row);
        assert_int_equal(row->triple, triple);
        assert_true(row->name[0] != '\0');
        assert_int_equal(strncmp(row->clause, "RFC ", 4), 0);
    }
}

static void triples_are_written_in_hexadecimal(void **state) {
    static const struct {
        uint16_t triple;
        const char *text;
    } cases[] = {{0x2002, "2/0/02"}, {0x0106, "0/1/06"}, {0x00FF, "0/0/ff"}, {0xFABC, "f/a/bc"}};
    char text[IW_ERROR_TEXT_OCTETS];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        iw_error_text(cases[i].triple, text);
        assert_string_equal(text, cases[i].text);
    }
    assert_int_equal(iw_error_layer(0xFABC), 0xF);
    assert_int_equal(iw_error_etype(0xFABC), 0xA);
    assert_int_equal(iw_error_code(0xFABC), 0xBC);
    assert_null(iw_error_name(IW_LLP_MPA, 0xFABC));
    assert_string_equal(iw_error_name(IW_LLP_MPA, 0x1101), "Base or bounds violation");
}

static void every_other_triple_is_unknown(void **state) {
    (void)state;
    for (unsigned triple = 0; triple <= 0xFFFF; triple++) {
        bool known = triple <= 0x00FF || triple >> 8 == 0x13; /* any code of 0/0 and of 1/3 */

        for (size_t i = 0; i < TRIPLES; i++)
            known |= triple == (unsigned)triples[i].error;
        if (known)
            assert_non_null(iw_error_find((uint16_t)triple));
        else
            assert_null(iw_error_find((uint16_t)triple));
    }
}

static void names_are_those_of_the_rfcs(void **state) {
    (void)state;
    assert_string_equal(iw_error_find(0x0006)->name, iw_error_find(0x0000)->name);
    assert_string_equal(iw_error_find(0x0103)->name, "STag not associated with RDMAP Stream");
    assert_string_equal(iw_error_find(0x0109)->name, "STag cannot be Invalidated");
    assert_string_equal(iw_error_find(0x0206)->name, "Unexpected OpCode");
    assert_string_equal(iw_error_find(0x02FF)->name, "Unspecified Error");
    assert_string_equal(iw_error_find(0x1102)->name, "STag not associated with DDP Stream");
    assert_string_equal(iw_error_find(0x1202)->name, "Invalid MSN - no buffer available");
    assert_string_equal(iw_error_find(0x2006)->name, "Insufficient IRD resources");
    assert_string_equal(iw_error_layer_name(0), "RDMA");
    assert_string_equal(iw_error_layer_name(1), "DDP");
    assert_string_equal(iw_error_layer_name(2), "LLP");
    assert_null(iw_error_layer_name(3));
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 0, 0), "Local Catastrophic Error");
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 0, 1), "Remote Protection Error");
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 0, 2), "Remote Operation Error");
    assert_null(iw_error_etype_name(IW_LLP_MPA, 0, 3));
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 1, 1), "Tagged Buffer Error");
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 1, 2), "Untagged Buffer Error");
    assert_non_null(iw_error_etype_name(IW_LLP_MPA, 1, 3));
    assert_null(iw_error_etype_name(IW_LLP_MPA, 1, 4));
    assert_string_equal(iw_error_etype_name(IW_LLP_MPA, 2, 0), "MPA Error");
    assert_null(iw_error_etype_name(IW_LLP_MPA, 2, 1));
    assert_null(iw_error_etype_name(IW_LLP_MPA, 3, 0));
}

static void over_sctp_the_llp_is_not_mpa(void **state) {
    (void)state;
    assert_string_equal(iw_error_etype_name(IW_LLP_SCTP, 2, 0), "SCTP Error");
    assert_string_equal(iw_error_name(IW_LLP_SCTP, 0x2002), "none is defined for SCTP");
    assert_string_equal(iw_error_etype_name(IW_LLP_SCTP, 1, 1), "Tagged Buffer Error");
    assert_string_equal(iw_error_name(IW_LLP_SCTP, 0x1101), "Base or bounds violation");
    assert_null(iw_error_name(IW_LLP_SCTP, 0xFABC));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_every_error_and_no_other),
        cmocka_unit_test(triples_are_written_in_hexadecimal),
        cmocka_unit_test(every_other_triple_is_unknown),
        cmocka_unit_test(names_are_those_of_the_rfcs),
        cmocka_unit_test(over_sctp_the_llp_is_not_mpa),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
