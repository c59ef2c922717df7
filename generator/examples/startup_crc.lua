-- CRC: it is in use if one side asks for it, C=1, and for both then. If neither does, the CRC field is there, but not
-- looked at (RFC 5044 7.1.1). One script plays both sides.
--
--   warpcheck synth startup_crc.lua -o FILE
--   warpcheck play startup_crc.lua

local listener = listen{}

local function talk(asks, answers)
  local used = asks or answers
  local responder = spawn(function()
    local c = listener:accept{crc = answers}
    check(c.startup.c == asks and c.terms.crc == used, "the Request has C as asked for")
    c:expect{{kind = "send", data = "hello", crc = used and "good" or "unchecked"}}
    c:send{data = "yes?", crc = not used and 0 or nil}
    c:expect{{kind = "close", how = "fin"}}
  end)

  local c = connect{port = listener.port, crc = asks}
  check(c.startup.c == answers and c.terms.crc == used, "the Reply has C as asked for")
  c:send{data = "hello", crc = not used and 0xffffffff or nil}
  c:expect{{kind = "send", data = "yes?", crc = used and "good" or "unchecked"}}
  c:close()
  c:expect{{kind = "close", how = "fin"}}
  responder:wait()
end

step "both ask for CRC"
talk(true, true)

step "only the initiator does"
talk(true, false)

step "only the responder does"
talk(false, true)

step "neither side asks for CRC"
talk(false, false)
