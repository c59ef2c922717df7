-- RDMA Flush: draft-talpey-rdma-commit-01 3.1.1, 3.1.4 and 5.

local closed, both, refused = common.closed, common.both, common.refused
local finish, terminate = common.finish, common.terminate
local counting = ("0123456789abcdef"):rep(512)

-- Memory of the device that has a persistent medium.
local function durable(dut, options)
  local region = {size = 64, rights = "rwp", persistent = true, fill = "."}
  for name, value in pairs(options or {}) do
    region[name] = value
  end
  return dut:region(region)
end

-- Octets `from` to `to` of `data` are written to the same place of the region and flushed.
local function persists(size, from, to)
  return function(dut, open)
    local target = durable(dut, {size = size})
    local data = counting:sub(from + 1, to)
    local c = open()
    step("write " .. #data .. " octets at offset " .. from .. " and flush them")
    c:write{stag = target.stag, to = target.to + from, data = data}
    c:flush{stag = target.stag, to = target.to + from, length = #data, p = true}
    c:expect{{kind = "flush_response", qn = 3, msn = 1, size = 0}}
    check(dut:kept(target, from, #data) == data, "the medium has what was written")
    finish(c)
  end
end

-- A Flush of 16 octets of a region of 64, with a change that makes it invalid. `options` are those of the region.
local function refuses(change, options, spoil)
  return function(dut, open)
    local target = durable(dut, options)
    local flush = {stag = target.stag, to = target.to, length = 16, p = true}
    for name, value in pairs(change) do
      flush[name] = type(value) == "function" and value(target) or value
    end
    if spoil then
      spoil(dut, target)
    end
    local c = open()
    step "send an invalid Flush"
    c:flush(flush)
    c:expect{refused}
    c:expect{closed}
    check(dut:memory(target, 0, 64) == ("."):rep(64), "the memory is unchanged")
  end
end

-- A Flush that is right except for its DDP or RDMAP header.
local function invalid(change, ...)
  local answers = {...}
  return function(dut, open)
    local target = durable(dut)
    local flush = {kind = "flush_request", stag = target.stag, to = target.to, length = 16, p = true}
    for name, value in pairs(change) do
      flush[name] = value
    end
    local c = open{auto = {terminate = false}}
    step "send a Flush with a wrong header"
    c:fpdu(flush)
    c:expect(answers)
    c:expect{closed}
  end
end

-- The device flushes memory of ours.
local function asks(flags)
  return function(dut, open)
    local target = region{size = 64, rights = "wpg", persistent = true, to = 0x20000}
    local c = open()
    step "the device flushes"
    local post = dut:flush{stag = target.stag, to = target.to + 3, length = 33, p = flags.p, g = flags.g}
    c:expect{{kind = "flush_request", qn = 1, msn = 1, mo = 0, stag = target.stag, to = target.to + 3, length = 33,
      p = flags.p, g = flags.g, size = 0}}
    check(common.completion(dut, post).status == "done", "it completes once the response arrives")
    finish(c)
  end
end

local function refuses_answer(answer, ...)
  local answers = {...}
  return function(dut, open)
    local c = open{auto = {responses = false, terminate = false}}
    step "the device flushes"
    local post = dut:flush{stag = 0x1234, to = 0x20000, length = 16, p = true}
    c:expect{{kind = "flush_request"}}
    step "send a response that the device must reject"
    c:fpdu(answer)
    c:expect(answers)
    c:expect{closed}
    check(common.completion(dut, post).status == "flushed", "its Flush has not succeeded")
  end
end

return common.cases({tier = "agent", claims = {"flush-persist"}, close = {"fin"}}, {
  {
    id = "rdma-flush-001", initiator = "rdma-flush-002",
    title = "A Flush to persistence is answered after the octets are persistent",
    requirements = {"TALPEY-3.1.1.2-02", "TALPEY-3.1.1-02", "TALPEY-3.1.1.2-01", "TALPEY-3.1.1.3-02"},
    run = persists(64, 0, 24),
  },
  {
    id = "rdma-flush-003", title = "A Flush of an odd number of octets at an odd offset is answered",
    requirements = {"TALPEY-3.1.1.3-06", "TALPEY-3.1.1.2-02"},
    run = persists(8192, 1001, 1334),
  },
  {
    id = "rdma-flush-004", title = "A Flush of the whole region is answered",
    requirements = {"TALPEY-3.1.1.3-06", "TALPEY-3.1.1-02"},
    run = persists(8192, 0, 8192),
  },
  {
    id = "rdma-flush-005", title = "A Flush of the last octet of the region is answered",
    requirements = {"TALPEY-3.1.1.3-06", "TALPEY-3.1.1.2-02"},
    run = persists(64, 63, 64),
  },
  {
    id = "rdma-flush-006", title = "A Flush to global visibility is answered after the octets are in the memory",
    requirements = {"TALPEY-3.1.1-02", "TALPEY-3.1.1.2-02"}, claims = {"flush-expose"},
    run = function(dut, open)
      local target = dut:region{size = 64, rights = "wg", fill = "."}
      local c = open()
      c:write{stag = target.stag, to = target.to + 8, data = "in sight"}
      c:flush{stag = target.stag, to = target.to + 8, length = 8, p = false, g = true}
      c:expect{{kind = "flush_response"}}
      check(dut:memory(target, 8, 8) == "in sight", "the memory has what was written")
      finish(c)
    end,
  },
  {
    id = "rdma-flush-007", title = "A Flush to both persistence and global visibility gets one response",
    requirements = {"TALPEY-3.1.1-02", "TALPEY-3.1.1.3-06"}, claims = {"flush-persist", "flush-expose"},
    run = function(dut, open)
      local target = durable(dut, {rights = "wpg"})
      local c = open()
      c:write{stag = target.stag, to = target.to, data = "both of them"}
      c:flush{stag = target.stag, to = target.to, length = 12, p = true, g = true}
      c:send{data = "nothing more is due"}
      c:expect{{kind = "flush_response", msn = 1}}
      check(dut:kept(target, 0, 12) == "both of them", "the medium has what was written")
      finish(c)
    end,
  },
  {
    id = "rdma-flush-008", title = "A Flush of already persistent octets is answered again",
    requirements = {"TALPEY-3.1.1.3-07"},
    run = function(dut, open)
      local target = durable(dut)
      local c = open()
      c:write{stag = target.stag, to = target.to, data = "kept"}
      for msn = 1, 3 do
        c:flush{stag = target.stag, to = target.to, length = 4, p = true}
        c:expect{{kind = "flush_response", msn = msn}}
      end
      check(dut:kept(target, 0, 4) == "kept", "the medium still has it")
      finish(c)
    end,
  },
  {
    id = "rdma-flush-009", title = "A Flush of memory without prior Writes is answered",
    requirements = {"TALPEY-3.1.1.3-07", "TALPEY-3.1.1.2-02"},
    run = function(dut, open)
      local target = durable(dut, {fill = "as it began "})
      local c = open()
      c:flush{stag = target.stag, to = target.to, length = 64, p = true}
      c:expect{{kind = "flush_response"}}
      check(dut:kept(target, 0, 12) == "as it began ", "the medium has the octets of the memory")
      finish(c)
    end,
  },
  {
    id = "rdma-flush-010", title = "A Flush after a multi-segment Write waits for all segments",
    requirements = {"TALPEY-3.1.1-02", "TALPEY-3.1.1.3-06"},
    run = function(dut, open)
      local target = durable(dut, {size = 8192})
      local c = open{mulpdu = 256}
      step "write 8192 octets in segments of 256 and flush at once"
      c:write{stag = target.stag, to = target.to, data = counting}
      c:flush{stag = target.stag, to = target.to, length = 8192, p = true}
      c:expect{{kind = "flush_response"}}
      check(dut:kept(target, 0, 8192) == counting, "the last segment is on the medium too")
      finish(c)
    end,
  },
  {
    id = "rdma-flush-011", title = "A Flush covers what the device's own processor has written",
    requirements = {"TALPEY-3.1.1-02", "TALPEY-3.1.1.3-06"},
    run = function(dut, open)
      local target = durable(dut)
      local c = open()
      dut:write_memory(target, 20, "from the inside")
      c:flush{stag = target.stag, to = target.to + 20, length = 15, p = true}
      c:expect{{kind = "flush_response"}}
      check(dut:kept(target, 20, 15) == "from the inside", "all octets of the range are persistent, whichever side wrote them")
      finish(c)
    end,
  },
  {
    -- The draft does not define a Flush without disposition or of no octets: each is answered or rejected.
    id = "rdma-flush-012", title = "A Flush without a disposition is answered by a Flush Response or a Terminate",
    requirements = {"TALPEY-3.1.1.2-02", "TALPEY-3.1.1.2-03"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = function(dut, open)
      local target = durable(dut)
      local c = open()
      c:message{kind = "flush_request", stag = target.stag, to = target.to, length = 16, p = false, g = false}
      local _, outcome = c:expect{{kind = "flush_response"}, refused}
      if outcome == 1 then
        finish(c)
      else
        c:expect{closed}
      end
    end,
  },
  {
    id = "rdma-flush-013", title = "A Flush of no octets is answered by a Flush Response or a Terminate",
    requirements = {"TALPEY-3.1.1.2-02", "TALPEY-3.1.1.2-03"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = function(dut, open)
      local target = durable(dut)
      local c = open()
      c:flush{stag = target.stag, to = target.to, length = 0, p = true}
      local _, outcome = c:expect{{kind = "flush_response"}, refused}
      if outcome == 1 then
        finish(c)
      else
        c:expect{closed}
      end
    end,
  },

  -- regions that cannot be flushed

  {
    id = "rdma-flush-014", title = "A Flush of an unknown STag is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-3.1.1.2-03", "TALPEY-5.2-01"}, tier = "none", close = both,
    run = function(dut, open)
      local c = open()
      c:flush{stag = common.unknown_stag, to = 0x2000, length = 16, p = true}
      c:expect{refused}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-flush-015", initiator = "rdma-flush-016",
    title = "A Flush one octet beyond the end is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-5.2-01"}, close = both,
    run = refuses{to = function(target) return target.to + 49 end},
  },
  {
    id = "rdma-flush-017", title = "A Flush one octet before the start is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-5.2-01"}, close = both,
    run = refuses{to = function(target) return target.to - 1 end},
  },
  {
    id = "rdma-flush-018", title = "A Flush of 2^32-1 octets in a region of 64 octets is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-5.2-03"}, close = both,
    run = refuses{length = 0xFFFFFFFF},
  },
  {
    id = "rdma-flush-019", title = "A Flush that reaches beyond TO 2^64 is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-5.2-01"}, close = both,
    run = refuses{to = -8},
  },
  {
    id = "rdma-flush-020", title = "A Flush of an STag of another stream is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-5.2-03"}, close = both,
    run = refuses({}, {elsewhere = true}),
  },
  {
    id = "rdma-flush-021", title = "A Flush of an invalidated STag is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-5.2-03"}, close = both,
    run = refuses({}, {}, function(dut, target) dut:invalidate(target) end),
  },
  {
    id = "rdma-flush-022", initiator = "rdma-flush-048",
    title = "A Flush to persistence without the right to persistence is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-3.1.1.2-03", "TALPEY-5.2-03"}, close = both,
    run = refuses({}, {rights = "rw"}),
  },
  {
    id = "rdma-flush-023", title = "A Flush to persistence with only the right to global visibility is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-5.2-03"}, claims = {"flush-persist", "flush-expose"}, close = both,
    run = refuses({}, {rights = "rwg", persistent = false}),
  },
  {
    id = "rdma-flush-024", title = "A Flush to global visibility without the right to global visibility is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-3.1.1.2-03"}, claims = {"flush-persist", "flush-expose"}, close = both,
    run = refuses({p = false, g = true}),
  },
  {
    id = "rdma-flush-025", title = "A Flush to both dispositions with the right to only one of them is answered by a Terminate",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-5.2-03"}, claims = {"flush-persist", "flush-expose"}, close = both,
    run = refuses{g = true},
  },
  {
    id = "rdma-flush-026", initiator = "rdma-flush-027",
    title = "A Flush out of bounds is answered by a Terminate that includes its DDP header, or no header",
    requirements = {"TALPEY-5.1-01", "TALPEY-5.2-04"}, close = both,
    run = function(dut, open)
      local target = durable(dut)
      dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
      local c = open()
      step "send a valid Flush and an invalid one"
      c:flush{stag = target.stag, to = target.to, length = 64, p = true}
      c:flush{stag = target.stag, to = target.to, length = 65, p = true}
      local message = common.until_refused(c, {{kind = "flush_response"}}, refused)
      check(not message.r, "R is not set")
      check(not message.d or message.terminated and message.terminated.qn == 1 and message.terminated.msn == 2,
        "the Terminated DDP Header is that of the second Flush")
      check(not message.m or message.segment_length == 38, "18 octets of DDP header, and 20 of the Flush")
      c:expect{closed}
    end,
  },

  -- headers

  {
    id = "rdma-flush-028", title = "A Flush on an undefined queue is answered by a Terminate",
    requirements = {"TALPEY-5.2-02", "TALPEY-5.2-01"}, close = both,
    run = invalid({qn = 4}, terminate(1, 2, 1)),
  },
  {
    id = "rdma-flush-029", title = "A Flush on the queue of Sends is answered by a Terminate",
    requirements = {"TALPEY-5.2-02"}, close = both,
    run = invalid({qn = 0}, terminate(1, 2, 1), terminate(0, 2, 6)),
  },
  {
    id = "rdma-flush-030", initiator = "rdma-flush-031",
    title = "A first Flush with an MSN far beyond IRD is answered by a Terminate",
    requirements = {"TALPEY-5.2-02"}, close = both,
    run = invalid({msn = 0x80000000}, terminate(1, 2, 3), terminate(1, 2, 2)),
  },
  {
    id = "rdma-flush-032", title = "A Flush that begins at MO 4 is answered by a Terminate",
    requirements = {"TALPEY-5.2-02"}, close = both,
    -- DDP may find it within the buffer; RDMAP then gets a message that is too long.
    run = invalid({mo = 4}, terminate(1, 2, any{2, 4, 5}), refused, terminate(0, 2, 6)),
  },
  {
    id = "rdma-flush-033", title = "A Flush with DDP version 2 is answered by a Terminate",
    requirements = {"TALPEY-5.2-02"}, close = both,
    run = invalid({dv = 2}, terminate(1, 2, 6)),
  },
  {
    id = "rdma-flush-034", title = "A Flush truncated before its flags is answered by a Terminate",
    requirements = {"TALPEY-5.2-01", "TALPEY-5.2-04"}, close = both,
    run = function(dut, open)
      local target = durable(dut)
      local c = open{auto = {terminate = false}}
      step "send a Flush that lacks the last four octets of its header"
      c:fpdu{kind = "flush_request", header = string.pack(">I4I4I8", target.stag, 16, target.to)}
      c:expect{refused, {kind = "terminate", layer = 1, etype = 2}}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-flush-035", title = "A device without Flush support rejects a Flush with a Remote Operation Error",
    requirements = {"TALPEY-3.1.4-02"}, claims = {}, close = both,
    run = function(dut, open)
      local target = dut:region{size = 64, rights = "rw"}
      dut:configure{extensions = {"7306"}}
      local c = open()
      c:flush{stag = target.stag, to = target.to, length = 16, p = true}
      c:expect{{kind = "terminate", layer = 0, etype = 2}}
      c:expect{closed}
    end,
  },

  -- the device flushes

  {
    id = "rdma-flush-036", initiator = "rdma-flush-037",
    title = "The device's Flush to persistence is correct in every field",
    requirements = {"TALPEY-3.1.1.1-01", "TALPEY-3.1.1.3-01", "TALPEY-3.1-01"},
    run = asks{p = true, g = false},
  },
  {
    id = "rdma-flush-038", title = "The device's Flush to global visibility is correct in every field",
    requirements = {"TALPEY-3.1.1.1-01", "TALPEY-3.1.1.3-01"}, claims = {"flush-expose"},
    run = asks{p = false, g = true},
  },
  {
    id = "rdma-flush-039", title = "The device's Flush to both dispositions is correct in every field",
    requirements = {"TALPEY-3.1.1.1-01"}, claims = {"flush-persist", "flush-expose"},
    run = asks{p = true, g = true},
  },
  {
    id = "rdma-flush-040", initiator = "rdma-flush-041",
    title = "The device reports a rejected Flush to its ULP as failed",
    requirements = {"TALPEY-5.1-02"}, close = {"fin", "rst"},
    run = function(dut, open)
      local c = open{auto = {responses = false, close = false}}
      local post = dut:flush{stag = 0x1234, to = 0x20000, length = 16, p = true}
      c:expect{{kind = "flush_request"}}
      step "reject it"
      c:terminate{layer = 0, etype = 2, code = 7}
      check(common.completion(dut, post).status == "flushed", "it has not succeeded")
      c:expect{closed}
    end,
  },
  {
    id = "rdma-flush-042", title = "An unsolicited Flush Response is answered by a Terminate",
    requirements = {"TALPEY-5.1-01", "RFC5041-7.1-01"}, close = both,
    run = function(dut, open)
      local c = open{auto = {terminate = false}}
      c:fpdu{kind = "flush_response"}
      local message = c:expect{terminate(1, 2, 2), terminate(1, 2, 3), terminate(0, 2, 6), refused}
      check(not message.r, "R is not set")
      c:expect{closed}
    end,
  },
  {
    id = "rdma-flush-043", initiator = "rdma-flush-044",
    title = "A Verify Response in answer to a Flush is answered by a Terminate",
    requirements = {"TALPEY-5.1-01"}, close = both,
    run = refuses_answer({kind = "verify_response", data = "hash"}, terminate(0, 2, 6), refused,
      {kind = "terminate", layer = 1, etype = 2}),
  },
  {
    id = "rdma-flush-045", title = "A first Flush Response with an MSN far beyond ORD is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "TALPEY-5.1-01"}, close = both,
    run = refuses_answer({kind = "flush_response", msn = 0x80000000}, terminate(1, 2, 3), terminate(1, 2, 2)),
  },
  {
    id = "rdma-flush-046", title = "A Flush Response on queue 4 is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "TALPEY-5.1-01"}, close = both,
    run = refuses_answer({kind = "flush_response", qn = 4}, terminate(1, 2, 1)),
  },
  {
    -- That of a segment without octets is ignored, unless RDMAP makes it 8 octets.
    id = "rdma-flush-047", title = "A Flush Response that begins at MO 8 is answered by a Terminate or accepted",
    requirements = {"RFC5041-7.1-01", "TALPEY-5.1-01"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = function(dut, open)
      local c = open{auto = {responses = false, terminate = false}}
      step "the device flushes"
      local post = dut:flush{stag = 0x1234, to = 0x20000, length = 16, p = true}
      c:expect{{kind = "flush_request"}}
      step "answer at MO 8"
      c:fpdu{kind = "flush_response", mo = 8}
      step "send a Read of no octets after it"
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      local taken = c:expect{{kind = "read_response", size = 0}, terminate(1, 2, any{2, 4, 5}), terminate(0, 2, 6), refused}
        .kind == "read_response"
      check(common.completion(dut, post).status == (taken and "done" or "flushed"), "the ULP learns the result")
      if taken then finish(c) else c:expect{closed} end
    end,
  },
})
