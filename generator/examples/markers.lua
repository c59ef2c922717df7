-- Markers in both directions: each side asks the other for them, and each FPDU shows where it begins. One script
-- plays both sides; "warpcheck synth markers.lua -o FILE" or "warpcheck play markers.lua".

local listener = listen{}
local block = ("abcdefgh"):rep(256)

local function right(event)
  check(#event.markers > 0, "an FPDU of more than 512 octets holds a marker")
  for _, marker in ipairs(event.markers) do
    check(marker.reserved == 0 and marker.fpduptr == marker.expected, "a marker points at its FPDU")
  end
end

local responder = spawn(function()
  local c = listener:accept{markers = true}
  step "responder: answer"
  for _ = 1, 3 do
    local event = c:expect{{kind = "send", data = block}}
    right(event)
    c:send{data = event.data}
  end
  c:expect{{kind = "close"}}
end)

step "startup"
local c = connect{port = listener.port, markers = true}
check(c.terms.markers_in and c.terms.markers_out, "both asked for markers")

step "send"
for _ = 1, 3 do
  c:send{data = block}
  right((c:expect{{kind = "send", data = block}}))
end

step "close"
c:close()
c:expect{{kind = "close", how = "fin"}}
responder:wait()
