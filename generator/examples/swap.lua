-- Swap, which draft-ietf-storm-rdmap-ext-01 has and RFC 7306 has not: 64 bits are replaced whatever they are. It is taken
-- by who has the storm draft among its --extensions.
-- extensions: storm
--
--   warpcheck play --extensions storm swap.lua --peer HOST:PORT --arg stag=STAG --arg to=TO
--   warpcheck synth --extensions storm swap.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local c = connect{}
c:write{stag = stag, to = to, data = string.pack("I8", 1)}

step "Swap"
c:swap{stag = stag, to = to, swap = 2}
c:swap{stag = stag, to = to, swap = 3}
c:expect{{kind = "atomic_response", original_value = 1}}
c:expect{{kind = "atomic_response", original_value = 2}}

step "close"
c:close()
c:expect{{kind = "close", how = "fin"}}
