-- Atomic Write: 64 bits that are placed at once, and after everything that was asked for before
-- (draft-talpey-rdma-commit-01 3.1.3).
--
--   warpcheck play atomic_write.lua --peer HOST:PORT --arg stag=STAG --arg to=TO
--   warpcheck synth atomic_write.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local c = connect{}

step "Atomic Write"
c:atomic_write{stag = stag, to = to, data = 0x0123456789abcdef}
c:expect{{kind = "atomic_write_response"}}
c:fetch_add{stag = stag, to = to, add = 0}
c:expect{{kind = "atomic_response", original_value = 0x0123456789abcdef}}

step "where 64 bits are not aligned nothing is placed"
c:atomic_write{stag = stag, to = to + 4, data = 7}
c:expect{{kind = "terminate", layer = 0, etype = 2, code = 7}}
c:expect{{kind = "close", how = "fin"}}
