-- The counterpart of rping_client.lua: does what a stock "rping -s" does, for one connection.
--
--   warpcheck play rping_server.lua --arg port=7174

local go_ahead = ("\0"):rep(16)
local listener = listen{host = args.host, port = args.port}
log("listening on port", listener.port)

local c = listener:accept{timeout = args.patience or 60}

local function advertisement(event)
  local to, stag, size = string.unpack(">I8I4I4", event.data)
  return {to = to, stag = stag, size = size}
end

while true do
  step "take the advertisement of a source"
  local event, outcome = c:expect{{kind = "send", size = 16}, {kind = "close", how = "fin"}}
  if outcome == 2 then
    break
  end
  local source = advertisement(event)

  step "read the source"
  local buffer = region{size = source.size, rights = ""}
  c:read{region = buffer, source_stag = source.stag, source_to = source.to}
  c:expect{{kind = "read_response", stag = buffer.stag, to = buffer.to, size = source.size}}
  local data = buffer:get()
  c:send{data = go_ahead}

  step "take the advertisement of a sink"
  local sink = advertisement((c:expect{{kind = "send", size = 16}}))

  step "write to the sink"
  c:write{stag = sink.stag, to = sink.to, data = data:match("^[^\0]*\0?")}
  c:send{data = go_ahead}
end
