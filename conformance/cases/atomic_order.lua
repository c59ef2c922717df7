-- Atomic Operations among other operations, and their number: RFC 7306 5, 5.2.1, 5.2.2, 5.4 and 7.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish
local counting = ("0123456789abcdef"):rep(64)

-- A connection that allows that many outstanding requests.
local function deep(dut, role, depth, options)
  options = options or {}
  options.rev, options.ird, options.ord = 2, depth, depth
  dut:configure{rev = 2, enhanced = true, ird = depth, ord = depth}
  return common.open(dut, role, options)
end

-- A chain of CmpSwaps: each matches only the value that the previous one leaves.
local function chain(role)
  return function(dut)
    dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
    local c = common.open(dut, role)
    local atom = common.atom(dut, c, 1)
    step "send sixteen CmpSwaps; each compares with the value that the previous one leaves"
    for i = 1, 16 do c:cmp_swap{stag = atom.stag, to = atom.to, compare = i, swap = i + 1} end
    for i = 1, 16 do c:expect{{kind = "atomic_response", original_value = i}} end
    check(atom.value() == 17, "all have been executed")
    finish(c)
  end
end

-- As many requests at once as IRD allows, in one TCP segment; every `swaps`th of them is a Swap.
local function fills(role, depth, swaps)
  return function(dut)
    local c = deep(dut, role, depth)
    local atom = common.atom(dut, c, 100)
    check(c.terms.ord == depth, "the device allows as many outstanding requests as it was configured for")
    for i = 1, depth do
      local message = {stag = atom.stag, to = atom.to, merge = i < depth}
      if swaps and i % swaps == 0 then
        message.swap = 100 + i
        c:swap(message)
      else
        message.add = 1
        c:fetch_add(message)
      end
    end
    for i = 1, depth do c:expect{{kind = "atomic_response", original_value = 99 + i}} end
    finish(c)
  end
end

-- A message before a FetchAdd, in one TCP segment: once the FetchAdd is answered, the ULP has the message (RFC 7306 7).
local function delivered(message)
  return function(dut)
    local c = common.open(dut, "responder")
    local atom = common.atom(dut, c, 3)
    message.merge = true
    c:message(message)
    c:fetch_add{stag = atom.stag, to = atom.to, add = 1}
    c:expect{{kind = "atomic_response", original_value = 3}}
    check(dut:pending() == 1, "the ULP has the message sent before the FetchAdd")
    check(dut:received{}.data == message.data, "it has the payload sent")
    finish(c)
  end
end

return {
  {
    id = "rdma-atomic-order-001", title = "Atomic Requests are processed in the order sent",
    requirements = {"RFC7306-5.2.1-11", "RFC7306-5.4-09", "RFC7306-5.4-10"},
    role = "responder", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = chain("responder"),
  },
  {
    id = "rdma-atomic-order-002", title = "The device as initiator processes Atomic Requests in the order sent",
    requirements = {"RFC7306-5.2.1-11", "RFC7306-5.4-09", "RFC7306-5.4-10"},
    role = "initiator", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = chain("initiator"),
  },
  {
    id = "rdma-atomic-order-003", title = "Atomic Responses carry the identifiers of their requests, whatever the values",
    requirements = {"RFC7306-5.2.1-12", "RFC7306-5.2.2-06"},
    role = "responder", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = function(dut)
      local identifiers = {0xFFFFFFFF, 7, 7, 0, 0x80000000, 1}
      dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
      local c = common.open(dut, "responder")
      local atom = common.atom(dut, c, 0)
      step "send six requests, the identifier 7 twice, the others out of order"
      for _, identifier in ipairs(identifiers) do
        c:fetch_add{stag = atom.stag, to = atom.to, add = 1, identifier = identifier}
      end
      for i, identifier in ipairs(identifiers) do
        c:expect{{kind = "atomic_response", qn = 3, msn = i + 1, original_identifier = identifier, original_value = i - 1}}
      end
      finish(c)
    end,
  },
  {
    id = "rdma-atomic-order-004", title = "Reads and Atomic Requests are answered in the order sent",
    requirements = {"RFC7306-5.2.2-06", "RFC5040-5.2.2-05"},
    role = "responder", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = function(dut)
      local source, sink = dut:region{size = 1024, rights = "r", fill = counting}, region{size = 1024}
      dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
      local c = common.open(dut, "responder")
      local atom = common.atom(dut, c, 0)
      step "send Reads and FetchAdds in turn"
      for i = 1, 3 do
        c:read{source_stag = source.stag, source_to = source.to, sink_stag = sink.stag, sink_to = sink.to,
          size = 1024 // i}
        c:fetch_add{stag = atom.stag, to = atom.to, add = 1}
      end
      for i = 1, 3 do
        c:expect{{kind = "read_response", size = 1024 // i}}
        -- Read Responses do not count in queue 3.
        c:expect{{kind = "atomic_response", qn = 3, msn = i + 1, original_value = i - 1}}
      end
      finish(c)
    end,
  },
  {
    id = "rdma-atomic-order-005", title = "An Atomic Request sees the data of the Write before it",
    requirements = {"RFC7306-5.4-04", "RFC7306-5.4-06"},
    role = "responder", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = function(dut)
      local target = dut:region{size = 8, rights = "wa"}
      local c = common.open(dut, "responder")
      local palindrome = "\x12\x34\x56\x78\x78\x56\x34\x12" -- the same number in either order of octets
      step "send a Write and a FetchAdd in one TCP segment"
      c:write{stag = target.stag, to = target.to, data = palindrome, merge = true}
      c:fetch_add{stag = target.stag, to = target.to, add = 0}
      c:expect{{kind = "atomic_response", original_value = 0x1234567878563412}}
      finish(c)
    end,
  },
  {
    id = "rdma-atomic-order-006", title = "An Atomic Request sees the data of a multi-segment Write before it",
    requirements = {"RFC7306-5.4-04", "RFC7306-5.4-06"},
    role = "responder", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = function(dut)
      local target = dut:region{size = 4096, rights = "wa"}
      local c = common.open(dut, "responder", {mulpdu = 128})
      c:write{stag = target.stag, to = target.to, data = ("\xA5"):rep(4096)}
      c:fetch_add{stag = target.stag, to = target.to + 4088, add = 0}
      c:expect{{kind = "atomic_response", original_value = 0xA5A5A5A5A5A5A5A5}}
      finish(c)
    end,
  },
  {
    id = "rdma-atomic-order-007", title = "An Atomic Request is not answered before the Send ahead of it is delivered",
    requirements = {"RFC7306-5.4-06"},
    role = "responder", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = delivered{kind = "send", data = "ahead of it"},
  },
  {
    id = "rdma-atomic-order-008", title = "An Atomic Request is answered once the Immediate Data before it is delivered",
    requirements = {"RFC7306-5.4-06"},
    role = "responder", tier = "agent", claims = {"atomic", "immediate"}, close = {"fin"},
    run = delivered{kind = "immediate", data = "8 octets"},
  },
  {
    id = "rdma-atomic-order-009", title = "Atomic Requests use no receive buffer and are not delivered to the ULP",
    requirements = {"RFC7306-5.2.1-06", "RFC7306-5.2.1-07"},
    role = "responder", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = function(dut)
      dut:post{count = 2, size = 64}
      dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
      local c = common.open(dut, "responder")
      local atom = common.atom(dut, c, 0)
      step "send requests to a ULP that takes no part"
      for i = 1, 4 do c:fetch_add{stag = atom.stag, to = atom.to, add = 1} end
      for i = 0, 3 do c:expect{{kind = "atomic_response", original_value = i}} end
      check(dut:pending() == 0, "the ULP receives nothing")
      step "the requests consume no receive buffer"
      c:send{data = "the second buffer"}
      check(dut:received{}.data == "the second buffer", "the second buffer is still posted")
      finish(c)
    end,
  },
  {
    id = "rdma-atomic-order-010", title = "FetchAdds on two connections to one value: no addition is lost",
    requirements = {"RFC7306-5-01", "RFC7306-5.3-01", "RFC7306-5.4-02"},
    role = "responder", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = function(dut)
      dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
      local connections = {common.open(dut, "responder"), common.open(dut, "responder")}
      local atom = common.atom(dut, connections[1], 0)
      local seen = {}
      for _ = 1, 32 do
        for _, c in ipairs(connections) do c:fetch_add{stag = atom.stag, to = atom.to, add = 1} end
      end
      for _ = 1, 32 do
        for _, c in ipairs(connections) do
          local value = c:expect{{kind = "atomic_response"}}.original_value
          check(value >= 0 and value < 64 and not seen[value], "each request returns a different value")
          seen[value] = true
        end
      end
      check(atom.value() == 64, "all have been executed")
      finish(connections[1])
      finish(connections[2])
    end,
  },
  {
    id = "rdma-atomic-order-011", title = "As many Atomic Requests as IRD allows are accepted",
    requirements = {"RFC7306-5.2.2-03", "RFC7306-5.2-01"},
    role = "responder", tier = "agent", claims = {"atomic", "rev-2"}, close = {"fin"},
    run = fills("responder", 4),
  },
  {
    id = "rdma-atomic-order-012", title = "The device as initiator accepts as many Atomic Requests as its IRD allows",
    requirements = {"RFC7306-5.2.2-03", "RFC7306-5.2-01"},
    role = "initiator", tier = "agent", claims = {"atomic", "rev-2"}, close = {"fin"},
    run = fills("initiator", 4),
  },
  {
    id = "rdma-atomic-order-013", title = "As many Swaps and FetchAdds as IRD allows are accepted",
    requirements = {"EXT01-5.2.2-02", "EXT01-4.1-02"},
    role = "responder", tier = "agent", claims = {"atomic", "swap", "rev-2"}, close = {"fin"},
    run = fills("responder", 4, 2),
  },
  {
    id = "rdma-atomic-order-014",
    title = "After a long Read, the Atomic Request above IRD is answered by a Terminate, or executed if an earlier request is already answered",
    requirements = {"RFC7306-5.2.1-05"},
    role = "responder", tier = "agent", claims = {"atomic", "rev-2"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local source, sink = dut:region{size = 1 << 20, rights = "r", fill = "x"}, region{size = 1 << 20}
      local target = dut:region{size = 8, rights = "a"}
      local c = deep(dut, "responder", 2, {auto = {terminate = false}})
      local read = {source_stag = source.stag, source_to = source.to, sink_stag = sink.stag, sink_to = sink.to,
        size = sink.size, merge = true}
      local request = {kind = "atomic_request", stag = target.stag, to = target.to, data = 1, compare_mask = -1}
      step "send a long Read and two FetchAdds in the same TCP segment"
      c:read(read)
      c:sent()
      request.merge = true
      c:fpdu(request)
      request.merge = nil
      c:fpdu(request)
      step "each is answered in order, or the first one above IRD is rejected"
      -- Either a buffer of DDP is missing or a limit of RDMAP is exceeded.
      local over = {terminate(1, 2, any{2, 3}), terminate(0, 2, any{7, 0xFF})}
      for _, answer in ipairs{{kind = "read_response", size = sink.size}, {kind = "atomic_response", original_value = 0},
        {kind = "atomic_response", original_value = any{1, 1 << 56}}} do
        if common.filled(c, sink, answer, over).kind == "terminate" then
          c:expect{closed}
          return
        end
      end
      finish(c)
    end,
  },
  {
    id = "rdma-atomic-order-015", title = "A request before one that is answered by a Terminate is executed if it is answered, and none after it is executed",
    requirements = {"RFC7306-5.2.1-11", "RFC7306-8.2-06"},
    role = "responder", tier = "agent", claims = {"atomic"}, close = both,
    run = function(dut)
      dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
      local c = common.open(dut, "responder")
      local atom = common.atom(dut, c, 1)
      step "send three requests in one TCP segment, the second of them misaligned"
      c:fetch_add{stag = atom.stag, to = atom.to, add = 1, merge = true}
      c:fetch_add{stag = atom.stag, to = atom.to + 1, add = 16, merge = true}
      c:fetch_add{stag = atom.stag, to = atom.to, add = 256}
      local _, answers = common.until_refused(c, {{kind = "atomic_response", original_value = 1}}, terminate(0, 2, 7))
      c:expect{closed}
      local value = atom.value()
      check(value == 2 or answers == 0 and value == 1, "at most the first is executed; it is, if it was answered")
    end,
  },
}
