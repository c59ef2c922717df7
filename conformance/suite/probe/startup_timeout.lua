-- How long the device waits for a startup frame that is missing or incomplete (RFC 5044 7.1.2). The connections wait at the same
-- time, after all other attempts: a device that serves one connection at a time then misses nothing else.
local dut, try, has = ...
local waits = {}

-- Waits until the device ends the connection.
local function measure(name, open)
  local wait = {name = name}
  waits[#waits + 1] = wait
  wait.task = spawn(function()
    step(name)
    local done, failure = pcall(function()
      local c = open()
      local begin = c:receive{timeout = 0.001}
      local event = begin.kind == "silence" and c:receive{timeout = try.startup_limit} or begin
      if event.kind == "close" then
        wait.seconds = event.time - begin.time
      else
        wait.sent = event.kind ~= "silence"
      end
      c:reset()
    end)
    if not done then wait.failure = tostring(failure) end
  end)
end

if try.responder then
  measure("no Request", function() return dut:tcp{} end)
  measure("an incomplete Request", function()
    local c = dut:tcp{}
    c:request{cut = 10}
    return c
  end)
end
if try.initiator then
  measure("no Reply", function()
    dut:stop_commands()
    local c = dut:accept_tcp{}
    c:expect{{kind = "request"}}
    c:leave() -- so that the device's octets are seen, whatever they are
    return c
  end)
end

local notes, longest = {}, 0
for _, wait in ipairs(waits) do
  wait.task:wait()
  local text
  if wait.seconds then
    longest = math.max(longest, wait.seconds)
    text = ("%.1f s"):format(wait.seconds)
  else
    text = wait.failure and "no connection" or wait.sent and "the device sends octets" or ("longer than %d s"):format(try.startup_limit)
  end
  notes[#notes + 1] = ("%s: %s"):format(wait.name, text)
  waits.unseen = waits.unseen or not wait.seconds
end
if not waits.unseen then has.startup_timeout = math.max(1, math.floor(longest + 0.5)) end
has.notes.startup_timeout = "startup_timeout after " .. table.concat(notes, "; ")
