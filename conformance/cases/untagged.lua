-- The untagged buffer model on the receiving side: which MSN and MO have a buffer, and how messages in segments are handled.
-- RFC 5041 4.3, 5.2 to 5.4 and 7.1, RFC 5040 5.3.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish

local no_msn = terminate(1, 2, any{2, 3})

-- `mulpdu` of 128 octets leaves this payload for a segment of a Send.
local piece = 110
local long = ("0123456789abcdefghijklmnopqrstuv"):rep(10)

local function arrives(dut, data, kind)
  local message = dut:received{}
  check(message.data == data, "the ULP gets the octets that were sent")
  check(message.kind == (kind or "send"), "with their opcode")
  return message
end

-- With buffers of `size` octets, that Send is answered by `answer` and not delivered.
local function refuses(size, fields, answer)
  return function(dut, open, role)
    common.buffers(dut, role, 2, size)
    local c = open{mulpdu = 128}
    step "send the message"
    c:send(fields)
    c:expect{answer}
    c:expect{closed}
    check(dut:pending() == 0, "nothing is delivered to the ULP")
  end
end

-- FPDUs of one message, each {mo, octets, more fields of it}, in that order; the last has L. The device delivers `data` or
-- rejects the message with one of `answers`: both are right.
local function delivers_or_refuses(segments, data, answers)
  return function(dut, open, role)
    local c = open{}
    step "send the segments"
    for i, segment in ipairs(segments) do
      local fields = {kind = "send", msn = role == "responder" and 2 or 1, mo = segment[1], data = segment[2], l = i == #segments}
      for name, value in pairs(segment[3] or {}) do fields[name] = value end
      c:fpdu(fields)
    end
    step "send a Read of no octets after them"
    c:read{sink_stag = 1, source_stag = 1, size = 0}
    if c:expect{{kind = "read_response", size = 0}, table.unpack(answers)}.kind == "terminate" then
      c:expect{closed}
      check(dut:pending() == 0, "a rejected message is not delivered")
      return
    end
    check(dut:received{}.data == data, "the ULP gets each octet in its place")
    check(dut:pending() == 0, "and delivers it once")
    finish(c)
  end
end

local kinds = {
  {"send", {}}, {"send_se", {se = true}}, {"send_inv", {}, true}, {"send_se_inv", {se = true}, true},
}

-- A message of each kind, of that many octets.
local function one_of_each(dut, c, octets)
  for i, row in ipairs(kinds) do
    local message = {data = tostring(i):rep(octets), se = row[2].se}
    if row[3] then message.invalidate = dut:region{size = 8, invalidate = true}.stag end
    c:send(message)
  end
end

local function delivered_of_each(dut, octets)
  for i, row in ipairs(kinds) do arrives(dut, tostring(i):rep(octets), row[1]) end
end

local rows = {
  -- MSN

  {
    id = "rdma-untagged-001", initiator = "rdma-untagged-002",
    title = "A first Send with MSN FFFFFFFFh is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5041-4.3-08", "RFC5042-5.1.1-02"},
    run = refuses(64, {data = "x", msn = 0xFFFFFFFF}, no_msn),
  },
  {
    id = "rdma-untagged-003", initiator = "rdma-untagged-004",
    title = "A Send with an MSN 2^31 ahead is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5041-4.3-08", "RFC5042-5.1.1-02"},
    run = refuses(64, {data = "x", msn = 0x80000002}, no_msn),
  },
  {
    id = "rdma-untagged-005", initiator = "rdma-untagged-006",
    title = "A Send with the MSN of an earlier message is answered by a Terminate and not delivered again",
    requirements = {"RFC5041-7.1-01", "RFC5041-5.3-06"},
    run = function(dut, open, role)
      local c = open{}
      for i = 1, 3 do c:send{data = "message " .. i} end
      step "send a fourth with the MSN of the first"
      c:send{data = "message 1", msn = role == "responder" and 2 or 1}
      c:expect{no_msn}
      c:expect{closed}
      for i = 1, 3 do arrives(dut, "message " .. i) end
      check(dut:pending() == 0, "three messages are delivered, the fourth is not")
    end,
  },
  {
    id = "rdma-untagged-007", initiator = "rdma-untagged-008",
    title = "A message whose second segment has a lower MSN than its first is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5041-4.3-11"},
    run = refuses(1000, {data = long:sub(1, 200), segment = 2, msn = 0}, no_msn),
  },
  {
    id = "rdma-untagged-009", initiator = "rdma-untagged-010",
    title = "A segment of a message after its segment with L is answered by a Terminate",
    requirements = {"RFC5041-4.1-03", "RFC5041-7.1-01", "RFC5041-5.3-06"},
    run = function(dut, open)
      local c = open{mulpdu = 128}
      step "send two segments, both with L"
      c:send{data = long:sub(1, 200), segment = 1, l = true}
      c:expect{no_msn}
      c:expect{closed}
      arrives(dut, long:sub(1, piece))
      check(dut:pending() == 0, "the second segment is not delivered")
    end,
  },
  {
    id = "rdma-untagged-011", initiator = "rdma-untagged-012",
    title = "Sends are delivered beyond the 256th MSN",
    requirements = {"RFC5041-4.3-08", "RFC5041-5.3-07"}, close = {"fin"},
    run = function(dut, open, role)
      common.buffers(dut, role, 300, 64)
      local c = open{}
      step "send 300 Sends"
      for i = 1, 300 do c:send{data = tostring(i)} end
      for i = 1, 300 do arrives(dut, tostring(i)) end
      finish(c)
    end,
  },

  -- MO

  {
    id = "rdma-untagged-013", initiator = "rdma-untagged-014",
    title = "A Send of one octet with an MO equal to the length of the buffer is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5042-ATTACK-27"}, run = refuses(64, {data = "x", mo = 64}, common.outside_buffer),
  },
  {
    id = "rdma-untagged-015", initiator = "rdma-untagged-016",
    title = "A Send whose MO plus length exceeds 2^32 is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5042-ATTACK-27"}, run = refuses(64, {data = "xyz", mo = 0xFFFFFFFE}, common.outside_buffer),
  },
  {
    id = "rdma-untagged-017", initiator = "rdma-untagged-018",
    title = "A message whose second segment ends one octet beyond the end of the buffer is answered by a Terminate",
    requirements = {"RFC5040-5.3-04", "RFC5041-7.1-01", "RFC5042-ATTACK-27"},
    run = refuses(150, {data = long:sub(1, 151)}, common.too_long),
  },
  {
    id = "rdma-untagged-019", initiator = "rdma-untagged-020",
    title = "A message as long as its buffer is delivered",
    requirements = {"RFC5040-5.3-03", "RFC5041-5.2-04"}, close = {"fin"},
    run = function(dut, open, role)
      common.buffers(dut, role, 2, 150)
      local c = open{mulpdu = 128}
      step "send two segments"
      c:send{data = long:sub(1, 150)}
      arrives(dut, long:sub(1, 150))
      step "send one segment"
      c:send{data = "short"}
      arrives(dut, "short")
      finish(c)
    end,
  },

  -- buffers

  {
    id = "rdma-untagged-021", initiator = "rdma-untagged-022",
    title = "A Send without a receive buffer is answered by a Terminate, or waits for one",
    requirements = {"RFC5041-7.1-03", "RFC5041-7.1-05", "RFC5040-5.3-02"},
    close = {"terminate+fin", "terminate+rst", "fin"},
    run = function(dut, open, role)
      common.buffers(dut, role, 2, 64)
      local c = open{}
      step "send three Sends for two buffers"
      for i = 1, 3 do c:send{data = "message " .. i} end
      if not common.no_room(dut, c, 2) then return end
      step "post a buffer for the third"
      dut:post{count = 1, size = 64}
      for i = 1, 3 do arrives(dut, "message " .. i) end
      finish(c)
    end,
  },
  {
    id = "rdma-untagged-023", initiator = "rdma-untagged-024",
    title = "Receive buffers are used in the order posted",
    requirements = {"RFC5040-5.3-02", "RFC5040-5.3-05"}, close = {"fin"},
    run = function(dut, open, role)
      common.buffers(dut, role, 1, 16)
      local c = open{}
      step "post a second buffer, a longer one; the second Send needs it"
      dut:post{count = 1, size = 64}
      c:send{data = "first"}
      arrives(dut, "first")
      c:send{data = "this needs the longer buffer"}
      arrives(dut, "this needs the longer buffer")
      finish(c)
    end,
  },
  {
    id = "rdma-untagged-025", initiator = "rdma-untagged-026",
    title = "Each of the four kinds of Send uses one buffer",
    requirements = {"RFC5040-5.3-02", "RFC5040-5.3-05"}, close = {"terminate+fin", "terminate+rst", "fin"},
    run = function(dut, open, role)
      common.buffers(dut, role, 4, 64)
      local c = open{}
      step "send one of each kind, and one more"
      one_of_each(dut, c, 9)
      c:send{data = "no buffer is left"}
      local waits = common.no_room(dut, c, 4)
      delivered_of_each(dut, 9)
      if not waits then return end
      dut:post{count = 1, size = 64}
      arrives(dut, "no buffer is left")
      finish(c)
    end,
  },
  {
    id = "rdma-untagged-027", initiator = "rdma-untagged-028",
    title = "Each of the four kinds of Send is delivered without payload",
    requirements = {"RFC5040-5.3-09", "RFC5041-5.2-08"}, close = {"fin"},
    run = function(dut, open)
      local c = open{}
      one_of_each(dut, c, 0)
      delivered_of_each(dut, 0)
      finish(c)
    end,
  },

  -- segments

  {
    id = "rdma-untagged-029", initiator = "rdma-untagged-030",
    title = "Messages that just fill their segments, or differ by one octet, are delivered complete",
    requirements = {"RFC5041-5.2-04", "RFC5041-5.4-01"}, close = {"fin"},
    run = function(dut, open)
      local c = open{mulpdu = 128}
      local sizes = {piece - 1, piece, piece + 1, 2 * piece - 1, 2 * piece, 2 * piece + 1}
      for _, size in ipairs(sizes) do c:send{data = long:sub(1, size)} end
      for _, size in ipairs(sizes) do arrives(dut, long:sub(1, size)) end
      finish(c)
    end,
  },
  {
    id = "rdma-untagged-031", initiator = "rdma-untagged-032",
    title = "A Send of 200,000 octets is delivered complete",
    requirements = {"RFC5041-5.2-04", "RFC5041-5.4-01"}, close = {"fin"},
    run = function(dut, open, role)
      local data = long:rep(625)
      common.buffers(dut, role, 1, #data)
      local c = open{}
      c:send{data = data}
      arrives(dut, data)
      finish(c)
    end,
  },
  {
    id = "rdma-untagged-033", initiator = "rdma-untagged-034",
    title = "After an error an incomplete message is not delivered",
    requirements = {"RFC5041-4.1-06", "RFC5041-5.4-01"},
    danger = {"memory"},
    run = function(dut, open)
      local c = open{mulpdu = 128}
      step "send two of three segments, then a Write to an unknown STag"
      c:send{data = long:sub(1, 300), segment = 3, times = 0}
      c:write{stag = common.unknown_stag, data = "12345678"}
      c:expect{{kind = "terminate", layer = any{0, 1}}}
      c:expect{closed}
      check(dut:pending() == 0, "nothing is delivered to the ULP")
    end,
  },
  {
    id = "rdma-untagged-035", initiator = "rdma-untagged-036",
    title = "After the end of the connection an incomplete message is not delivered",
    requirements = {"RFC5041-4.1-06", "RFC5041-5.4-01"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut, open)
      local c = open{mulpdu = 128}
      c:send{data = "before it"}
      step "send two of three segments, then close"
      c:send{data = long:sub(1, 300), segment = 3, times = 0}
      c:close()
      if c:expect{closed, {kind = "terminate"}}.kind ~= "close" then c:expect{closed} end
      arrives(dut, "before it")
      check(dut:pending() == 0, "the incomplete message is not delivered")
    end,
  },
  {
    id = "rdma-untagged-037", initiator = "rdma-untagged-038",
    title = "A Send with its segments out of order is delivered complete, or answered by a Terminate",
    requirements = {"RFC5041-5.4-01", "RFC5041-4.1-06"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = delivers_or_refuses({{40, long:sub(41, 80)}, {0, long:sub(1, 40)}, {80, long:sub(81, 120)}}, long:sub(1, 120),
      {terminate(1, 2, 4)}),
  },
  {
    id = "rdma-untagged-039", initiator = "rdma-untagged-040",
    title = "A message with a duplicate segment is delivered unchanged, or answered by a Terminate",
    requirements = {"RFC5041-5.3-06", "RFC5041-5.4-01"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = delivers_or_refuses({{0, long:sub(1, 40)}, {40, long:sub(41, 80)}, {40, long:sub(41, 80)}, {80, long:sub(81, 120)}},
      long:sub(1, 120), {terminate(1, 2, 4)}),
  },
  {
    id = "rdma-untagged-041", initiator = "rdma-untagged-042",
    title = "A message whose second segment has a different opcode is delivered unchanged, or answered by a Terminate",
    requirements = {"RFC5041-4.3-05"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = delivers_or_refuses({{0, long:sub(1, 40)}, {40, long:sub(41, 80), {kind = "send_se"}}}, long:sub(1, 80),
      {terminate(0, 2, 6)}),
  },

  -- fields that a receiver ignores

  {
    id = "rdma-untagged-043", initiator = "rdma-untagged-044",
    title = "Rsvd and Rsv of every segment of a Send with Solicited Event and Invalidate are ignored",
    requirements = {"RFC5041-4.1-07", "RFC5040-4.1-09"}, close = {"fin"},
    run = function(dut, open)
      local target = dut:region{size = 8, invalidate = true}
      local c = open{mulpdu = 128}
      c:send{data = long:sub(1, 200), se = true, invalidate = target.stag, rsvd = 15, rsv = 3}
      check(arrives(dut, long:sub(1, 200), "send_se_inv").invalidate == target.stag, "the STag is invalidated")
      finish(c)
    end,
  },
  {
    id = "rdma-untagged-045", initiator = "rdma-untagged-046",
    title = "The Invalidate STag field of a Send with Solicited Event is ignored",
    requirements = {"RFC5040-4.1-10"}, close = {"fin"},
    run = function(dut, open)
      local target = dut:region{size = 8, fill = "."}
      local sink = region{size = 8}
      local c = open{}
      c:send{data = "event", se = true, rsvdulp_rest = target.stag}
      check(arrives(dut, "event", "send_se").invalidate == 0, "the ULP gets no STag")
      step "read through the STag"
      c:read{region = sink, source_stag = target.stag, source_to = target.to}
      c:expect{{kind = "read_response", size = 8}}
      check(sink:get() == "........", "it is still valid")
      finish(c)
    end,
  },
}

return common.cases({tier = "agent", close = both}, rows)
