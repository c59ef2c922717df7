-- MPA after octets of a different protocol: the ULPs agree in streaming mode on where MPA begins, and go through its startup
-- there (RFC 5044 7.1.3). One script plays both sides.
--
--   warpcheck synth startup_delayed.lua -o FILE
--   warpcheck play startup_delayed.lua

local listener = listen{}

local responder = spawn(function()
  local c = listener:tcp{streaming = true}
  c:expect{{kind = "octets", octets = "HELLO, switch to DDP\r\n"}}
  step "responder: the last octets in streaming mode"
  c:octets("HELLO, MPA begins after this line\r\n")
  c:enter()
  c:expect{{kind = "request", rev = 1}}
  c:reply{m = true}
  c:full()
  c:expect{{kind = "send", data = "by DDP"}}
  c:send{data = "so it is"}
  c:expect{{kind = "close", how = "fin"}}
end)

step "streaming mode"
local c = tcp{port = listener.port, streaming = true}
c:octets("HELLO, switch to DDP\r\n")
c:expect{{kind = "octets", octets = "HELLO, MPA begins after this line\r\n"}}

step "startup"
c:enter()
c:request{}
c:expect{{kind = "reply", r = false}}
c:full()

step "full operation: Markers count from where it begins"
c:send{data = "by DDP"}
c:expect{{kind = "send", data = "so it is"}}
c:close()
c:expect{{kind = "close", how = "fin"}}
responder:wait()
-- no iWARP: 2
