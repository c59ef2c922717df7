-- Sends that invalidate an STag: RFC 5040 5.3, 7.2 and 8.1.1.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish

local cannot = terminate(0, any{1, 2}, 9)
-- Of an STag that there is not, it may also be said that it is invalid.
local none = {cannot, terminate(0, 1, any{0, 3})}

local function arrives(dut, data, stag)
  local message = dut:received{}
  check(message.data == data, "the ULP gets the octets that were sent")
  check(message.invalidate == stag, "and the STag that is invalidated")
end

-- The STag of a buffer of 64 octets is invalidated by `message`, and then written or read through.
local function ends(message, use, answer)
  return function(dut, open)
    local target = dut:region{size = 64, fill = "."}
    local c = open{mulpdu = 128}
    message.invalidate = target.stag
    step "invalidate"
    c:send(message)
    arrives(dut, message.data or "", target.stag)
    step "use the STag that is no more"
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

-- What is another's is not invalidated. `options` say of whom.
local function spares(options)
  return function(dut, open)
    local owner = options.connection and open{}
    options.size, options.fill = 64, "."
    local target = dut:region(options)
    local c = open{}
    step "invalidate what is another's"
    c:send{data = "x", invalidate = target.stag}
    c:expect{cannot}
    c:expect{closed}
    if not owner then return end
    step "who has it can use it"
    is_valid(owner, target)
  end
end

local done = {
  {
    id = "rdma-invalidate-001", initiator = "rdma-invalidate-002",
    title = "Through an STag that a Send with Invalidate has ended nothing is read", close = both,
    requirements = {"RFC5040-5.3-12", "RFC5040-7.2-09"}, run = ends({data = "invalidate"}, reads, no_read),
  },
  {
    id = "rdma-invalidate-003", initiator = "rdma-invalidate-004",
    title = "Through an STag that a Send with Solicited Event and Invalidate has ended nothing is written", close = both,
    danger = {"memory"},
    requirements = {"RFC5040-5.3-12", "RFC5040-8.1.1-07"}, run = ends({data = "invalidate", se = true}, writes, no_write),
  },
  {
    id = "rdma-invalidate-005", initiator = "rdma-invalidate-006",
    title = "A Send with Invalidate of no octets ends the STag", close = both,
    danger = {"memory"},
    requirements = {"RFC5040-5.3-12", "RFC5040-5.3-10"}, run = ends({}, writes, no_write),
  },
  {
    id = "rdma-invalidate-007", initiator = "rdma-invalidate-008",
    title = "A Send with Invalidate of many segments ends the STag", close = both,
    requirements = {"RFC5040-5.3-12", "RFC5041-5.2-04"}, run = ends({data = ("x"):rep(1000)}, reads, no_read),
  },
  {
    id = "rdma-invalidate-009", initiator = "rdma-invalidate-010",
    title = "A Send with Invalidate ends one STag, and no other",
    requirements = {"RFC5040-5.3-12"},
    run = function(dut, open)
      local target, other = dut:region{size = 64, fill = "."}, dut:region{size = 64, fill = "."}
      local c = open{}
      c:send{data = "one", invalidate = target.stag}
      arrives(dut, "one", target.stag)
      step "read through the other STag"
      is_valid(c, other)
    end,
  },
  {
    id = "rdma-invalidate-011", initiator = "rdma-invalidate-012",
    title = "A Write ahead of the Send that invalidates its STag is placed",
    requirements = {"RFC5040-5.3-12", "RFC5040-5.3-05"},
    run = function(dut, open)
      local target = dut:region{size = 64, fill = "."}
      local c = open{}
      step "a Write and a Send with Invalidate in one TCP segment"
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
    title = "A Send with Solicited Event and Invalidate of an unknown STag is refused",
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
    title = "A Send with Invalidate of an unknown STag is refused by a device that has opened the connection",
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
    title = "A Send with Invalidate of STag 0 is refused",
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
    title = "An STag is not invalidated twice",
    requirements = {"RFC5040-7.2-04", "RFC5040-5.3-12"},
    run = function(dut, open)
      local target = dut:region{size = 64}
      local c = open{}
      c:send{data = "first", invalidate = target.stag}
      arrives(dut, "first", target.stag)
      step "the same again"
      c:send{data = "second", invalidate = target.stag}
      c:expect(none)
      c:expect{closed}
    end,
  },
  {
    id = "rdma-invalidate-020", initiator = "rdma-invalidate-021",
    title = "An STag of another stream is not invalidated",
    requirements = {"RFC5040-7.2-05", "RFC5040-5.3-12"}, close = {"terminate+fin", "terminate+rst", "fin"},
    run = spares{connection = 1},
  },
  {
    id = "rdma-invalidate-022", initiator = "rdma-invalidate-023",
    title = "An STag of another protection domain is not invalidated",
    requirements = {"RFC5040-7.2-05", "RFC5040-8.1.1-02"}, run = spares{domain = "other"},
  },
  {
    id = "rdma-invalidate-026", role = "initiator",
    title = "An STag that two streams share is not invalidated by the peer of one (the device is the initiator)",
    requirements = {"RFC5040-8.1.1-08"}, close = {"terminate+fin", "terminate+rst", "fin"},
    run = function(dut, open)
      local target = dut:region{size = 64, fill = "."}
      local other, c = open{}, open{}
      step "invalidate what the other stream uses, too"
      c:send{data = "x", invalidate = target.stag}
      c:expect{cannot}
      c:expect{closed}
      step "the other stream goes on"
      is_valid(other, target)
    end,
  },
  {
    id = "rdma-invalidate-024", initiator = "rdma-invalidate-025",
    title = "A Send with Invalidate that is too long for its buffer invalidates nothing",
    requirements = {"RFC5040-5.3-04", "RFC5040-5.3-12"}, close = {"terminate+fin", "terminate+rst", "fin"},
    run = function(dut, open, role)
      local target = dut:region{size = 64, fill = "."}
      common.buffers(dut, role, 1, 16)
      local c = open{}
      c:send{data = ("x"):rep(17), invalidate = target.stag}
      c:expect{terminate(1, 2, any{2, 5})}
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
