-- One wrong message, and the Terminate of the reference endpoint; --arg fault= says which.
local faults = {
  crc = function(c) c:send{data = "hello", crc_flip = 1} end,
  msn = function(c) c:send{data = "hello", msn = 3} end,
  mo = function(c) c:send{data = "hello", mo = 4} end,
  qn = function(c) c:send{data = "hello", qn = 7} end,
  dv = function(c) c:send{data = "hello", dv = 0} end,
  rv = function(c) c:send{data = "hello", rv = 2} end,
  stag = function(c) c:write{stag = 0xdead, to = 0, data = "hello"} end,
  bounds = function(c) c:write{stag = peer.stag, to = peer.to + peer.size - 2, data = "hello"} end,
  read = function(c) c:read{region = region{size = 64}, source_stag = 0xdead, source_to = 0} end,
  invalidate = function(c) c:send{data = "hello", invalidate = 0xdead} end,
}
local c = connect{}
c:send{data = "a good one first"}
faults[args.fault](c)
c:expect{{kind = "terminate"}}
c:expect{{kind = "close"}}
