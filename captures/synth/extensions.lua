-- Every message of RFC 7306 and of draft-talpey-rdma-commit-01, with Reads in between: requests share queue 1, answers
-- on queue 3 come in the order of theirs.
local manual = {responses = false, terminate = false}
local listener = listen{}

local responder = spawn(function()
  local c = listener:accept{rev = 2, auto = manual, ird = 16, ord = 16}
  c:expect{{kind = "immediate"}}
  c:expect{{kind = "immediate_se"}}
  c:expect{{kind = "atomic_request", aopcode = 0}}
  c:message{kind = "atomic_response", original_identifier = 0xcafe0001, original_value = 7}
  local read = c:expect{{kind = "read_request"}}
  c:message{kind = "read_response", stag = read.sink_stag, to = read.sink_to, data = ("r"):rep(read.size)}
  c:expect{{kind = "atomic_request", aopcode = 2}}
  c:message{kind = "atomic_response", original_identifier = 0xcafe0002, original_value = 12}
  c:expect{{kind = "flush_request"}}
  c:message{kind = "flush_response"}
  c:expect{{kind = "verify_request"}}
  c:message{kind = "verify_response", data = hex"00112233 44556677 8899aabb ccddeeff"}
  c:expect{{kind = "atomic_write_request"}}
  c:message{kind = "atomic_write_response"}
  c:expect{{kind = "close"}}
end)

local c = connect{port = listener.port, rev = 2, auto = manual, ird = 16, ord = 16}
c:immediate{data = "IMMDATA1"}
c:immediate{data = "IMMDATA2", se = true}
c:message{kind = "atomic_request", aopcode = 0, identifier = 0xcafe0001, stag = 0x100, to = 0x3000, data = 5,
  compare_mask = -1}
c:message{kind = "read_request", sink_stag = 0x200, sink_to = 0, size = 16, source_stag = 0x100, source_to = 0x40}
c:message{kind = "atomic_request", aopcode = 2, identifier = 0xcafe0002, stag = 0x100, to = 0x3000, data = 1, mask = 0xff,
  compare_data = 12, compare_mask = 0xff}
c:message{kind = "flush_request", stag = 0x100, length = 8192, to = 0x4000, p = true, g = true}
c:message{kind = "verify_request", stag = 0x100, length = 8192, to = 0x4000}
c:message{kind = "atomic_write_request", stag = 0x100, length = 8, to = 0x5000, data = 0x0123456789abcdef}
c:expect{{kind = "atomic_response"}}
c:expect{{kind = "read_response"}}
c:expect{{kind = "atomic_response"}}
c:expect{{kind = "flush_response"}}
c:expect{{kind = "verify_response"}}
c:expect{{kind = "atomic_write_response"}}
c:close()
responder:wait()
