return {
  words = "uses CRC only if the peer asks for it",
  crc = "if-asked",
}
