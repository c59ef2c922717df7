-- Answers to a Read that are wrong: --arg fault= says how.
local listener = listen{}
local faults = {
  stag = {stag = 0xbad},
  to = {to = 8},
  short = {data = "seven!!"},
  twice = {times = 2},
}
local responder = spawn(function()
  local c = listener:accept{auto = {responses = false, terminate = false}}
  local request = c:expect{{kind = "read_request"}}
  local answer = {kind = "read_response", stag = request.sink_stag, to = request.sink_to, data = "8 octets"}
  for name, value in pairs(faults[args.fault]) do answer[name] = value end
  c:message(answer)
  c:expect{{kind = "close"}}
end)

local c = connect{port = listener.port, auto = {terminate = false}}
c:message{kind = "read_request", sink_stag = 0x200, sink_to = 0, size = 8, source_stag = 1, source_to = 0}
c:receive{timeout = 1}
c:reset() -- the Read is never answered as it should
responder:wait()
