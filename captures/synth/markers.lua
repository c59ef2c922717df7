-- Markers both ways, in FPDUs of many sizes, so that they stand between, at the start, in the headers, in the payload and
-- before the CRC.
local listener = listen{}
local sizes = {}
for size = 430, 530, 5 do sizes[#sizes + 1] = size end
sizes[#sizes + 1] = 4000

local responder = spawn(function()
  local c = listener:accept{markers = true}
  for _, size in ipairs(sizes) do
    local event = c:expect{{kind = "send", size = size}}
    c:send{data = event.data}
  end
  c:expect{{kind = "close"}}
end)

local c = connect{port = listener.port, markers = true}
for _, size in ipairs(sizes) do
  c:send{data = ("m"):rep(size)}
  c:expect{{kind = "send", size = size}}
end
c:close()
responder:wait()
