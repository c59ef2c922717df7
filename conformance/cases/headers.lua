-- Headers that every receiver rejects, message by message: RFC 5041 4 and 7.1, RFC 5040 4.1 and 7.2.

local closed, both, terminate = common.closed, common.both, common.terminate

local tagged_version, untagged_version = terminate(1, 1, 4), terminate(1, 2, 6)
local rdmap_version, unexpected = terminate(0, 2, 5), terminate(0, 2, 6)
local no_queue = terminate(1, 2, 1)
-- Queue 3 exists on a side that implements RFC 7306; it has no buffer until that side sends a request.
local nothing_awaited = terminate(1, 2, any{1, 2, 3})

-- Valid messages of each kind.
local function right(kind, target)
  if kind == "rdma_write" then
    return {kind = kind, stag = target.stag, to = target.to, data = "12345678"}
  elseif kind == "read_request" then
    return {kind = kind, sink_stag = 0x1234, sink_to = 0, size = 8, source_stag = target.stag, source_to = target.to}
  end
  return {kind = kind, data = "12345678", rsvdulp_rest = kind:find("_inv") and target.stag or 0}
end

-- The next MSN of queue 0: we have sent one message to a responder and none to an initiator.
local function next_msn(role)
  return role == "responder" and 2 or 1
end

-- One message of that kind, which `change` makes wrong, is answered by one of `answers` and not delivered.
local function refuses(kind, change, ...)
  local answers = {...}
  return function(dut, open, role)
    local target = dut:region{size = 64, fill = "."}
    local c = open{mulpdu = 128}
    local message = right(kind, target)
    for name, value in pairs(change) do message[name] = value end
    if change.qn and not change.segment then message.msn = change.qn == 0 and next_msn(role) or 1 end
    step "send the message"
    c:message(message)
    step "wait for the end"
    if c:expect(answers).kind ~= "close" then c:expect{closed} end
    check(dut:pending() == 0, "nothing is delivered to the ULP")
  end
end

-- A Write of 8 octets to valid memory, but with a different opcode. Not each wrong Terminate is answered by a Terminate.
local function refuses_tagged(opcode)
  return refuses("rdma_write", {opcode = opcode}, unexpected, opcode == 7 and closed or nil)
end

-- The same with a DDP version: no octet of the segment is placed.
local function spares(fields, first)
  return function(dut, open)
    local target = dut:region{size = 256, fill = "."}
    local c = open{mulpdu = 128}
    fields.stag, fields.to = target.stag, target.to
    step "write"
    c:write(fields)
    c:expect{tagged_version}
    c:expect{closed}
    check(dut:memory(target, first, 256 - first) == ("."):rep(256 - first), "nothing of the wrong segment is placed")
  end
end

-- A Send with Invalidate of a wrong RDMAP version: the STag is still valid on another connection.
local function spares_stag(kind, rv)
  return function(dut, open)
    local target = dut:region{size = 64, fill = "."}
    local c = open{}
    step "send the message"
    c:message{kind = kind, data = "x", rsvdulp_rest = target.stag, rv = rv}
    c:expect{rdmap_version}
    c:expect{closed}
    check(dut:pending() == 0, "nothing is delivered to the ULP")
    step "read through the STag on another connection"
    local sink = region{size = 4}
    c = open{}
    c:read{region = sink, source_stag = target.stag, source_to = target.to}
    c:expect{{kind = "read_response", size = 4}}
    common.finish(c)
  end
end

local words = {
  send = "a Send", send_se = "a Send with Solicited Event", send_inv = "a Send with Invalidate",
  send_se_inv = "a Send with Solicited Event and Invalidate", read_request = "a Read Request", rdma_write = "an RDMA Write",
}

local rows = {}
local function add(first, row)
  row.id, row.initiator = ("rdma-header-%03d"):format(first), ("rdma-header-%03d"):format(first + 1)
  rows[#rows + 1] = row
end

-- ---- versions ----

-- { number of the first case, kind, DV }
for _, row in ipairs{
  {1, "send", 2}, {3, "send_se", 3}, {5, "send_inv", 0}, {7, "send_se_inv", 2}, {9, "read_request", 0},
  {11, "read_request", 2}, {13, "read_request", 3},
} do
  local number, kind, dv = table.unpack(row)
  add(number, {
    title = "DDP version " .. dv .. " on " .. words[kind] .. " is answered by a Terminate",
    requirements = {"RFC5041-4.1-08", kind == "read_request" and "RFC5040-7.2-06" or "RFC5040-7.2-01"},
    run = refuses(kind, {dv = dv}, untagged_version),
  })
end
add(15, {
  title = "An RDMA Write with DDP version 2 is answered by a Terminate and not placed",
  requirements = {"RFC5041-4.1-08", "RFC5040-7.2-01", "RFC5041-7.1-07"},
  run = spares({data = ("x"):rep(100), dv = 2}, 0),
})
add(17, {
  title = "An RDMA Write with DDP version 3 is answered by a Terminate and not placed",
  requirements = {"RFC5041-4.1-08", "RFC5040-7.2-01", "RFC5041-7.1-07"},
  run = spares({data = ("x"):rep(100), dv = 3}, 0),
})
add(19, {
  title = "A Send whose second segment has a different DDP version is answered by a Terminate",
  requirements = {"RFC5041-4.1-09", "RFC5041-4.1-08"},
  run = refuses("send", {data = ("x"):rep(200), segment = 2, dv = 2}, untagged_version),
})
add(21, {
  title = "If the second segment of an RDMA Write has a different DDP version, it is answered by a Terminate and not placed",
  requirements = {"RFC5041-4.1-09", "RFC5041-4.1-08", "RFC5041-7.1-07"},
  run = spares({data = ("x"):rep(200), segment = 2, dv = 0}, 114),
})
-- { number, kind, RV }; RV 0 is a version, too (RFC 5040 4.1)
for _, row in ipairs{
  {23, "send", 3}, {25, "send_se", 2}, {27, "rdma_write", 2}, {29, "rdma_write", 3}, {31, "read_request", 2},
  {33, "read_request", 3},
} do
  local number, kind, rv = table.unpack(row)
  add(number, {
    title = "RDMAP version " .. rv .. " on " .. words[kind] .. " is answered by a Terminate",
    requirements = {"RFC5040-4.1-08", kind == "read_request" and "RFC5040-7.2-08" or "RFC5040-7.2-03"},
    run = refuses(kind, {rv = rv}, rdmap_version),
  })
end
add(35, {
  title = "A Send with Invalidate with RDMAP version 2 is answered by a Terminate and invalidates nothing",
  requirements = {"RFC5040-4.1-08", "RFC5040-7.2-03"}, run = spares_stag("send_inv", 2),
})
add(37, {
  title = "A Send with Solicited Event and Invalidate with RDMAP version 3 is answered by a Terminate and invalidates nothing",
  requirements = {"RFC5040-4.1-08", "RFC5040-7.2-03"}, run = spares_stag("send_se_inv", 3),
})
add(39, {
  title = "A wrong DDP version and a wrong RDMAP version: the DDP version is reported",
  requirements = {"RFC5041-4.1-08", "RFC5040-7.2-01"},
  run = refuses("send", {dv = 3, rv = 3}, untagged_version),
})

-- ---- opcode and buffer model ----

-- { number, opcode, words }: to an STag that is valid, so that DDP finds nothing wrong
for _, row in ipairs{
  {41, 1, "Read Request"}, {43, 4, "Send with Invalidate"}, {45, 5, "Send with Solicited Event"},
  {47, 6, "Send with Solicited Event and Invalidate"}, {49, 7, "Terminate"}, {51, 12, "message of opcode Ch"},
} do
  local number, opcode, what = table.unpack(row)
  add(number, {
    title = "A " .. what .. " in a tagged segment " .. (opcode == 7 and "ends the connection" or "is answered by a Terminate"),
    requirements = {"RFC5040-4.1-05", "RFC5040-7.2-02"}, run = refuses_tagged(opcode),
    close = opcode == 7 and {"terminate+fin", "terminate+rst", "fin", "rst"} or nil,
  })
end
add(53, {
  title = "An RDMA Write in an untagged segment is answered by a Terminate",
  requirements = {"RFC5040-4.1-05", "RFC5040-7.2-02", "RFC5040-5.1-01"},
  run = refuses("send", {opcode = 0}, unexpected),
})
add(55, {
  title = "A Read Response in an untagged segment is answered by a Terminate",
  requirements = {"RFC5040-4.1-05", "RFC5040-7.2-02", "RFC5040-5.2.2-01"},
  run = refuses("send", {opcode = 2}, unexpected),
})
add(57, {
  title = "An RDMA Write in an untagged segment on queue 1 is answered by a Terminate",
  requirements = {"RFC5040-4.1-05", "RFC5040-7.2-07"},
  -- The payload is no Read Request, and the buffers of that queue hold only its header.
  run = refuses("send", {opcode = 0, qn = 1}, unexpected, no_queue),
})

-- ---- queues ----

-- { number, kind, QN, what the queue is, answers, row of the receiver's }: if the queue exists, RDMAP finds
-- the message on the wrong one
for _, row in ipairs{
  {59, "send", 2, "the queue of Terminates", {no_queue, unexpected}, "RFC5040-7.2-01"},
  {61, "send_se", 1, "the queue of Read Requests", {no_queue, unexpected}, "RFC5040-7.2-07"},
  {63, "send_inv", 3, "queue 3", {nothing_awaited, unexpected}, "RFC5040-7.2-01"},
  {65, "send", 4, "the undefined queue 4", {no_queue}, "RFC5041-7.1-01"},
  {67, "send_se_inv", 0xFFFFFFFF, "the undefined queue FFFFFFFFh", {no_queue}, "RFC5041-7.1-01"},
  {69, "read_request", 0, "the queue of Sends", {no_queue, unexpected}, "RFC5040-7.2-06"},
  {71, "read_request", 2, "the queue of Terminates", {no_queue, unexpected}, "RFC5040-7.2-06"},
  {73, "read_request", 0x80000001, "the undefined queue 80000001h", {no_queue}, "RFC5041-7.1-01"},
} do
  local number, kind, qn, what, answers, requirement = table.unpack(row)
  add(number, {
    title = words[kind]:gsub("^a", "A") .. " on " .. what .. " is answered by a Terminate",
    requirements = {"RFC5040-4.1-07", requirement}, run = refuses(kind, {qn = qn}, table.unpack(answers)),
  })
end
add(75, {
  title = "A Send whose second segment is on an undefined queue is answered by a Terminate",
  requirements = {"RFC5041-4.3-07", "RFC5041-7.1-01"},
  run = refuses("send", {data = ("x"):rep(200), segment = 2, qn = 0x10000}, no_queue),
})
add(77, {
  title = "A Terminate on the queue of Sends ends the connection",
  requirements = {"RFC5040-5.4-02", "RFC5040-7.2-01"}, close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  run = function(dut, open, role)
    local c = open{auto = {close = false}}
    step "send a Terminate on queue 0"
    c:fpdu{kind = "terminate", qn = 0, msn = next_msn(role)}
    if c:expect{no_queue, unexpected, closed}.kind ~= "close" then c:expect{closed} end
    check(dut:pending() == 0, "it is not delivered as a Send")
  end,
})

return common.cases({tier = "agent", close = both}, rows)
