-- A responder that needs more Reads at a time than the initiator's IRD rejects, and tells in the ORD of its Reply how
-- many. The initiator makes a second attempt with as many (RFC 6581 9.1). One script plays both sides.
--
--   warpcheck synth startup_reject_ird.lua -o FILE
--   warpcheck play startup_reject_ird.lua

local listener = listen{}
local needed = 16

local responder = spawn(function()
  for _ = 1, 2 do
    local c = listener:tcp{ird = 8, ord = needed}
    local request = c:expect{{kind = "request", enhanced = true}}
    if request.ird < needed then
      step "responder: too few"
      c:reply{r = true, ord = needed, private_data = "insufficient IRD"}
      c:leave()
    else
      step "responder: enough"
      c:reply{}
      c:full()
      check(c.terms.ord == needed, "as many as are needed")
      c:expect{{kind = "send"}}
    end
    c:expect{{kind = "close", how = "fin"}}
  end
end)

step "an attempt with IRD 4"
local c = tcp{port = listener.port}
c:request{rev = 2, enhanced = true, ird = 4, ord = 8}
local reply = c:expect{{kind = "reply", r = true, enhanced = true, private_data = "insufficient IRD"}}
check(reply.ord == needed, "the Reply tells how many are needed")
c:leave()
c:close()
c:expect{{kind = "close", how = "fin"}}

step "send a second Request with the IRD needed"
c = connect{port = listener.port, rev = 2, ird = reply.ord, ord = 8}
check(c.terms.ird == needed, "granted")
c:send{}
c:close()
c:expect{{kind = "close", how = "fin"}}
responder:wait()
