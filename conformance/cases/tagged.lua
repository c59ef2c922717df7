-- The tagged buffer model on the receiving side: which octets of which buffer an RDMA Write may reach. RFC 5041 5.2, 7.1 and 8,
-- RFC 5040 5.1 and 8.1.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish
local counting = ("0123456789abcdefghijklmnopqrstuv"):rep(8)

local bounds = terminate(1, 1, 1)
local dead = terminate(1, 1, 0)
-- Of an STag that there is, but not for this stream.
local not_ours = terminate(1, 1, any{0, 2})

-- Waits until all that was sent before has been placed: a Send after it is delivered.
local function settle(dut, c)
  c:send{data = "settled"}
  check(dut:received{}.data == "settled", "the Send after the Writes is delivered")
end

-- Writes of these {offset, octets} to a buffer of `size` octets; the octets between are as they were.
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
    check(dut:memory(target, 0, size) == expected, "the octets stand where they belong, and no others have changed")
    finish(c)
  end
end

-- A Write of 8 octets to a buffer of 64, changed, is answered by `answer`; no octet of the buffer changes. `prepare` is done
-- before it.
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
    check(dut:memory(target, 0, 64) == ("."):rep(64), "the memory is as it was")
  end
end

-- The STag is valid until `revoke` takes it back.
local function revoked(revoke)
  return refuses({}, dead, {}, function(dut, target, c)
    step "a Write that is taken"
    c:write{stag = target.stag, to = target.to, data = "........"}
    settle(dut, c)
    step "the STag is taken back"
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
    title = "The first and the last octet of a buffer can be written",
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
    title = "A Write into a buffer close to the end of all TOs is placed",
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
    title = "Segments of a Write are placed by their TO, in whatever order they come",
    requirements = {"RFC5041-5.2-04"},
    run = function(dut, open)
      local target = dut:region{size = 160, fill = "."}
      local c = open{}
      step "the third segment, the first, and with L the second"
      for i, at in ipairs{80, 0, 40} do
        c:fpdu{kind = "rdma_write", stag = target.stag, to = target.to + at, data = counting:sub(at + 1, at + 40), l = i == 3}
      end
      settle(dut, c)
      check(dut:memory(target, 0, 160) == counting:sub(1, 120) .. ("."):rep(40), "each stands where its TO says")
      finish(c)
    end,
  },
  {
    id = "rdma-tagged-015", initiator = "rdma-tagged-016",
    title = "T tells what is placed in memory from what goes to a receive buffer",
    requirements = {"RFC5041-4.1-01", "RFC5040-5.1-04", "RFC5040-5.3-05"},
    run = function(dut, open)
      local targets = {dut:region{size = 300, fill = "."}, dut:region{size = 300, fill = "."}}
      local c = open{mulpdu = 128}
      step "Writes to two buffers and Sends by turns"
      for i = 1, 4 do
        local target = targets[i % 2 + 1]
        c:write{stag = target.stag, to = target.to + 70 * i, data = tostring(i):rep(20), merge = true}
        c:send{data = "message " .. i}
      end
      for i = 1, 4 do
        check(dut:received{}.data == "message " .. i, "each Send is delivered in its turn")
        check(dut:memory(targets[i % 2 + 1], 70 * i, 20) == tostring(i):rep(20), "the Write before it is placed")
      end
      check(dut:pending() == 0, "no Write is delivered")
      finish(c)
    end,
  },
  {
    id = "rdma-tagged-017", initiator = "rdma-tagged-018",
    title = "STag and TO of a Write of no octets are ignored",
    requirements = {"RFC5041-5.2-10", "RFC5040-5.1-08"},
    run = function(dut, open)
      local target, readable, gone = dut:region{size = 64, fill = "."}, dut:region{size = 64, rights = "r"}, dut:region{size = 64}
      local c = open{}
      dut:invalidate(gone)
      step "Writes of no octets: after the buffer, without the right, to what is no more, to nothing"
      c:write{stag = target.stag, to = target.to + 65}
      c:write{stag = target.stag, to = -1}
      c:write{stag = readable.stag, to = readable.to}
      c:write{stag = gone.stag, to = gone.to}
      c:write{stag = 0}
      common.alive(c)
      check(dut:memory(target, 0, 64) == ("."):rep(64), "the memory is as it was")
      check(dut:pending() == 0, "nothing is delivered to the ULP")
      finish(c)
    end,
  },
}

local refused = {
  -- the bounds of a buffer

  {
    id = "rdma-tagged-019", initiator = "rdma-tagged-020",
    title = "A Write that begins and ends outside of its buffer is refused",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04"},
    run = refuses({data = ("x"):rep(66), to = function(target) return target.to - 1 end}, terminate(1, 1, any{1, 3})), -- at TO 0
  },
  {
    id = "rdma-tagged-021", initiator = "rdma-tagged-022",
    title = "A Write of one octet more than its buffer has is refused",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5040-5.1-09"},
    run = refuses({data = ("x"):rep(65)}, bounds),
  },
  {
    id = "rdma-tagged-023", initiator = "rdma-tagged-024",
    title = "A Write just after its buffer is refused",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04"},
    run = refuses({data = "x", to = function(target) return target.to + 64 end}, bounds),
  },
  {
    id = "rdma-tagged-025", initiator = "rdma-tagged-026",
    title = "A Write 2^32 octets after its buffer is refused",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04"},
    run = refuses({to = function(target) return target.to + (1 << 32) end}, bounds),
  },
  {
    id = "rdma-tagged-027", initiator = "rdma-tagged-028",
    title = "A Write of the last octet of all TOs and one more is refused",
    requirements = {"RFC5041-7.1-06"}, run = refuses({to = -1, data = "12"}, terminate(1, 1, any{1, 3})),
  },
  {
    id = "rdma-tagged-029", initiator = "rdma-tagged-030",
    title = "Of a Write whose second segment is out of bounds nothing but the first is placed",
    requirements = {"RFC5041-7.1-07", "RFC5041-5.2-04", "RFC5041-8.3.1-04"},
    run = function(dut, open)
      local target = dut:region{size = 228, fill = "."}
      local c = open{mulpdu = 128}
      step "two segments of 114 octets, from the fourth octet of 228 on"
      c:write{stag = target.stag, to = target.to + 3, data = counting:sub(1, 228)}
      c:expect{bounds}
      c:expect{closed}
      local memory = dut:memory(target, 0, 228)
      check(memory:sub(1, 3) == "..." and memory:sub(118) == ("."):rep(111), "nothing of the second segment is placed")
      -- Until a message after the Write is delivered, what it has placed is indeterminate (RFC 5040 5.5).
      for i = 1, 114 do
        local octet = memory:sub(3 + i, 3 + i)
        check(octet == "." or octet == counting:sub(i, i), "where the first was to go there is nothing else")
      end
    end,
  },

  -- STags

  {
    id = "rdma-tagged-031", initiator = "rdma-tagged-032",
    title = "A Write to an STag of which the last bit is another is refused",
    requirements = {"RFC5041-4.2-05", "RFC5041-7.1-06"},
    run = refuses({stag = function(target) return target.stag ~ 1 end}, not_ours),
  },
  {
    id = "rdma-tagged-033", initiator = "rdma-tagged-034",
    title = "A Write to an STag of which the first bit is another is refused",
    requirements = {"RFC5041-4.2-05", "RFC5041-7.1-06"},
    run = refuses({stag = function(target) return target.stag ~ 0x80000000 end}, not_ours),
  },
  {
    id = "rdma-tagged-035", initiator = "rdma-tagged-036",
    title = "A Write to an STag of 0 is refused",
    requirements = {"RFC5041-4.2-05", "RFC5041-7.1-06"}, run = refuses({stag = 0}, not_ours),
  },
  {
    id = "rdma-tagged-037", initiator = "rdma-tagged-038",
    title = "A Write to an STag that the ULP has invalidated is refused",
    requirements = {"RFC5040-8.1.1-07", "RFC5041-8.3.1-07", "RFC5041-4.2-05"},
    run = revoked(function(dut, target) dut:invalidate(target) end),
  },
  {
    id = "rdma-tagged-039", initiator = "rdma-tagged-040",
    title = "A Write to a buffer that is no more is refused",
    requirements = {"RFC5040-8.1.1-07", "RFC5041-8.3.1-07", "RFC5041-4.2-05"},
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
    title = "A buffer of one stream is written through that stream alone",
    requirements = {"RFC5041-8.2-02", "RFC5041-8.3.1-03", "RFC5040-8.1.1-03"},
    run = function(dut, open)
      local owner, other = open{}, open{}
      local target = dut:region{size = 64, fill = ".", connection = 1}
      owner:write{stag = target.stag, to = target.to, data = "mine"}
      step "the same through the other connection"
      other:write{stag = target.stag, to = target.to, data = "taken"}
      other:expect{not_ours}
      other:expect{closed}
      step "its own connection goes on"
      common.alive(owner)
      check(dut:memory(target, 0, 8) == "mine....", "the first Write is placed, the second is not")
      finish(owner)
    end,
  },
  {
    id = "rdma-tagged-043",
    title = "A buffer of another stream is not written by a device that has opened the connection", role = "initiator",
    requirements = {"RFC5041-8.2-02", "RFC5041-8.3.1-03", "RFC5040-8.1.1-03"},
    run = refuses({}, not_ours, {elsewhere = true}),
  },
  {
    id = "rdma-tagged-044",
    title = "A buffer that may be read only is not written by a device that has opened the connection", role = "initiator",
    requirements = {"RFC5041-7.1-06"}, run = refuses({}, {kind = "terminate", layer = any{0, 1}, etype = 1, code = any{0, 2}},
      {rights = "r"}),
  },

  -- after an error

  {
    id = "rdma-tagged-049", initiator = "rdma-tagged-050",
    title = "A buffer of another protection domain is not written",
    requirements = {"RFC5041-8.2-01", "RFC5041-8.3.1-02", "RFC5040-8.1.1-02"},
    run = refuses({}, not_ours, {domain = "other"}),
  },
  {
    id = "rdma-tagged-045", initiator = "rdma-tagged-046",
    title = "What comes before an error is delivered, what comes after it is not",
    requirements = {"RFC5041-7.1-09", "RFC5040-5.3-05"},
    run = function(dut, open)
      local c = open{}
      step "a Send, a Write to an STag that is none, a Send, all in one TCP segment"
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
      step "a Write to an STag that is none, and a Read, in one TCP segment"
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
