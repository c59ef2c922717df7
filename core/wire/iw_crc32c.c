#include "iw_crc32c.h"

#include <limits.h>

#ifdef IW_WITH_ISAL
#include <isa-l/crc.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#endif

/* Plain C, one nibble at a time; the compiler builds the table of 16 words from the polynomial. */
#define STEP(crc) ((crc) >> 1 ^ (UINT32_C(0x82F63B78) & (0 - ((crc)&1))))
#define NIBBLE(n) STEP(STEP(STEP(STEP(UINT32_C(n)))))

static const uint32_t crc32c_nibble[16] = {NIBBLE(0), NIBBLE(1), NIBBLE(2), NIBBLE(3), NIBBLE(4), NIBBLE(5),
    NIBBLE(6), NIBBLE(7), NIBBLE(8), NIBBLE(9), NIBBLE(10), NIBBLE(11), NIBBLE(12), NIBBLE(13), NIBBLE(14),
    NIBBLE(15)};

uint32_t iw_crc32c_update_portable(uint32_t state, const uint8_t *octets, size_t count) {
    for (size_t i = 0; i < count; i++) {
        state ^= octets[i];
        state = state >> 4 ^ crc32c_nibble[state & 0xF];
        state = state >> 4 ^ crc32c_nibble[state & 0xF];
    }
    return state;
}

#ifdef IW_WITH_ISAL
#ifdef __x86_64__
__attribute__((target("avx"))) static void crc32c_clear_upper_halves(void) {
    _mm256_zeroupper();
}

/* ISA-L's AVX-512 code leaves the upper halves of the vector registers in use. Every SSE instruction is slow
 * until these halves are cleared: this took a sixth of tshark's time. */
static void crc32c_end_vectors(void) {
    if (__builtin_cpu_supports("avx"))
        crc32c_clear_upper_halves();
}
#else
static void crc32c_end_vectors(void) {}
#endif
#endif

uint32_t iw_crc32c_update(uint32_t state, const uint8_t *octets, size_t count) {
#ifdef IW_WITH_ISAL
    while (count > 0) {
        int piece = count > INT_MAX ? INT_MAX : (int)count;

        state = crc32_iscsi((unsigned char *)(uintptr_t)octets, piece, state); /* the call only reads */
        octets += piece;
        count -= (size_t)piece;
    }
    crc32c_end_vectors();
    return state;
#else
    return iw_crc32c_update_portable(state, octets, count);
#endif
}

uint32_t iw_crc32c_end(uint32_t state) {
    return __builtin_bswap32(~state);
}

uint32_t iw_crc32c(const uint8_t *octets, size_t count) {
    return iw_crc32c_end(iw_crc32c_update(iw_crc32c_begin(), octets, count));
}
