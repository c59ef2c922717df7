#include "iw_message_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "iw_test_memory.h"

static const struct iw_message_limits limits = {.message = 1 << 16, .total = 1 << 17};
static size_t kept;
static struct iw_message_store *store;

static int set_up(void **state) {
    (void)state;
    kept = 0;
    store = iw_message_store_new(&limits, &kept);
    assert_non_null(store);
    iw_message_store_keep_tagged(store, true);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_message_store_free(store);
    assert_int_equal(kept, 0);
    return 0;
}

static struct iw_segment segment_of(bool last, const char *text) {
    return (struct iw_segment){.last = last,
        .payload = (const uint8_t *)text,
        .payload_octets = (uint16_t)strlen(text),
        .payload_captured = (uint16_t)strlen(text)};
}

static const struct iw_message *take(uint32_t msn, uint32_t mo, bool last, const char *text, uint32_t frame) {
    struct iw_segment segment = segment_of(last, text);

    segment.msn = msn;
    segment.mo = mo;
    return iw_message_store_untagged(store, IW_SIDE_A, &segment, frame);
}

static struct iw_segment tagged(uint32_t stag, uint64_t to, bool last, const char *text) {
    struct iw_segment segment = segment_of(last, text);

    segment.tagged = true;
    segment.stag = stag;
    segment.to = to;
    return segment;
}

static const struct iw_message *write(uint64_t to, bool last, const char *text, uint32_t frame) {
    struct iw_segment segment = tagged(7, to, last, text);

    return iw_message_store_tagged(store, IW_SIDE_A, &segment, frame);
}

static const struct iw_message *answer(uint64_t to, bool last, const char *text, uint32_t frame) {
    struct iw_segment segment = tagged(9, to, last, text);

    return iw_message_store_read(store, IW_SIDE_A, &segment, 1000, 6, frame);
}

static void assert_whole(const struct iw_message *message, const char *text) {
    assert_non_null(message);
    assert_int_equal(message->state, IW_MESSAGE_WHOLE);
    assert_int_equal(message->length, strlen(text));
    assert_memory_equal(message->octets, text, strlen(text));
    assert_int_equal(iw_message_missing(message), 0);
}

static void assert_missing(const struct iw_message *message, uint32_t octets) {
    assert_non_null(message);
    assert_int_not_equal(message->state, IW_MESSAGE_WHOLE);
    assert_int_equal(iw_message_missing(message), octets);
}

/* ---- untagged ---- */

static void test_one_segment_is_left_alone(void **state) {
    (void)state;
    assert_null(take(1, 0, true, "abc", 1));
    assert_null(take(2, 0, true, "", 2));
    assert_int_equal(kept, 0);
}

static void test_segments_in_order(void **state) {
    const struct iw_message *message = take(1, 0, false, "abc", 4);

    (void)state;
    assert_int_equal(message->state, IW_MESSAGE_OPEN);
    assert_ptr_equal(take(1, 3, false, "de", 5), message);
    assert_ptr_equal(take(1, 5, true, "f", 9), message);
    assert_whole(message, "abcdef");
    assert_int_equal(message->frame, 9);
    assert_int_equal(message->segment_count, 3);
    assert_int_equal(message->segments[1].frame, 5);
    assert_int_equal(message->segments[1].offset, 3);
    assert_int_equal(message->segments[1].octets, 2);
}

static void test_segments_in_any_order(void **state) {
    const struct iw_message *message = take(1, 5, true, "f", 1);

    (void)state;
    assert_missing(message, 5);
    assert_true(message->ended);
    take(1, 0, false, "abc", 2);
    assert_missing(message, 2);
    take(1, 3, false, "de", 3);
    assert_whole(message, "abcdef");
    assert_int_equal(message->segments[0].frame, 2);
    assert_int_equal(message->segments[2].frame, 1);
}

static void test_interleaved_messages(void **state) {
    const struct iw_message *first = take(1, 0, false, "abc", 1);
    const struct iw_message *second = take(2, 0, false, "xyz", 2);

    (void)state;
    assert_ptr_not_equal(first, second);
    take(1, 3, true, "d", 3);
    take(2, 3, true, "w", 4);
    assert_whole(first, "abcd");
    assert_whole(second, "xyzw");
}

static void test_sides_are_apart(void **state) {
    const struct iw_message *message = take(1, 0, false, "abc", 1);
    struct iw_segment other = segment_of(true, "d");

    (void)state;
    other.msn = 1;
    other.mo = 3;
    assert_ptr_not_equal(iw_message_store_untagged(store, IW_SIDE_B, &other, 2), message);
    assert_missing(message, 0);
}

static void test_a_gap_is_never_filled(void **state) {
    const struct iw_message *message = take(1, 0, false, "abc", 1);

    (void)state;
    iw_message_store_lost(store, IW_SIDE_A);
    take(1, 5, true, "f", 3);
    assert_missing(message, 2);
}

static void test_what_was_not_captured_is_missing(void **state) {
    struct iw_segment cut = segment_of(false, "abc");
    const struct iw_message *message;

    (void)state;
    cut.msn = 1;
    cut.payload_captured = 1;
    message = iw_message_store_untagged(store, IW_SIDE_A, &cut, 1);
    take(1, 3, true, "def", 2);
    assert_missing(message, 2);
}

static void test_octets_are_not_replaced(void **state) {
    const struct iw_message *message = take(1, 0, false, "abc", 1);

    (void)state;
    take(1, 0, false, "XYZ", 2);
    take(1, 2, false, "Q", 3);
    take(1, 3, true, "d", 4);
    assert_whole(message, "abcd");
    assert_int_equal(message->segment_count, 2);
}

static void test_the_oldest_open_message_makes_way(void **state) {
    const struct iw_message *oldest = take(1, 0, false, "abc", 1);

    (void)state;
    for (uint32_t msn = 2; msn <= 17; msn++)
        take(msn, 0, false, "abc", msn);
    assert_int_equal(oldest->state, IW_MESSAGE_INCOMPLETE);
    assert_null(oldest->octets);
}

/* ---- limits ---- */

static void test_a_message_too_long(void **state) {
    const struct iw_message *message = take(1, 0, false, "abc", 1);

    (void)state;
    take(1, (uint32_t)limits.message - 1, false, "xy", 2);
    assert_int_equal(message->state, IW_MESSAGE_LIMIT);
    assert_null(message->octets);
    assert_int_equal(kept, 0);
    assert_ptr_equal(take(1, 3, true, "d", 3), message);
    assert_int_equal(message->state, IW_MESSAGE_LIMIT);
    take(1, UINT32_MAX, false, "far", 4);
}

static void test_all_messages_together(void **state) {
    uint32_t limited = 0;

    (void)state;
    for (uint32_t msn = 1; msn <= 8; msn++)
        limited += take(msn, (uint32_t)limits.message - 1, false, "x", msn)->state == IW_MESSAGE_LIMIT;
    assert_int_equal(limited, 6);
    assert_true(kept <= limits.total);
}

/* ---- tagged ---- */

static void test_write(void **state) {
    const struct iw_message *message = write(0xFFFFFFFFFFFF0000, false, "abc", 1);

    (void)state;
    assert_ptr_equal(write(0xFFFFFFFFFFFF0003, true, "d", 2), message);
    assert_whole(message, "abcd");
    assert_int_equal(message->base, 0xFFFFFFFFFFFF0000);
    assert_null(write(0x100, true, "next", 3));
}

/* RFC 5041 5.3: segments should be sent in increasing TO order, but may be sent in a different order. */
static void test_a_write_that_goes_back(void **state) {
    const struct iw_message *message = write(0x206, false, "ghi", 1);

    (void)state;
    assert_ptr_equal(write(0x200, false, "abc", 2), message);
    assert_missing(message, 3);
    assert_ptr_equal(write(0x203, true, "def", 3), message);
    assert_whole(message, "abcdefghi");
    assert_int_equal(message->base, 0x200);
    assert_int_equal(message->segments[0].frame, 2);
    assert_int_equal(message->segments[2].frame, 1);
}

static void test_a_write_to_a_lower_to_with_a_gap(void **state) {
    const struct iw_message *message = write(0x206, false, "ghi", 1);

    (void)state;
    assert_ptr_equal(write(0x200, true, "abc", 2), message);
    assert_int_equal(message->state, IW_MESSAGE_INCOMPLETE);
    assert_missing(message, 3);
}

static void test_a_write_goes_back_farther_than_is_kept(void **state) {
    const struct iw_message *message = write(0x20000, false, "ghi", 1);

    (void)state;
    assert_ptr_equal(write(0x200, false, "abc", 2), message);
    assert_int_equal(message->state, IW_MESSAGE_LIMIT);
    assert_ptr_equal(write(0x203, true, "def", 3), message);
    assert_null(write(0x100, true, "next", 4));
}

static void test_a_write_goes_back_again_and_again(void **state) {
    const struct iw_message *message = write(0x300, false, "z", 1);

    (void)state;
    for (uint32_t i = 1; i <= 64; i++)
        write(0x300 - i, false, "a", 1 + i);
    assert_int_equal(message->state, IW_MESSAGE_OPEN);
    write(0x300 - 65, false, "a", 66);
    assert_int_equal(message->state, IW_MESSAGE_LIMIT);
}

static void test_write_with_a_gap(void **state) {
    const struct iw_message *message = write(100, false, "abc", 1);

    (void)state;
    iw_message_store_lost(store, IW_SIDE_A);
    write(106, true, "gh", 2);
    assert_missing(message, 3);
    assert_int_equal(message->state, IW_MESSAGE_INCOMPLETE);
    assert_null(write(200, true, "next", 3));
}

static void test_write_whose_beginning_may_be_lost(void **state) {
    const struct iw_message *message;

    (void)state;
    iw_message_store_lost(store, IW_SIDE_A);
    message = write(106, true, "gh", 2);
    assert_true(message->headless);
    assert_int_equal(message->state, IW_MESSAGE_INCOMPLETE);
    assert_null(write(200, true, "next", 3));
}

/* The lost octets may be the end of one message and the beginning of the next. */
static void test_write_to_a_lower_to_after_a_loss_is_another(void **state) {
    const struct iw_message *first = write(100, false, "abc", 1);
    const struct iw_message *second;

    (void)state;
    iw_message_store_lost(store, IW_SIDE_A);
    second = write(50, false, "x", 2);
    assert_ptr_not_equal(first, second);
    assert_int_equal(first->state, IW_MESSAGE_INCOMPLETE);
    assert_true(second->headless);
    write(51, true, "y", 3);
    assert_missing(second, 0);
    assert_int_equal(second->state, IW_MESSAGE_INCOMPLETE);
}

static void test_read_response(void **state) {
    const struct iw_message *message;

    (void)state;
    assert_null(answer(1000, true, "abcdef", 1));
    message = answer(1000, false, "abcd", 2);
    assert_ptr_equal(answer(1004, true, "ef", 3), message);
    assert_whole(message, "abcdef");
}

/* The requested range shows that the first segment is missing. */
static void test_read_response_without_its_beginning(void **state) {
    const struct iw_message *message = answer(1004, true, "ef", 3);

    (void)state;
    assert_missing(message, 4);
    assert_null(answer(999, true, "x", 4));
    assert_null(answer(2000, true, "x", 5));
}

/* If no protocol uses the octets, only offsets and lengths are stored; missing octets are still detected. */
static void test_a_write_without_its_octets(void **state) {
    const struct iw_message *message;

    (void)state;
    iw_message_store_keep_tagged(store, false);
    message = write(0x206, false, "ghi", 1);
    write(0x200, false, "abc", 2);
    assert_missing(message, 3);
    iw_message_store_keep_tagged(store, true); /* applies to the messages after this one */
    write(0x203, true, "def", 3);
    assert_int_equal(message->state, IW_MESSAGE_WHOLE);
    assert_int_equal(message->length, 9);
    assert_int_equal(message->segment_count, 3);
    assert_null(message->octets);
    assert_int_equal(kept, 0);
    assert_whole(take(1, 0, false, "a", 4) != NULL ? take(1, 1, true, "b", 5) : NULL, "ab");
}

/* The limits apply only to stored octets. */
static void test_a_long_write_without_its_octets(void **state) {
    const struct iw_message *message;

    (void)state;
    iw_message_store_keep_tagged(store, false);
    message = write(0x20000, false, "ghi", 1);
    write(0x200, false, "abc", 2);
    assert_int_equal(message->state, IW_MESSAGE_OPEN);
    assert_missing(message, 0x20000 - 0x203);
    write(0x20003, true, "j", 3);
    assert_int_equal(message->state, IW_MESSAGE_INCOMPLETE);
}

static void test_a_write_without_its_octets_is_shorter_than_4_gib(void **state) {
    const struct iw_message *message;

    (void)state;
    iw_message_store_keep_tagged(store, false);
    message = write(UINT64_C(0x1FFFFFFFF), false, "ghi", 1);
    write(UINT64_C(0x100000001), false, "abc", 2);
    assert_int_equal(message->state, IW_MESSAGE_LIMIT);
}

/* ---- running out of memory ---- */

/* Adds a Send whose segments come out of order, and a Write; returns the latest message of each. */
static void converse(const struct iw_message *latest[2]) {
    latest[0] = take(1, 0, false, "abc", 10);
    for (uint32_t i = 0; i < 20; i++) {
        char text[2] = {(char)('A' + (19 - i)), '\0'};

        latest[0] = take(1, 3 + 19 - i, false, text, 11 + i);
    }
    latest[0] = take(1, 23, true, "z", 40);
    latest[1] = write(1000, false, "hello ", 41);
    latest[1] = write(1006, true, "world", 42);
}

/* Complete messages have all their octets, and all memory is released. */
static void every_allocation_fails_in_turn(void **state) {
    static const char *const texts[2] = {"abcABCDEFGHIJKLMNOPQRSTz", "hello world"};
    unsigned long allocations = 1;
    unsigned whole = 0;

    (void)state;
    for (unsigned long nth = 0; nth <= allocations; nth++)
        for (int onward = 0; onward < 2; onward++) {
            const struct iw_message *latest[2];
            unsigned long made;

            set_up(NULL);
            iw_test_memory_fail(nth, onward);
            converse(latest);
            made = iw_test_memory_restore();
            allocations = nth == 0 ? made : allocations;
            for (int i = 0; i < 2; i++)
                if (latest[i] != NULL && latest[i]->state == IW_MESSAGE_WHOLE) {
                    assert_whole(latest[i], texts[i]);
                    whole++;
                } else {
                    assert_int_not_equal(nth, 0);
                }
            tear_down(NULL);
        }
    assert_true(allocations > 5);
    assert_true(whole > 4);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_in_turn),
        T(test_one_segment_is_left_alone),
        T(test_segments_in_order),
        T(test_segments_in_any_order),
        T(test_interleaved_messages),
        T(test_sides_are_apart),
        T(test_a_gap_is_never_filled),
        T(test_what_was_not_captured_is_missing),
        T(test_octets_are_not_replaced),
        T(test_the_oldest_open_message_makes_way),
        T(test_a_message_too_long),
        T(test_all_messages_together),
        T(test_write),
        T(test_a_write_that_goes_back),
        T(test_a_write_to_a_lower_to_with_a_gap),
        T(test_a_write_goes_back_farther_than_is_kept),
        T(test_a_write_goes_back_again_and_again),
        T(test_write_with_a_gap),
        T(test_write_whose_beginning_may_be_lost),
        T(test_write_to_a_lower_to_after_a_loss_is_another),
        T(test_read_response),
        T(test_read_response_without_its_beginning),
        T(test_a_write_without_its_octets),
        T(test_a_long_write_without_its_octets),
        T(test_a_write_without_its_octets_is_shorter_than_4_gib),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
