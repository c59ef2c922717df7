-- What a Terminate reports about the message in error: RFC 5040 4.8 and 7.1, RFC 5041 7.2.

local closed, both, terminate = common.closed, common.both, common.terminate
local data = ("0123456789"):rep(40)

-- The Terminate includes the headers of the message: its DDP Segment Length and these header fields.
-- They are a SHOULD (RFC 5040 4.8, RFC 5041 7.1), which the monitor checks.
local function includes(message, length, fields)
  check(not message.m or message.segment_length == length, "the DDP Segment Length is " .. length)
  if not message.d then return end
  check(message.terminated, "the Terminated DDP Header is there")
  for name, value in pairs(fields) do
    check(message.terminated[name] == value, "the Terminated DDP Header has " .. name .. " as it was sent")
  end
end

-- A Send with a change, after `before` others; receive buffers are of `size` octets.
local function of_send(answer, before, size, fields, length, header)
  return function(dut, open, role)
    common.buffers(dut, role, before + 2, size)
    local c = open{mulpdu = 128}
    step "send the wrong message"
    for i = 1, before do c:send{data = "message " .. i} end
    c:send(fields)
    local message = c:expect{answer}
    includes(message, length, header)
    check(not message.r, "R is not set")
    c:expect{closed}
  end
end

-- A Write into a buffer of 128 octets, with a change.
local function of_write(answer, fields, length, header)
  return function(dut, open)
    local target = dut:region{size = 128}
    local c = open{mulpdu = 128}
    local write, expected = {stag = target.stag, to = target.to}, {t = true, stag = target.stag, to = target.to}
    for name, value in pairs(fields) do write[name] = value end
    for name, value in pairs(header) do expected[name] = name == "to" and target.to + value or value end
    step "send the wrong Write"
    c:write(write)
    local message = c:expect{answer}
    includes(message, length, expected)
    check(not message.r, "R is not set")
    c:expect{closed}
  end
end

-- A Read of 8 octets of a buffer of 64, with a change, after one that is answered.
local function of_read(answer, rights, change)
  return function(dut, open)
    local source, sink = dut:region{size = 64, rights = rights}, region{size = 64, to = 0x123456789}
    local c = open{}
    step "send a Read of no octets"
    c:read{sink_stag = 1, source_stag = 1, size = 0}
    c:expect{{kind = "read_response", size = 0}}
    local read = {sink_stag = sink.stag, sink_to = sink.to + 3, size = 8, source_stag = source.stag, source_to = source.to}
    for name, value in pairs(change) do
      read[name] = type(value) == "function" and value(source) or value
    end
    step "send the wrong Read"
    c:read(read)
    local message = c:expect{answer}
    includes(message, 46, {t = false, qn = 1, msn = 2, mo = 0, opcode = 1})
    check(not message.r or message.terminated_request, "with R the Terminated RDMA Header is there")
    for name, value in pairs(message.r and read or {}) do
      check(message.terminated_request[name] == value, "it has " .. name .. " as in the Read Request")
    end
    c:expect{closed}
  end
end

local of_ddp = {"RFC5040-7.1-02", "RFC5041-7.2-01", "RFC5040-4.8-08", "RFC5040-4.8-09", "RFC5040-4.8-10", "RFC5041-7.1-10"}
local of_rdmap = {"RFC5040-7.1-02", "RFC5040-4.8-03", "RFC5040-4.8-08", "RFC5040-4.8-09", "RFC5040-4.8-10"}
local of_request = {"RFC5040-7.1-02", "RFC5040-4.8-08", "RFC5040-4.8-10", "RFC5040-4.8-11", "RFC5040-4.8-12"}

return common.cases({tier = "agent", close = both}, {
  {
    id = "rdma-terminate-about-001", initiator = "rdma-terminate-about-002",
    title = "A Send on an undefined queue is answered by Terminate 1/2/01; headers in it are those of the Send", requirements = of_ddp,
    run = of_send(terminate(1, 2, 1), 1, 64, {data = "hello", qn = 9, msn = 7}, 23,
      {t = false, qn = 9, msn = 7, mo = 0, opcode = 3}),
  },
  {
    id = "rdma-terminate-about-003", initiator = "rdma-terminate-about-004",
    title = "A Send with a wrong MSN is answered by Terminate 1/2/02 or 1/2/03 with the headers of the Send",
    requirements = of_ddp,
    run = of_send(terminate(1, 2, any{2, 3}), 3, 64, {data = "hello", se = true, msn = 0x80000000}, 23,
      {t = false, qn = 0, msn = 0x80000000, opcode = 5}),
  },
  {
    id = "rdma-terminate-about-005", initiator = "rdma-terminate-about-006",
    title = "A Send too long for its buffer is answered by Terminate 1/2/05; headers in it are those of the segment that exceeds it",
    requirements = of_ddp,
    run = of_send(common.too_long, 0, 150, {data = data:sub(1, 151)}, 59, {t = false, qn = 0, mo = 110, l = true}),
  },
  {
    id = "rdma-terminate-about-007", initiator = "rdma-terminate-about-008",
    title = "A wrong DDP version in one segment of a Send is answered by Terminate 1/2/06; headers in it are those of that segment",
    requirements = of_ddp,
    run = of_send(terminate(1, 2, 6), 0, 400, {data = data:sub(1, 300), segment = 2, dv = 3}, 128,
      {t = false, qn = 0, mo = 110, l = false, dv = 3}),
  },
  {
    id = "rdma-terminate-about-009", initiator = "rdma-terminate-about-010",
    title = "A Write out of bounds is answered by Terminate 1/1/01; headers in it are those of the segment out of bounds",
    requirements = of_ddp,
    danger = {"memory"},
    run = of_write(terminate(1, 1, 1), {data = data:sub(1, 129)}, 29, {to = 114, l = true, opcode = 0}),
  },
  {
    id = "rdma-terminate-about-011", initiator = "rdma-terminate-about-012",
    title = "A Write with a wrong DDP version is answered by Terminate 1/1/04; headers in it are those of the Write",
    requirements = of_ddp,
    run = of_write(terminate(1, 1, 4), {data = "12345678", dv = 2}, 22, {dv = 2, l = true, opcode = 0}),
  },
  {
    id = "rdma-terminate-about-013", initiator = "rdma-terminate-about-014",
    title = "A Send with a wrong RDMAP version is answered by Terminate 0/2/05; headers that it includes are those of the Send",
    requirements = of_rdmap,
    run = of_send(terminate(0, 2, 5), 2, 64, {data = "hello", rv = 2}, 23, {t = false, qn = 0, mo = 0, rv = 2, opcode = 3}),
  },
  {
    id = "rdma-terminate-about-015", initiator = "rdma-terminate-about-016",
    title = "A Write with a wrong RDMAP version is answered by Terminate 0/2/05; headers that it includes are those of the Write",
    requirements = of_rdmap,
    run = of_write(terminate(0, 2, 5), {data = "12345678", rv = 3}, 22, {rv = 3, opcode = 0}),
  },
  {
    id = "rdma-terminate-about-017", initiator = "rdma-terminate-about-018",
    title = "A tagged segment with opcode 5, Send with SE, is answered by Terminate 0/2/06; headers in the Terminate are those of that segment",
    requirements = of_rdmap,
    run = of_write(terminate(0, 2, 6), {data = "123456789", opcode = 5}, 23, {rv = 1, opcode = 5}),
  },
  {
    id = "rdma-terminate-about-019", initiator = "rdma-terminate-about-020",
    title = "A Read from an unknown STag is answered by Terminate 0/1/00; what it includes of the Read Request is correct",
    requirements = of_request,
    run = of_read(terminate(0, 1, 0), "r", {source_stag = common.unknown_stag}),
  },
  {
    id = "rdma-terminate-about-021", initiator = "rdma-terminate-about-022",
    title = "A Read out of bounds is answered by Terminate 0/1/01; what it includes of the Read Request is correct",
    requirements = of_request,
    run = of_read(terminate(0, 1, 1), "r", {source_to = function(source) return source.to + 57 end}),
  },
  {
    id = "rdma-terminate-about-023", initiator = "rdma-terminate-about-024",
    title = "A Read without read access is answered by Terminate 0/1/02; what it includes of the Read Request is correct",
    requirements = of_request,
    run = of_read(terminate(0, 1, 2), "w", {}),
  },
  {
    id = "rdma-terminate-about-025", initiator = "rdma-terminate-about-026",
    title = "A Read beyond TO 2^64 is answered by Terminate 0/1/01 or 0/1/04; what it includes of the Read Request is correct",
    requirements = of_request,
    run = of_read(terminate(0, 1, any{1, 4}), "r", {source_to = -4}),
  },
  {
    id = "rdma-terminate-about-027", initiator = "rdma-terminate-about-028",
    title = "A Send with Invalidate of an unknown STag is answered by a Terminate; headers that the Terminate includes are those of the Send",
    requirements = of_rdmap,
    run = function(_, open)
      local c = open{}
      step "invalidate an unknown STag"
      c:send{data = "hello", invalidate = common.unknown_stag}
      local message = c:expect{terminate(0, any{1, 2}, 9), terminate(0, 1, any{0, 3})}
      includes(message, 23, {t = false, qn = 0, opcode = 4, rsvdulp_rest = common.unknown_stag})
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-about-029", initiator = "rdma-terminate-about-030",
    title = "A wrong CRC is answered by a Terminate without headers before the connection closes",
    claims = {"crc-reports"},
    requirements = {"RFC5040-6.2.1-01", "RFC5041-6.2.2-03", "RFC5040-4.8-01"},
    run = function(_, open)
      local c = open{}
      c:send{data = "hello", crc_flip = 0x00100000}
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = 2, m = false, d = false, r = false, qn = 2, msn = 1, mo = 0,
        l = true}}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-about-031", initiator = "rdma-terminate-about-032",
    title = "A Terminate reports the first of two errors in one TCP segment", segments = true,
    requirements = {"RFC5040-7.1-03", "RFC5040-5.4-06"},
    run = function(_, open)
      local c = open{}
      step "send a Send on an undefined queue, and a Write to an unknown STag"
      c:send{data = "hello", qn = 9, merge = true}
      c:write{stag = common.unknown_stag, data = "12345678"}
      includes(c:expect{terminate(1, 2, 1)}, 23, {t = false, qn = 9})
      c:expect{closed}
    end,
  },
})
