-- The device as initiator, which a command makes connect: its Request, which Replies it accepts (RFC 5044 7.1, RFC 6581 9), its
-- Markers, and how it reports a wrong CRC.
local dut, attempt, has = ...

-- The connection that the device opens. One command at a time: a device may support no more. The RTR of the device (RFC 6581
-- 9.2) is an event like any other FPDU.
local function accept(options)
  dut:stop_commands()
  options.auto = {rtr = false}
  return dut:accept(options)
end

-- The first event after a Reply with these options: a message, if the device accepts it.
local function first_after(options)
  return attempt.run(function()
    local c = accept(options)
    local event = c:receive{timeout = 3}
    c:reset()
    return event
  end) or {kind = "close"}
end

-- What the event tells about a Reply.
local function verdict(event)
  if attempt.is_message(event) then return "accepted" end
  if event.kind == "silence" then return "no FPDU follows" end
  return event.kind == "broken" and "no valid FPDU follows" or "rejected"
end

step "the Request of the device"
dut:stop_commands()
local c = dut:accept_tcp{}
local request = c:receive{}
c:reset()
if request.kind == "silence" then fail "the device connects, but sends no MPA Request" end
if request.kind ~= "request" then fail "the device connects, but does not begin with an MPA Request" end

-- The messages that the device sends by itself, by kind and number.
local function own_messages()
  local connection = accept{}
  local event, kinds, counts = connection:receive{timeout = 3}, {}, {}
  local first, total = event, 0
  while attempt.is_message(event) and total < 16 do
    if not counts[event.kind] then kinds[#kinds + 1] = event.kind end
    counts[event.kind] = (counts[event.kind] or 0) + 1
    total = total + 1
    event = connection:receive{timeout = 0.5}
  end
  connection:reset()
  for i, kind in ipairs(kinds) do
    kinds[i] = counts[kind] .. " " .. kind
  end
  return first, table.concat(kinds, ", ") .. (total == 16 and " ..." or "")
end

step "the messages of the device"
local done, first, messages = pcall(own_messages)
if not done or verdict(first) == "rejected" then fail "the device connects, but accepts no Reply to its Request" end
local sends = attempt.is_message(first)

local seen = {}
local function note(text) seen[#seen + 1] = text end

local enhanced = request.enhanced
note(("Request of revision %d, C=%d, M=%d"):format(request.rev, request.c and 1 or 0, request.m and 1 or 0))
if enhanced then note(("IRD %d, ORD %d"):format(request.ird, request.ord)) end
note(sends and "sends " .. messages or "sends no FPDU")

step "a Reply of revision 1"
local revisions = {[request.rev] = true}
if request.rev == 2 then
  local event = attempt.run(function()
    dut:stop_commands()
    local by_hand = dut:accept_tcp{}
    by_hand:expect{{kind = "request"}}
    by_hand:reply{rev = 1, enhanced = false}
    by_hand:full()
    local answer = by_hand:receive{timeout = 3}
    by_hand:reset()
    return answer
  end) or {kind = "close"}
  if attempt.is_message(event) then revisions[1] = true end
  note("Reply of revision 1: " .. verdict(event))
end

-- RFC 6581 9.2: a device that names several RTR types sends the one that the Reply leaves.
step "RTR types"
local rtr, offered = {}, {}
if enhanced and request.a then
  local bits = {send = request.b, write = request.rtr_c, read = request.rtr_d}
  for _, name in ipairs{"send", "write", "read"} do
    if bits[name] then
      offered[#offered + 1] = name
      if attempt.is_message(first_after{rtr = {name}}) then rtr[#rtr + 1] = name end
    end
  end
  note("RTR types offered: " .. table.concat(offered, ", "))
end

step "a Reply with C=0"
note("Reply with C=0: " .. verdict(first_after{crc = false}))

step "Markers"
local marked = first_after{markers = true}
local markers = attempt.is_message(marked) and #marked.markers > 0
note("Reply with M=1: " .. verdict(marked) .. (attempt.is_message(marked) and (markers and ", with Markers" or ", without Markers") or ""))

-- A connection on which this side may send: not before the first FPDU of the initiator (RFC 5044 7.1.2).
local function open(options)
  local connection = accept(options or {})
  check(attempt.is_message(connection:receive{timeout = 3}), "the device sends an FPDU")
  return connection
end

step "a wrong CRC"
local reaction = sends and attempt.run(function()
  local connection = open{}
  connection:read{sink_stag = 1, source_stag = 1, size = 0, crc_flip = 1}
  local answer = attempt.reaction(connection)
  connection:reset()
  return answer
end)
-- Silence: the device drops the TCP segment (RFC 5044 8). A FIN may be its ULP's own: it shows nothing.
local crc_reports
if reaction and (reaction.kind == "terminate" or reaction.how == "rst") then crc_reports = true end
if reaction and reaction.kind == "silence" then crc_reports = false end
if crc_reports == nil then note "reaction to a wrong CRC: not seen" end

has.roles[#has.roles + 1] = "initiator"
has.notes.roles = "as initiator: " .. table.concat(seen, "; ")
if has.open then -- also a responder, whose values remain: a claim is made if both roles show it
  for revision in pairs(revisions) do has.revisions[revision] = true end
  has.markers = has.markers and (markers or not sends)
  has.crc_reports = has.crc_reports and crc_reports ~= false
else
  has.revisions, has.rtr, has.markers, has.crc_reports = revisions, rtr, markers, crc_reports
  has.crc = request.c and "always" or "if-asked"
  -- 3FFFh leaves the value to the ULP (RFC 6581 9.1).
  if enhanced and request.ird < 0x3fff then has.ird = request.ird end
  if enhanced and request.ord < 0x3fff then has.ord = request.ord end
  if sends then
    has.open = open
  else
    has.notes.immediate = "no message was tried: the device sends no FPDU, so that the probe may not send either"
  end
end
