-- Finds out what a device supports: how it answers a Request (RFC 5044 7.1, RFC 6581 9), and whether it supports a message. It
-- supports a message if it sends the response, or reports an error that is not about the opcode or queue (RFC 5040 7.2). Each
-- attempt has its own connection. The log is the profile.
local dut, has_agent = ...
local zeros = ("\0"):rep(8)

-- A failed attempt shows that the device lacks the ability.
local function attempt(run)
  local done, result = pcall(run)
  return done and result or false
end

-- The Reply that accepts such a Request, or false.
local function accepts(rev, fields)
  return attempt(function()
    local c = dut:tcp{rev = rev}
    fields.rev = rev
    c:request(fields)
    local answer = c:expect{{kind = "reply"}, {kind = "close"}, {kind = "broken"}}
    c:reset()
    return answer.kind == "reply" and not answer.r and answer.rev == rev and answer
  end)
end

local closed = false -- the device has closed the last connection of `knows` without a Terminate

-- The answer of that kind to the message that `send` sends; true for an error that is not about its opcode or queue; or false.
local function knows(kind, send, registered)
  return attempt(function()
    local c = dut:connect{}
    send(c)
    local answer = c:expect{{kind = kind}, {kind = "terminate"}, {kind = "close"}}
    c:reset()
    closed = answer.kind == "close"
    if answer.kind ~= "terminate" then return answer.kind == kind and answer end
    -- 0/2/xx is about the opcode, 1/2/01 about the queue. With a registered STag, any error shows missing support.
    return not registered and not (answer.layer == 0 and answer.etype == 2) and not (answer.layer == 1 and answer.etype == 2 and answer.code == 1)
  end)
end

-- Memory for an operation: a region of the device, or an unknown STag. Also returns whether it is a region.
local function target(options)
  options.size = 8
  local region = has_agent and attempt(function() return dut:region(options) end)
  return region or {stag = 0x7BADBAD1, to = 0x10000}, not not region
end

local function operation(kind, method, options, fields)
  local r, registered = target(options)
  fields.stag, fields.to = r.stag, r.to
  return knows(kind, function(c) c[method](c, fields) end, registered)
end

local function list(names)
  for i, name in ipairs(names) do names[i] = ("%q"):format(name) end
  return "{" .. table.concat(names, ", ") .. "}"
end

-- Fails if the device is unreachable, which must not count as a missing ability.
dut:tcp{}:reset()

step "the startup"
local first = accepts(1, {c = false})
local second = accepts(2, {enhanced = true, c = false, ird = 16382, ord = 16382})
local peer = second and accepts(2, {enhanced = true, ird = 16382, ord = 16382, a = true, b = true, rtr_c = true, rtr_d = true})
local any_reply = first or second
if not any_reply then fail "the device accepts no Request of revision 1 or 2" end

local roles, revisions, rtr = {"responder"}, {}, {}
if first then revisions[#revisions + 1] = 1 end
if second then revisions[#revisions + 1] = 2 end
if peer and peer.a and peer.b then rtr[#rtr + 1] = "send" end
if peer and peer.a and peer.rtr_c then rtr[#rtr + 1] = "write" end
if peer and peer.a and peer.rtr_d then rtr[#rtr + 1] = "read" end

step "Markers"
local markers = attempt(function()
  local c = dut:connect{markers = true}
  c:read{sink_stag = 1, source_stag = 1, size = 0}
  local answer = c:expect{{kind = "read_response"}}
  c:reset()
  return #answer.markers > 0
end)

step "a wrong CRC"
local crc_reports = attempt(function()
  local c = dut:connect{}
  c:read{sink_stag = 1, source_stag = 1, size = 0, crc_flip = 1}
  local answer = c:receive{}
  c:reset()
  return answer.kind ~= "silence" -- silence: the device drops the TCP segment (RFC 5044 8)
end)

if has_agent then
  step "the device as initiator"
  if attempt(function() dut:accept{}:reset() return true end) then roles[#roles + 1] = "initiator" end
end

step "DDP over SCTP"
local sctp = attempt(function()
  local a = dut:associate{}
  a:control{kind = "initiate"}
  local answer = a:expect{{kind = "accept"}, {kind = "reject"}, {kind = "terminate"}, {kind = "end"}, {kind = "silence"}}
  return answer.kind ~= "end" and answer.kind ~= "silence"
end)

step "operations"
local immediate = knows("read_response", function(c)
  c:immediate{data = zeros}
  c:read{sink_stag = 1, source_stag = 1, size = 0}
end)
local immediate_unclear = not immediate and closed -- perhaps its ULP expects no such message
local atomics = operation("atomic_response", "fetch_add", {rights = "a"}, {add = 0})
local swap = operation("atomic_response", "swap", {rights = "a"}, {swap = 0})
local atomic_write = operation("atomic_write_response", "atomic_write", {rights = "w"}, {data = 0})

local flush, verify = {}, {}
if operation("flush_response", "flush", {rights = "p", persistent = true}, {length = 8, p = true}) then flush[1] = "persist" end
if operation("flush_response", "flush", {rights = "g"}, {length = 8, p = false, g = true}) then flush[#flush + 1] = "expose" end
for _, name in ipairs{"crc32c", "sha256", "sha512"} do
  local answer = operation("verify_response", "verify", {rights = "", verify = name}, {length = 8})
  if answer == true or (answer and answer.data == hash(name, zeros)) then verify[#verify + 1] = name end
end

log "return {"
log("  roles = " .. list(roles) .. ",")
log("  revisions = {" .. table.concat(revisions, ", ") .. "},")
log("  markers = " .. tostring(markers) .. ",")
log("  crc = " .. (any_reply.c and '"always"' or '"if-asked"') .. ",")
log("  crc_reports = " .. tostring(crc_reports) .. ",")
log("  rtr = " .. list(rtr) .. ",")
if second then log(("  ird = %d, ord = %d,"):format(second.ird, second.ord)) end
log("  atomics = " .. tostring(not not atomics) .. ",")
log("  swap = " .. tostring(not not swap) .. ",")
log("  immediate = " .. tostring(not not immediate) .. ",")
if immediate_unclear then log "  -- immediate is unclear: the device closes the connection, without a Terminate" end
log("  flush = " .. list(flush) .. ",")
log("  verify = " .. list(verify) .. ",")
log("  atomic_write = " .. tostring(not not atomic_write) .. ",")
log("  sctp = " .. tostring(sctp) .. ",")
log "}"
