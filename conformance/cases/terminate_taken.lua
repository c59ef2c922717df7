-- The reaction of a device to a Terminate: RFC 5040 5.4, 6.2.1 and 7, RFC 5041 3 and 6.2.

local closed, finish = common.closed, common.finish

-- The device chooses how it closes.
local function by_hand(options)
  options = options or {}
  options.auto = {responses = false, close = false}
  return options
end

-- After a valid Terminate only the end of the connection follows.
local function takes(fields)
  return function(dut, open)
    local c = open(by_hand())
    step "send a Terminate"
    c:terminate(fields)
    c:expect{closed}
    local event = dut:event{kind = "terminate"}
    check(event.error == ("%d/%d/%02x"):format(fields.layer, fields.etype, fields.code), "the ULP learns of the error")
  end
end

-- A wrong Terminate may be answered by another; it ends the connection as well.
local function ends(send)
  return function(_, open)
    local c = open(by_hand())
    step "send the Terminate"
    send(c)
    if c:expect{closed, {kind = "terminate"}}.kind ~= "close" then c:expect{closed} end
  end
end

return common.cases({tier = "agent", close = {"fin", "rst"}, danger = {"connection"}}, {
  {
    id = "rdma-terminate-taken-001", initiator = "rdma-terminate-taken-002",
    title = "A Terminate of RDMAP is reported to the ULP",
    requirements = {"RFC5040-5.4-05", "RFC5040-7-03", "RFC5041-3-13"}, run = takes{layer = 0, etype = 2, code = 7},
  },
  {
    id = "rdma-terminate-taken-003", initiator = "rdma-terminate-taken-004",
    title = "A Terminate of DDP is reported to the ULP",
    requirements = {"RFC5040-5.4-05", "RFC5040-7-03", "RFC5041-3-13"}, run = takes{layer = 1, etype = 2, code = 3},
  },
  {
    id = "rdma-terminate-taken-005", initiator = "rdma-terminate-taken-006",
    title = "A Terminate of MPA is reported to the ULP",
    requirements = {"RFC5040-5.4-05", "RFC5040-7-03", "RFC5041-3-13"}, run = takes{layer = 2, etype = 0, code = 2},
  },
  {
    id = "rdma-terminate-taken-007", initiator = "rdma-terminate-taken-008",
    title = "A Local Catastrophic Error with any Error Code is accepted",
    requirements = {"RFC5040-4.8-03", "RFC5040-5.4-05", "RFC6580-3.1-02"},
    run = function(_, open)
      local c = open(by_hand())
      step "an error without codes, with a code"
      c:terminate{layer = 0, etype = 0, code = 0xAB}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-taken-009", initiator = "rdma-terminate-taken-010",
    title = "A Terminate is accepted when all receive buffers are used up",
    requirements = {"RFC5040-5.4-03", "RFC5040-5.4-04"},
    run = function(dut, open, role)
      common.buffers(dut, role, 1, 64)
      local c = open(by_hand())
      c:send{data = "takes the last one"}
      check(dut:received{}.data == "takes the last one", "the Send is delivered")
      step "send a Terminate"
      c:terminate{layer = 0, etype = 0, code = 0}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-taken-011", initiator = "rdma-terminate-taken-012",
    title = "A Terminate after the first segment of a Send is accepted; the Send is not delivered",
    requirements = {"RFC5040-5.4-04", "RFC5041-5.4-01"},
    run = function(dut, open)
      local c = open(by_hand{mulpdu = 128})
      step "send a segment without L, then a Terminate"
      c:send{data = ("x"):rep(200), segment = 2, times = 0}
      c:sent()
      c:terminate{layer = 0, etype = 0, code = 0}
      c:expect{closed}
      check(dut:pending() == 0, "nothing is delivered to the ULP")
    end,
  },
  {
    id = "rdma-terminate-taken-013", initiator = "rdma-terminate-taken-014",
    title = "A Terminate for the device's own Read is accepted with its headers and ends pending operations",
    requirements = {"RFC5040-5.4-05", "RFC5040-5.4-08", "RFC5040-6.2.1-02"},
    run = function(dut, open)
      local sink = dut:region{size = 64, fill = "."}
      local c = open(by_hand())
      local read = dut:read{sink = sink, source_stag = 0x5EED, source_to = 0x2000}
      local behind = dut:send{data = "after it"}
      c:expect{{kind = "read_request", qn = 1, msn = 1, mo = 0, size = 64, sink_stag = sink.stag, sink_to = sink.to,
        source_stag = 0x5EED, source_to = 0x2000}}
      step "reject the Read"
      c:terminate{layer = 0, etype = 1, code = 0, m = true, d = true, r = true,
        data = string.pack(">I2 BB I4I4I4I4 I4I8I4I4I8", 46, 0x41, 0x41, 0, 1, 1, 0, sink.stag, sink.to, 64, 0x5EED, 0x2000)}
      c:expect{closed, ignore = "send"}
      check(common.completion(dut, read).status == "flushed", "the Read has failed")
      check(common.completion(dut, behind).status == "flushed", "so has the Send after it")
      check(dut:memory(sink, 0, 64) == ("."):rep(64), "nothing is placed")
    end,
  },
  {
    id = "rdma-terminate-taken-015", initiator = "rdma-terminate-taken-016",
    title = "A Terminate while the device is sending ends its stream, at once or a little later",
    requirements = {"RFC5040-5.4-07", "RFC5040-7-03"},
    run = function(dut, open)
      local c = open(by_hand())
      for i = 1, 20 do dut:send{data = i .. ("x"):rep(10000)} end
      c:expect{{kind = "send"}}
      step "send a Terminate in answer to the first of twenty Sends"
      c:terminate{layer = 0, etype = 0, code = 0}
      c:expect{closed, ignore = "send"}
    end,
  },
  {
    id = "rdma-terminate-taken-017", initiator = "rdma-terminate-taken-018",
    title = "A Terminate with an undefined Error Code ends the connection, with or without a Terminate in answer",
    requirements = {"RFC5040-5.4-04", "RFC5040-7-03"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = ends(function(c) c:terminate{layer = 0, etype = 1, code = 0x7F} end),
  },
  {
    id = "rdma-terminate-taken-019", initiator = "rdma-terminate-taken-020",
    title = "A Terminate with an undefined layer ends the connection, with or without a Terminate in answer",
    requirements = {"RFC5040-5.4-04", "RFC5040-7-03"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = ends(function(c) c:terminate{layer = 3, etype = 0, code = 0} end),
  },
  {
    id = "rdma-terminate-taken-021", initiator = "rdma-terminate-taken-022",
    title = "A Terminate without a Terminate Header ends the connection, with or without a Terminate in answer",
    requirements = {"RFC5040-5.4-04", "RFC5040-7-03"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = ends(function(c) c:fpdu{kind = "terminate", header = ""} end),
  },
  {
    id = "rdma-terminate-taken-023", initiator = "rdma-terminate-taken-024",
    title = "A Terminate with D=1 that is truncated before its headers ends the connection, with or without a Terminate in answer",
    requirements = {"RFC5040-5.4-04", "RFC5040-7-03"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = ends(function(c) c:terminate{layer = 1, etype = 2, code = 1, m = true, d = true, data = "\0\23\x41"} end),
  },
  {
    id = "rdma-terminate-taken-025", initiator = "rdma-terminate-taken-026",
    title = "A Terminate with MSN 2 ends the connection, with or without a Terminate in answer",
    requirements = {"RFC5040-7-03", "RFC5041-4.3-09"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = ends(function(c) c:terminate{layer = 0, etype = 0, code = 0, msn = 2} end),
  },
  {
    id = "rdma-terminate-taken-027", initiator = "rdma-terminate-taken-028",
    title = "A Terminate on one connection leaves the other open",
    requirements = {"RFC5040-7-03", "RFC5041-3-13"}, close = {"fin", "rst"},
    run = function(_, open)
      local other, c = open{}, open(by_hand())
      step "send a Terminate"
      c:terminate{layer = 0, etype = 2, code = 8}
      c:expect{closed}
      step "the other connection stays open"
      common.alive(other)
      finish(other)
    end,
  },
})
