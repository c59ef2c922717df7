#include "iw_check_event_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

/* Adds a close event with this frame. What the event points to is invalid after the return. */
static void take(struct iw_check_event_ring *ring, uint64_t frame) {
    struct iw_llp_event llp = {.kind = IW_LLP_CLOSE, .side = IW_SIDE_B, .frame = frame};
    const struct iw_monitor_event event = {.llp = &llp, .role = IW_ROLE_RESPONDER};

    iw_check_event_ring_take(ring, &event);
    llp.frame = 0;
}

/* Expects the events with these frames, the oldest first. */
static void expect(struct iw_check_event_ring *ring, uint64_t first, uint64_t last) {
    for (uint64_t frame = first; frame <= last; frame++) {
        const struct iw_monitor_event *event = iw_check_event_ring_pop(ring);

        assert_non_null(event);
        assert_int_equal(event->llp->frame, frame);
        assert_int_equal(event->role, IW_ROLE_RESPONDER);
    }
    assert_null(iw_check_event_ring_pop(ring));
}

static void the_ring_returns_the_latest_events_in_order(void **state) {
    (void)state;
    for (uint64_t count = 0; count <= 8; count++) {
        struct iw_check_event_ring *ring = calloc(1, sizeof *ring);

        assert_non_null(ring);
        for (uint64_t frame = 1; frame <= count; frame++)
            take(ring, frame);
        assert_int_equal(IW_CHECK_EVENT_RING, 3);
        expect(ring, count > 3 ? count - 2 : 1, count);
        iw_check_event_ring_free(ring);
    }
}

/* Whatever index the oldest event has. */
static void an_emptied_ring_takes_events_again(void **state) {
    struct iw_check_event_ring *ring = calloc(1, sizeof *ring);

    (void)state;
    assert_non_null(ring);
    for (uint64_t frame = 1; frame <= 20; frame += 2) {
        take(ring, frame);
        take(ring, frame + 1);
        expect(ring, frame, frame + 1);
    }
    take(ring, 30);
    take(ring, 31);
    assert_int_equal(iw_check_event_ring_pop(ring)->llp->frame, 30);
    take(ring, 32);
    expect(ring, 31, 32);
    iw_check_event_ring_free(ring);
    iw_check_event_ring_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ring_returns_the_latest_events_in_order),
        cmocka_unit_test(an_emptied_ring_takes_events_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
