-- CmpSwap: 64 bits are replaced if they are what was expected, under masks (RFC 7306 5.1.2). Here one takes a lock that
-- is one octet of them, and does not get it a second time.
--
--   warpcheck play cmp_swap.lua --peer HOST:PORT --arg stag=STAG --arg to=TO
--   warpcheck synth cmp_swap.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local c = connect{}
local lock = {stag = stag, to = to, compare = 0, compare_mask = 0xff, swap = 0x5a, swap_mask = 0xff}
c:write{stag = stag, to = to, data = string.pack("I8", 0x1234567800)}

step "the lock is free"
c:cmp_swap(lock)
c:expect{{kind = "atomic_response", original_value = 0x1234567800}}

step "and now it is not"
c:cmp_swap(lock)
c:expect{{kind = "atomic_response", original_value = 0x123456785a}}

step "close"
c:close()
c:expect{{kind = "close", how = "fin"}}
