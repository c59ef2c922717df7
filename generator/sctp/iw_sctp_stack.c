#include "iw_sctp_link_state.h"

#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include <usrsctp.h>

enum {
    TICK_MS = 10,
    NS_PER_MS = 1000000,
    NS_PER_S = 1000000000,
    PORT_FIRST = 49152,
    PORT_COUNT = 16384,
    CHUNKS_ON_QUEUE_MAX = 4096, /* per association: well below the 32767 of RFC 5043 10 */
};

static int stack_put_packet(void *address, void *octets, size_t length, uint8_t tos, uint8_t set_df) {
    struct iw_sctp_route *route = iw_sctp_route_of_number((uintptr_t)address);

    (void)tos;
    (void)set_df;
    if (route != NULL)
        iw_sctp_route_put(route, octets, length);
    return 0;
}

/* Initializes usrsctp once, until the program ends. Disables its extensions, so that an INIT offers none. */
static void stack_begin_usrsctp(void) {
    static bool begun;

    if (begun)
        return;
    begun = true;
    usrsctp_init_nothreads(0, stack_put_packet, NULL);
    usrsctp_sysctl_set_sctp_ecn_enable(0);
    usrsctp_sysctl_set_sctp_pr_enable(0);
    usrsctp_sysctl_set_sctp_auth_enable(0);
    usrsctp_sysctl_set_sctp_asconf_enable(0);
    usrsctp_sysctl_set_sctp_auto_asconf(0);
    usrsctp_sysctl_set_sctp_reconfig_enable(0);
    usrsctp_sysctl_set_sctp_nrsack_enable(0);
    usrsctp_sysctl_set_sctp_pktdrop_enable(0);
    usrsctp_sysctl_set_sctp_max_chunks_on_queue(CHUNKS_ON_QUEUE_MAX);
    usrsctp_sysctl_set_sctp_enable_sack_immediately(1);
    /* no limit: only a silent peer ends the association (RFC 9260 8.1) */
    usrsctp_sysctl_set_sctp_max_retran_chunk(0);
}

static TAILQ_HEAD(stack_list, iw_sctp_stack) in_use = TAILQ_HEAD_INITIALIZER(in_use);

/* Replaces gettimeofday, with which usrsctp measures the age of chunks. On a virtual loop, real time hardly
 * passes, and chunks would never be old enough to be retransmitted. */
__attribute__((visibility("default"))) int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    const struct iw_sctp_stack *stack = TAILQ_FIRST(&in_use);
    struct timespec time;

    (void)zone;
    if (stack != NULL && iw_loop_kind(stack->loop) == IW_LOOP_VIRTUAL) {
        uint64_t ns = iw_loop_time_ns(stack->loop);

        time = (struct timespec){(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    } else if (clock_gettime(CLOCK_REALTIME, &time) != 0) {
        return -1;
    }
    *now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

/* Reports the time that has passed to usrsctp: once for all stacks of a loop, because they share usrsctp. */
static void stack_tick(void *user) {
    struct iw_sctp_stack *stack = user;
    uint64_t passed_ms = (iw_loop_time_ns(stack->loop) - stack->reported_ns) / NS_PER_MS;

    stack->reported_ns += passed_ms * NS_PER_MS;
    for (struct iw_sctp_stack *other = TAILQ_FIRST(&in_use); other != NULL; other = TAILQ_NEXT(other, all))
        if (other->loop == stack->loop)
            other->reported_ns = stack->reported_ns;
    iw_timer_start(&stack->clock, stack->loop, TICK_MS * 1000, stack_tick, stack);
    if (passed_ms > 0 && passed_ms <= UINT32_MAX)
        usrsctp_handle_timers((uint32_t)passed_ms);
}

void iw_sctp_stack_use(struct iw_sctp_stack *stack) {
    if (stack->users++ > 0)
        return;
    stack->reported_ns = iw_loop_time_ns(stack->loop);
    TAILQ_INSERT_TAIL(&in_use, stack, all);
    iw_timer_start(&stack->clock, stack->loop, TICK_MS * 1000, stack_tick, stack);
}

void iw_sctp_stack_leave(struct iw_sctp_stack *stack) {
    if (--stack->users > 0)
        return;
    TAILQ_REMOVE(&in_use, stack, all);
    iw_timer_stop(&stack->clock);
}

/* Both ends of an association may have the same address: their ports must then differ. */
uint16_t iw_sctp_stack_port(const struct iw_sctp_stack *stack, uint16_t other) {
    static unsigned last; /* for all stacks, like usrsctp */
    uint16_t port;

    if (last == 0 && iw_loop_kind(stack->loop) == IW_LOOP_REAL)
        last = arc4random_uniform(PORT_COUNT);
    do
        port = (uint16_t)(PORT_FIRST + last++ % PORT_COUNT);
    while (port == other);
    return port;
}

struct iw_loop *iw_sctp_stack_loop(const struct iw_sctp_stack *stack) {
    return stack->loop;
}

bool iw_sctp_stack_available(void) {
    return true;
}

struct iw_sctp_stack *iw_sctp_stack_new(struct iw_loop *loop) {
    struct iw_sctp_stack *stack = calloc(1, sizeof *stack);

    if (stack == NULL)
        return NULL;
    stack_begin_usrsctp();
    stack->loop = loop;
    return stack;
}

void iw_sctp_stack_free(struct iw_sctp_stack *stack) {
    if (stack == NULL)
        return;
    if (stack->users > 0)
        TAILQ_REMOVE(&in_use, stack, all);
    iw_timer_stop(&stack->clock);
    free(stack);
}
