-- A responder that knows nothing of RFC 6581 closes on a Request with Rev 2. The initiator may try again with Rev 1,
-- and leave the depths to the ULP (RFC 6581 10). One script plays both sides.
--
--   warpcheck synth startup_refused_revision.lua -o FILE
--   warpcheck play startup_refused_revision.lua

local listener = listen{}

local responder = spawn(function()
  check(not pcall(listener.accept, listener, {rev = 1}), "no startup with Rev 2")
  local c = listener:accept{rev = 1}
  c:expect{{kind = "send"}}
  c:expect{{kind = "close", how = "fin"}}
end)

step "an enhanced Request"
local ok, failure = pcall(connect, {port = listener.port, rev = 2, ird = 4, ord = 4})
check(not ok and failure.kind == "failure", "refused")

step "a plain one"
local c = connect{port = listener.port, rev = 1, private_data = string.pack(">I2I2", 4, 4)}
c:send{data = "well, then"}
c:close()
c:expect{{kind = "close", how = "fin"}}
responder:wait()
