-- siw of Linux 6.1 behind rping, as conformance/dut/siw/suite.sh tests it.
return {
  words = "siw of Linux 6.1, driven by rping of rdma-core",
  revision = 2, -- to a Request without enhanced data rping lends no depths
  markers = false, -- it rejects a Request with M=1
  crc = "if-asked",
  rtr = {"write"},
  ird = 128, ord = 128,
  atomics = false, swap = false, immediate = false,
  flush = {}, verify = {}, atomic_write = false, sctp = false,
  settle = 100, -- it sends its Reply before it looks at the socket for FPDUs
}
