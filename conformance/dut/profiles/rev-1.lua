return {
  words = "MPA revision 1 and RFC 5040 alone",
  revisions = {1},
  rtr = {},
  atomics = false, swap = false, immediate = false,
  flush = {}, verify = {}, atomic_write = false, sctp = false,
}
