return {
  words = "RFC 5040 to 5044 and 6581, without extensions",
  atomics = false, swap = false, immediate = false,
  flush = {}, verify = {}, atomic_write = false,
}
