#include "iw_check_origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "iw_status.h"

#define BEGIN "warpcheck split {\"format\":1,\"shard\":3,\"shards\":8,\"files\":2,"

static bool reads(const char *comment) {
    struct iw_check_origin_text text;
    bool good = iw_check_origin_read(&text, comment, strlen(comment));

    iw_check_origin_clear(&text);
    return good;
}

/* The text in the files is an interface: later versions must read it. */
static void a_file_begins(void **state) {
    static const char comment[] = BEGIN "\"file\":0,\"before\":0,\"path\":\"a.pcap\"}";
    struct iw_check_origin origin = {.shard = {3, 8}, .files = 2, .path = "a.pcap"};
    struct iw_check_origin_text text;
    char *written = iw_check_origin_write(&origin);

    (void)state;
    assert_string_equal(written, comment);
    free(written);
    assert_true(iw_check_origin_read(&text, comment, strlen(comment)));
    assert_int_equal(text.origin.shard.number, 3);
    assert_int_equal(text.origin.shard.count, 8);
    assert_int_equal(text.origin.files, 2);
    assert_string_equal(text.origin.path, "a.pcap");
    assert_null(text.origin.error);
    iw_check_origin_clear(&text);
}

static void the_capture_ends_with_an_error(void **state) {
    static const char comment[] =
        BEGIN "\"file\":2,\"before\":17,\"links\":[[105,4]],\"status\":-3,\"error\":\"b.pcap: truncated\"}";
    struct iw_check_origin origin = {
        .shard = {3, 8}, .files = 2, .file = 2, .before = 17, .status = -3, .error = "b.pcap: truncated"};
    struct iw_check_origin_text text;
    char *written;

    (void)state;
    iw_capture_unread_count(&origin.unread, 105, 4);
    written = iw_check_origin_write(&origin);
    assert_string_equal(written, comment);
    free(written);
    assert_true(iw_check_origin_read(&text, comment, strlen(comment)));
    assert_int_equal(text.origin.file, 2);
    assert_int_equal(text.origin.before, 17);
    assert_int_equal(text.origin.status, -3);
    assert_string_equal(text.origin.error, "b.pcap: truncated");
    assert_int_equal(text.origin.unread.packets, 4);
    assert_null(text.origin.path);
    iw_check_origin_clear(&text);
}

static void other_comments_are_rejected(void **state) {
    (void)state;
    assert_true(reads(BEGIN "\"file\":1,\"before\":17,\"path\":\"b.pcap\"}"));
    assert_false(reads("a capture of the lab"));
    assert_false(reads("warpcheck split "));
    assert_false(reads("warpcheck split {}"));
    assert_false(reads(BEGIN "\"file\":0,\"before\":0}"));                      /* no path */
    assert_false(reads(BEGIN "\"file\":2,\"before\":0,\"path\":\"a.pcap\"}"));  /* a path at the end */
    assert_false(reads(BEGIN "\"file\":3,\"before\":0}"));                      /* beyond the end */
    assert_false(reads(BEGIN "\"file\":0,\"before\":-1,\"path\":\"a.pcap\"}")); /* negative */
    assert_false(reads(BEGIN "\"file\":1,\"before\":1,\"path\":\"b\",\"status\":3,\"error\":\"x\"}"));
    assert_false(reads(BEGIN "\"file\":1,\"before\":1,\"path\":\"b\",\"links\":[[70000,1]]}"));
    assert_false(
        reads("warpcheck split {\"format\":2,\"shard\":1,\"shards\":1,\"files\":1,\"file\":1,\"before\":0}"));
    assert_false(
        reads("warpcheck split {\"format\":1,\"shard\":2,\"shards\":1,\"files\":1,\"file\":1,\"before\":0}"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_begins),
        cmocka_unit_test(the_capture_ends_with_an_error),
        cmocka_unit_test(other_comments_are_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
