#ifndef IW_FUZZ_PACKET_H
#define IW_FUZZ_PACKET_H

#include <stddef.h>
#include <stdint.h>

/* Reads the input as a little-endian pcap file: a file header of 24 octets, where octet 20 selects the link
 * type, and packets with headers of 16 octets. Decodes each packet with tunnels and fragments, from memory
 * that ends with the packet, and reads every octet of the result. */
void iw_fuzz_packet(const uint8_t *octets, size_t length);

#endif
