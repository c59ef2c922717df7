#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "iw_ddp_association.h"
#include "iw_sctp_wait_test.h"

/* Associations that a listener accepts and that end without a session. */

enum { ASSOCIATIONS_MAX = 1024 };

struct bench {
    struct sctp_wait wait;
    struct iw_sctp_stack *stack;
    struct iw_ddp_listener *listener;
    unsigned opened;
    unsigned ended; /* of the associations that the test opened */
    unsigned listener_opened;
    unsigned listener_ended;
    bool frees; /* frees an association in its `ended` event */
};

static void look(struct bench *bench) {
    sctp_wait_look(&bench->wait, bench);
}

static void on_opened(void *user, struct iw_ddp_association *association) {
    struct bench *bench = user;

    (void)association;
    bench->opened++;
    look(bench);
}

static void on_ended(
    void *user, struct iw_ddp_association *association, enum iw_sctp_link_end end, const char *text) {
    struct bench *bench = user;

    (void)end;
    (void)text;
    bench->ended++;
    if (bench->frees)
        iw_ddp_association_free(association);
    look(bench);
}

static void on_listener_opened(void *user, struct iw_ddp_association *association) {
    struct bench *bench = user;

    (void)association;
    bench->listener_opened++;
    look(bench);
}

static void on_listener_ended(
    void *user, struct iw_ddp_association *association, enum iw_sctp_link_end end, const char *text) {
    struct bench *bench = user;

    (void)association;
    (void)end;
    (void)text;
    bench->listener_ended++;
    look(bench);
}

static void run_until(struct bench *bench, bool (*done)(const struct bench *bench)) {
    sctp_wait_until(&bench->wait, bench, done);
}

static void begin(struct bench *bench) {
    static const struct iw_ddp_association_handlers handlers = {
        .opened = on_listener_opened, .ended = on_listener_ended};
    const struct iw_sctp_where where = {.host = "127.0.0.1", .tunnelled = true};
    const struct iw_ddp_association_config config = {0};
    char text[IW_SCTP_LINK_TEXT_OCTETS];

    memset(bench, 0, sizeof *bench);
    bench->wait.loop = iw_loop_new(IW_LOOP_VIRTUAL);
    bench->stack = iw_sctp_stack_new(bench->wait.loop);
    bench->listener = iw_ddp_listener_new(bench->stack, &where, &config, &handlers, bench, text);
    assert_non_null(bench->listener);
}

static void end_bench(struct bench *bench) {
    iw_ddp_listener_free(bench->listener);
    iw_sctp_stack_free(bench->stack);
    iw_loop_free(bench->wait.loop);
}

static struct iw_ddp_association *open_one(struct bench *bench, const struct iw_sctp_link_config *link) {
    static const struct iw_ddp_association_handlers handlers = {.opened = on_opened, .ended = on_ended};
    const struct iw_ddp_association_config config = {.link = *link};
    struct iw_sctp_where where = iw_ddp_listener_where(bench->listener);
    struct iw_ddp_association *association;
    char text[IW_SCTP_LINK_TEXT_OCTETS];

    where.host = "127.0.0.1";
    association = iw_ddp_association_connect(bench->stack, &where, &config, &handlers, bench, text);
    assert_non_null(association);
    return association;
}

static const struct iw_sctp_link_config plain;

static bool all_opened(const struct bench *bench) {
    return bench->opened == bench->listener_opened && bench->opened > bench->listener_ended;
}

static bool all_ended(const struct bench *bench) {
    return bench->listener_ended == bench->opened;
}

/* An association that is over does not count: in total, more may come than the limit at a time. */
static void test_many_one_by_one(void **state) {
    struct bench bench;

    (void)state;
    begin(&bench);
    for (unsigned i = 0; i < ASSOCIATIONS_MAX + 8; i++) {
        struct iw_ddp_association *association = open_one(&bench, &plain);

        run_until(&bench, all_opened);
        iw_ddp_association_free(association);
        run_until(&bench, all_ended);
    }
    assert_int_equal(bench.ended, 0);
    end_bench(&bench);
}

static bool one_ended(const struct bench *bench) {
    return bench->ended == 1;
}

static void test_too_many(void **state) {
    static struct iw_ddp_association *associations[ASSOCIATIONS_MAX + 1];
    struct bench bench;

    (void)state;
    begin(&bench);
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++) {
        associations[i] = open_one(&bench, &plain);
        run_until(&bench, all_opened);
    }
    associations[ASSOCIATIONS_MAX] = open_one(&bench, &plain);
    run_until(&bench, one_ended);
    assert_int_equal(bench.listener_opened, ASSOCIATIONS_MAX);
    assert_int_equal(bench.listener_ended, 0);
    for (unsigned i = 0; i <= ASSOCIATIONS_MAX; i++)
        iw_ddp_association_free(associations[i]);
    end_bench(&bench);
}

/* The opener may free the association in its `ended` event: after an abort, a refusal by the peer, or a
 * missing indication of DDP (RFC 5043 11.1). */
static void test_freed_from_its_end(void **state) {
    const struct iw_sctp_link_config unindicated = {.unindicated = true};
    struct iw_ddp_association *association;
    struct bench bench;

    (void)state;
    begin(&bench);
    bench.frees = true;
    association = open_one(&bench, &plain);
    run_until(&bench, all_opened);
    iw_ddp_association_abort(association);
    run_until(&bench, one_ended);
    end_bench(&bench);

    begin(&bench);
    bench.frees = true;
    open_one(&bench, &unindicated);
    run_until(&bench, one_ended);
    end_bench(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_one_by_one),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_freed_from_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
