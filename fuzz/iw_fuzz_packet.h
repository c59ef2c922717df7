#ifndef IW_FUZZ_PACKET_H
#define IW_FUZZ_PACKET_H

#include <stddef.h>
#include <stdint.h>

/* Reads the input as a little-endian pcap file: a file header of 24 octets, of which octet 20 chooses the
 * link, and packets with a header of 16 octets. Reads each packet with tunnels and fragments, from memory
 * that ends with it, and every octet of the result. */
void iw_fuzz_packet(const uint8_t *octets, size_t length);

#endif
