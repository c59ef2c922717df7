return {
  words = "with atomic operations and immediate data, without Swap and what is for persistent memory",
  swap = false,
  flush = {}, verify = {}, atomic_write = false,
}
