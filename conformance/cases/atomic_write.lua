-- Atomic Write: draft-talpey-rdma-commit-01 3.1.3, 3.1.4 and 5.

local closed, both, refused = common.closed, common.both, common.refused
local finish, terminate = common.finish, common.terminate
local value = 0x0102030405060708

-- Memory is assumed to begin at an address that is a multiple of 8, as every allocator provides it.
local function words(dut, options)
  local region = {size = 64, rights = "rw", fill = "."}
  for name, option in pairs(options or {}) do
    region[name] = option
  end
  return dut:region(region)
end

-- The 64 bits at the offset: a number in the responder's own byte order.
local function is_written(dut, target, offset, number)
  local octets = dut:memory(target, offset, 8)
  return octets == string.pack("<I8", number) or octets == string.pack(">I8", number)
end

local function is_untouched(dut, target)
  check(dut:memory(target, 0, target.size) == ("."):rep(target.size), "the memory is unchanged")
end

local function writes(offset, options)
  return function(dut, open)
    local target = words(dut, options)
    local c = open()
    step("write 64 bits at offset " .. offset)
    c:atomic_write{stag = target.stag, to = target.to + offset, data = value}
    c:expect{{kind = "atomic_write_response", qn = 3, msn = 1, size = 0}}
    check(is_written(dut, target, offset, value), "they are in the memory")
    check(dut:memory(target, 0, offset) == ("."):rep(offset), "the octets before them are unchanged")
    check(dut:memory(target, offset + 8, 56 - offset) == ("."):rep(56 - offset), "the octets after them are unchanged")
    finish(c)
  end
end

-- An Atomic Write to the start of the region, with a change that makes it invalid.
local function refuses(change, options, spoil)
  return function(dut, open)
    local target = words(dut, options)
    local write = {kind = "atomic_write_request", stag = target.stag, to = target.to, length = 8, data = value}
    for name, field in pairs(change) do
      write[name] = type(field) == "function" and field(target) or field
    end
    if spoil then
      spoil(dut, target)
    end
    local c = open()
    step "send an invalid Atomic Write"
    c:message(write)
    c:expect{refused}
    c:expect{closed}
    is_untouched(dut, target)
  end
end

local function at(offset)
  return {to = function(target) return target.to + offset end}
end

local function invalid(change, ...)
  local outcomes = {...}
  return function(dut, open)
    local target = words(dut)
    local write = {kind = "atomic_write_request", stag = target.stag, to = target.to, length = 8, data = value}
    for name, field in pairs(change) do
      write[name] = field
    end
    local c = open{auto = {terminate = false}}
    step "send an Atomic Write with a wrong header"
    c:fpdu(write)
    c:expect(outcomes)
    c:expect{closed}
    is_untouched(dut, target)
  end
end

local function refuses_answer(answer, ...)
  local outcomes = {...}
  return function(dut, open)
    local c = open{auto = {responses = false, terminate = false}}
    step "the device writes"
    local post = dut:atomic_write{stag = 0x1234, to = 0x20000, data = value}
    c:expect{{kind = "atomic_write_request"}}
    step "send a response that the device must reject"
    c:fpdu(answer)
    c:expect(outcomes)
    c:expect{closed}
    check(common.completion(dut, post).status == "flushed", "its Atomic Write has not succeeded")
  end
end

return common.cases({tier = "agent", claims = {"atomic-write"}, close = {"fin"}}, {
  {
    id = "rdma-atomic-write-001", initiator = "rdma-atomic-write-002",
    title = "An Atomic Write is placed and answered",
    requirements = {"TALPEY-3.1.3.2-01", "TALPEY-3.1.3-01"},
    run = writes(0),
  },
  {
    id = "rdma-atomic-write-003", title = "An Atomic Write of the last 64 bits is placed and answered",
    requirements = {"TALPEY-3.1.3.2-01", "TALPEY-3.1.3-01"},
    run = writes(56),
  },
  {
    id = "rdma-atomic-write-004",
    title = "An Atomic Write with a misaligned Tagged Offset but an aligned address is placed",
    requirements = {"TALPEY-3.1.3-01", "TALPEY-3.1.3.2-01"},
    run = writes(8, {to = 0x10003}),
  },
  {
    id = "rdma-atomic-write-005", title = "An Atomic Write needs write access only",
    requirements = {"TALPEY-3.1.3.2-01", "TALPEY-5.2-03"},
    run = writes(16, {rights = "w"}),
  },
  {
    id = "rdma-atomic-write-006", title = "After two Atomic Writes to one TO, the memory has the value of the second",
    requirements = {"TALPEY-3.1.3.2-01"},
    run = function(dut, open)
      local target = words(dut)
      dut:configure{ird = 8}
      local c = open()
      c:atomic_write{stag = target.stag, to = target.to, data = 1}
      c:atomic_write{stag = target.stag, to = target.to, data = 2}
      c:expect{{kind = "atomic_write_response", msn = 1}}
      c:expect{{kind = "atomic_write_response", msn = 2}}
      check(is_written(dut, target, 0, 2), "the memory has the second value")
      finish(c)
    end,
  },
  {
    id = "rdma-atomic-write-007",
    title = "A Read before an Atomic Write returns the old value, a Read after it the new",
    requirements = {"TALPEY-3.1.3.1-05"},
    run = function(dut, open)
      local target = words(dut)
      local before, behind = region{size = 8}, region{size = 8}
      dut:configure{ird = 8}
      local c = open()
      step "send Read, Atomic Write, Read at once"
      c:read{region = before, source_stag = target.stag, source_to = target.to}
      c:atomic_write{stag = target.stag, to = target.to, data = value}
      c:read{region = behind, source_stag = target.stag, source_to = target.to}
      c:expect{{kind = "read_response", stag = before.stag}}
      c:expect{{kind = "atomic_write_response"}}
      c:expect{{kind = "read_response", stag = behind.stag}}
      check(before:get(0, 8) == "........", "the Atomic Write is placed after the first Read is done")
      local new = behind:get(0, 8)
      check(new == string.pack("<I8", value) or new == string.pack(">I8", value), "the later Read returns what it placed")
      finish(c)
    end,
  },

  -- operations that cannot be atomic

  {
    id = "rdma-atomic-write-008", initiator = "rdma-atomic-write-009",
    title = "An Atomic Write 4 octets after a 64-bit boundary is answered by a Terminate",
    requirements = {"TALPEY-3.1.3-01", "TALPEY-3.1.3.1-06", "TALPEY-3.1.3.1-07", "TALPEY-3.1.3.1-08"}, close = both,
    run = refuses(at(4)),
  },
  {
    id = "rdma-atomic-write-010", title = "An Atomic Write 1 octet after a 64-bit boundary is answered by a Terminate",
    requirements = {"TALPEY-3.1.3-01", "TALPEY-3.1.3.1-06", "TALPEY-3.1.3.1-07", "TALPEY-3.1.3.1-08"}, close = both,
    run = refuses(at(1)),
  },
  {
    id = "rdma-atomic-write-011", title = "An Atomic Write 2 octets after a 64-bit boundary is answered by a Terminate",
    requirements = {"TALPEY-3.1.3-01", "TALPEY-3.1.3.1-06", "TALPEY-3.1.3.1-07", "TALPEY-3.1.3.1-08"}, close = both,
    run = refuses(at(18)),
  },
  {
    id = "rdma-atomic-write-012",
    title = "An Atomic Write to an aligned Tagged Offset at a misaligned address is answered by a Terminate",
    requirements = {"TALPEY-3.1.3-01", "TALPEY-3.1.3.1-06", "TALPEY-3.1.3.1-08"}, close = both,
    run = refuses({to = 0x10008}, {to = 0x10003}),
  },
  {
    id = "rdma-atomic-write-013", title = "An Atomic Write across a 64-octet boundary is answered by a Terminate",
    requirements = {"TALPEY-3.1.3-01", "TALPEY-3.1.3.1-07"}, close = both,
    run = refuses(at(60), {size = 128}),
  },
  {
    id = "rdma-atomic-write-014", title = "An Atomic Write with Data Sink Length 4 is answered by a Terminate",
    requirements = {"TALPEY-3.1.3-01", "TALPEY-3.1.3.1-06", "TALPEY-3.1.3.1-07"}, close = both,
    run = refuses{length = 4},
  },
  {
    id = "rdma-atomic-write-015", title = "An Atomic Write with Data Sink Length 0 is answered by a Terminate",
    requirements = {"TALPEY-3.1.3-01", "TALPEY-3.1.3.1-06", "TALPEY-3.1.3.1-08"}, close = both,
    run = refuses{length = 0},
  },
  {
    id = "rdma-atomic-write-016", title = "An Atomic Write with Data Sink Length 16 is answered by a Terminate",
    requirements = {"TALPEY-3.1.3-01", "TALPEY-3.1.3.1-06", "TALPEY-3.1.3.1-07"}, close = both,
    run = refuses{length = 16},
  },

  -- memory that cannot be written

  {
    id = "rdma-atomic-write-017", title = "An Atomic Write to an unknown STag is answered by a Terminate",
    requirements = {"TALPEY-5.2-03", "TALPEY-5.2-04"}, tier = "none", close = both,
    danger = {"memory"},
    run = function(_, open)
      local c = open()
      c:atomic_write{stag = common.unknown_stag, to = 0x2000, data = value}
      c:expect{refused}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-atomic-write-018", title = "An Atomic Write after the end of the region is answered by a Terminate",
    requirements = {"TALPEY-5.2-03", "TALPEY-5.2-04"}, close = both,
    danger = {"memory"},
    run = refuses(at(64)),
  },
  {
    id = "rdma-atomic-write-019", title = "An Atomic Write before the start of the region is answered by a Terminate",
    requirements = {"TALPEY-5.2-03", "TALPEY-5.2-04"}, close = both,
    danger = {"memory"},
    run = refuses(at(-8)),
  },
  {
    id = "rdma-atomic-write-020",
    title = "An Atomic Write with its second half after the end of the region is answered by a Terminate",
    requirements = {"TALPEY-5.2-03", "TALPEY-3.1.3.1-07"}, close = both,
    danger = {"memory"},
    run = refuses(at(56), {size = 60}),
  },
  {
    id = "rdma-atomic-write-021", title = "An Atomic Write to memory without write access is answered by a Terminate",
    requirements = {"TALPEY-5.2-03", "TALPEY-5.2-04"}, close = both,
    danger = {"memory"},
    run = refuses({}, {rights = "r"}),
  },
  {
    id = "rdma-atomic-write-022", title = "An Atomic Write to memory with read and atomic access, but no write access, is answered by a Terminate",
    requirements = {"TALPEY-5.2-03", "TALPEY-5.2-04"}, claims = {"atomic-write", "atomic"}, close = both,
    danger = {"memory"},
    run = refuses({}, {rights = "ra"}),
  },
  {
    id = "rdma-atomic-write-023", title = "An Atomic Write to an STag of another stream is answered by a Terminate",
    requirements = {"TALPEY-5.2-03", "TALPEY-5.2-04"}, close = both,
    danger = {"memory"},
    run = refuses({}, {elsewhere = true}),
  },
  {
    id = "rdma-atomic-write-024", title = "An Atomic Write to an invalidated STag is answered by a Terminate",
    requirements = {"TALPEY-5.2-03", "TALPEY-5.2-04"}, close = both,
    danger = {"memory"},
    run = refuses({}, {}, function(dut, target) dut:invalidate(target) end),
  },
  {
    id = "rdma-atomic-write-025", initiator = "rdma-atomic-write-026",
    title = "A misaligned Atomic Write is answered by a Terminate with at most its DDP header",
    requirements = {"TALPEY-5.1-01", "TALPEY-3.1.3.1-08", "TALPEY-3.1.3.1-07"}, close = both,
    run = function(dut, open)
      local target = words(dut)
      dut:configure{ird = 8}
      local c = open()
      step "send an aligned Atomic Write and a misaligned one"
      c:atomic_write{stag = target.stag, to = target.to, data = value}
      c:atomic_write{stag = target.stag, to = target.to + 12, data = value}
      local message, answers = common.until_refused(c, {{kind = "atomic_write_response"}}, refused)
      check(not message.r, "R is not set")
      check(not message.d or message.terminated and message.terminated.qn == 1 and message.terminated.msn == 2,
        "the Terminated DDP Header is that of the second Atomic Write")
      check(not message.m or message.segment_length == 42, "18 octets of DDP header, and 24 of the Atomic Write")
      c:expect{closed}
      check(is_written(dut, target, 0, value) or answers == 0 and dut:memory(target, 0, 8) == "........",
        "the first is in the memory")
      check(dut:memory(target, 8, 56) == ("."):rep(56), "the second is not")
    end,
  },

  -- headers

  {
    id = "rdma-atomic-write-027", title = "An Atomic Write on an undefined queue is answered by a Terminate",
    requirements = {"TALPEY-5.2-02"}, close = both,
    run = invalid({qn = 0x80000001}, terminate(1, 2, 1)),
  },
  {
    id = "rdma-atomic-write-028", title = "An Atomic Write with MSN 0 is answered by a Terminate",
    requirements = {"TALPEY-5.2-02"}, close = both,
    run = invalid({msn = 0}, terminate(1, 2, 3), terminate(1, 2, 2)),
  },
  {
    id = "rdma-atomic-write-029", title = "An Atomic Write that begins at MO 24 is answered by a Terminate",
    requirements = {"TALPEY-5.2-02"}, close = both,
    -- DDP may find it within the buffer; RDMAP then gets a message that is too long.
    run = invalid({mo = 24}, terminate(1, 2, any{2, 4, 5}), refused, terminate(0, 2, 6)),
  },
  {
    id = "rdma-atomic-write-030", title = "An Atomic Write with an undefined RDMAP version is answered by a Terminate",
    requirements = {"TALPEY-5.2-02", "RFC5040-7.2-03"}, close = both,
    run = invalid({rv = 2}, terminate(0, 2, 5)),
  },
  {
    id = "rdma-atomic-write-031", title = "An Atomic Write that lacks half of its data is answered by a Terminate",
    requirements = {"TALPEY-5.2-03", "TALPEY-5.2-04", "TALPEY-3.1.3.1-07"}, close = both,
    run = function(dut, open)
      local target = words(dut)
      local c = open{auto = {terminate = false}}
      step "send an Atomic Write that lacks the last four octets of its header"
      c:fpdu{kind = "atomic_write_request", header = string.pack(">I4I4I8I4", target.stag, 8, target.to, 1)}
      c:expect{refused, {kind = "terminate", layer = 1, etype = 2}}
      c:expect{closed}
      is_untouched(dut, target)
    end,
  },
  {
    -- A receiver with opcodes of four bits sees an untagged RDMA Write on the wrong queue.
    id = "rdma-atomic-write-032",
    title = "A device without Atomic Write support rejects an Atomic Write and places nothing",
    requirements = {"TALPEY-3.1.4-02"}, claims = {}, close = both,
    run = function(dut, open)
      local target = words(dut)
      dut:configure{extensions = {"7306"}}
      local c = open()
      c:atomic_write{stag = target.stag, to = target.to, data = value}
      c:expect{{kind = "terminate", layer = 0, etype = 2}, terminate(1, 2, 1)}
      c:expect{closed}
      is_untouched(dut, target)
    end,
  },

  -- the device writes

  {
    id = "rdma-atomic-write-033", initiator = "rdma-atomic-write-034",
    title = "The device's Atomic Write is correct in every field",
    requirements = {"TALPEY-3.1.3.1-01", "TALPEY-3.1.3.1-02", "TALPEY-3.1-01"},
    run = function(dut, open)
      local target = region{size = 64, rights = "w", to = 0x20000}
      local c = open()
      local post = dut:atomic_write{stag = target.stag, to = target.to + 8, data = value}
      c:expect{{kind = "atomic_write_request", qn = 1, msn = 1, mo = 0, stag = target.stag, to = target.to + 8,
        length = 8, data = value}}
      check(common.completion(dut, post).status == "done", "it completes once the response arrives")
      finish(c)
    end,
  },
  {
    id = "rdma-atomic-write-035", title = "The device's Atomic Writes have the TO that its ULP gave",
    requirements = {"TALPEY-3.1.3.1-03", "TALPEY-3.1.3.1-01"},
    run = function(dut, open)
      dut:configure{ord = 8}
      local c = open{auto = {responses = false}}
      step "three that may be outstanding at the same time"
      for i = 1, 3 do
        dut:atomic_write{stag = 0x1234, to = 0x20000 + 8 * i, data = i}
      end
      local requests = {}
      for i = 1, 3 do requests[i] = {kind = "atomic_write_request", msn = i, to = 0x20000 + 8 * i, data = i} end
      local open = #common.under_way(c, requests)
      for msn = 1, 3 do
        c:message{kind = "atomic_write_response", msn = msn}
        if open < 3 then
          open = open + 1
          c:expect{requests[open]}
        end
      end
      finish(c)
    end,
  },
  {
    id = "rdma-atomic-write-036", title = "The device reports a rejected Atomic Write to its ULP as failed",
    requirements = {"TALPEY-5.1-02"}, close = {"fin", "rst"},
    run = function(dut, open)
      local target = region{size = 64, rights = "r", to = 0x20000}
      local c = open{auto = {close = false}}
      local post = dut:atomic_write{stag = target.stag, to = target.to, data = value}
      c:expect{{kind = "atomic_write_request"}}
      step "answer with a Terminate"
      check(common.completion(dut, post).status == "flushed", "it has not succeeded")
      c:expect{closed, ignore = "broken"} -- what our side found wrong
    end,
  },
  {
    id = "rdma-atomic-write-037", title = "An unsolicited Atomic Write Response is answered by a Terminate",
    requirements = {"TALPEY-5.1-01", "RFC5041-7.1-01"}, close = both,
    run = function(_, open)
      local c = open{auto = {terminate = false}}
      c:fpdu{kind = "atomic_write_response"}
      local message = c:expect{terminate(1, 2, 2), terminate(1, 2, 3), terminate(0, 2, 6), refused}
      check(not message.r, "R is not set")
      c:expect{closed}
    end,
  },
  {
    id = "rdma-atomic-write-038", initiator = "rdma-atomic-write-039",
    title = "A Flush Response in answer to an Atomic Write is answered by a Terminate",
    requirements = {"TALPEY-5.1-01"}, close = both,
    run = refuses_answer({kind = "flush_response"},
      terminate(0, 2, 6), refused, {kind = "terminate", layer = 1, etype = 2}),
  },
  {
    id = "rdma-atomic-write-040", title = "A first Atomic Write Response with MSN 0 is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "TALPEY-5.1-01"}, close = both,
    run = refuses_answer({kind = "atomic_write_response", msn = 0}, terminate(1, 2, 3), terminate(1, 2, 2)),
  },
})
