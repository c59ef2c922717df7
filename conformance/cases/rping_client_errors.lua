-- Errors that the device detects as client of the unmodified rping of rdma-core: RFC 5040 5.2, 5.3 and 7.2, RFC 5041 7.1.

local closed, both, terminate = common.closed, common.both, common.terminate
local meet, meet_sink, fetch = common.rping.meet, common.rping.meet_sink, common.rping.fetch
local with, go_ahead = common.rping.with, common.rping.go_ahead

local function refuses_read(change, answer_to_it, fields)
  return function(dut)
    local c, source = meet(dut)
    local mine = region{size = source.size + 64}
    local read = {sink_stag = mine.stag, sink_to = mine.to, size = 8, source_stag = source.stag, source_to = source.to}
    for name, value in pairs(change) do read[name] = type(value) == "function" and value(source) or value end
    step "read"
    c:read(with(read, fields))
    c:expect{answer_to_it}
    c:expect{closed}
  end
end

local function refuses_write(change, answer_to_it)
  return function(dut)
    local c, sink = meet_sink(dut)
    local write = {stag = sink.stag, to = sink.to, data = "12345678"}
    for name, value in pairs(change) do write[name] = type(value) == "function" and value(sink) or value end
    step "write"
    c:write(write)
    c:expect{answer_to_it}
    c:expect{closed}
  end
end

local function refuses_send(fields, answer_to_it)
  return function(dut)
    local c = meet(dut)
    step "send a Send that the device must reject"
    go_ahead(c, fields)
    c:expect{answer_to_it}
    c:expect{closed}
  end
end

-- An FPDU in place of the answer is rejected.
local function refuses_fpdu(fields, ...)
  local answers = {...}
  return function(dut)
    local c = meet(dut)
    step "send an FPDU that the device must reject"
    c:fpdu(fields)
    c:expect(answers)
    c:expect{closed}
  end
end

local advert = ("\0"):rep(16)
local no_buffer = terminate(1, 2, 2)

return common.cases({tier = "rping", role = "initiator", close = both, danger = {"connection"}}, {
  {
    id = "rping-client-016", title = "A Read of one octet more than the rping client's source buffer holds is answered by a Terminate",
    requirements = {"RFC5040-7.2-12", "RFC5040-5.2.1-12", "RFC5040-8.1.1-04", "RFC5042-6.3.1-01", "RFC5042-ATTACK-34"},
    run = refuses_read({size = function(source) return source.size + 1 end}, terminate(0, 1, 1)),
  },
  {
    id = "rping-client-017", title = "A Read that begins after the last octet of the rping client's source buffer is answered by a Terminate",
    requirements = {"RFC5040-7.2-11", "RFC5040-8.1.1-04", "RFC5042-6.3.1-01", "RFC5042-ATTACK-34"},
    run = refuses_read({size = 1, source_to = function(source) return source.to + source.size end}, terminate(0, 1, 1)),
  },
  {
    id = "rping-client-018", title = "A Read that begins one octet before the rping client's source buffer is answered by a Terminate",
    requirements = {"RFC5040-7.2-11", "RFC5040-8.1.1-04", "RFC5042-6.3.1-01", "RFC5042-ATTACK-34"},
    run = refuses_read({source_to = function(source) return source.to - 1 end}, terminate(0, 1, 1)),
  },
  {
    id = "rping-client-019",
    title = "A Read from an STag that differs from the rping client's source STag in the least significant bit is answered by a Terminate",
    requirements = {"RFC5040-7.2-09", "RFC5040-5.2.1-12"},
    run = refuses_read({source_stag = function(source) return source.stag ~ 1 end}, terminate(0, 1, any{0, 3})),
  },
  {
    id = "rping-client-020", title = "A Read that reaches beyond TO 2^64 is answered by a Terminate",
    requirements = {"RFC5040-7.2-13", "RFC5042-ATTACK-35"},
    run = refuses_read({source_to = -1, size = 2}, terminate(0, 1, any{1, 4})),
  },
  {
    id = "rping-client-021",
    title = "A Read Request with a wrong CRC is answered by Terminate 2/0/02 and not by a Read Response (rping client)",
    claims = {"crc-reports"}, requirements = {"RFC5044-4.4-14", "RFC5040-6.2.1-01"},
    run = refuses_read({}, terminate(2, 0, 2), {crc_flip = 1}),
  },
  {
    id = "rping-client-022", title = "A Read Request with an MSN used before is answered by a Terminate (rping client)",
    requirements = {"RFC5040-7.2-06", "RFC5041-7.1-01"},
    run = function(dut)
      local c, source = meet(dut)
      fetch(c, source, 0, 8)
      step "send a second Read with the MSN of the first"
      c:read{sink_stag = 1, sink_to = 0, size = 8, source_stag = source.stag, source_to = source.to, msn = 1}
      c:expect{terminate(1, 2, any{2, 3})}
      c:expect{closed}
    end,
  },
  {
    id = "rping-client-023", title = "A Write that ends one octet beyond the end of the rping client's sink buffer is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5040-5.1-09"},
    danger = {"memory"},
    run = refuses_write({to = function(sink) return sink.to + sink.size - 7 end}, terminate(1, 1, 1)),
  },
  {
    id = "rping-client-024", title = "A Write that begins one octet before the rping client's sink buffer is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5040-5.1-09"},
    danger = {"memory"},
    run = refuses_write({to = function(sink) return sink.to - 1 end}, terminate(1, 1, 1)),
  },
  {
    id = "rping-client-025",
    title = "A Write to an STag that differs from the rping client's sink STag in the least significant bit is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5041-4.2-05", "RFC5040-5.1-09"},
    danger = {"memory"},
    run = refuses_write({stag = function(sink) return sink.stag ~ 1 end}, terminate(1, 1, any{0, 2})),
  },
  {
    id = "rping-client-026", title = "A Write that reaches beyond TO 2^64 is answered by a Terminate (rping client)",
    requirements = {"RFC5041-7.1-06", "RFC5040-5.1-09"},
    danger = {"memory"},
    run = refuses_write({to = -4}, terminate(1, 1, any{1, 3})),
  },
  {
    id = "rping-client-027", title = "A Write with DDP version 2 is answered by a Terminate",
    requirements = {"RFC5041-4.1-08", "RFC5040-7.2-01"},
    run = refuses_write({dv = 2}, terminate(1, 1, 4)),
  },
  {
    id = "rping-client-028", title = "A Send one octet longer than the receive buffer is answered by a Terminate",
    requirements = {"RFC5040-5.3-04", "RFC5041-7.1-01"},
    run = refuses_send({data = ("x"):rep(17)}, common.too_long),
  },
  {
    id = "rping-client-029", title = "A first Send with MSN 2 to the rping client is answered by a Terminate",
    requirements = {"RFC5041-7.1-01"},
    run = refuses_send({msn = 2}, terminate(1, 2, any{2, 3})),
  },
  {
    id = "rping-client-030", title = "A Send with RDMAP version 3 is answered by a Terminate",
    requirements = {"RFC5040-4.1-08", "RFC5040-7.2-03"},
    run = refuses_send({rv = 3}, terminate(0, 2, 5)),
  },
  {
    id = "rping-client-031",
    title = "A Terminate in place of the answer to the rping client's first advert is accepted: the client closes without a Terminate",
    requirements = {"RFC5040-5.4-05", "RFC5041-3-13", "RFC5040-7-03"}, close = {"fin", "rst"},
    run = function(dut)
      local c = meet(dut)
      step "send a Terminate: local to the ULP"
      c:terminate{layer = 0, etype = 0, code = 0}
      c:expect{closed}
    end,
  },
  {
    id = "rping-client-039", title = "A message with an undefined opcode is answered by a Terminate",
    requirements = {"RFC5040-7.2-02"},
    -- A device that knows it from draft-talpey-rdma-commit-01 as Verify Response may report only the wrong queue.
    run = refuses_fpdu({opcode = 0xF, qn = 0, msn = 1, data = advert}, terminate(0, 2, 6), terminate(1, 2, 1), no_buffer),
  },
  {
    id = "rping-client-040", title = "A Send on the undefined queue 7 is answered by a Terminate",
    requirements = {"RFC5041-7.1-01"},
    run = refuses_fpdu({kind = "send", qn = 7, msn = 1, data = advert}, terminate(1, 2, 1)),
  },
  {
    id = "rping-client-041", title = "A Send on queue 1 is answered by a Terminate (rping client)",
    requirements = {"RFC5041-7.1-01", "RFC5040-7.2-07"},
    run = refuses_fpdu({kind = "send", qn = 1, msn = 1, data = advert}, terminate(1, 2, 1), terminate(0, 2, 6)),
  },
  {
    id = "rping-client-042", title = "A Send in a tagged segment is answered by a Terminate (rping client)",
    requirements = {"RFC5040-7.2-02"},
    run = refuses_fpdu({kind = "rdma_write", opcode = 3, stag = common.unknown_stag, data = advert},
      terminate(0, 2, 6), terminate(1, 1, any{0, 2})),
  },
  {
    id = "rping-client-043",
    title = "An unsolicited Read Response is answered by a Terminate; headers that the Terminate includes are those of the Read Response (rping client)",
    requirements = {"RFC5040-5.2.2-08", "RFC5040-4.8-10"},
    run = function(dut)
      local c = meet(dut)
      step "send an unsolicited Read Response to an unknown STag"
      c:fpdu{kind = "read_response", stag = common.unknown_stag, data = "unasked!"}
      local message = c:expect{terminate(0, 2, any{6, 7, 0xFF}), terminate(0, 1, any{0, 3, 0xFF}), terminate(1, 1, any{0, 2})}
      common.about(message, {t = true, opcode = 2, stag = common.unknown_stag, to = 0})
      c:expect{closed}
    end,
  },
  {
    id = "rping-client-044", title = "An unsolicited Read Response of no octets is answered by a Terminate (rping client)",
    requirements = {"RFC5040-5.2.2-08"},
    run = refuses_fpdu({kind = "read_response"},
      terminate(0, 2, any{6, 7, 0xFF}), terminate(0, 1, any{0, 3, 0xFF}), terminate(1, 1, any{0, 2})),
  },
  {
    id = "rping-client-045", title = "An FPDU without a ULPDU ends the connection (rping client)",
    requirements = {"RFC5044-4.1-04"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c = meet(dut)
      c:fpdu{ulpdu = ""}
      c:expect{{kind = "terminate"}, closed}
    end,
  },
  {
    id = "rping-client-046", title = "A tagged ULPDU one octet short of a DDP header ends the connection (rping client)",
    requirements = {"RFC5044-4.1-04"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c = meet(dut)
      c:fpdu{ulpdu = hex"c140 00000001 00000000 000000"}
      c:expect{{kind = "terminate"}, closed}
    end,
  },
  {
    id = "rping-client-047", title = "A Send with Invalidate of an unknown STag to the rping client is answered by a Terminate",
    requirements = {"RFC5040-7.2-04"},
    run = function(dut)
      local c = meet(dut)
      go_ahead(c, {invalidate = common.unknown_stag})
      c:expect{terminate(0, any{1, 2}, 9), terminate(0, 1, any{0, 3})}
      c:expect{closed}
    end,
  },
  {
    id = "rping-client-048",
    title = "A Send that invalidates the rping client's source STag, or the Read from it that follows, is answered by a Terminate",
    requirements = {"RFC5040-5.3-12", "RFC5040-7.2-09"},
    run = function(dut)
      local c, source = meet(dut)
      step "send a Send that invalidates the source, and a Read of the source, in one TCP segment"
      go_ahead(c, {invalidate = source.stag, merge = true})
      c:read{region = region{size = 8}, source_stag = source.stag, source_to = source.to}
      -- A device may have STags that cannot be invalidated.
      c:expect{terminate(0, 1, 0), terminate(0, any{1, 2}, 9), ignore = "send"}
      c:expect{closed}
    end,
  },
  {
    id = "rping-client-049", title = "Immediate Data of 7 octets is answered by a Terminate (rping client)", claims = {"immediate"},
    requirements = {"RFC7306-6.3-07", "RFC7306-8.2-01"},
    run = refuses_fpdu({kind = "immediate", header = ("x"):rep(7)}, terminate(0, 2, any{7, 8, 0xFF})),
  },
  {
    id = "rping-client-050", title = "Immediate Data with SE of 9 octets is answered by a Terminate (rping client)", claims = {"immediate"},
    requirements = {"RFC7306-6.3-07", "RFC7306-8.2-01"},
    run = refuses_fpdu({kind = "immediate_se", header = ("x"):rep(9)}, terminate(0, 2, any{7, 8, 0xFF})),
  },
  {
    id = "rping-client-051", title = "A Read Request four octets too long is answered by a Terminate (rping client)",
    requirements = {"RFC5040-7.2-06", "RFC5041-7.1-01"},
    run = function(dut)
      local c, source = meet(dut)
      step "send a Read Request with four octets after its header"
      c:fpdu{kind = "read_request", sink_stag = 1, size = 8, source_stag = source.stag, source_to = source.to, data = "more"}
      c:expect{terminate(1, 2, any{2, 4, 5}), terminate(0, 2, any{7, 8, 0xFF})}
      c:expect{closed}
    end,
  },
  {
    id = "rping-client-052", title = "A Read Request without L is not answered (rping client)",
    requirements = {"RFC5041-5.4-01", "RFC5041-4.1-02"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c, source = meet(dut)
      step "send a Read Request without L: the message is not complete"
      c:fpdu{kind = "read_request", sink_stag = 1, size = 8, source_stag = source.stag, source_to = source.to, l = false}
      if c:expect{{kind = "silence"}, {kind = "terminate", layer = any{0, 1}}, timeout = 0.3}.kind == "terminate" then
        c:expect{closed}
      else
        c:close()
        c:expect{closed}
      end
    end,
  },
})
