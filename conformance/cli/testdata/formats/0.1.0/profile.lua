-- siw of Linux 6.1 with rping as ULP, as tested by conformance/dut/siw/suite.sh.
return {
  words = "siw of Linux, driven by rping of rdma-core and by warpcheck-agent",
  revision = 2, -- without enhanced data in the Request, rping has an IRD and ORD of 0
  markers = false, -- siw rejects a Request with M=1, against RFC 5044 4.3
  crc = "if-asked",
  rtr = {"write", "read"}, -- its Reply names the Read only if the Request does not name the RDMA Write
  ird = 128, ord = 128,
  atomics = false, swap = false, immediate = false,
  flush = {}, verify = {}, atomic_write = false, sctp = false,
  limits = {private_data = 252}, -- the kernel's 256, less the enhanced data
  settle = 100, -- siw sends its Reply before it watches the socket for FPDUs
}
