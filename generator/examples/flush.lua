-- RDMA Flush: what was written is made persistent, visible to all processors of the peer, or both, before the answer
-- comes (draft-talpey-rdma-commit-01 3.1.1).
--
--   warpcheck play flush.lua --peer HOST:PORT --arg stag=STAG --arg to=TO
--   warpcheck synth flush.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local c = connect{}
c:write{stag = stag, to = to, data = ("record"):rep(100)}

step "to persistence"
c:flush{stag = stag, to = to, length = 600}
c:expect{{kind = "flush_response"}}

step "to global visibility, and both"
c:flush{stag = stag, to = to, length = 600, g = true}
c:flush{stag = stag, to = to, length = 600, p = true, g = true}
c:expect{{kind = "flush_response"}}
c:expect{{kind = "flush_response"}}

step "close"
c:close()
c:expect{{kind = "close", how = "fin"}}
