-- FetchAdd, plain and on several fields of the 64 bits (RFC 7306 5.1.1). Each answer tells what was there before.
--
--   warpcheck play fetch_add.lua --peer HOST:PORT --arg stag=STAG --arg to=TO
--   warpcheck synth fetch_add.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local c = connect{}
c:write{stag = stag, to = to, data = string.pack("I8", 40)}

step "add 1, and nothing: the harmless way to ask whether a peer knows atomics"
c:fetch_add{stag = stag, to = to, add = 1}
c:fetch_add{stag = stag, to = to, add = 0}
c:expect{{kind = "atomic_response", original_value = 40}}
c:expect{{kind = "atomic_response", original_value = 41}}

step "two counters of 32 bits: nothing is carried from one to the other"
c:write{stag = stag, to = to, data = string.pack("I8", 0x00000007ffffffff)}
c:fetch_add{stag = stag, to = to, add = 0x0000000100000001, add_mask = 0x8000000080000000}
c:fetch_add{stag = stag, to = to, add = 0}
c:expect{{kind = "atomic_response", original_value = 0x00000007ffffffff}}
c:expect{{kind = "atomic_response", original_value = 0x0000000800000000}}

step "close"
c:close()
c:expect{{kind = "close", how = "fin"}}
