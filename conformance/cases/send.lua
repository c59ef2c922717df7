-- Sends and the untagged buffer model: RFC 5040 5.3 and 7.2, RFC 5041 4.3 and 7.1.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish

-- DDP's reaction to a Send before RDMAP sees it, on a device whose ULP has no buffer for it (RFC 5041 7.1).
local no_buffer = terminate(1, 2, 2)

-- What the device's ULP may send after a valid Send.
local answers = {"send", "send_se", "send_inv", "send_se_inv", "rdma_write", "read_request"}

-- Sends one wrong message, which is answered by one of `...`.
local function refuses(fields, ...)
  local answers = {...}
  return function(dut)
    local c = dut:connect{}
    step "send the message"
    c:send(fields)
    step "wait for the Terminate"
    c:expect(answers)
    step "wait for the end of the connection"
    c:expect{closed}
  end
end

-- Sends one message, which is delivered like any other.
local function delivers(fields)
  return function(dut)
    local c = dut:connect{}
    step "send the message"
    c:send(fields)
    local message = dut:received{}
    check(message.data == fields.data, "the ULP gets the octets that were sent")
    finish(c)
  end
end

return {
  {
    id = "rdma-send-001", title = "A Send is delivered",
    requirements = {"RFC5040-5.3-05", "RFC5041-5.2-04"},
    role = "responder", tier = "agent", close = {"fin"},
    run = delivers{data = "hello"},
  },
  {
    id = "rdma-send-002", title = "A multi-segment Send is delivered complete",
    requirements = {"RFC5041-5.2-04", "RFC5041-5.4-01"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local data = ("0123456789abcdef"):rep(200)
      local c = dut:connect{mulpdu = 128}
      step "send 3200 octets, 110 in a segment"
      c:send{data = data}
      check(dut:received{}.data == data, "the ULP gets the octets that were sent")
      finish(c)
    end,
  },
  {
    id = "rdma-send-003", title = "A Send of no octets is delivered and uses one receive buffer",
    requirements = {"RFC5040-5.3-10"},
    role = "responder", tier = "agent", close = {"terminate+fin", "terminate+rst", "open"},
    run = function(dut)
      dut:post{count = 1, size = 64}
      local c = dut:connect{}
      c:send{}
      check(dut:received{}.data == "", "the ULP gets a message of no octets")
      step "no buffer is left for another"
      c:send{data = "x"}
      common.no_room(dut, c, 0)
    end,
  },
  {
    id = "rdma-send-004", title = "Sends are delivered in the order sent",
    requirements = {"RFC5040-5.3-05", "RFC5041-5.3-07"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = dut:connect{}
      for i = 1, 20 do c:send{data = "message " .. i, se = i % 2 == 0} end
      for i = 1, 20 do
        local message = dut:received{}
        check(message.data == "message " .. i, "message " .. i .. " is delivered in order")
        check(message.kind == (i % 2 == 0 and "send_se" or "send"), "with its opcode")
      end
      finish(c)
    end,
  },
  {
    id = "rdma-send-005", title = "The device's Sends have MSNs from 1",
    requirements = {"RFC5041-4.3-09", "RFC5041-4.3-08"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = dut:connect{}
      c:send{data = "your turn"}
      dut:received{}
      step "the device sends three Sends"
      for i = 1, 3 do dut:send{data = "answer " .. i} end
      for i = 1, 3 do c:expect{{kind = "send", msn = i, mo = 0, data = "answer " .. i}} end
      finish(c)
    end,
  },
  {
    id = "rdma-send-006", title = "The device's long Send has the right MO in each segment",
    requirements = {"RFC5041-5.2-05", "RFC5041-4.3-12"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local data = ("fedcba9876543210"):rep(4376) -- 70,016 octets: more than any ULPDU has (RFC 5044 3)
      local c = dut:connect{}
      c:send{data = "your turn"}
      dut:received{}
      dut:send{data = data}
      local message = c:expect{{kind = "send", data = data}}
      check(message.segments > 1, "70,016 octets take several segments")
      finish(c)
    end,
  },
  {
    id = "rdma-send-007", title = "A first Send with an MSN beyond all receive buffers is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5041-4.3-09", "RFC5042-5.1.1-02"},
    role = "responder", tier = "none", close = both,
    -- A smaller MSN may have a buffer that was posted after the first (RFC 5041 7.1).
    run = refuses({data = "x", msn = 0x80000000}, terminate(1, 2, 3), terminate(1, 2, 2)),
  },
  {
    id = "rdma-send-008", title = "A first Send with MSN 0 is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5041-4.3-09"},
    role = "responder", tier = "none", close = both,
    run = refuses({data = "x", msn = 0}, terminate(1, 2, 3), terminate(1, 2, 2)),
  },
  {
    id = "rdma-send-009", title = "A second Send with the same MSN is answered by a Terminate, unless the ULP closes after the first",
    requirements = {"RFC5041-7.1-01"},
    role = "responder", tier = "none", close = {"terminate+fin", "terminate+rst", "fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      step "send two Sends with one MSN at once"
      c:send{data = "first", merge = true}
      c:send{data = "second", msn = 1}
      -- The first is valid: the ULP may answer it, or close the connection. No Terminate can follow a FIN.
      local rejected = {terminate(1, 2, 3), terminate(1, 2, 2)}
      if c:expect{closed, rejected[1], rejected[2], ignore = answers}.kind == "terminate" then
        c:expect{closed}
        return
      end
      step "send one Send on a new connection: the ULP closes it as well"
      local alone = dut:connect{}
      alone:send{data = "first"}
      alone:expect{closed, ignore = answers}
    end,
  },
  {
    id = "rdma-send-010", title = "A first segment with an MO beyond every buffer is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5041-4.3-12"},
    role = "responder", tier = "none", close = both,
    -- Without an agent the device may have no buffer.
    run = refuses({data = "x", mo = 0xFFFFFFFF}, terminate(1, 2, any{2, 4, 5})),
  },
  {
    id = "rdma-send-011", title = "A message on the undefined queue 7 is answered by a Terminate",
    requirements = {"RFC5041-7.1-01"},
    role = "responder", tier = "none", close = both,
    run = refuses({data = "x", qn = 7}, terminate(1, 2, 1)),
  },
  {
    id = "rdma-send-012", title = "A Send on queue 1 is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5040-4.1-07", "RFC5040-7.2-07"},
    role = "responder", tier = "none", close = both,
    -- DDP finds the queue valid; RDMAP expects a different opcode on it.
    run = refuses({data = "x", qn = 1, msn = 1}, terminate(1, 2, 1), terminate(0, 2, 6)),
  },
  {
    id = "rdma-send-013", title = "A Send without a receive buffer is not delivered",
    requirements = {"RFC5040-5.3-02"},
    role = "responder", tier = "agent", close = {"terminate+fin", "terminate+rst", "open"},
    run = function(dut)
      dut:post{count = 2, size = 64}
      local c = dut:connect{}
      for i = 1, 3 do c:send{data = "message " .. i} end
      common.no_room(dut, c, 2)
    end,
  },
  {
    id = "rdma-send-014", title = "A Send longer than its receive buffer is answered by a Terminate",
    requirements = {"RFC5040-5.3-04"},
    role = "responder", tier = "agent", close = both,
    run = function(dut)
      dut:post{count = 1, size = 16}
      local c = dut:connect{}
      c:send{data = ("x"):rep(17)}
      c:expect{common.too_long}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-send-015", title = "DDP version 0 in an untagged segment is answered by a Terminate",
    requirements = {"RFC5041-4.1-08", "RFC5041-7.1-01"},
    role = "responder", tier = "none", close = both,
    run = refuses({data = "x", dv = 0}, terminate(1, 2, 6)),
  },
  {
    id = "rdma-send-016", title = "RDMAP version 2 is answered by a Terminate",
    requirements = {"RFC5040-7.2-03"},
    role = "responder", tier = "none", close = both,
    run = refuses({data = "x", rv = 2}, terminate(0, 2, 5), no_buffer),
  },
  {
    id = "rdma-send-017", title = "An undefined opcode is answered by a Terminate",
    requirements = {"RFC5040-7.2-02"},
    role = "responder", tier = "none", close = both,
    -- A device that knows it from draft-talpey-rdma-commit-01 as Verify Response may report only the wrong queue.
    run = refuses({data = "x", opcode = 0xF}, terminate(0, 2, 6), terminate(1, 2, 1), no_buffer),
  },
  {
    id = "rdma-send-018", title = "A Send in a tagged segment is answered by a Terminate",
    requirements = {"RFC5040-4.1-05"},
    role = "responder", tier = "none", close = both,
    run = function(dut)
      local c = dut:connect{}
      step "send opcode 3 with T=1"
      c:write{stag = 1, data = "x", opcode = 3}
      c:expect{terminate(0, 2, 6), terminate(1, 1, any{0, 2})}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-send-019", title = "Rsv of the RDMAP control octet is ignored",
    requirements = {"RFC5040-4.1-09"},
    role = "responder", tier = "agent", close = {"fin"},
    run = delivers{data = "hello", rsv = 3},
  },
  {
    id = "rdma-send-020", title = "Rsvd of the DDP header is ignored",
    requirements = {"RFC5041-4.1-07"},
    role = "responder", tier = "agent", close = {"fin"},
    run = delivers{data = "hello", rsvd = 15},
  },
  {
    id = "rdma-send-021", title = "The Invalidate STag field of a plain Send is ignored",
    requirements = {"RFC5040-4.1-10"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local target = dut:region{size = 64}
      local c = dut:connect{}
      step "send a Send with an STag in its reserved field, then a Write to that STag"
      c:send{data = "hello", rsvdulp_rest = target.stag}
      check(dut:received{}.data == "hello", "the Send is delivered")
      c:write{stag = target.stag, to = target.to, data = "still valid"}
      c:send{data = "done"}
      dut:received{}
      check(dut:memory(target, 0, 11) == "still valid", "the STag has not been invalidated")
      finish(c)
    end,
  },
  {
    id = "rdma-send-022", title = "A Send with Invalidate invalidates the STag",
    requirements = {"RFC5040-5.3-12"},
    role = "responder", tier = "agent", close = both,
    danger = {"memory"},
    run = function(dut)
      local target = dut:region{size = 64, fill = ".", invalidate = true}
      local c = dut:connect{}
      c:send{data = "invalidate", invalidate = target.stag}
      check(dut:received{}.data == "invalidate", "the Send is delivered")
      step "write to the invalidated STag"
      c:write{stag = target.stag, to = target.to, data = "late"}
      c:expect{terminate(1, 1, 0)}
      c:expect{closed}
      check(dut:memory(target, 0, 4) == "....", "nothing is placed")
    end,
  },
  {
    id = "rdma-send-023", title = "A Send with Invalidate of an unknown STag is answered by a Terminate",
    requirements = {"RFC5040-7.2-04"},
    role = "responder", tier = "none", close = both,
    run = refuses({data = "x", invalidate = 0x7BADBAD1},
      terminate(0, any{1, 2}, 9), terminate(0, 1, any{0, 3}), no_buffer),
  },
  {
    id = "rdma-send-024", title = "A Send with Invalidate of an STag that two streams share is answered by a Terminate",
    requirements = {"RFC5040-8.1.1-08"},
    role = "responder", tier = "agent", close = both,
    run = function(dut)
      local target = dut:region{size = 64, fill = "."}
      local other, c = dut:connect{}, dut:connect{}
      c:write{stag = target.stag, to = target.to, data = "both"}
      step "invalidate the STag that the other stream uses too"
      c:send{data = "invalidate", invalidate = target.stag}
      c:expect{terminate(0, any{1, 2}, 9)}
      c:expect{closed}
      step "the other stream stays open"
      other:write{stag = target.stag, to = target.to + 4, data = "other"}
      other:read{region = region{size = 9}, source_stag = target.stag, source_to = target.to}
      other:expect{{kind = "read_response", size = 9}}
      check(dut:memory(target, 0, 10) == "bothother.", "both Writes are placed")
      finish(other)
    end,
  },
}
