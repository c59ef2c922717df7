#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_listing.h"
#include "iw_opcode.h"

static char *print(const struct iw_listing *listing, enum iw_listing_format format) {
    char *text = NULL;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);

    assert_int_equal(iw_listing_print(listing, format, out), 0);
    fclose(out);
    return text;
}

static unsigned lines(const char *text) {
    unsigned count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void columns_are_aligned(void **state) {
    char *text = print(&iw_listing_opcodes, IW_LISTING_TEXT);

    (void)state;
    assert_int_equal(lines(text), IW_RDMAP_OP_COUNT);
    assert_non_null(strstr(text, "0x00   RDMA Write                        "));
    assert_non_null(strstr(
        text, "0x01   RDMA Read Request               1 read_request           46 base      RFC 5040"));
    free(text);
}

/* Every text fits its column: each column begins at the same offset in all lines. */
static void texts_fit_their_columns(void **state) {
    static const struct iw_listing *const listings[] = {
        &iw_listing_layouts, &iw_listing_opcodes, &iw_listing_errors};

    (void)state;
    for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) {
        char *text = print(listings[i], IW_LISTING_TEXT);
        size_t begin = 0;

        for (size_t j = 0; listings[i]->columns[j + 1].key; j++) {
            begin += (size_t)listings[i]->columns[j].width + 1;
            for (char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
                if (line[begin - 1] != ' ' || strcspn(line, "\n") < begin)
                    fail_msg("%s: '%.*s'", listings[i]->topic, (int)strcspn(line, "\n"), line);
            }
        }
        free(text);
    }
}

static void filters_are_valid_in_wireshark(void **state) {
    char *text = print(&iw_listing_layouts, IW_LISTING_TEXT);

    (void)state;
    assert_non_null(
        strstr(text, "\nmpa_crc              crc               0   32 hexadecimal iwarp.mpa.crc           "));
    free(text);
}

/* Every line of every table is an object by itself. */
static void json_lines_are_objects(void **state) {
    static const struct iw_listing *const listings[] = {
        &iw_listing_layouts, &iw_listing_opcodes, &iw_listing_errors};

    (void)state;
    for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) {
        char *text = print(listings[i], IW_LISTING_JSONL), *save = NULL;

        assert_true(lines(text) > 10);
        for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
            json_t *object = json_loads(line, 0, NULL);

            assert_true(json_is_object(object));
            for (size_t j = 0; listings[i]->columns[j].key; j++)
                assert_non_null(json_object_get(object, listings[i]->columns[j].key));
            json_decref(object);
        }
        free(text);
    }
}

static void a_terminate_has_layer_etype_and_code(void **state) {
    char *text = print(&iw_listing_errors, IW_LISTING_JSONL);

    (void)state;
    assert_non_null(
        strstr(text, "{\"terminate\":\"2/0/02\",\"layer\":2,\"etype\":0,\"code\":2,\"layer_name\":\"LLP\","));
    free(text);
}

static void markdown_has_a_head_and_rows(void **state) {
    char *text = print(&iw_listing_opcodes, IW_LISTING_MARKDOWN);

    (void)state;
    assert_int_equal(lines(text), IW_RDMAP_OP_COUNT + 2);
    assert_memory_equal(text, "| opcode | title | queue |", 26);
    assert_non_null(strstr(text, "\n|---|---|---|---|---|---|---|\n| 0x00 | RDMA Write |"));
    free(text);
}

/* A row with a text for the parentheses after the last column, and a row without. */
static int two_rows(const struct iw_listing_printer *printer) {
    iw_listing_add(printer, json_pack("{s:s, s:s}", "name", "one", "why", "because"));
    iw_listing_add(printer, json_pack("{s:s, s:s}", "name", "two", "why", ""));
    return 0;
}

static void an_aside_is_printed_in_parentheses(void **state) {
    static const struct iw_listing_column columns[] = {{"name", 0}, {0}};
    static const struct iw_listing listing = {.columns = columns, .aside = "why", .rows = two_rows};
    char *text = print(&listing, IW_LISTING_TEXT);

    (void)state;
    assert_string_equal(text, "one (because)\ntwo\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned),
        cmocka_unit_test(texts_fit_their_columns),
        cmocka_unit_test(filters_are_valid_in_wireshark),
        cmocka_unit_test(json_lines_are_objects),
        cmocka_unit_test(a_terminate_has_layer_etype_and_code),
        cmocka_unit_test(markdown_has_a_head_and_rows),
        cmocka_unit_test(an_aside_is_printed_in_parentheses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
