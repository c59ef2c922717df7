#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words from octets; the caller checks the bounds. */
static inline uint32_t iw_upper_big32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}
static inline uint64_t iw_upper_big64(const uint8_t *at) {
    return (uint64_t)iw_upper_big32(at) << 32 | iw_upper_big32(at + 4);
}
static inline uint16_t iw_upper_little16(const uint8_t *at) {
    return (uint16_t)(at[0] | at[1] << 8);
}
static inline uint32_t iw_upper_little32(const uint8_t *at) {
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}
static inline uint64_t iw_upper_little64(const uint8_t *at) {
    return (uint64_t)iw_upper_little32(at + 4) << 32 | iw_upper_little32(at);
}
static inline bool iw_upper_are_zero(const uint8_t *at, size_t octets) {
    for (size_t i = 0; i < octets; i++)
        if (at[i] != 0)
            return false;
    return true;
}
