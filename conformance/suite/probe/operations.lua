-- Which messages the device supports. It supports a request if it sends the response, or reports an error that is not about the
-- opcode or the queue (RFC 5040 7.2).
local dut, attempt, has, has_agent = ...
local zeros = ("\0"):rep(8)

has.flush, has.verify = {}, {}
if not has.open then return end
step "operations"

-- 0/2/xx is about the opcode, 1/2/01 about the queue.
local function rejects_opcode(event)
  return (event.layer == 0 and event.etype == 2) or (event.layer == 1 and event.etype == 2 and event.code == 1)
end

-- The answer of that kind to the message that `send` sends; true for an error that is not about its opcode or queue; or false.
local function knows(kind, send, registered)
  return attempt.run(function()
    local c = has.open{}
    send(c)
    local answer = attempt.reaction(c)
    c:reset()
    if answer.kind ~= "terminate" then return answer.kind == kind and answer end
    -- With a registered STag, any error shows missing support.
    return not registered and not rejects_opcode(answer)
  end)
end

-- Memory for an operation: a region of the device, or an unknown STag. Also returns whether it is a region.
local function target(options)
  options.size = 8
  local region = has_agent and attempt.run(function() return dut:region(options) end)
  return region or {stag = 0x7BADBAD1, to = 0x10000}, not not region
end

local function operation(kind, method, options, fields)
  local r, registered = target(options)
  fields.stag, fields.to = r.stag, r.to
  return knows(kind, function(c) c[method](c, fields) end, registered)
end

-- How the device reacts to Immediate Data. A Read of no octets follows: if it is answered, the device has accepted the
-- Immediate Data before it. Returns what was seen, in words, and whether that is "accepted", "unclear" or neither.
local function immediate(se)
  local data = se and "probe\1SE" or "probe\0IM"
  local answer = attempt.run(function()
    local c = has.open{}
    c:immediate{data = data, se = se}
    c:read{sink_stag = 1, source_stag = 1, size = 0}
    local event = attempt.reaction(c, data)
    c:reset()
    return event
  end)
  if not answer then return "no connection" end
  if answer.data == data then return "the device sends it back", "accepted" end
  if answer.kind == "read_response" then return "the device answers a Read Request after it", "accepted" end
  if answer.kind == "close" then -- perhaps its ULP expects no such message
    return "the device closes the connection, without a Terminate", "unclear"
  end
  if answer.kind ~= "terminate" then return "no answer" end
  local text = "Terminate " .. attempt.terminate_text(answer)
  if answer.terminated and answer.terminated.opcode == 1 then return text .. " for the Read Request after it", "accepted" end
  if rejects_opcode(answer) then return text end
  -- DDP needs a receive buffer before RDMAP sees the opcode (RFC 5041 7.1).
  return text .. ", which is not about its opcode", answer.layer == 1 and "unclear" or "accepted"
end

local plain, plain_is = immediate(false)
local event, event_is = immediate(true)
has.immediate = plain_is == "accepted" and event_is == "accepted"
local unclear = not has.immediate and (plain_is or event_is)
has.notes.immediate = (unclear and "immediate is unclear: " or "immediate: ") ..
  (plain == event and plain .. ", with and without Solicited Event" or plain .. "; with Solicited Event: " .. event)

has.atomics = operation("atomic_response", "fetch_add", {rights = "a"}, {add = 0})
has.swap = operation("atomic_response", "swap", {rights = "a"}, {swap = 0})
has.atomic_write = operation("atomic_write_response", "atomic_write", {rights = "w"}, {data = 0})
if operation("flush_response", "flush", {rights = "p", persistent = true}, {length = 8, p = true}) then has.flush[1] = "persist" end
if operation("flush_response", "flush", {rights = "g"}, {length = 8, p = false, g = true}) then has.flush[#has.flush + 1] = "expose" end
for _, name in ipairs{"crc32c", "sha256", "sha512"} do
  local answer = operation("verify_response", "verify", {rights = "", verify = name}, {length = 8})
  if answer == true or (answer and answer.data == hash(name, zeros)) then has.verify[#has.verify + 1] = name end
end
