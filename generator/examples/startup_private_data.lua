-- Private data: up to 512 octets of the ULP's in either startup frame (RFC 5044 7.1.1, 7.1.4). One script plays both
-- sides.
--
--   warpcheck synth startup_private_data.lua -o FILE
--   warpcheck play startup_private_data.lua

local listener = listen{}
local most = ("0123456789abcdef"):rep(32)

local function talk(asked, answered)
  local responder = spawn(function()
    local c = listener:accept{private_data = answered}
    check(c.startup.private_data == asked, "the Request brings what the initiator says")
    c:expect{{kind = "send"}}
    c:expect{{kind = "close"}}
  end)

  local c = connect{port = listener.port, private_data = asked}
  check(c.startup.private_data == answered, "the Reply brings what the responder says")
  c:send{}
  c:close()
  c:expect{{kind = "close", how = "fin"}}
  responder:wait()
end

step "both say something"
talk("where may I write?", string.pack(">I4I8I4", 0x100, 0, 4096))

step "only the initiator does"
talk("hello", "")

step "only the responder does"
talk("", "hello")

step "as much as fits"
check(#most == 512, "512 octets are the most")
talk(most, most)
