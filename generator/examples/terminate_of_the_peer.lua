-- The peer's Terminate, with the headers of the Read Request that it is about.
--
--   warpcheck play terminate_of_the_peer.lua --peer HOST:PORT
--   warpcheck synth terminate_of_the_peer.lua -o FILE

local c = connect{}
local sink = region{size = 16, rights = ""}

step "read from an unknown STag"
c:read{region = sink, source_stag = 0x7badbad1, source_to = 0}

step "Terminate: RDMA, Remote Protection Error, Invalid STag"
local terminate = c:expect{{kind = "terminate", layer = 0, etype = 1, code = 0, m = true, d = true, r = true}}
check(terminate.terminated.msn == 1 and terminate.terminated_request.source_stag == 0x7badbad1, "it shows the request")
c:expect{{kind = "close", how = "fin"}}
