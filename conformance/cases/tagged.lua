-- The tagged buffer model on the receiving side: the octets that an RDMA Write may reach. RFC 5041 5.2, 7.1 and 8,
-- RFC 5040 5.1 and 8.1.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish
local counting = ("0123456789abcdefghijklmnopqrstuv"):rep(8)

local bounds = terminate(1, 1, 1)
local dead = terminate(1, 1, 0)
-- The answer to a valid STag of another stream.
local not_ours = terminate(1, 1, any{0, 2})

-- Waits until all Writes sent so far have been placed: a Send after them is delivered.
local function settle(dut, c)
  c:send{data = "settled"}
  check(dut:received{}.data == "settled", "the Send after the Writes is delivered")
end

-- Writes of these {offset, octets} to a buffer of `size` octets; the octets between are unchanged.
local function places(size, writes, options, fields)
  return function(dut, open)
    options = options or {}
    options.size, options.fill = size, "."
    local target = dut:region(options)
    local expected = ("."):rep(size)
    local c = open{mulpdu = 128}
    step "write"
    for _, write in ipairs(writes) do
      local offset, octets = write[1], write[2]
      local message = {stag = target.stag, to = target.to + offset, data = octets}
      for name, value in pairs(fields or {}) do message[name] = value end
      c:write(message)
      expected = expected:sub(1, offset) .. octets .. expected:sub(offset + #octets + 1)
    end
    settle(dut, c)
    check(dut:memory(target, 0, size) == expected, "the octets are in their places, and no others have changed")
    finish(c)
  end
end

-- A Write of 8 octets to a buffer of 64, which a change makes invalid, is answered by `answer`; no octet of the buffer changes.
-- `prepare` runs before it.
local function refuses(change, answer, options, prepare)
  return function(dut, open)
    options = options or {}
    options.size, options.fill = 64, "."
    local target = dut:region(options)
    local write = {stag = target.stag, to = target.to, data = "12345678"}
    for name, value in pairs(change) do
      write[name] = type(value) == "function" and value(target) or value
    end
    local c = open{}
    if prepare then prepare(dut, target, c) end
    step "write"
    c:write(write)
    c:expect{answer}
    c:expect{closed}
    check(dut:memory(target, 0, 64) == ("."):rep(64), "the memory is unchanged")
  end
end

-- The STag is valid until `revoke` invalidates it.
local function revoked(revoke)
  return refuses({}, dead, {}, function(dut, target, c)
    step "send a Write that is accepted"
    c:write{stag = target.stag, to = target.to, data = "........"}
    settle(dut, c)
    step "the STag is invalidated"
    revoke(dut, target)
  end)
end

local placed = {
  {
    id = "rdma-tagged-001", initiator = "rdma-tagged-002",
    title = "A Write that fills its buffer is placed",
    requirements = {"RFC5041-5.2-04", "RFC5041-8.3.1-04"}, run = places(200, {{0, counting:sub(1, 200)}}),
  },
  {
    id = "rdma-tagged-003", initiator = "rdma-tagged-004",
    title = "Writes to the first and the last octet of a buffer are placed",
    requirements = {"RFC5041-5.2-04", "RFC5041-8.3.1-04"}, run = places(64, {{63, "z"}, {0, "a"}}),
  },
  {
    id = "rdma-tagged-005", initiator = "rdma-tagged-006",
    title = "Writes of 1 to 9 octets at odd offsets are placed",
    requirements = {"RFC5041-5.2-04"},
    run = places(64, {{1, "1"}, {3, "22"}, {7, "333"}, {11, "4444"}, {17, "55555"}, {23, "666666"}, {31, "7777777"},
      {39, "88888888"}, {55, "999999999"}}),
  },
  {
    id = "rdma-tagged-007", initiator = "rdma-tagged-008",
    title = "A Write into a buffer whose TOs go beyond 2^32 is placed",
    requirements = {"RFC5040-5.1-03", "RFC5041-5.2-04"},
    run = places(200, {{0, counting:sub(1, 200)}, {40, "2^32"}}, {to = 0xFFFFFFD8}),
  },
  {
    id = "rdma-tagged-009", initiator = "rdma-tagged-010",
    title = "A Write into a buffer near TO 2^64 is placed",
    requirements = {"RFC5040-5.1-03", "RFC5041-7.1-06"},
    run = places(64, {{0, counting:sub(1, 64)}}, {to = -72}),
  },
  {
    id = "rdma-tagged-011", initiator = "rdma-tagged-012",
    title = "Rsvd and Rsv of every segment of a Write are ignored",
    requirements = {"RFC5041-4.1-07", "RFC5040-4.1-09"},
    run = places(200, {{0, counting:sub(1, 200)}}, {}, {rsvd = 15, rsv = 3}),
  },
  {
    id = "rdma-tagged-013", initiator = "rdma-tagged-014",
    title = "Segments of a Write out of order are placed at their TOs",
    requirements = {"RFC5041-5.2-04"},
    run = function(dut, open)
      local target = dut:region{size = 160, fill = "."}
      local c = open{}
      step "send the third segment, the first, and with L the second"
      for i, at in ipairs{80, 0, 40} do
        c:fpdu{kind = "rdma_write", stag = target.stag, to = target.to + at, data = counting:sub(at + 1, at + 40), l = i == 3}
      end
      settle(dut, c)
      check(dut:memory(target, 0, 160) == counting:sub(1, 120) .. ("."):rep(40), "each segment is at its TO")
      finish(c)
    end,
  },
  {
    id = "rdma-tagged-015", initiator = "rdma-tagged-016",
    title = "Of Writes and Sends in turn, the Writes are placed in memory and only the Sends are delivered",
    requirements = {"RFC5041-4.1-01", "RFC5040-5.1-04", "RFC5040-5.3-05"},
    run = function(dut, open)
      local targets = {dut:region{size = 300, fill = "."}, dut:region{size = 300, fill = "."}}
      local c = open{mulpdu = 128}
      step "send Writes to two buffers and Sends in turn"
      for i = 1, 4 do
        local target = targets[i % 2 + 1]
        c:write{stag = target.stag, to = target.to + 70 * i, data = tostring(i):rep(20), merge = true}
        c:send{data = "message " .. i}
      end
      for i = 1, 4 do
        check(dut:received{}.data == "message " .. i, "each Send is delivered in order")
        check(dut:memory(targets[i % 2 + 1], 70 * i, 20) == tostring(i):rep(20), "the Write before it is placed")
      end
      check(dut:pending() == 0, "no Write is delivered")
      finish(c)
    end,
  },
  {
    id = "rdma-tagged-017", initiator = "rdma-tagged-018",
    title = "The STag and TO of a Write of no octets are ignored",
    requirements = {"RFC5041-5.2-10", "RFC5040-5.1-08"},
    run = function(dut, open)
      local target, readable, gone = dut:region{size = 64, fill = "."}, dut:region{size = 64, rights = "r"}, dut:region{size = 64}
      local c = open{}
      dut:invalidate(gone)
      step "write no octets: after the buffer, without write access, to an invalidated STag, to STag 0"
      c:write{stag = target.stag, to = target.to + 65}
      c:write{stag = target.stag, to = -1}
      c:write{stag = readable.stag, to = readable.to}
      c:write{stag = gone.stag, to = gone.to}
      c:write{stag = 0}
      common.alive(c)
      check(dut:memory(target, 0, 64) == ("."):rep(64), "the memory is unchanged")
      check(dut:pending() == 0, "nothing is delivered to the ULP")
      finish(c)
    end,
  },
}

local refused = {
  -- the bounds of a buffer

  {
    id = "rdma-tagged-019", initiator = "rdma-tagged-020",
    title = "A Write that begins before its buffer and ends after it is answered by a Terminate; nothing is placed",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5042-6.2.1-01"},
    run = refuses({data = ("x"):rep(66), to = function(target) return target.to - 1 end}, terminate(1, 1, any{1, 3})), -- at TO 0
  },
  {
    id = "rdma-tagged-021", initiator = "rdma-tagged-022",
    title = "A Write one octet longer than its buffer is answered by a Terminate; nothing is placed",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5040-5.1-09", "RFC5042-6.2.1-01"},
    run = refuses({data = ("x"):rep(65)}, bounds),
  },
  {
    id = "rdma-tagged-023", initiator = "rdma-tagged-024",
    title = "A Write that begins after the last octet of its buffer is answered by a Terminate; nothing is placed",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5042-6.2.1-01"},
    run = refuses({data = "x", to = function(target) return target.to + 64 end}, bounds),
  },
  {
    id = "rdma-tagged-025", initiator = "rdma-tagged-026",
    title = "A Write to a TO that is 2^32 too large is answered by a Terminate; nothing is placed",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5042-ATTACK-26"},
    run = refuses({to = function(target) return target.to + (1 << 32) end}, bounds),
  },
  {
    id = "rdma-tagged-027", initiator = "rdma-tagged-028",
    title = "A Write that reaches beyond TO 2^64 is answered by a Terminate; nothing is placed",
    requirements = {"RFC5041-7.1-06", "RFC5042-ATTACK-26"}, run = refuses({to = -1, data = "12"}, terminate(1, 1, any{1, 3})),
  },
  {
    id = "rdma-tagged-029", initiator = "rdma-tagged-030",
    title = "A Write with its second segment out of bounds is answered by a Terminate; that segment is not placed",
    requirements = {"RFC5041-7.1-07", "RFC5041-5.2-04", "RFC5041-8.3.1-04"},
    run = function(dut, open)
      local target = dut:region{size = 228, fill = "."}
      local c = open{mulpdu = 128}
      step "send two segments of 114 octets, from the fourth octet of 228 on"
      c:write{stag = target.stag, to = target.to + 3, data = counting:sub(1, 228)}
      c:expect{bounds}
      c:expect{closed}
      local memory = dut:memory(target, 0, 228)
      check(memory:sub(1, 3) == "..." and memory:sub(118) == ("."):rep(111), "nothing of the second segment is placed")
      -- Until a message after the Write is delivered, what it has placed is indeterminate (RFC 5040 5.5).
      for i = 1, 114 do
        local octet = memory:sub(3 + i, 3 + i)
        check(octet == "." or octet == counting:sub(i, i), "the place of the first holds its octets or the old ones")
      end
    end,
  },

  -- STags

  {
    id = "rdma-tagged-031", initiator = "rdma-tagged-032",
    title = "A Write to an STag that differs from the registered one in the least significant bit is answered by a Terminate; nothing is placed",
    requirements = {"RFC5041-4.2-05", "RFC5041-7.1-06"},
    run = refuses({stag = function(target) return target.stag ~ 1 end}, not_ours),
  },
  {
    id = "rdma-tagged-033", initiator = "rdma-tagged-034",
    title = "A Write to an STag that differs from the registered one in the most significant bit is answered by a Terminate; nothing is placed",
    requirements = {"RFC5041-4.2-05", "RFC5041-7.1-06"},
    run = refuses({stag = function(target) return target.stag ~ 0x80000000 end}, not_ours),
  },
  {
    id = "rdma-tagged-035", initiator = "rdma-tagged-036",
    title = "A Write to STag 0 is answered by a Terminate; nothing is placed",
    requirements = {"RFC5041-4.2-05", "RFC5041-7.1-06"}, run = refuses({stag = 0}, not_ours),
  },
  {
    id = "rdma-tagged-037", initiator = "rdma-tagged-038",
    title = "A Write to an STag that the ULP has invalidated is answered by a Terminate; nothing is placed",
    requirements = {"RFC5040-8.1.1-07", "RFC5041-8.3.1-07", "RFC5041-4.2-05", "RFC5042-6.2.2-02"},
    run = revoked(function(dut, target) dut:invalidate(target) end),
  },
  {
    id = "rdma-tagged-039", initiator = "rdma-tagged-040",
    title = "A Write to a deregistered buffer is answered by a Terminate",
    requirements = {"RFC5040-8.1.1-07", "RFC5041-8.3.1-07", "RFC5041-4.2-05", "RFC5042-6.2.2-02"},
    run = function(dut, open)
      local target = dut:region{size = 64}
      local c = open{}
      c:write{stag = target.stag, to = target.to, data = "12345678"}
      settle(dut, c)
      step "the buffer is deregistered"
      dut:deregister(target)
      c:write{stag = target.stag, to = target.to, data = "12345678"}
      c:expect{dead}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-tagged-041", initiator = "rdma-tagged-042",
    title = "A Write to another stream's buffer is answered by a Terminate; that stream can write to the buffer",
    requirements = {"RFC5041-8.2-02", "RFC5041-8.3.1-03", "RFC5040-8.1.1-03", "RFC5042-6.1.1-03"},
    run = function(dut, open)
      local owner, other = open{}, open{}
      local target = dut:region{size = 64, fill = ".", connection = 1}
      owner:write{stag = target.stag, to = target.to, data = "mine"}
      step "send the same through the other connection"
      other:write{stag = target.stag, to = target.to, data = "taken"}
      other:expect{not_ours}
      other:expect{closed}
      step "its own connection stays open"
      common.alive(owner)
      check(dut:memory(target, 0, 8) == "mine....", "the first Write is placed, the second is not")
      finish(owner)
    end,
  },
  {
    id = "rdma-tagged-043",
    title = "The device as initiator answers a Write to another stream's buffer by a Terminate", role = "initiator",
    requirements = {"RFC5041-8.2-02", "RFC5041-8.3.1-03", "RFC5040-8.1.1-03"},
    run = refuses({}, not_ours, {elsewhere = true}),
  },
  {
    id = "rdma-tagged-044",
    title = "The device as initiator answers a Write to read-only memory by a Terminate", role = "initiator",
    requirements = {"RFC5041-7.1-06", "RFC5042-2.2.2-02", "RFC5042-ATTACK-30"}, run = refuses({}, {kind = "terminate", layer = any{0, 1}, etype = 1, code = any{0, 2}},
      {rights = "r"}),
  },

  -- after an error

  {
    id = "rdma-tagged-049", initiator = "rdma-tagged-050",
    title = "A Write to another protection domain is answered by a Terminate; nothing is placed",
    requirements = {"RFC5041-8.2-01", "RFC5041-8.3.1-02", "RFC5040-8.1.1-02", "RFC5042-2.2.4-01", "RFC5042-6.1.1-02"},
    run = refuses({}, not_ours, {domain = "other"}),
  },
  {
    id = "rdma-tagged-045", initiator = "rdma-tagged-046",
    title = "A Send before an error is delivered, a Send after it is not",
    requirements = {"RFC5041-7.1-09", "RFC5040-5.3-05"},
    run = function(dut, open)
      local c = open{}
      step "send a Send, a Write to an unknown STag, a Send, all in one TCP segment"
      c:send{data = "before", merge = true}
      c:write{stag = common.unknown_stag, data = "12345678", merge = true}
      c:send{data = "behind"}
      c:expect{dead}
      c:expect{closed}
      check(dut:received{}.data == "before", "the first Send is delivered")
      check(dut:pending() == 0, "the other is not")
    end,
  },
  {
    id = "rdma-tagged-047", initiator = "rdma-tagged-048",
    title = "A Read after an error is not answered",
    requirements = {"RFC5041-7.1-09", "RFC5040-5.4-06"},
    run = function(dut, open)
      local source = dut:region{size = 64, rights = "r"}
      local sink = region{size = 64}
      local c = open{}
      step "send a Write to an unknown STag and a Read in one TCP segment"
      c:write{stag = common.unknown_stag, data = "12345678", merge = true}
      c:read{region = sink, source_stag = source.stag, source_to = source.to}
      c:expect{dead}
      c:expect{closed}
    end,
  },
}

local list = common.cases({tier = "agent", close = {"fin"}}, placed)
local rest = common.cases({tier = "agent", close = both, danger = {"memory", "connection"}}, refused)
return table.move(rest, 1, #rest, #list + 1, list)
