-- A connection that is rejected: a Reply with R=1, whose private data say why. MPA is over then, TCP is not: the ULPs
-- may go on without (RFC 5044 7.1.2). One script plays both sides.
--
--   warpcheck synth startup_reject.lua -o FILE
--   warpcheck play startup_reject.lua

local listener = listen{}

local responder = spawn(function()
  local c = listener:tcp{}
  local request = c:expect{{kind = "request", rev = 1}}
  step "responder: rejects"
  check(request.private_data ~= "xyzzy", "who knows the word is let in")
  c:reply{r = true, private_data = "the word is wrong"}
  c:leave()
  c:expect{{kind = "octets", octets = "never mind"}}
  c:expect{{kind = "close", how = "fin"}}
end)

step "startup"
local c = tcp{port = listener.port}
c:request{private_data = "please"}
c:expect{{kind = "reply", r = true, private_data = "the word is wrong"}}
c:leave()

step "without MPA"
c:octets("never mind")
c:close()
c:expect{{kind = "close", how = "fin"}}
responder:wait()
-- no iWARP: 1
-- not judged: what is sent after the Reject
