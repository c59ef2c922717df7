-- The reference endpoint as a peer of a matrix: either side of each scenario, with one of eight profiles. What the two
-- sides do is told in docs/matrix.md.
--
--   warpcheck play reference.lua --arg role=responder --arg scenario=size-4k --arg size=4096 --arg count=10
--   warpcheck play reference.lua --arg role=initiator ... --arg port=20100
--
-- Further arguments: profile, connections, seconds.

local scenario = args.scenario or "size-64"
local size, count, connections = args.size or 64, args.count or 1, args.connections or 1
local seconds = args.seconds or 0
local READS = 8

-- What a profile does in another way than the reference.
local profiles = {
  ["reference"] = {},
  ["no-crc"] = {crc = false},
  ["markers"] = {markers = true},
  ["rev-1"] = {rev = 1},
  ["shallow"] = {ird = 1, ord = 1},
  ["rtr-write"] = {rtr = {"write"}},
  ["private-data"] = {private_data = ("private"):rep(30)},
  ["short-ulpdu"] = {mulpdu = 512},
}
local profile = assert(profiles[args.profile or "reference"], "no such profile")

-- The options of connect and accept: those of the profile, then what the scenario asks of the initiator.
local function options(own)
  local all = {timeout = 60}
  for _, from in ipairs{profile, own} do
    for name, value in pairs(from) do
      all[name] = value
    end
  end
  return all
end

local startups = {
  ["startup-rev1"] = {rev = 1},
  ["startup-markers"] = {markers = true},
  ["startup-no-crc"] = {crc = false},
  ["startup-peer"] = {peer_to_peer = true},
  ["private-data"] = {private_data = ("0123456789"):rep(51):sub(1, 508)},
}

local function advertisement(region)
  return string.pack(">I8I4I4", region.to, region.stag, region.size)
end

-- ---- the initiator ----

-- A number, then letters, and a NUL, as the octets of rping.
local function text(ping)
  local head = ("rdma-ping-%d: "):format(ping)
  local letters = {}
  for i = 0, 57 do
    letters[#letters + 1] = string.char(65 + (ping + i) % 58)
  end
  local cycle = table.concat(letters)
  return (head .. cycle:rep((size + #cycle - 1) // #cycle)):sub(1, size - 1) .. "\0"
end

local function expect_go_ahead(c, region)
  if scenario ~= "invalidation" then
    return c:expect{{kind = "send", size = 16}}.time
  end
  local event = c:expect{{kind = "send_inv", size = 16, invalidate_stag = region.stag}}
  check(not region.valid, "the responder has invalidated the STag")
  return event.time
end

-- Returns the time at which the responder has read the source.
local function ping(c, number, source, sink)
  local data = text(number)
  source:set(0, data)

  c:send{data = advertisement(source)}
  if scenario == "reads" then
    for i = 0, READS - 1 do
      c:expect{{kind = "read_request", source_stag = source.stag, source_to = source.to + i * (size // READS)}}
    end
  else
    c:expect{{kind = "read_request", source_stag = source.stag, source_to = source.to, size = size}}
  end
  local time = expect_go_ahead(c, source)

  c:send{data = advertisement(sink)}
  c:expect{{kind = "rdma_write", stag = sink.stag, to = sink.to, data = data}}
  expect_go_ahead(c, sink)
  check(sink:get(0, size) == data, "the sink holds what the source gave")
  return time
end

local function initiate()
  local own = options(startups[scenario] or {})
  own.rev = own.rev or 2
  own.port, own.host = args.port, args.host or "127.0.0.1"
  local c = connect(own)
  local source, sink
  local number, first, time = 0
  while number < count or seconds > 0 and (not time or time - first < seconds) do
    if not source or scenario == "invalidation" then
      source, sink = region{size = size, rights = "r"}, region{size = size, rights = "w"}
    end
    time = ping(c, number, source, sink)
    first = first or time
    number = number + 1
  end
  c:close()
  c:expect{{kind = "close", how = "fin"}}
end

-- ---- the responder ----

local go_ahead = ("\0"):rep(16)

local function read(c, buffer, stag, to)
  local pieces = scenario == "reads" and READS or 1
  local length = buffer.size // pieces
  for i = 0, pieces - 1 do
    c:read{source_stag = stag, source_to = to + i * length, sink_stag = buffer.stag, sink_to = buffer.to + i * length, size = length}
  end
  for i = 0, pieces - 1 do
    c:expect{{kind = "read_response", stag = buffer.stag, to = buffer.to + i * length, size = length}}
  end
  return buffer:get(0, length * pieces)
end

local function answer(c, stag)
  c:send{data = go_ahead, invalidate = scenario == "invalidation" and stag or nil}
end

local function respond(c)
  if scenario == "private-data" then
    check(c.startup.private_data == startups[scenario].private_data, "the Request has 508 octets of private data")
  end
  local buffer
  while true do
    local event, outcome = c:expect{{kind = "send", size = 16}, {kind = "close", how = "fin"}}
    if outcome == 2 then
      return
    end
    local to, stag, length = string.unpack(">I8I4I4", event.data)
    buffer = buffer and buffer.size == length and buffer or region{size = length, rights = ""}
    local data = read(c, buffer, stag, to)
    answer(c, stag)

    to, stag = string.unpack(">I8I4", c:expect{{kind = "send", size = 16}}.data)
    c:write{stag = stag, to = to, data = data}
    answer(c, stag)
  end
end

-- ---- both ----

local tasks = {}
if args.role == "responder" then
  local listener = listen{host = args.host or "127.0.0.1"}
  log("listening on port", listener.port)
  for i = 1, connections do
    tasks[i] = spawn(function()
      respond(listener:accept(options{}))
    end)
  end
else
  for i = 1, connections do
    tasks[i] = spawn(initiate)
  end
end
for _, task in ipairs(tasks) do
  task:wait()
end
