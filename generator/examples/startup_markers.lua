-- Markers: each side asks by M=1 for those in what it receives; one direction may have them without the other (RFC
-- 5044 7.1.1). One script plays both sides; markers.lua looks into the Markers themselves.
--
--   warpcheck synth startup_markers.lua -o FILE
--   warpcheck play startup_markers.lua

local listener = listen{}
local block = ("abcdefgh"):rep(128)

local function look(event, wanted)
  check((#event.markers > 0) == wanted, "Markers are there if they were asked for")
end

local function talk(asks, answers)
  local responder = spawn(function()
    local c = listener:accept{markers = answers}
    check(c.startup.m == asks, "the Request has M as asked for")
    check(c.terms.markers_out == asks and c.terms.markers_in == answers, "both sides agree")
    look(c:expect{{kind = "send", data = block}}, answers)
    c:send{data = block}
    c:expect{{kind = "close", how = "fin"}}
  end)

  local c = connect{port = listener.port, markers = asks}
  check(c.startup.m == answers, "the Reply has M as asked for")
  check(c.terms.markers_out == answers and c.terms.markers_in == asks, "both sides agree")
  c:send{data = block}
  look(c:expect{{kind = "send", data = block}}, asks)
  c:close()
  c:expect{{kind = "close", how = "fin"}}
  responder:wait()
end

step "neither side asks for Markers"
talk(false, false)

step "only the initiator does"
talk(true, false)

step "only the responder does"
talk(false, true)

step "both do"
talk(true, true)
