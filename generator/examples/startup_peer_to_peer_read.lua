-- The peer-to-peer model of RFC 6581, with an RDMA Read of no octets as the indication that the initiator is ready to
-- receive (RTR, 9.2). It takes one place of the responder's IRD, who makes one if neither side has any use for Reads
-- otherwise (9.1), and it is answered. The responder may then send first. One script plays both sides.
--
--   warpcheck synth startup_peer_to_peer_read.lua -o FILE
--   warpcheck play startup_peer_to_peer_read.lua

local listener = listen{}

local responder = spawn(function()
  local c = listener:accept{ird = 0}
  check(c.startup.a and c.startup.d, "the Request has A=1, and D=1")
  step "responder: sends first"
  c:send{data = "whoever has something to say"}
  c:expect{{kind = "send", data = "may say it", msn = 1}}
  c:expect{{kind = "close", how = "fin"}}
end)

step "startup"
local c = connect{port = listener.port, rev = 2, peer_to_peer = true, rtr = {"read"}, ord = 0}
check(c.startup.a and c.startup.d and c.startup.ird == 1, "the Reply has A=1, D=1, and a place")
check(c.terms.peer_to_peer, "both sides agree")

step "initiator: has sent the RTR, and waits"
c:expect{{kind = "send", data = "whoever has something to say"}}
c:send{data = "may say it"}
c:close()
c:expect{{kind = "close", how = "fin"}}
responder:wait()
