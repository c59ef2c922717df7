-- siw of Linux 6.1 behind rping, as conformance/dut/siw/suite.sh tests it.
return {
  words = "siw of Linux 6.1, driven by rping of rdma-core",
  revisions = {2}, -- it takes 1 too, but rping lends no depths to a Request without enhanced data
  markers = false, -- it rejects a Request with M=1
  crc = "if-asked",
  rtr = {},
  ird = 1, ord = 1,
  atomics = false, swap = false, immediate = false,
  flush = {}, verify = {}, atomic_write = false,
  settle = 100, -- it sends its Reply before it looks at the socket for FPDUs
}
