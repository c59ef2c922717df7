-- The initiator resets the connection in the middle of a Read Response.
local manual = {responses = false, terminate = false, close = false}
local listener = listen{}
local responder = spawn(function()
  local c = listener:accept{auto = manual}
  local read = c:expect{{kind = "read_request"}}
  for part = 0, 2 do
    c:fpdu{kind = "read_response", l = false, stag = read.sink_stag, to = read.sink_to + 4 * part, data = "part"}
  end
  c:expect{{kind = "close", how = "rst"}}
end)

local c = connect{port = listener.port, auto = manual}
c:read{sink_stag = 0x5151, sink_to = 0x1000, source_stag = 0x6161, source_to = 0, size = 100}
pause(0.1) -- for the incomplete Read Response, which is no event
c:reset()
responder:wait()
