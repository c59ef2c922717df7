return {
  words = "RFC 7306: atomic operations and immediate data, without Swap",
  swap = false,
  flush = {}, verify = {}, atomic_write = false,
}
