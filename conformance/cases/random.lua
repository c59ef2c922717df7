-- Conversations made from a seed: valid operations of both sides in any order, half of them with one fault at the end. The
-- monitor judges what the device sends; what it places and delivers is compared with a model of its memory.

local terminate = common.terminate
local closed = common.closed
local pattern = ("0123456789abcdefghijklmnopqrstuv"):rep(300)
local region_octets = 4096

-- Random numbers from the seed: 64 bits, by xorshift64*.
local function dice(seed)
  local state = seed ~ 0x9E3779B97F4A7C15
  if state == 0 then state = 1 end
  return function(least, most)
    state = state ~ (state >> 12)
    state = state ~ (state << 25)
    state = state ~ (state >> 27)
    return least + ((state * 0x2545F4914F6CDD1D) >> 33) % (most - least + 1)
  end
end

-- ---- one conversation ----

-- `dut`, the connection `c`, `roll`, and the expected results:
-- sent, arrived: messages the device has to deliver and their number so far; answers: outstanding Reads; coming: Sends of the
-- device on their way; memory and written: the expected content of the device's region and ours.
local talk = {}
talk.__index = talk

local function size_of(self)
  local sizes = {0, 1, 3, 4, self.roll(5, 200), self.roll(201, 3000)}
  return sizes[self.roll(1, #sizes)]
end

local function data_of(self, size)
  local from = self.roll(1, 400)
  return pattern:sub(from, from + size - 1)
end

local function place_of(self, size)
  return self.roll(0, region_octets - size)
end

local function patch(memory, offset, data)
  return memory:sub(1, offset) .. data .. memory:sub(offset + #data + 1)
end

-- How the FPDUs of the next message are cut into TCP segments: the shortest has 20 octets, so each one reaches the last cut.
local function cut(self, options)
  if self.roll(1, 4) == 1 then
    options.split = {self.roll(1, 6), self.roll(1, 6), self.roll(1, 7)}
  end
  return options
end

-- Takes the device's next message and compares it with the next expected one.
function talk:take()
  local event = self.c:expect{{kind = any{"send", "send_se"}}, {kind = "read_response"}, {kind = "rdma_write"}, {kind = "read_request"}}
  if event.kind == "read_response" then
    local read = table.remove(self.answers, 1)
    check(read, "an unsolicited Read Response")
    check(event.size == read.size and read.sink:get(0, read.size) == read.data, "a Read returns the octets of the memory at its time")
  elseif event.kind == "send" or event.kind == "send_se" then
    local message = table.remove(self.coming, 1)
    check(message, "a Send that the device's ULP has not posted")
    check(event.data == message.data and (event.kind == "send_se") == message.se, "the device's Send is the next one posted")
  end
end

-- A Write after a Read may be placed before the Read is served (RFC 5040 5.5), so it waits.
function talk:settle()
  while #self.answers > 0 do self:take() end
end

function talk:write()
  local data = data_of(self, size_of(self))
  local offset = place_of(self, #data)
  self:settle()
  self.c:write(cut(self, {stag = self.region.stag, to = self.region.to + offset, data = data}))
  self.memory = patch(self.memory, offset, data)
end

function talk:read()
  local size = size_of(self)
  local offset = place_of(self, size)
  local sink = region{size = size + 1}
  self.c:read{sink_stag = sink.stag, sink_to = sink.to, size = size, source_stag = self.region.stag,
    source_to = self.region.to + offset}
  self.answers[#self.answers + 1] = {sink = sink, size = size, data = self.memory:sub(offset + 1, offset + size)}
end

function talk:send()
  local message = {data = data_of(self, size_of(self)), se = self.roll(0, 1) == 1}
  self.c:send(cut(self, {data = message.data, se = message.se}))
  self.sent[#self.sent + 1] = message
end

function talk:device_sends()
  local message = {data = data_of(self, size_of(self)), se = self.roll(0, 1) == 1}
  self.coming[#self.coming + 1] = message
  self.dut:send{data = message.data, se = message.se}
end

function talk:device_writes()
  local data = data_of(self, size_of(self))
  local offset = place_of(self, #data)
  self.dut:write{stag = self.target.stag, to = self.target.to + offset, data = data}
  self.written = patch(self.written, offset, data)
end

function talk:device_reads()
  local size = size_of(self)
  local offset = self.roll(0, 1000)
  local sink = self.dut:region{size = size + 1, fill = "."}
  local post = self.dut:read{sink = sink, size = size, source_stag = self.source.stag, source_to = self.source.to + offset}
  self.reads[#self.reads + 1] = {sink = sink, size = size, post = post, data = pattern:sub(offset + 1, offset + size)}
end

local operations = {"write", "write", "read", "send", "device_sends", "device_writes", "device_reads"}

-- ---- how it ends ----

local faults = {
  {"a Write to an unknown STag", function(self)
    self.c:write{stag = common.unknown_stag, data = "nowhere"}
  end, terminate(1, 1, 0)},
  {"a Write beyond the end", function(self)
    self.c:write{stag = self.region.stag, to = self.region.to + region_octets - 1, data = "xy"}
  end, terminate(1, 1, 1)},
  {"a Read from an unknown STag", function(self)
    self.c:read{region = region{size = 8}, source_stag = common.unknown_stag}
  end, terminate(0, 1, 0)},
  {"a Read beyond the end", function(self)
    self.c:read{region = region{size = 8}, source_stag = self.region.stag, source_to = self.region.to + region_octets - 7}
  end, terminate(0, 1, 1)},
  {"a wrong CRC", function(self)
    self.c:write{stag = self.region.stag, to = self.region.to, data = "not to be placed", crc_flip = 1 << self.roll(0, 31)}
  end, terminate(2, 0, 2)},
  {"an MSN beyond all receive buffers", function(self) -- for any buffer that there is
    self.c:send{data = "x", msn = #self.sent + 1 + self.before + 0x40000000 + self.roll(1, 1000)}
  end, terminate(1, 2, any{2, 3})},
  {"an undefined queue", function(self) self.c:send{data = "x", qn = self.roll(8, 1 << 30)} end, terminate(1, 2, 1)},
  {"a wrong DDP version", function(self) self.c:send{data = "x", dv = self.roll(2, 3)} end, terminate(1, 2, 6)},
  {"a wrong RDMAP version", function(self) self.c:send{data = "x", rv = self.roll(2, 3)} end, terminate(0, 2, 5)},
  {"an MO after the buffer", function(self)
    self.c:send{data = "x", mo = 4096 + self.roll(1, 1000)}
  end, common.outside_buffer},
  {"an unsolicited Read Response", function(self)
    self.c:fpdu{kind = "read_response", stag = self.region.stag, to = self.region.to, data = "unasked!"}
  end, {kind = "terminate", layer = any{0, 1}}},
}

-- All messages have arrived, on both sides.
function talk:reconcile()
  self:settle()
  while #self.coming > 0 do self:take() end
  for _, read in ipairs(self.reads) do
    check(common.completion(self.dut, read.post).status == "done", "the device's Read is complete")
    check(self.dut:memory(read.sink, 0, read.size + 1) == read.data .. ".", "with the octets of our memory, and no others")
  end
  for i, message in ipairs(self.sent) do
    local delivered = self.dut:received{}
    check(delivered.data == message.data and (delivered.kind == "send_se") == message.se, "message " .. i .. " is delivered in order")
  end
  check(self.target:get() == self.written, "the device has written what its ULP posted, and nothing else")
end

function talk:check_memory()
  check(self.dut:memory(self.region, 0, region_octets) == self.memory, "the device's memory is as the Writes made it")
end

local function run(role)
  return function(dut, p)
    local roll = dice(p.seed)
    -- one request at a time, which every device supports
    local options = {ord = 1, mulpdu = roll(128, 2000), private_data = pattern:sub(1, roll(0, 1) * roll(0, 500))}
    dut:post{count = 100, size = 4096}
    local c = common.open(dut, role, options)
    local self = setmetatable({dut = dut, c = c, roll = roll, sent = {}, coming = {}, answers = {}, reads = {},
      before = role == "responder" and 1 or 0, -- Sends before these
      region = dut:region{size = region_octets, fill = "-"}, memory = ("-"):rep(region_octets),
      target = region{size = region_octets, fill = "+", rights = "w"}, written = ("+"):rep(region_octets),
      source = region{size = #pattern, rights = "r", fill = pattern}}, talk)
    for i = 1, math.min(roll(1, 40), p.limit or 40) do
      local name = operations[roll(1, #operations)]
      step(i .. ": " .. name)
      self[name](self)
    end
    step "the last Sends"
    self.roll = dice(~p.seed) -- the end is the same, whatever the number of steps
    self:send()
    self:device_sends()
    self:reconcile()
    if self.roll(0, 1) == 0 then
      step "close"
      self:check_memory()
      common.finish(c)
      return
    end
    local words, inject, outcome = table.unpack(faults[self.roll(1, #faults)])
    step(words)
    inject(self)
    c:expect{outcome}
    c:expect{closed}
    self:check_memory()
  end
end

return {
  {
    id = "random-001",
    title = "Random valid operations are executed; an error after them, if any, is answered by a Terminate (device as responder)",
    requirements = {"RFC5041-5.2-04", "RFC5041-5.3-07", "RFC5040-5.2.1-10", "RFC5040-5.3-05", "RFC5040-5.5-13"},
    role = "responder", tier = "agent", claims = {"crc-reports"}, factors = "seed", run = run"responder",
  },
  {
    id = "random-002",
    title = "Random valid operations are executed; an error after them, if any, is answered by a Terminate (device as initiator)",
    requirements = {"RFC5041-5.2-04", "RFC5041-5.3-07", "RFC5040-5.2.1-10", "RFC5040-5.3-05", "RFC5040-5.5-13"},
    role = "initiator", tier = "agent", claims = {"crc-reports"}, factors = "seed", run = run"initiator",
  },
}
