-- The device as responder: how it answers Requests (RFC 5044 7.1, RFC 6581 9), Markers and a wrong CRC.
local dut, attempt, has = ...

-- The Reply that accepts such a Request, or false.
local function accepts(rev, fields)
  return attempt.run(function()
    local c = dut:tcp{rev = rev}
    fields.rev = rev
    c:request(fields)
    local answer = c:expect{{kind = "reply"}, {kind = "close"}, {kind = "broken"}}
    c:reset()
    return answer.kind == "reply" and not answer.r and answer.rev == rev and answer
  end)
end

-- Fails if the device is unreachable, which must not count as a missing ability.
dut:tcp{}:reset()

step "the startup"
local first = accepts(1, {c = false})
local second = accepts(2, {enhanced = true, c = false, ird = 16382, ord = 16382})
local peer = second and accepts(2, {enhanced = true, ird = 16382, ord = 16382, a = true, b = true, rtr_c = true, rtr_d = true})
local reply = first or second
if not reply then fail "the device accepts no Request of revision 1 or 2" end

has.roles[#has.roles + 1] = "responder"
has.revisions = {[1] = first and true, [2] = second and true}
has.crc = reply.c and "always" or "if-asked"
has.rtr = {}
if peer and peer.a and peer.b then has.rtr[#has.rtr + 1] = "send" end
if peer and peer.a and peer.rtr_c then has.rtr[#has.rtr + 1] = "write" end
if peer and peer.a and peer.rtr_d then has.rtr[#has.rtr + 1] = "read" end
if second then has.ird, has.ord = second.ird, second.ord end

-- A connection on which this side may send.
function has.open(options)
  options = options or {}
  options.rev = first and 1 or 2
  return dut:connect(options)
end

-- Whether the device is silent after a message to which any device reacts: by a response, a Terminate, or the end of the connection.
local function is_silent(method, fields)
  local event = attempt.run(function()
    local c = has.open{}
    c[method](c, fields)
    local answer = attempt.reaction(c)
    c:reset()
    return answer
  end)
  return event and event.kind == "silence"
end

-- A device that reacts to nothing would take the timeout of each attempt, and shows nothing.
step "a reaction"
local read = {sink_stag = 1, source_stag = 1, size = 0}
if is_silent("read", read) and is_silent("fetch_add", {stag = 0x7BADBAD1, to = 0x10000, add = 0}) and is_silent("read", read) then
  fail "the device accepts a Request, but reacts to no message"
end

step "Markers"
has.markers = attempt.run(function()
  local c = has.open{markers = true}
  c:read{sink_stag = 1, source_stag = 1, size = 0}
  local answer = attempt.reaction(c)
  c:reset()
  return answer.kind == "read_response" and #answer.markers > 0
end)

step "a wrong CRC"
has.crc_reports = attempt.run(function()
  local c = has.open{}
  c:read{sink_stag = 1, source_stag = 1, size = 0, crc_flip = 1}
  local answer = attempt.reaction(c)
  c:reset()
  return answer.kind ~= "silence" -- silence: the device drops the TCP segment (RFC 5044 8)
end)
