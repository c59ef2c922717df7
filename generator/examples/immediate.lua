-- Immediate Data, and Immediate Data with SE: eight octets for the peer's ULP, here after a Write that they announce
-- (RFC 7306 6).
--
--   warpcheck play immediate.lua --peer HOST:PORT --arg stag=STAG --arg to=TO
--   warpcheck synth immediate.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local c = connect{}

step "RDMA Write, Immediate Data"
c:write{stag = stag, to = to, data = "the first block"}
c:immediate{data = "block 01"}

step "RDMA Write, Immediate Data with SE"
c:write{stag = stag, to = to + 16, data = "the last block"}
c:immediate{data = "block 02", se = true}

step "close"
c:close()
c:expect{{kind = "close", how = "fin"}}
