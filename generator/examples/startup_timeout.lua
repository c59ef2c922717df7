-- A peer that says nothing, or half of what it should, is not waited for without end: not by a responder for the
-- Request, nor by an initiator for the Reply (RFC 5044 7.1.2). One script plays both sides.
--
--   warpcheck synth startup_timeout.lua -o FILE
--   warpcheck play startup_timeout.lua

local listener = listen{}

local function responder_gives_up(say)
  local responder = spawn(function()
    local ok, failure = pcall(listener.accept, listener, {timeout = 0.2})
    check(not ok and failure.kind == "failure", failure)
  end)
  local c = tcp{port = listener.port}
  say(c)
  c:expect{{kind = "close", how = "fin"}}
  responder:wait()
end

step "no Request"
responder_gives_up(function() end)

step "half of a Request"
responder_gives_up(function(c) c:request{private_data = "something", cut = 22} end)

step "no Reply"
local responder = spawn(function()
  local c = listener:tcp{}
  c:expect{{kind = "request"}}
  c:expect{{kind = "close", how = "fin"}}
end)
local ok, failure = pcall(connect, {port = listener.port, timeout = 0.2})
check(not ok and failure.kind == "failure", failure)
responder:wait()
-- no iWARP: 1
-- finding: RFC5044-7.1.1-15
