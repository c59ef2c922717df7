#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <string.h>
#include <cmocka.h>

#include "iw_execute.h"

/* STag 7 is 32 octets from TO 0x1003 on, 64-bit aligned; the other STags share its memory. */
enum {
    ALL = IW_RIGHT_READ | IW_RIGHT_WRITE | IW_RIGHT_ATOMIC | IW_RIGHT_PERSIST | IW_RIGHT_EXPOSE |
          IW_RIGHT_VERIFY,
    BASE = 0x1003,
};

static struct iw_memory *memory;
static struct iw_region *region;
enum { STRANGER = 9 };

static struct iw_region *offer(uint32_t stag, unsigned rights) {
    struct iw_registration registration = {
        .stag = stag, .base = BASE, .size = 32, .rights = rights, .hash = IW_HASH_CRC32C, .over = region};
    enum iw_refusal refusal;
    struct iw_region *made;

    registration.persistent = region == NULL;
    made = iw_memory_offer(memory, &registration, &refusal);
    assert_non_null(made);
    return made;
}

static int set_up(void **state) {
    (void)state;
    memory = iw_memory_new();
    region = NULL;
    region = offer(7, ALL);
    offer(8, ALL & ~IW_RIGHT_ATOMIC);
    offer(9, IW_RIGHT_READ);
    offer(10, ALL)->stream = STRANGER;
    memcpy(region->octets, &(uint64_t){0x0123456789ABCDEF}, 8);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_memory_free(memory);
    return 0;
}

static uint64_t first_atom(void) {
    uint64_t value;

    memcpy(&value, region->octets, 8);
    return value;
}

static int execute_skipping(
    const struct iw_execute_request *request, struct iw_execute_answer *answer, unsigned skip) {
    struct iw_access access = {.skip = skip};

    return iw_execute(memory, &access, IW_EXT_RFC7306 | IW_EXT_COMMIT, request, answer);
}

/* Checks that memory is unchanged if the request fails. */
static int execute(const struct iw_execute_request *request, struct iw_execute_answer *answer) {
    uint8_t before[32];
    int error;

    memcpy(before, region->octets, 32);
    error = execute_skipping(request, answer, 0);
    if (error != IW_NO_ERROR)
        assert_memory_equal(region->octets, before, 32);
    return error;
}

static struct iw_execute_request atomic(struct iw_atomic_request fields) {
    struct iw_execute_request request = {.opcode = IW_RDMAP_OP_ATOMIC_REQUEST};

    iw_atomic_request_encode(&fields, request.header);
    return request;
}

static struct iw_execute_request flush(struct iw_flush_request fields) {
    struct iw_execute_request request = {.opcode = IW_RDMAP_OP_FLUSH_REQUEST};

    iw_flush_request_encode(&fields, request.header);
    return request;
}

static struct iw_execute_request verify(struct iw_verify_request fields, const char *hash, size_t octets) {
    struct iw_execute_request request = {.opcode = IW_RDMAP_OP_VERIFY_REQUEST, .hash_octets = octets};

    iw_verify_request_encode(&fields, request.header);
    if (octets > 0)
        memcpy(request.hash, hash, octets < IW_HASH_OCTETS_MAX ? octets : IW_HASH_OCTETS_MAX);
    return request;
}

static struct iw_execute_request atomic_write(struct iw_atomic_write_request fields) {
    struct iw_execute_request request = {.opcode = IW_RDMAP_OP_ATOMIC_WRITE_REQUEST};

    iw_atomic_write_request_encode(&fields, request.header);
    return request;
}

/* ---- what succeeds ---- */

static void atomics_return_the_original_and_store_the_result(void **state) {
    static const struct {
        struct iw_atomic_request request;
        uint64_t result;
    } cases[] = {
        {{.aopcode = 0, .data = 1}, 0x0123456789ABCDF0},
        {{.aopcode = 0, .data = 0}, 0x0123456789ABCDEF},
        {{.aopcode = 0, .data = 0xFFFFFFFF, .mask = 0x80000000}, 0x0123456789ABCDEE},
        {{.aopcode = 2, .data = 0x11, .mask = 0xFF, .compare_data = 0xEF, .compare_mask = 0xFF},
            0x0123456789ABCD11},
        {{.aopcode = 2, .data = 0x11, .mask = 0xFF, .compare_data = 0xEE, .compare_mask = 0xFF},
            0x0123456789ABCDEF},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct iw_atomic_request fields = cases[i].request;
        struct iw_execute_answer answer;
        struct iw_execute_request request;

        memcpy(region->octets, &(uint64_t){0x0123456789ABCDEF}, 8);
        fields.stag = 7;
        fields.to = BASE;
        request = atomic(fields);
        assert_int_equal(execute(&request, &answer), IW_NO_ERROR);
        assert_true(answer.original == 0x0123456789ABCDEF);
        assert_true(first_atom() == cases[i].result);
    }
}

static void swap_needs_the_storm_extension(void **state) {
    struct iw_execute_request request =
        atomic((struct iw_atomic_request){.aopcode = 1, .stag = 7, .to = BASE, .data = 5});
    struct iw_access access = {0};
    struct iw_execute_answer answer;

    (void)state;
    assert_int_equal(execute(&request, &answer), 0x0206);
    assert_int_equal(iw_execute(memory, &access, IW_EXT_ALL, &request, &answer), IW_NO_ERROR);
    assert_true(answer.original == 0x0123456789ABCDEF);
    assert_true(first_atom() == 5);
}

static void an_atomic_write_places_a_number(void **state) {
    struct iw_execute_request request = atomic_write(
        (struct iw_atomic_write_request){.stag = 8, .length = 8, .to = BASE, .data = 0x1122334455667788});
    struct iw_execute_answer answer;

    (void)state;
    assert_int_equal(execute(&request, &answer), IW_NO_ERROR);
    assert_true(first_atom() == 0x1122334455667788);
}

static void only_a_flush_to_persistence_reaches_the_medium(void **state) {
    struct iw_execute_request exposes =
        flush((struct iw_flush_request){.stag = 7, .length = 8, .to = BASE, .g = 1});
    struct iw_execute_request persists =
        flush((struct iw_flush_request){.stag = 7, .length = 4, .to = BASE + 2, .p = 1, .g = 1});
    struct iw_execute_answer answer;
    uint8_t kept[8];

    (void)state;
    memcpy(region->octets, "abcdefgh", 8);
    assert_int_equal(execute(&exposes, &answer), IW_NO_ERROR);
    iw_backing_read(region->backing, 0, kept, 8);
    assert_memory_equal(kept, "\0\0\0\0\0\0\0\0", 8);
    assert_int_equal(execute(&persists, &answer), IW_NO_ERROR);
    iw_backing_read(region->backing, 0, kept, 8);
    assert_memory_equal(kept, "\0\0cdef\0\0", 8);
}

/* 83 92 06 e3 is the CRC32C of "123456789". */
static void a_verify_gives_the_hash_of_the_medium(void **state) {
    struct iw_verify_request fields = {.stag = 7, .length = 9, .to = BASE + 3};
    struct iw_execute_request asks = verify(fields, NULL, 0);
    struct iw_execute_request expects = verify(fields, "\x83\x92\x06\xe3", 4);
    struct iw_execute_answer answer;

    (void)state;
    memcpy(region->octets + 3, "123456789", 9);
    assert_int_equal(execute(&expects, &answer), 0x0207);
    assert_true(iw_backing_persist(region->backing, 0, 32));
    assert_int_equal(execute(&expects, &answer), IW_NO_ERROR);
    assert_int_equal(execute(&asks, &answer), IW_NO_ERROR);
    assert_int_equal(answer.hash_octets, 4);
    assert_memory_equal(answer.hash, "\x83\x92\x06\xe3", 4);
}

/* ---- what fails ---- */

struct failure {
    struct iw_execute_request request;
    int error;
};

static void all_fail(const struct failure *failures, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct iw_execute_answer answer;

        if (execute(&failures[i].request, &answer) != failures[i].error)
            fail_msg("failure %zu is not %04x", i, (unsigned)failures[i].error);
    }
}

static void invalid_atomics_fail(void **state) {
#define FETCHADD(...) atomic((struct iw_atomic_request){.data = 1, __VA_ARGS__})
    const struct failure failures[] = {
        {FETCHADD(.stag = 6, .to = BASE), 0x0100},
        {FETCHADD(.stag = 7, .to = BASE - 8), 0x0101},
        {FETCHADD(.stag = 7, .to = BASE + 25), 0x0101},
        {FETCHADD(.stag = 8, .to = BASE), 0x0102},
        {FETCHADD(.stag = 10, .to = BASE), 0x0103},
        {FETCHADD(.stag = 7, .to = UINT64_MAX - 6), 0x0104},
        {FETCHADD(.stag = 7, .to = BASE + 1), 0x0207},
        {FETCHADD(.stag = 7, .to = BASE + 4), 0x0207},
        {FETCHADD(.stag = 7, .to = BASE + 5), 0x0207}, /* TO 0x1008 */
        {FETCHADD(.stag = 7, .to = BASE, .aopcode = 1), 0x0206},
        {FETCHADD(.stag = 7, .to = BASE, .aopcode = 3), 0x0206},
    };

    (void)state;
    all_fail(failures, sizeof failures / sizeof *failures);
}

static void invalid_atomic_writes_fail(void **state) {
#define WRITE(...) atomic_write((struct iw_atomic_write_request){.length = 8, .data = 1, __VA_ARGS__})
    const struct failure failures[] = {
        {WRITE(.stag = 6, .to = BASE), 0x0100},
        {WRITE(.stag = 7, .to = BASE + 32), 0x0101},
        {WRITE(.stag = 9, .to = BASE), 0x0102},
        {WRITE(.stag = 10, .to = BASE), 0x0103},
        {WRITE(.stag = 7, .to = UINT64_MAX - 6), 0x0104},
        {WRITE(.stag = 7, .to = BASE + 4), 0x0207},
        {atomic_write((struct iw_atomic_write_request){.stag = 7, .length = 4, .to = BASE}), 0x0207},
        {atomic_write((struct iw_atomic_write_request){.stag = 7, .length = 16, .to = BASE}), 0x0207},
        {atomic_write((struct iw_atomic_write_request){.stag = 7, .length = 0, .to = BASE}), 0x0207},
    };

    (void)state;
    all_fail(failures, sizeof failures / sizeof *failures);
}

static void invalid_flushes_and_verifies_fail(void **state) {
#define FLUSH(...) flush((struct iw_flush_request){.p = 1, .length = 8, __VA_ARGS__})
#define VERIFY(...) verify((struct iw_verify_request){.length = 8, __VA_ARGS__}, NULL, 0)
    const struct failure failures[] = {
        {FLUSH(.stag = 6, .to = BASE), 0x0100},
        {FLUSH(.stag = 7, .to = BASE + 25), 0x0101},
        {FLUSH(.stag = 9, .to = BASE), 0x0102},
        {flush((struct iw_flush_request){.stag = 9, .to = BASE, .length = 8, .g = 1}), 0x0102},
        {FLUSH(.stag = 10, .to = BASE), 0x0103},
        {FLUSH(.stag = 7, .to = UINT64_MAX - 6), 0x0104},
        {flush((struct iw_flush_request){.stag = 6}), 0x0100},
        {VERIFY(.stag = 6, .to = BASE), 0x0100},
        {VERIFY(.stag = 7, .to = BASE + 25), 0x0101},
        {VERIFY(.stag = 9, .to = BASE), 0x0102},
        {VERIFY(.stag = 10, .to = BASE), 0x0103},
        {VERIFY(.stag = 7, .to = UINT64_MAX - 6), 0x0104},
        {verify((struct iw_verify_request){.stag = 7, .to = BASE}, "\0\0\0\1", 4), 0x0207},
        {verify((struct iw_verify_request){.stag = 7, .to = BASE}, "\0\0\0", 3), 0x0207},
        {verify((struct iw_verify_request){.stag = 7, .to = BASE}, "\0\0\0\0\0", 5), 0x0207},
    };

    (void)state;
    all_fail(failures, sizeof failures / sizeof *failures);
}

/* ---- Invalidate ---- */

static void a_request_may_invalidate(void **state) {
    struct iw_execute_request request = atomic_write(
        (struct iw_atomic_write_request){.stag = 7, .length = 8, .to = BASE, .data = 0x1122334455667788});
    struct iw_execute_answer answer;

    (void)state;
    request.invalidate_stag = 6;
    assert_int_equal(execute(&request, &answer), 0x0109);
    request.invalidate_stag = 9;
    assert_int_equal(execute(&request, &answer), IW_NO_ERROR);
    assert_false(iw_memory_find(memory, 9)->valid);
    assert_int_equal(execute(&request, &answer), 0x0109);
    request = atomic((struct iw_atomic_request){.stag = 7, .to = BASE});
    request.invalidate_stag = 8; /* ignored in an Atomic Request (RFC 7306 4.1) */
    assert_int_equal(execute(&request, &answer), IW_NO_ERROR);
    assert_true(iw_memory_find(memory, 8)->valid);
}

/* ---- omitted checks ---- */

static void skipped_checks_do_not_write_outside_the_region(void **state) {
    const struct iw_execute_request requests[] = {FETCHADD(.stag = 7, .to = BASE + 30),
        FETCHADD(.stag = 6, .to = BASE), WRITE(.stag = 7, .to = BASE + 30), FLUSH(.stag = 7, .to = BASE + 30),
        FLUSH(.stag = 6, .to = 0), VERIFY(.stag = 7, .to = BASE + 30)};
    struct iw_execute_answer answer;
    struct iw_execute_request unaligned = FETCHADD(.stag = 7, .to = BASE + 1);

    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        assert_int_equal(execute_skipping(&requests[i], &answer, ~0u), IW_NO_ERROR);
    memset(region->octets, 0, 32);
    assert_int_equal(execute_skipping(&unaligned, &answer, IW_MEMORY_ALIGNMENT), IW_NO_ERROR);
    assert_memory_equal(region->octets + 1, &(uint64_t){1}, 8);
}

static void a_skipped_flush_is_answered(void **state) {
    struct iw_execute_request request = FLUSH(.stag = 7, .to = BASE);
    struct iw_execute_answer answer;
    uint8_t kept[8];

    (void)state;
    assert_int_equal(execute_skipping(&request, &answer, IW_MEMORY_PERSIST), IW_NO_ERROR);
    iw_backing_read(region->backing, 0, kept, 8);
    assert_memory_equal(kept, "\0\0\0\0\0\0\0\0", 8);
}

/* ---- contention (RFC 7306 5.3) ---- */

enum { THREADS = 4, ROUNDS = 20000 };

static void *add_often(void *user) {
    struct iw_execute_request request = FETCHADD(.stag = *(uint32_t *)user, .to = BASE + 8);
    struct iw_execute_answer answer;

    for (int i = 0; i < ROUNDS; i++)
        if (execute_skipping(&request, &answer, 0) != IW_NO_ERROR)
            return user;
    return NULL;
}

static void nothing_is_lost_under_contention(void **state) {
    static uint32_t stags[] = {7, 11};
    pthread_t threads[THREADS];
    uint64_t sum;

    (void)state;
    offer(11, IW_RIGHT_ATOMIC);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_often, &stags[i % 2]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;

        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    memcpy(&sum, region->octets + 8, 8);
    assert_int_equal(sum, THREADS * ROUNDS);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(atomics_return_the_original_and_store_the_result),
        TEST(swap_needs_the_storm_extension),
        TEST(an_atomic_write_places_a_number),
        TEST(only_a_flush_to_persistence_reaches_the_medium),
        TEST(a_verify_gives_the_hash_of_the_medium),
        TEST(invalid_atomics_fail),
        TEST(invalid_atomic_writes_fail),
        TEST(invalid_flushes_and_verifies_fail),
        TEST(a_request_may_invalidate),
        TEST(skipped_checks_do_not_write_outside_the_region),
        TEST(a_skipped_flush_is_answered),
        TEST(nothing_is_lost_under_contention),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
