#include "iw_crc32c.h"

#include <limits.h>

#ifdef __aarch64__
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#ifdef IW_WITH_ISAL
#include <isa-l/crc.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#endif

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

uint32_t iw_crc32c(const uint8_t *octets, size_t count) {
    return iw_crc32c_end(iw_crc32c_update(iw_crc32c_begin(), octets, count));
}

bool iw_crc32c_with_isal(void) {
#ifdef IW_WITH_ISAL
    return true;
#else
    return false;
#endif
}

const char *iw_crc32c_instructions(void) {
#if defined __x86_64__
    bool crc32 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");

    if (crc32 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq"))
        return "AVX-512 and VPCLMULQDQ";
    return crc32 ? "SSE 4.2 and PCLMULQDQ" : NULL;
#elif defined __aarch64__
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0 ? "the CRC32 instructions of ARMv8" : NULL;
#else
    return NULL;
#endif
}
