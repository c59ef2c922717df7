-- IRD or ORD of 3FFFh: not to be negotiated, as the ULPs agree on it by themselves (RFC 6581 9.1). The responder
-- answers ORD 3FFFh by IRD 3FFFh, IRD 3FFFh by ORD 3FFFh, and each side keeps what it has: here, 2 and 4.
--
--   warpcheck synth startup_depths_open.lua -o FILE
--   warpcheck play startup_depths_open.lua

local listener = listen{}
local open = 0x3fff

local function negotiate(asked, reply)
  local responder = spawn(function()
    local c = listener:accept{ird = 4, ord = 4}
    check(c.startup.ird == asked.ird and c.startup.ord == asked.ord, "the Request tells this")
    check(c.terms.ird == 4, "the responder holds as many as before")
    check(c.terms.ord == (asked.ird == open and 4 or 2), "and asks for as many as before")
    c:expect{{kind = "send"}}
    c:expect{{kind = "close"}}
  end)

  -- `startup` changes what the Request says, not what this side has.
  local c = connect{port = listener.port, rev = 2, ird = 2, ord = 2, startup = asked}
  check(c.startup.ird == reply.ird and c.startup.ord == reply.ord, "the Reply tells that")
  check(c.terms.ird == 2 and c.terms.ord == 2, "the initiator stays as it is")
  c:send{}
  c:close()
  c:expect{{kind = "close", how = "fin"}}
  responder:wait()
end

step "neither is negotiated"
negotiate({ird = open, ord = open}, {ird = open, ord = open})

step "only how many the initiator may have open is"
negotiate({ird = open, ord = 2}, {ird = 4, ord = open})

step "only how many the responder may have open is"
negotiate({ird = 2, ord = open}, {ird = open, ord = 2})
