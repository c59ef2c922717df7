-- RDMA Write: octets of one's own into memory of the peer, which sends no answer; a Read shows that they are there.
--
--   warpcheck serve                                                            (says which region it offers)
--   warpcheck play rdma_write.lua --peer HOST:PORT --arg stag=STAG --arg to=TO
--   warpcheck synth rdma_write.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local c = connect{}
local sink = region{size = 3000, rights = ""}

step "RDMA Write: 3000 octets are three segments"
c:write{stag = stag, to = to, data = ("0123456789"):rep(300)}

step "read it back"
c:read{region = sink, source_stag = stag, source_to = to}
c:expect{{kind = "read_response", size = 3000, segments = 3}}
check(sink:get() == ("0123456789"):rep(300), "what was written is what is read")

step "RDMA Write of nothing: STag and TO are ignored"
c:write{stag = 0x7badbad1, to = -1}

step "close"
c:close()
c:expect{{kind = "close", how = "fin"}}
