#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_memory.h"

static int write_check(struct iw_memory *memory, uint32_t stag, uint64_t to, uint64_t length) {
    struct iw_access access = {.stag = stag, .to = to, .length = length, .rights = IW_RIGHT_WRITE};

    return iw_memory_check_tagged(memory, &access);
}

static int read_check(struct iw_memory *memory, uint32_t stag, uint64_t to, uint64_t length) {
    struct iw_access access = {.stag = stag, .to = to, .length = length, .rights = IW_RIGHT_READ};

    return iw_memory_check_source(memory, &access);
}

static int invalidate_check(struct iw_memory *memory, uint32_t stag, uint64_t stream) {
    struct iw_access access = {.stag = stag, .stream = stream};

    return iw_memory_check_invalidate(memory, &access);
}

static void chosen_stags_are_the_same_in_every_run(void **state) {
    struct iw_memory *memory = iw_memory_new();

    (void)state;
    assert_int_equal(iw_memory_register(memory, 0, 0, 8, 0)->stag, 0x100);
    assert_non_null(iw_memory_register(memory, 0x200, 0, 8, 0));
    assert_int_equal(iw_memory_register(memory, 0, 0, 8, 0)->stag, 0x300);
    assert_null(iw_memory_register(memory, 0x200, 0, 8, 0));
    assert_int_equal(iw_memory_register(memory, 0, 0, 8, 0)->stag, 0x400);
    assert_int_equal(iw_memory_register(memory, 0, 0, 8, 0)->stag, 0xE220A839);
    assert_non_null(iw_memory_register(memory, 0x6E789E6A, 0, 8, 0)); /* would be chosen next */
    assert_int_equal(iw_memory_register(memory, 0, 0, 8, 0)->stag, 0x06C45D18);
    iw_memory_free(memory);
}

static void scattered_stags_are_not(void **state) {
    uint32_t stags[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct iw_memory *memory = iw_memory_new();

        iw_memory_scatter(memory);
        stags[i] = iw_memory_register(memory, 0, 0, 8, 0)->stag;
        iw_memory_free(memory);
    }
    assert_int_not_equal(stags[0], stags[1]); /* except in one of 2^32 runs */
}

static void a_region_ends_at_two_to_the_64_at_the_latest(void **state) {
    struct iw_memory *memory = iw_memory_new();

    (void)state;
    assert_null(iw_memory_register(memory, 1, UINT64_MAX - 6, 8, IW_RIGHT_WRITE));
    assert_non_null(iw_memory_register(memory, 1, UINT64_MAX - 7, 8, IW_RIGHT_WRITE));
    assert_int_equal(write_check(memory, 1, UINT64_MAX - 7, 8), IW_NO_ERROR);
    assert_int_equal(write_check(memory, 1, UINT64_MAX, 1), IW_NO_ERROR);
    assert_int_equal(write_check(memory, 1, UINT64_MAX, 2), 0x1103);
    iw_memory_free(memory);
}

static void checks_return_the_codes_of_their_layer(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *both = iw_memory_register(memory, 7, 0x1000, 16, IW_RIGHT_READ | IW_RIGHT_WRITE);

    (void)state;
    iw_memory_register(memory, 8, 0, 16, 0);
    assert_int_equal(write_check(memory, 7, 0x1000, 16), IW_NO_ERROR);
    assert_int_equal(read_check(memory, 7, 0x100F, 1), IW_NO_ERROR);
    assert_int_equal(write_check(memory, 9, 0x1000, 1), 0x1100);
    assert_int_equal(read_check(memory, 9, 0x1000, 1), 0x0100);
    assert_int_equal(write_check(memory, 8, 0, 1), 0x1100);
    assert_int_equal(read_check(memory, 8, 0, 1), 0x0102);
    assert_int_equal(write_check(memory, 7, 0x0FFF, 2), 0x1101);
    assert_int_equal(read_check(memory, 7, 0x1001, 16), 0x0101);
    assert_int_equal(write_check(memory, 7, UINT64_MAX - 3, 8), 0x1103);
    assert_int_equal(read_check(memory, 7, UINT64_MAX - 3, 8), 0x0104);
    both->stream = 1;
    assert_int_equal(write_check(memory, 7, 0x1000, 1), 0x1102);
    assert_int_equal(read_check(memory, 7, 0x1000, 1), 0x0103);
    both->valid = false;
    assert_int_equal(write_check(memory, 7, 0x1000, 1), 0x1100);
    assert_int_equal(read_check(memory, 7, 0x1000, 1), 0x0100);
    iw_memory_free(memory);
}

static void zero_octets_are_not_checked(void **state) {
    (void)state;
    assert_int_equal(write_check(NULL, 1, UINT64_MAX, 0), IW_NO_ERROR);
    assert_int_equal(read_check(NULL, 1, UINT64_MAX, 0), IW_NO_ERROR);
    assert_int_equal(write_check(NULL, 1, 0, 1), 0x1100);
}

static void an_stag_can_be_invalidated_once_and_by_its_stream(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *region = iw_memory_register(memory, 7, 0, 16, IW_RIGHT_READ);
    enum { MINE = 1, OTHER };

    (void)state;
    region->stream = MINE;
    assert_int_equal(invalidate_check(memory, 7, OTHER), 0x0109);
    assert_int_equal(invalidate_check(memory, 7, MINE), IW_NO_ERROR);
    region->valid = false;
    assert_int_equal(invalidate_check(memory, 7, MINE), 0x0109);
    assert_int_equal(invalidate_check(memory, 6, MINE), 0x0109);
    iw_memory_free(memory);
}

static void a_skipped_check_still_keeps_inside(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *region = iw_memory_register(memory, 7, 0x1000, 4, IW_RIGHT_WRITE);
    struct iw_access access = {
        .stag = 7, .to = 0x0FFE, .length = 8, .rights = IW_RIGHT_WRITE, .skip = IW_MEMORY_BOUNDS};

    (void)state;
    assert_int_equal(iw_memory_check_tagged(memory, &access), IW_NO_ERROR);
    iw_memory_place(memory, 7, 0x0FFE, (const uint8_t *)"abcdefgh", 8);
    assert_memory_equal(region->octets, "cdef", 4);
    iw_memory_place(memory, 7, 0x1003, (const uint8_t *)"XYZ", 3);
    assert_memory_equal(region->octets, "cdeX", 4);
    iw_memory_place(memory, 7, 0x1004, (const uint8_t *)"!", 1);
    iw_memory_place(memory, 7, 0x0FFE, (const uint8_t *)"!!", 2);
    iw_memory_place(memory, 6, 0x1000, (const uint8_t *)"!", 1);
    assert_memory_equal(region->octets, "cdeX", 4);
    assert_ptr_equal(iw_memory_fetch(memory, 7, 0x1001, 3), region->octets + 1);
    assert_null(iw_memory_fetch(memory, 7, 0x1001, 4));
    iw_memory_free(memory);
}

static void deregistering_leaves_the_others(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *first = iw_memory_register(memory, 1, 0, 1, 0);
    struct iw_region *second = iw_memory_register(memory, 2, 0, 0, 0);

    (void)state;
    iw_memory_deregister(memory, first);
    assert_null(iw_memory_find(memory, 1));
    assert_ptr_equal(iw_memory_at(memory, 0), second);
    assert_null(iw_memory_at(memory, 1));
    iw_memory_free(memory);
}

static void regions_are_found_in_any_order_of_registration(void **state) {
    static const uint32_t stags[] = {5, 1, 9, UINT32_MAX, 3, 7, 8};
    enum { COUNT = sizeof stags / sizeof *stags };
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *regions[COUNT];

    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        regions[i] = iw_memory_register(memory, stags[i], 0, 1, 0);
    for (size_t gone = 0; gone < COUNT; gone++) {
        for (size_t i = 0; i < COUNT; i++)
            assert_ptr_equal(iw_memory_find(memory, stags[i]), i < gone ? NULL : regions[i]);
        assert_null(iw_memory_find(memory, 2));
        assert_null(iw_memory_find(memory, UINT32_MAX - 1));
        iw_memory_deregister(memory, regions[gone]);
    }
    assert_null(iw_memory_at(memory, 0));
    iw_memory_free(memory);
}

static void a_domain_keeps_others_out(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_registration registration = {.stag = 7, .size = 8, .rights = IW_RIGHT_READ, .domain = 3};
    struct iw_access access = {.stag = 7, .length = 8, .rights = IW_RIGHT_READ, .domain = 4};
    enum iw_refusal refusal;

    (void)state;
    iw_memory_offer(memory, &registration, &refusal);
    assert_int_equal(refusal, IW_REFUSAL_NONE);
    assert_int_equal(iw_memory_check_source(memory, &access), 0x0103);
    assert_int_equal(iw_memory_check_invalidate(memory, &access), 0x0109);
    access.domain = 3;
    assert_int_equal(iw_memory_check_source(memory, &access), IW_NO_ERROR);
    iw_memory_free(memory);
}

/* RFC 5040 8.1.1: while two streams can use an STag, the peer of one cannot take it from the other. */
static void a_shared_stag_is_not_invalidated(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_registration of_domain = {.stag = 8, .size = 8, .domain = 3};
    struct iw_memory_stream first, second = {0}, stranger;
    struct iw_access access = {.stag = 7, .stream = 1, .domain = 3};
    enum iw_refusal refusal;

    (void)state;
    iw_memory_register(memory, 7, 0, 8, 0);
    iw_memory_offer(memory, &of_domain, &refusal);
    iw_memory_join(memory, &first, 3);
    assert_int_equal(iw_memory_check_invalidate(memory, &access), IW_NO_ERROR);
    iw_memory_join(memory, &stranger, 4);
    assert_int_equal(iw_memory_check_invalidate(memory, &access), 0x0109);
    access.stag = 8; /* is of domain 3 */
    assert_int_equal(iw_memory_check_invalidate(memory, &access), IW_NO_ERROR);
    iw_memory_leave(&second);
    iw_memory_join(memory, &second, 3);
    assert_int_equal(iw_memory_check_invalidate(memory, &access), 0x0109);
    access.skip = IW_MEMORY_SHARED;
    assert_int_equal(iw_memory_check_invalidate(memory, &access), IW_NO_ERROR);
    access.skip = 0;
    iw_memory_find(memory, 8)->stream = 1;
    assert_int_equal(iw_memory_check_invalidate(memory, &access), IW_NO_ERROR);
    iw_memory_find(memory, 8)->stream = 0;
    iw_memory_leave(&second);
    assert_int_equal(iw_memory_check_invalidate(memory, &access), IW_NO_ERROR);
    iw_memory_free(memory);
    iw_memory_leave(&first); /* does nothing: iw_memory_free has ended the use */
}

/* Each STag has its own rights and bounds, and outlives the region it was registered over. */
static void several_stags_share_one_memory(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *whole = iw_memory_register(memory, 7, 0, 16, IW_RIGHT_READ | IW_RIGHT_WRITE);
    struct iw_registration registration = {
        .stag = 8, .base = 0x100, .size = 8, .rights = IW_RIGHT_READ, .over = whole, .at = 4};
    enum iw_refusal refusal;
    struct iw_region *part = iw_memory_offer(memory, &registration, &refusal);

    (void)state;
    iw_memory_place(memory, 7, 4, (const uint8_t *)"abcd", 4);
    assert_memory_equal(part->octets, "abcd", 4);
    assert_int_equal(write_check(memory, 8, 0x100, 1), 0x1100);
    assert_int_equal(read_check(memory, 8, 0x100, 8), IW_NO_ERROR);
    assert_int_equal(read_check(memory, 8, 0x100, 9), 0x0101);
    iw_memory_deregister(memory, whole);
    assert_memory_equal(iw_memory_fetch(memory, 8, 0x100, 4), "abcd", 4);
    registration = (struct iw_registration){.stag = 9, .size = 2, .over = part, .at = 1};
    assert_memory_equal(iw_memory_offer(memory, &registration, &refusal)->octets, "bc", 2);
    iw_memory_free(memory);
}

static void unsupported_registrations_are_refused(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *sixteen = iw_memory_register(memory, 7, 0, 16, 0);
    const struct {
        struct iw_registration registration;
        enum iw_refusal refusal;
    } cases[] = {
        {{.stag = 7, .size = 8}, IW_REFUSAL_STAG_TAKEN},
        {{.base = UINT64_MAX, .size = 2}, IW_REFUSAL_TO_WRAP},
        {{.size = 8, .over = sixteen, .at = 9}, IW_REFUSAL_OUTSIDE},
        {{.size = 1, .over = sixteen, .at = 17}, IW_REFUSAL_OUTSIDE},
        {{.size = 8, .file = "/nowhere/at/all"}, IW_REFUSAL_FILE},
        {{.size = 8, .file = "/dev/null"}, IW_REFUSAL_FILE},
        {{.size = 8, .rights = IW_RIGHT_PERSIST}, IW_REFUSAL_VOLATILE},
        {{.size = 8, .rights = IW_RIGHT_PERSIST, .over = sixteen, .persistent = true}, IW_REFUSAL_VOLATILE},
        {{.size = 7, .rights = IW_RIGHT_ATOMIC}, IW_REFUSAL_ATOMIC_SIZE},
        {{.size = 8, .rights = IW_RIGHT_ATOMIC, .over = sixteen, .at = 4}, IW_REFUSAL_ATOMIC_ALIGNMENT},
        {{.size = 8, .rights = IW_RIGHT_VERIFY}, IW_REFUSAL_NO_HASH},
        {{.size = UINT64_MAX}, IW_REFUSAL_NO_MEMORY},
        {{.size = 8, .rights = IW_RIGHT_PERSIST | IW_RIGHT_EXPOSE, .persistent = true}, IW_REFUSAL_NONE},
        {{.size = 8, .rights = IW_RIGHT_ATOMIC, .over = sixteen, .at = 8}, IW_REFUSAL_NONE},
        {{.size = 8, .rights = IW_RIGHT_EXPOSE | IW_RIGHT_VERIFY, .hash = IW_HASH_CRC32C}, IW_REFUSAL_NONE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum iw_refusal refusal;
        struct iw_region *region = iw_memory_offer(memory, &cases[i].registration, &refusal);

        assert_int_equal(refusal, cases[i].refusal);
        assert_true((region == NULL) == (refusal != IW_REFUSAL_NONE));
    }
    iw_memory_free(memory);
}

static void the_number_of_regions_is_limited(void **state) {
    struct iw_memory *memory = iw_memory_new();
    const struct iw_registration registration = {.size = 1};
    enum iw_refusal refusal;

    (void)state;
    for (uint32_t stag = 1; stag <= 10000; stag++)
        assert_non_null(iw_memory_register(memory, stag, 0, 1, 0));
    assert_null(iw_memory_offer(memory, &registration, &refusal));
    assert_int_equal(refusal, IW_REFUSAL_TOO_MANY);
    assert_string_equal(iw_refusal_text(refusal), "the limit of 10000 regions is reached");
    iw_memory_deregister(memory, iw_memory_at(memory, 0));
    assert_non_null(iw_memory_offer(memory, &registration, &refusal));
    iw_memory_free(memory);
}

static void a_target_is_checked_even_for_no_octets(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_access access = {.stag = 7, .rights = IW_RIGHT_EXPOSE};

    (void)state;
    assert_int_equal(iw_memory_check_target(memory, &access), 0x0100);
    iw_memory_register(memory, 7, 0x1000, 8, IW_RIGHT_READ);
    assert_int_equal(iw_memory_check_target(memory, &access), 0x0102);
    access.rights = IW_RIGHT_READ;
    assert_int_equal(iw_memory_check_target(memory, &access), 0x0101);
    access.to = 0x1008;
    assert_int_equal(iw_memory_check_target(memory, &access), IW_NO_ERROR);
    iw_memory_free(memory);
}

static void rights_have_letters_and_names(void **state) {
    static const struct {
        const char *text;
        unsigned rights;
    } known[] = {{"", 0}, {"r", IW_RIGHT_READ}, {"wr", IW_RIGHT_READ | IW_RIGHT_WRITE},
        {"a", IW_RIGHT_ATOMIC}, {"p", IW_RIGHT_PERSIST}, {"gg", IW_RIGHT_EXPOSE}};
    unsigned rights;

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(iw_rights_read(known[i].text, &rights));
        assert_int_equal(rights, known[i].rights);
    }
    assert_false(iw_rights_read("rx", &rights));
    assert_false(iw_rights_read("v", &rights));
    assert_string_equal(iw_right_names[0], "read");
    assert_string_equal(iw_right_names[5], "verify");
    assert_null(iw_right_names[6]);
}

static void a_region_and_its_medium_are_filled_repeatedly(void **state) {
    const struct iw_registration registration = {.stag = 1, .size = 11, .persistent = true};
    struct iw_memory *memory = iw_memory_new();
    enum iw_refusal refusal;
    struct iw_region *region = iw_memory_offer(memory, &registration, &refusal);
    uint8_t kept[11];

    (void)state;
    iw_region_fill(region, (const uint8_t *)"abcdefghijkl", 12);
    assert_memory_equal(region->octets, "abcdefghijk", 11);
    iw_region_fill(region, (const uint8_t *)".", 1);
    assert_memory_equal(region->octets, "...........", 11);
    iw_region_fill(region, (const uint8_t *)"abc", 3);
    iw_region_fill(region, (const uint8_t *)"", 0);
    assert_memory_equal(region->octets, "abcabcabcab", 11);
    assert_true(iw_backing_read(region->backing, 0, kept, sizeof kept));
    assert_memory_equal(kept, "abcabcabcab", 11);
    iw_memory_free(memory);
}

static void shared_octets_are_counted_once(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_registration registration = {
        .stag = 2, .size = 10, .over = iw_memory_register(memory, 1, 0, 40, 0)};
    enum iw_refusal refusal;

    (void)state;
    assert_int_equal(iw_memory_octets(memory), 40);
    iw_memory_offer(memory, &registration, &refusal);
    assert_int_equal(iw_memory_octets(memory), 40);
    iw_memory_register(memory, 3, 0, 7, 0);
    assert_int_equal(iw_memory_octets(memory), 47);
    iw_memory_free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_stags_are_the_same_in_every_run),
        cmocka_unit_test(scattered_stags_are_not),
        cmocka_unit_test(a_region_ends_at_two_to_the_64_at_the_latest),
        cmocka_unit_test(checks_return_the_codes_of_their_layer),
        cmocka_unit_test(zero_octets_are_not_checked),
        cmocka_unit_test(an_stag_can_be_invalidated_once_and_by_its_stream),
        cmocka_unit_test(a_skipped_check_still_keeps_inside),
        cmocka_unit_test(deregistering_leaves_the_others),
        cmocka_unit_test(regions_are_found_in_any_order_of_registration),
        cmocka_unit_test(a_domain_keeps_others_out),
        cmocka_unit_test(a_shared_stag_is_not_invalidated),
        cmocka_unit_test(several_stags_share_one_memory),
        cmocka_unit_test(unsupported_registrations_are_refused),
        cmocka_unit_test(the_number_of_regions_is_limited),
        cmocka_unit_test(a_target_is_checked_even_for_no_octets),
        cmocka_unit_test(rights_have_letters_and_names),
        cmocka_unit_test(a_region_and_its_medium_are_filled_repeatedly),
        cmocka_unit_test(shared_octets_are_counted_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
