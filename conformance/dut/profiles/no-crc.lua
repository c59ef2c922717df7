return {
  words = "leaves it to the peer to ask for CRC",
  crc = "if-asked",
}
