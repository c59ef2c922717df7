#include "iw_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define M01 "4d504120 49442052 65712046 72616d65 40010000 "
#define M03 "4d504120 49442052 65702046 72616d65 40010000 "

struct iw_bench iw_target_bench;
struct iw_region *iw_target;

enum {
    ALL = IW_RIGHT_READ | IW_RIGHT_WRITE | IW_RIGHT_ATOMIC | IW_RIGHT_PERSIST | IW_RIGHT_EXPOSE |
          IW_RIGHT_VERIFY,
};

int iw_target_set_up(void **state) {
    struct iw_registration registration = {.stag = 0x11223344,
        .base = 0x3000,
        .size = 16,
        .rights = ALL,
        .hash = IW_HASH_CRC32C,
        .persistent = true};
    enum iw_refusal refusal;
    struct iw_memory *memory = iw_memory_new();

    (void)state;
    iw_bench_init(&iw_target_bench, IW_LOOP_VIRTUAL);
    iw_target_bench.responder.config.memory = memory;
    iw_target_bench.responder.config.extensions = IW_EXT_ALL;
    iw_target = iw_memory_offer(memory, &registration, &refusal);
    memcpy(iw_target->octets, &(uint64_t){7}, 8);
    registration.over = iw_target;
    registration.stag = 0x22;
    registration.rights = 0;
    iw_memory_offer(memory, &registration, &refusal);
    registration.stag = 0x33;
    registration.rights = ALL;
    registration.stream = UINT64_MAX; /* not the number of any endpoint */
    iw_memory_offer(memory, &registration, &refusal);
    iw_memory_register(memory, 0x44, 0, 65536, IW_RIGHT_READ);
    return 0;
}

int iw_target_tear_down(void **state) {
    (void)state;
    iw_bench_free(&iw_target_bench);
    iw_memory_free(iw_target_bench.responder.config.memory);
    return 0;
}

void iw_target_again(void) {
    iw_target_tear_down(NULL);
    iw_target_set_up(NULL);
}

void iw_target_say(const char *fpdus) {
    iw_bench_connect_from_raw(&iw_target_bench);
    iw_bench_run(&iw_target_bench);
    iw_bench_say(&iw_target_bench, M01);
    iw_bench_run(&iw_target_bench);
    iw_bench_expect(&iw_target_bench, M03);
    iw_bench_say(&iw_target_bench, fpdus);
    iw_bench_run(&iw_target_bench);
}

const char *iw_target_log(void) {
    static const char begun[] = "connected request:0 established ";

    assert_memory_equal(iw_target_bench.responder.log, begun, sizeof begun - 1);
    return iw_target_bench.responder.log + sizeof begun - 1;
}

uint64_t iw_target_atom(size_t at) {
    uint64_t value;

    memcpy(&value, iw_target->octets + at, 8);
    return value;
}
