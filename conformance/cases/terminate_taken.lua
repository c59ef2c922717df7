-- What a device does that receives a Terminate: RFC 5040 5.4, 6.2.1 and 7, RFC 5041 3 and 6.2.

local closed, finish = common.closed, common.finish

-- The device's close is its own business.
local function by_hand(options)
  options = options or {}
  options.auto = {responses = false, close = false}
  return options
end

-- After a Terminate that is right nothing comes but the end.
local function takes(fields)
  return function(dut, open)
    local c = open(by_hand())
    step "send a Terminate"
    c:terminate(fields)
    c:expect{closed}
    local event = dut:event{kind = "terminate"}
    check(event.error == ("%d/%d/%02x"):format(fields.layer, fields.etype, fields.code), "the ULP is told of the error")
  end
end

-- One that is wrong may be answered by another, but it is the end, too.
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
    title = "A Terminate of RDMAP is delivered to the ULP",
    requirements = {"RFC5040-5.4-05", "RFC5040-7-03", "RFC5041-3-13"}, run = takes{layer = 0, etype = 2, code = 7},
  },
  {
    id = "rdma-terminate-taken-003", initiator = "rdma-terminate-taken-004",
    title = "A Terminate of DDP is delivered to the ULP",
    requirements = {"RFC5040-5.4-05", "RFC5040-7-03", "RFC5041-3-13"}, run = takes{layer = 1, etype = 2, code = 3},
  },
  {
    id = "rdma-terminate-taken-005", initiator = "rdma-terminate-taken-006",
    title = "A Terminate of MPA is delivered to the ULP",
    requirements = {"RFC5040-5.4-05", "RFC5040-7-03", "RFC5041-3-13"}, run = takes{layer = 2, etype = 0, code = 2},
  },
  {
    id = "rdma-terminate-taken-007", initiator = "rdma-terminate-taken-008",
    title = "A Local Catastrophic Error with any Error Code is taken",
    requirements = {"RFC5040-4.8-03", "RFC5040-5.4-05"},
    run = function(_, open)
      local c = open(by_hand())
      step "an error that has no code, with a code"
      c:terminate{layer = 0, etype = 0, code = 0xAB}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-taken-009", initiator = "rdma-terminate-taken-010",
    title = "There is a buffer for a Terminate when all receive buffers are used up",
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
    title = "A Terminate between two segments of a Send is taken, and the Send is not delivered",
    requirements = {"RFC5040-5.4-04", "RFC5041-5.4-01"},
    run = function(dut, open)
      local c = open(by_hand{mulpdu = 128})
      step "a segment without L, then a Terminate"
      c:send{data = ("x"):rep(200), segment = 2, times = 0}
      c:sent()
      c:terminate{layer = 0, etype = 0, code = 0}
      c:expect{closed}
      check(dut:pending() == 0, "nothing is delivered to the ULP")
    end,
  },
  {
    id = "rdma-terminate-taken-013", initiator = "rdma-terminate-taken-014",
    title = "A Terminate about the device's own Read is taken with its headers, and ends what waits",
    requirements = {"RFC5040-5.4-05", "RFC5040-5.4-08", "RFC5040-6.2.1-02"},
    run = function(dut, open)
      local sink = dut:region{size = 64, fill = "."}
      local c = open(by_hand())
      local read = dut:read{sink = sink, source_stag = 0x5EED, source_to = 0x2000}
      local behind = dut:send{data = "behind it"}
      c:expect{{kind = "read_request", qn = 1, msn = 1, mo = 0, size = 64, sink_stag = sink.stag, sink_to = sink.to,
        source_stag = 0x5EED, source_to = 0x2000}}
      step "refuse the Read"
      c:terminate{layer = 0, etype = 1, code = 0, m = true, d = true, r = true,
        data = string.pack(">I2 BB I4I4I4I4 I4I8I4I4I8", 46, 0x41, 0x41, 0, 1, 1, 0, sink.stag, sink.to, 64, 0x5EED, 0x2000)}
      c:expect{closed, ignore = "send"}
      check(common.completion(dut, read).status == "flushed", "the Read is not done")
      check(common.completion(dut, behind).status == "flushed", "nor is the Send behind it")
      check(dut:memory(sink, 0, 64) == ("."):rep(64), "nothing is placed")
    end,
  },
  {
    id = "rdma-terminate-taken-015", initiator = "rdma-terminate-taken-016",
    title = "A device that is sending stops when it receives a Terminate, or goes on for a while",
    requirements = {"RFC5040-5.4-07", "RFC5040-7-03"},
    run = function(dut, open)
      local c = open(by_hand())
      for i = 1, 20 do dut:send{data = i .. ("x"):rep(10000)} end
      c:expect{{kind = "send"}}
      step "a Terminate in answer to the first of twenty Sends"
      c:terminate{layer = 0, etype = 0, code = 0}
      c:expect{closed, ignore = "send"}
    end,
  },
  {
    id = "rdma-terminate-taken-017", initiator = "rdma-terminate-taken-018",
    title = "A Terminate with an Error Code that no table has ends the connection",
    requirements = {"RFC5040-5.4-04", "RFC5040-7-03"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = ends(function(c) c:terminate{layer = 0, etype = 1, code = 0x7F} end),
  },
  {
    id = "rdma-terminate-taken-019", initiator = "rdma-terminate-taken-020",
    title = "A Terminate of a layer that there is not ends the connection",
    requirements = {"RFC5040-5.4-04", "RFC5040-7-03"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = ends(function(c) c:terminate{layer = 3, etype = 0, code = 0} end),
  },
  {
    id = "rdma-terminate-taken-021", initiator = "rdma-terminate-taken-022",
    title = "A Terminate without a Terminate Header ends the connection",
    requirements = {"RFC5040-5.4-04", "RFC5040-7-03"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = ends(function(c) c:fpdu{kind = "terminate", header = ""} end),
  },
  {
    id = "rdma-terminate-taken-023", initiator = "rdma-terminate-taken-024",
    title = "A Terminate with D=1 that ends before its headers ends the connection",
    requirements = {"RFC5040-5.4-04", "RFC5040-7-03"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = ends(function(c) c:terminate{layer = 1, etype = 2, code = 1, m = true, d = true, data = "\0\23\x41"} end),
  },
  {
    id = "rdma-terminate-taken-025", initiator = "rdma-terminate-taken-026",
    title = "A Terminate with MSN 2 ends the connection",
    requirements = {"RFC5040-7-03", "RFC5041-4.3-09"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = ends(function(c) c:terminate{layer = 0, etype = 0, code = 0, msn = 2} end),
  },
  {
    id = "rdma-terminate-taken-027", initiator = "rdma-terminate-taken-028",
    title = "A Terminate ends one connection, and no other",
    requirements = {"RFC5040-7-03", "RFC5041-3-13"}, close = {"fin", "rst"},
    run = function(_, open)
      local other, c = open{}, open(by_hand())
      step "send a Terminate"
      c:terminate{layer = 0, etype = 2, code = 8}
      c:expect{closed}
      step "the other connection goes on"
      common.alive(other)
      finish(other)
    end,
  },
})
