-- Immediate Data, with and without SE: RFC 7306 6, 7 and 8, draft-ietf-storm-rdmap-ext-01 6.3.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish

-- The two kinds, and the number of octets in titles.
local kinds = {{"immediate", "Immediate Data"}, {"immediate_se", "Immediate Data with SE"}}

local cases = {}

local function add(fields)
  fields.tier, fields.claims = fields.tier or "agent", fields.claims or {"immediate"}
  fields.role = fields.role or "responder"
  fields.close = fields.close or {"fin"}
  cases[#cases + 1] = fields
end

-- ---- the device receives ----

-- One message, which is delivered like any other.
local function delivers(role, fields)
  return function(dut)
    local c = common.open(dut, role)
    step "send the message"
    c:message(fields)
    local message = dut:received{}
    check(message.kind == fields.kind, "the ULP gets the right kind of message")
    check(message.data == fields.data, "the ULP gets the 8 octets that were sent")
    finish(c)
  end
end

-- One wrong message, which is rejected and not delivered.
local function refuses(role, fields, answers)
  return function(dut)
    local c = common.open(dut, role)
    step "send the message"
    c:fpdu(fields)
    step "wait for the Terminate"
    c:expect(answers)
    c:expect{closed}
    check(dut:pending() == 0, "the ULP gets nothing")
  end
end

-- { id, title, kind, change, requirements [, role] }
local taken = {
  {"rdma-immediate-001", "Immediate Data is delivered", "immediate", {}, {"RFC7306-6.3-03"}},
  {"rdma-immediate-002", "Immediate Data with SE is delivered", "immediate_se", {}, {"RFC7306-6.3-03"}},
  {"rdma-immediate-003", "Immediate Data of zeros is delivered", "immediate", {data = ("\0"):rep(8)}, {"RFC7306-6.3-03"}},
  {"rdma-immediate-004", "The device as initiator delivers Immediate Data", "immediate", {},
    {"RFC7306-6.3-03"}, "initiator"},
  {"rdma-immediate-005", "Immediate Data with an unknown STag as Invalidate STag is delivered", "immediate",
    {rsvdulp_rest = common.unknown_stag}, {"RFC7306-4.1-01"}},
  {"rdma-immediate-006", "Immediate Data with SE and with an unknown STag as Invalidate STag is delivered", "immediate_se",
    {rsvdulp_rest = common.unknown_stag}, {"RFC7306-4.1-01"}},
  {"rdma-immediate-007", "Rsv and Rsvd of Immediate Data are ignored", "immediate", {rsv = 3, rsvd = 15},
    {"RFC5040-4.1-09", "RFC5041-4.1-07"}},
}

for _, row in ipairs(taken) do
  local id, title, kind, fields, requirements, role = table.unpack(row)
  fields.kind, fields.data = kind, fields.data or "8 octets"
  add{id = id, title = title, requirements = requirements, role = role, run = delivers(role or "responder", fields)}
end

-- A wrong length has no code of its own; a longer message may exceed the buffer.
local length = terminate(0, 2, any{7, 8, 0xFF})
local lengths = {{0, {length}}, {4, {length}}, {7, {length}}, {9, {length, terminate(1, 2, 5)}},
  {16, {length, terminate(1, 2, 5)}}}

for i, kind in ipairs(kinds) do
  for j, row in ipairs(lengths) do
    local octets, answers = table.unpack(row)
    add{
      id = ("rdma-immediate-%03d"):format(10 * i + j - 1),
      title = ("%s of %d octets is answered by a Terminate"):format(kind[2], octets),
      requirements = {"RFC7306-6.3-07", "EXT01-6.3-01", "RFC7306-8.2-01"}, close = both,
      run = refuses("responder", {kind = kind[1], header = ("x"):rep(octets)}, answers),
    }
  end
end

-- Without an agent the device may have no receive buffer for it.
for i, octets in ipairs{0, 7, 9} do
  add{
    id = ("rdma-immediate-%03d"):format(72 + i), tier = "none",
    title = ("Immediate Data of %d octets is answered by a Terminate (no agent)"):format(octets),
    requirements = {"RFC7306-6.3-07", "RFC7306-8.2-01"}, close = both,
    run = function(dut)
      local c = common.started(dut)
      c:fpdu{kind = "immediate", header = ("x"):rep(octets)}
      c:expect{length, terminate(1, 2, any{2, 5})}
      c:expect{closed}
    end,
  }
end
add{
  id = "rdma-immediate-079", tier = "none",
  title = "Immediate Data of 8 octets is not answered by a Terminate for its opcode or its length (no agent)",
  requirements = {"RFC7306-6.3-03", "RFC7306-8.2-02"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
  run = function(dut)
    local c = common.started(dut)
    step "send Immediate Data, and a Read of no octets"
    c:immediate{data = "8 octets"}
    c:read{sink_stag = 79, source_stag = 1, size = 0}
    -- The ULP is unknown: it may have no buffer, answer, or close.
    local event = c:expect{{kind = "read_response", stag = 79, size = 0}, terminate(1, 2, any{2, 3, 5}), closed,
      ignore = {"send", "rdma_write", "read_request"}}
    if event.kind == "read_response" then finish(c) elseif event.kind == "terminate" then c:expect{closed} end
  end,
}
for i, octets in ipairs{0, 7, 9} do
  add{
    id = ("rdma-immediate-%03d"):format(75 + i), role = "initiator",
    title = ("The device as initiator answers Immediate Data of %d octets by a Terminate"):format(octets),
    requirements = {"RFC7306-6.3-07", "RFC7306-8.2-01"}, close = both,
    run = refuses("initiator", {kind = "immediate", header = ("x"):rep(octets)}, {length, terminate(1, 2, 5)}),
  }
end

-- The device has had one Send already: the next MSN is 2.
-- { id, title, kind, change, Terminates, requirements [, role] }
local refused = {
  {"rdma-immediate-030", "Immediate Data on queue 1 is answered by a Terminate", "immediate", {qn = 1, msn = 1},
    {terminate(1, 2, 1), terminate(0, 2, 6)}, {"RFC7306-8.2-02", "RFC7306-6.3-04"}},
  {"rdma-immediate-031", "Immediate Data with SE on queue 1 is answered by a Terminate", "immediate_se", {qn = 1, msn = 1},
    {terminate(1, 2, 1), terminate(0, 2, 6)}, {"RFC7306-8.2-02", "EXT01-4.1-02"}},
  {"rdma-immediate-032", "Immediate Data on queue 4 is answered by a Terminate", "immediate", {qn = 4, msn = 1},
    {terminate(1, 2, 1)}, {"RFC7306-8.2-02"}},
  -- A smaller MSN may have a buffer that was posted after the first (RFC 5041 7.1).
  {"rdma-immediate-033", "Immediate Data with an MSN beyond all receive buffers is answered by a Terminate", "immediate",
    {msn = 0x80000000},
    {terminate(1, 2, any{2, 3})}, {"RFC7306-8.2-02"}},
  {"rdma-immediate-034", "Immediate Data with the MSN of the previous Send is answered by a Terminate", "immediate_se", {msn = 1},
    {terminate(1, 2, any{2, 3})}, {"RFC7306-8.2-02"}},
  -- DDP finds it within the buffer; RDMAP then gets 16 octets.
  {"rdma-immediate-035", "Immediate Data at MO 8 is answered by a Terminate", "immediate", {mo = 8},
    {common.outside_buffer, length}, {"RFC7306-8.2-02"}},
  {"rdma-immediate-036", "Immediate Data with DDP version 0 is answered by a Terminate", "immediate", {dv = 0},
    {terminate(1, 2, 6)}, {"RFC7306-8.2-02"}},
  {"rdma-immediate-037", "Immediate Data with RDMAP version 2 is answered by a Terminate", "immediate", {rv = 2},
    {terminate(0, 2, 5)}, {"RFC7306-8.2-04"}},
  {"rdma-immediate-038", "Immediate Data with SE with RDMAP version 3 is answered by a Terminate", "immediate_se", {rv = 3},
    {terminate(0, 2, 5)}, {"RFC7306-8.2-04"}},
  {"rdma-immediate-039", "The device as initiator answers Immediate Data on queue 1 by a Terminate", "immediate",
    {qn = 1, msn = 1}, {terminate(1, 2, 1), terminate(0, 2, 6)}, {"RFC7306-8.2-02"}, "initiator"},
}

for _, row in ipairs(refused) do
  local id, title, kind, fields, answers, requirements, role = table.unpack(row)
  fields.kind, fields.data = kind, "8 octets"
  add{
    id = id, title = title, requirements = requirements, role = role, close = both,
    run = refuses(role or "responder", fields, answers),
  }
end

add{
  id = "rdma-immediate-040", title = "Immediate Data in a tagged segment is answered by a Terminate",
  requirements = {"RFC7306-6.3-01", "RFC7306-8.2-01"}, close = both,
  run = function(dut)
    local target = dut:region{size = 64, fill = "."}
    local c = common.open(dut, "responder")
    c:write{stag = target.stag, to = target.to, data = "8 octets", opcode = 8}
    c:expect{terminate(0, 2, 6), terminate(1, 1, 0)}
    c:expect{closed}
    -- DDP has found no error and may have placed it.
    check(dut:memory(target, 8, 56) == ("."):rep(56), "the rest of the region is unchanged")
    check(dut:pending() == 0, "the ULP gets nothing")
  end,
}
add{
  id = "rdma-immediate-041",
  title = "Immediate Data with a wrong RDMAP version is answered by Terminate 0/2/05 with at most its DDP header",
  requirements = {"RFC7306-8.1-01"}, close = both,
  run = function(dut)
    local c = common.open(dut, "responder")
    c:fpdu{kind = "immediate_se", data = "8 octets", rv = 3}
    local message = c:expect{terminate(0, 2, 5)}
    check(not message.r, "R is not set")
    check(not message.d or message.terminated and message.terminated.opcode == 9 and message.terminated.msn == 2,
      "the DDP header is that of the message")
    check(not message.m or message.segment_length == 26, "the DDP Segment Length is that of Immediate Data")
    c:expect{closed}
  end,
}

-- ---- receive buffers ----

for i, kind in ipairs(kinds) do
  add{
    id = ("rdma-immediate-%03d"):format(49 + i), title = kind[2] .. " consumes one receive buffer per message",
    requirements = {"RFC7306-6.3-02"}, close = {"terminate+fin", "terminate+rst", "open"},
    run = function(dut)
      dut:post{count = 3, size = 64}
      local c = common.open(dut, "responder")
      step "send two for the two remaining buffers, and one more"
      for _ = 1, 3 do c:message{kind = kind[1], data = "8 octets"} end
      common.no_room(dut, c, 2)
    end,
  }
end

add{
  id = "rdma-immediate-052", title = "A Send after Immediate Data uses the next receive buffer",
  requirements = {"RFC7306-6.3-02"}, close = {"terminate+fin", "terminate+rst", "open"},
  run = function(dut)
    dut:post{count = 3, size = 64}
    local c = common.open(dut, "responder")
    c:immediate{data = "8 octets"}
    c:send{data = "the last buffer"}
    c:send{data = "none is left"}
    common.no_room(dut, c, 2)
    check(dut:received{}.data == "8 octets" and dut:received{}.data == "the last buffer", "two are delivered")
    check(dut:pending() == 0, "the third is not delivered")
  end,
}
add{
  id = "rdma-immediate-053", title = "A receive buffer of 8 octets is enough for Immediate Data",
  requirements = {"RFC7306-6.3-02", "RFC7306-6.3-05"},
  run = function(dut)
    dut:post{count = 1, size = 64}
    local c = common.open(dut, "responder")
    dut:post{count = 1, size = 8}
    c:immediate{data = "8 octets"}
    check(dut:received{}.data == "8 octets", "the ULP gets them")
    finish(c)
  end,
}

-- ---- order ----

local function by_turns(role)
  return function(dut)
    local c = common.open(dut, role)
    local sent = {}
    for i = 1, 12 do
      local kind = ({"send", "immediate", "immediate_se", "send_se"})[i % 4 + 1]
      sent[i] = {kind = kind, data = ("octets%02d"):format(i)}
      c:message(sent[i])
    end
    for i = 1, 12 do
      local message = dut:received{}
      check(message.kind == sent[i].kind and message.data == sent[i].data, "message " .. i .. " comes in order")
    end
    finish(c)
  end
end

add{
  id = "rdma-immediate-060", title = "Sends and Immediate Data are delivered in the order sent",
  requirements = {"RFC7306-6.3-03"}, run = by_turns("responder"),
}
add{
  id = "rdma-immediate-061", title = "The device as initiator delivers Sends and Immediate Data in the order sent",
  requirements = {"RFC7306-6.3-03"}, role = "initiator", run = by_turns("initiator"),
}
add{
  id = "rdma-immediate-062", title = "Immediate Data is delivered once the Write before it is placed",
  requirements = {"RFC7306-6.3-03", "RFC5040-5.5-05"},
  run = function(dut)
    local data = ("0123456789abcdef"):rep(256)
    local target = dut:region{size = 4096, fill = "."}
    local c = common.open(dut, "responder", {mulpdu = 128})
    c:write{stag = target.stag, to = target.to, data = data}
    c:immediate{data = "all done"}
    check(dut:received{}.data == "all done", "the ULP gets them")
    check(dut:memory(target, 0, 4096) == data, "the Write is in the memory")
    finish(c)
  end,
}
add{
  id = "rdma-immediate-063", title = "A Read is answered once the Immediate Data before it is delivered",
  requirements = {"RFC7306-6.3-03", "RFC5040-5.5-13"},
  run = function(dut)
    local source, sink = dut:region{size = 64, rights = "r", fill = "s"}, region{size = 64}
    local c = common.open(dut, "responder")
    c:immediate{data = "8 octets", merge = true}
    c:read{region = sink, source_stag = source.stag, source_to = source.to}
    c:expect{{kind = "read_response", size = 64}}
    check(dut:pending() == 1, "the ULP has the Immediate Data")
    finish(c)
  end,
}

-- ---- the device sends ----

-- What the ULP posts and the message that comes: in that order, with 8 octets, on queue 0.
local function sends(role)
  return function(dut)
    local c = common.open(dut, role)
    local first = role == "initiator" and 2 or 1 -- by which the ULP has opened the conversation
    step "the ULP posts Sends and Immediate Data"
    dut:immediate{data = "octets 1"}
    dut:send{data = "octets 2"}
    dut:immediate{data = "octets 3", se = true}
    dut:immediate{data = "octets 4"}
    for i, kind in ipairs{"immediate", "send", "immediate_se", "immediate"} do
      c:expect{{kind = kind, qn = 0, msn = first + i - 1, mo = 0, data = "octets " .. i, ulpdu_length = 26}}
    end
    finish(c)
  end
end

add{
  id = "rdma-immediate-070", title = "The device sends Immediate Data with 8 octets on queue 0, in the order posted",
  requirements = {"RFC7306-6.3-01", "RFC7306-6.3-04", "RFC7306-6.3-05", "RFC7306-6.3-06", "RFC7306-4.1-01"},
  run = sends("responder"),
}
add{
  id = "rdma-immediate-071", title = "The device as initiator sends Immediate Data on queue 0, in the order posted",
  requirements = {"RFC7306-6.3-01", "RFC7306-6.3-04", "RFC7306-6.3-05", "RFC7306-6.3-06", "RFC7306-4.1-01"},
  role = "initiator", run = sends("initiator"),
}
add{
  id = "rdma-immediate-072", title = "The device sends Immediate Data after the Write posted before it",
  requirements = {"RFC7306-6.3-06", "RFC5040-5.5-09"},
  run = function(dut)
    local sink = region{size = 4096, fill = "."}
    local data = ("fedcba9876543210"):rep(256)
    local c = common.open(dut, "responder")
    dut:write{stag = sink.stag, to = sink.to, data = data}
    local post = dut:immediate{data = "all done"}
    c:expect{{kind = "rdma_write", size = 4096}}
    c:expect{{kind = "immediate", data = "all done"}}
    check(sink:get() == data, "the Write is in the memory")
    local completion
    repeat completion = dut:completed{} until completion.post == post
    check(completion.status == "done", "the ULP learns that they are sent")
    finish(c)
  end,
}

return cases
