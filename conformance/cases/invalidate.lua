-- Sends that invalidate an STag: RFC 5040 5.3, 7.2 and 8.1.1.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish

local cannot = terminate(0, any{1, 2}, 9)
-- For an unknown STag the device may also report an invalid one.
local none = {cannot, terminate(0, 1, any{0, 3})}

local function arrives(dut, data, stag)
  local message = dut:received{}
  check(message.data == data, "the ULP gets the octets that were sent")
  check(message.invalidate == stag, "the ULP gets the invalidated STag")
end

-- `message` invalidates the STag of a buffer of 64 octets, which is then used in a Write or Read.
local function ends(message, use, answer)
  return function(dut, open)
    local target = dut:region{size = 64, fill = ".", invalidate = true}
    local c = open{mulpdu = 128}
    message.invalidate = target.stag
    step "invalidate"
    c:send(message)
    arrives(dut, message.data or "", target.stag)
    step "use the invalidated STag"
    use(c, target)
    c:expect{answer}
    c:expect{closed}
    check(dut:memory(target, 0, 64) == ("."):rep(64), "nothing is placed")
  end
end

local function writes(c, target)
  c:write{stag = target.stag, to = target.to, data = "late"}
end

local function reads(c, target)
  c:read{region = region{size = 8}, source_stag = target.stag, source_to = target.to}
end

local no_write, no_read = terminate(1, 1, 0), terminate(0, 1, 0)

-- The buffer can still be read through that connection.
local function is_valid(c, target)
  local sink = region{size = 4}
  c:read{region = sink, source_stag = target.stag, source_to = target.to}
  c:expect{{kind = "read_response", size = 4}}
  check(sink:get() == "....", "with its octets")
  finish(c)
end

-- An STag of another owner is not invalidated. `options` names the owner.
--
-- The Error Code is 09h, "STag cannot be Invalidated", and no other. RFC 5040 5.3 demands a Terminate with that code, by its
-- name, "if the STag is not associated with the RDMAP Stream". 4.8 lists the code under both Error Types, so either is right.
-- 0/1/03, "STag not associated with RDMAP Stream", describes the error as well, and 7.2 has a receiver check that; but 7.2
-- and 4.8 choose no code, and 5.3 does. 0/1/00, "Invalid STag", is for one that fails the check before it (7.2, item 4): an
-- unknown STag. This one is valid. An implementation that cannot tell the two apart still owes 09h for both by 5.3.
local function spares(options)
  return function(dut, open)
    local owner = options.connection and open{}
    options.size, options.fill = 64, "."
    local target = dut:region(options)
    local c = open{}
    step "invalidate the STag of another owner"
    c:send{data = "x", invalidate = target.stag}
    c:expect{cannot}
    c:expect{closed}
    if not owner then return end
    step "its owner can use it"
    is_valid(owner, target)
  end
end

local done = {
  {
    id = "rdma-invalidate-001", initiator = "rdma-invalidate-002",
    title = "An STag that a Send with Invalidate has invalidated cannot be read", close = both,
    requirements = {"RFC5040-5.3-12", "RFC5040-7.2-09", "RFC5042-6.4.5-02"}, run = ends({data = "invalidate"}, reads, no_read),
  },
  {
    id = "rdma-invalidate-003", initiator = "rdma-invalidate-004",
    title = "An STag that a Send with Solicited Event and Invalidate has invalidated cannot be written", close = both,
    danger = {"memory"},
    requirements = {"RFC5040-5.3-12", "RFC5040-8.1.1-07", "RFC5042-6.4.5-02"}, run = ends({data = "invalidate", se = true}, writes, no_write),
  },
  {
    id = "rdma-invalidate-005", initiator = "rdma-invalidate-006",
    title = "A Send with Invalidate of no octets invalidates the STag", close = both,
    danger = {"memory"},
    requirements = {"RFC5040-5.3-12", "RFC5040-5.3-10", "RFC5042-6.4.5-02"}, run = ends({}, writes, no_write),
  },
  {
    id = "rdma-invalidate-007", initiator = "rdma-invalidate-008",
    title = "A multi-segment Send with Invalidate invalidates the STag", close = both,
    requirements = {"RFC5040-5.3-12", "RFC5041-5.2-04", "RFC5042-6.4.5-02"}, run = ends({data = ("x"):rep(1000)}, reads, no_read),
  },
  {
    id = "rdma-invalidate-009", initiator = "rdma-invalidate-010",
    title = "A Send with Invalidate invalidates only the STag that it names",
    requirements = {"RFC5040-5.3-12"},
    run = function(dut, open)
      local target, other = dut:region{size = 64, fill = ".", invalidate = true}, dut:region{size = 64, fill = "."}
      local c = open{}
      c:send{data = "one", invalidate = target.stag}
      arrives(dut, "one", target.stag)
      step "read through the other STag"
      is_valid(c, other)
    end,
  },
  {
    id = "rdma-invalidate-011", initiator = "rdma-invalidate-012",
    title = "A Write before the Send that invalidates its STag is placed",
    requirements = {"RFC5040-5.3-12", "RFC5040-5.3-05"},
    run = function(dut, open)
      local target = dut:region{size = 64, fill = ".", invalidate = true}
      local c = open{}
      step "send a Write and a Send with Invalidate in one TCP segment"
      c:write{stag = target.stag, to = target.to, data = "in time", merge = true}
      c:send{data = "invalidate", invalidate = target.stag}
      arrives(dut, "invalidate", target.stag)
      check(dut:memory(target, 0, 8) == "in time.", "the Write is placed")
      finish(c)
    end,
  },
}

local refused = {
  {
    id = "rdma-invalidate-013", initiator = "rdma-invalidate-014",
    title = "A Send with Solicited Event and Invalidate of an unknown STag is answered by a Terminate",
    requirements = {"RFC5040-7.2-04"},
    run = function(_, open)
      local c = open{}
      c:send{data = "x", se = true, invalidate = common.unknown_stag}
      c:expect(none)
      c:expect{closed}
    end,
  },
  {
    id = "rdma-invalidate-015", role = "initiator",
    title = "The device as initiator answers a Send with Invalidate of an unknown STag by a Terminate",
    requirements = {"RFC5040-7.2-04"},
    run = function(_, open)
      local c = open{}
      c:send{data = "x", invalidate = common.unknown_stag}
      c:expect(none)
      c:expect{closed}
    end,
  },
  {
    id = "rdma-invalidate-016", initiator = "rdma-invalidate-017",
    title = "A Send with Invalidate of STag 0 is answered by a Terminate",
    requirements = {"RFC5040-7.2-04"},
    run = function(_, open)
      local c = open{}
      c:message{kind = "send_inv", data = "x", rsvdulp_rest = 0}
      c:expect(none)
      c:expect{closed}
    end,
  },
  {
    id = "rdma-invalidate-018", initiator = "rdma-invalidate-019",
    title = "A second Send with Invalidate of the same STag is answered by a Terminate",
    requirements = {"RFC5040-7.2-04", "RFC5040-5.3-12"},
    run = function(dut, open)
      local target = dut:region{size = 64, invalidate = true}
      local c = open{}
      c:send{data = "first", invalidate = target.stag}
      arrives(dut, "first", target.stag)
      step "send the same again"
      c:send{data = "second", invalidate = target.stag}
      c:expect(none)
      c:expect{closed}
    end,
  },
  {
    id = "rdma-invalidate-020", initiator = "rdma-invalidate-021",
    title = "A Send with Invalidate of an STag of another stream is answered by a Terminate and invalidates nothing",
    requirements = {"RFC5040-7.2-05", "RFC5040-5.3-12", "RFC5042-6.1.1-03"}, close = {"terminate+fin", "terminate+rst", "fin"},
    run = spares{connection = 1},
  },
  {
    id = "rdma-invalidate-022", initiator = "rdma-invalidate-023",
    title = "A Send with Invalidate of an STag of another protection domain is answered by a Terminate",
    requirements = {"RFC5040-7.2-05", "RFC5040-8.1.1-02", "RFC5042-2.2.4-01", "RFC5042-6.1.1-02"}, run = spares{domain = "other"},
  },
  {
    id = "rdma-invalidate-026", role = "initiator",
    title = "A Send with Invalidate of an STag that two streams share is answered by a Terminate (device as initiator)",
    requirements = {"RFC5040-8.1.1-08"}, close = {"terminate+fin", "terminate+rst", "fin"},
    run = function(dut, open)
      local target = dut:region{size = 64, fill = "."}
      local other, c = open{}, open{}
      step "invalidate the STag that the other stream uses too"
      c:send{data = "x", invalidate = target.stag}
      c:expect{cannot}
      c:expect{closed}
      step "the other stream stays open"
      is_valid(other, target)
    end,
  },
  {
    id = "rdma-invalidate-024", initiator = "rdma-invalidate-025",
    title = "A Send with Invalidate too long for its buffer is answered by a Terminate and invalidates nothing",
    requirements = {"RFC5040-5.3-04", "RFC5040-5.3-12"}, close = {"terminate+fin", "terminate+rst", "fin"},
    run = function(dut, open, role)
      local target = dut:region{size = 64, fill = "."}
      common.buffers(dut, role, 1, 16)
      local c = open{}
      c:send{data = ("x"):rep(17), invalidate = target.stag}
      c:expect{common.too_long}
      c:expect{closed}
      check(dut:pending() == 0, "nothing is delivered to the ULP")
      step "read through the STag on another connection"
      common.buffers(dut, role, 1, 16)
      is_valid(open{}, target)
    end,
  },
}

local list = common.cases({tier = "agent", close = {"fin"}}, done)
local rest = common.cases({tier = "agent", close = both}, refused)
return table.move(rest, 1, #rest, #list + 1, list)
