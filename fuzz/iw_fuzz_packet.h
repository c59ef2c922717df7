#ifndef IW_FUZZ_PACKET_H
#define IW_FUZZ_PACKET_H

#include <stddef.h>
#include <stdint.h>

/* Takes the octets for a pcap file with the least significant octet first, whatever they say: a header of 24,
 * of which octet 20 chooses the link, and packets of a head of 16, with two lengths, and octets. Each is read
 * with tunnels and fragments, from memory that ends with it, and every octet that comes of it is touched. */
void iw_fuzz_packet(const uint8_t *octets, size_t length);

#endif
