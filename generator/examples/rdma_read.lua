-- RDMA Read Request and RDMA Read Response: octets of the peer's memory into one's own.
--
--   warpcheck play rdma_read.lua --peer HOST:PORT --arg stag=STAG --arg to=TO
--   warpcheck synth rdma_read.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local c = connect{ord = 2}
local sinks = {}

step "eight Reads, no more than ORD at a time, answered in their order"
for i = 1, 8 do
  sinks[i] = region{size = 100 * i, rights = ""}
  c:read{region = sinks[i], source_stag = stag, source_to = to}
end
for i = 1, 8 do
  c:expect{{kind = "read_response", stag = sinks[i].stag, size = 100 * i}}
end
check(sinks[8]:get(0, 700) == sinks[7]:get(), "all have read the same octets")

step "close"
c:close()
c:expect{{kind = "close", how = "fin"}}
