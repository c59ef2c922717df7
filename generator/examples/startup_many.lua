-- Many connections at once: all are opened before any of them goes on, each with terms of its own, and each is
-- served.
--
--   warpcheck play startup_many.lua --peer HOST:PORT [--arg connections=100]
--   warpcheck synth startup_many.lua -o FILE

local count = args.connections or 100
local types = {"send", "write", "read"}
local open, all = 0, {}

local function hold(i)
  step("connection " .. i)
  local c = connect{
    rev = 1 + i % 2,
    peer_to_peer = i % 4 == 1,
    rtr = {types[1 + i % 3]},
    markers = i % 5 == 0,
    ird = i % 9,
    private_data = ("x"):rep(i % 400),
  }
  open = open + 1
  while open < count do
    pause(0.01)
  end
  c:read{sink_stag = 1, sink_to = 0, source_stag = 1, source_to = 0, size = 0}
  c:expect{{kind = "read_response", size = 0}}
  c:send{data = "connection " .. i}
  c:close()
  c:expect{{kind = "close", how = "fin"}}
end

for i = 1, count do
  all[i] = spawn(hold, i)
end
for _, task in ipairs(all) do
  task:wait()
end
