-- The peer-to-peer model of RFC 6581, with a Send of no octets as the indication that the initiator is ready to
-- receive (RTR, 9.2). It takes none of the receive buffers. The responder may then send first. One script plays both
-- sides.
--
--   warpcheck synth startup_peer_to_peer_send.lua -o FILE
--   warpcheck play startup_peer_to_peer_send.lua

local listener = listen{}

local responder = spawn(function()
  local c = listener:accept{}
  check(c.startup.a and c.startup.b, "the Request has A=1, and B=1")
  step "responder: sends first"
  c:send{data = "whoever has something to say"}
  c:expect{{kind = "send", data = "may say it", msn = 2}}
  c:expect{{kind = "close", how = "fin"}}
end)

step "startup"
local c = connect{port = listener.port, rev = 2, peer_to_peer = true, rtr = {"send"}}
check(c.startup.a and c.startup.b, "the Reply has A=1, and B=1")
check(c.terms.peer_to_peer, "both sides agree")

step "initiator: has sent the RTR, and waits"
c:expect{{kind = "send", data = "whoever has something to say"}}
c:send{data = "may say it"}
c:close()
c:expect{{kind = "close", how = "fin"}}
responder:wait()
