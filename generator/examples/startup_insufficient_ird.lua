-- An initiator whose Request says IRD 16, and that has room for 4 Reads only once the Reply has come with an ORD of
-- 8: it ends the connection by a Terminate: LLP, MPA, "insufficient IRD resources" (RFC 6581 9.1). One script plays
-- both sides.
--
--   warpcheck synth startup_insufficient_ird.lua -o FILE
--   warpcheck play startup_insufficient_ird.lua

local listener = listen{}

local responder = spawn(function()
  local c = listener:accept{ord = 8}
  check(c.startup.ird == 16 and c.terms.ord == 8, "eight are no more than the Request allows")
  c:expect{{kind = "terminate", layer = 2, etype = 0, code = 6}}
  c:expect{{kind = "close", how = "fin"}}
end)

step "startup"
check(not pcall(connect, {port = listener.port, rev = 2, ird = 4, startup = {ird = 16}}), "no room for eight")
responder:wait()
