-- RDMA Write and the tagged buffer model: RFC 5040 5.1, RFC 5041 4.2, 5.2 and 7.1.

local closed, both, unknown_stag = common.closed, common.both, common.unknown_stag
local terminate, finish = common.terminate, common.finish

-- A region of 64 octets with 32 more on each side, then one Write that is rejected; no octet may change.
local function refuses(change, answers, rights, elsewhere)
  return function(dut)
    local target = dut:region{size = 64, fill = ".", rights = rights, elsewhere = elsewhere}
    local write = {stag = target.stag, to = target.to, data = "12345678"}
    for name, value in pairs(change) do
      write[name] = type(value) == "function" and value(target) or value
    end
    local c = dut:connect{}
    step "write"
    c:write(write)
    step "wait for the Terminate"
    c:expect(answers)
    c:expect{closed}
    check(dut:memory(target, 0, 64) == ("."):rep(64), "the memory is unchanged")
  end
end

-- The same without any region of the device.
local function refuses_anywhere(write, ...)
  local answers = {...}
  return function(dut)
    local c = dut:connect{}
    step "write"
    c:write(write)
    step "wait for the Terminate"
    c:expect(answers)
    c:expect{closed}
  end
end

return {
  {
    id = "rdma-write-001", title = "A Write is placed",
    requirements = {"RFC5041-5.2-04", "RFC5040-5.1-04"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local target = dut:region{size = 64, fill = "."}
      local c = dut:connect{}
      step "write 8 octets into the middle"
      c:write{stag = target.stag, to = target.to + 20, data = "12345678"}
      c:send{data = "done"}
      dut:received{}
      check(dut:memory(target, 0, 64) == ("."):rep(20) .. "12345678" .. ("."):rep(36),
        "the octets are in their places, and nothing else has changed")
      check(dut:pending() == 0, "the Write itself is not delivered to the ULP")
      finish(c)
    end,
  },
  {
    id = "rdma-write-002", title = "A multi-segment Write is placed complete",
    requirements = {"RFC5041-5.2-04"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local data = ("0123456789abcdef"):rep(512)
      local target = dut:region{size = #data}
      local c = dut:connect{mulpdu = 256}
      c:write{stag = target.stag, to = target.to, data = data}
      c:send{data = "done"}
      dut:received{}
      check(dut:memory(target, 0, #data) == data, "the octets placed are those that were sent")
      finish(c)
    end,
  },
  {
    id = "rdma-write-003", title = "A Write of no octets to an unknown STag is ignored",
    requirements = {"RFC5041-5.2-10"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      step "write no octets to an unknown STag at the end of the address space"
      c:write{stag = unknown_stag, to = -1}
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      c:expect{{kind = "read_response", size = 0}}
      finish(c)
    end,
  },
  {
    id = "rdma-write-004", title = "A Write to an unknown STag is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5041-7.2-01", "RFC5042-5.1.1-01"},
    role = "responder", tier = "none", close = both,
    danger = {"memory"},
    run = refuses_anywhere({stag = unknown_stag, data = "12345678"}, terminate(1, 1, 0)),
  },
  {
    id = "rdma-write-005", title = "A Write one octet beyond the end of the region is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5040-8.1.1-04", "RFC5042-6.2.1-01"},
    role = "responder", tier = "agent", close = both,
    danger = {"memory"},
    run = refuses({to = function(target) return target.to + 57 end}, {terminate(1, 1, 1)}),
  },
  {
    id = "rdma-write-006", title = "A Write one octet before the start of the region is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5040-8.1.1-04", "RFC5042-6.2.1-01"},
    role = "responder", tier = "agent", close = both,
    danger = {"memory"},
    run = refuses({to = function(target) return target.to - 1 end}, {terminate(1, 1, any{1, 3})}), -- it may start at TO 0
  },
  {
    id = "rdma-write-007", title = "A Write whose TO wraps is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5042-ATTACK-26"},
    role = "responder", tier = "agent", close = both,
    danger = {"memory"},
    run = refuses({to = -4}, {terminate(1, 1, 3), terminate(1, 1, 1)}),
  },
  {
    id = "rdma-write-008", title = "A Write to memory without write access is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5042-2.2.2-02", "RFC5042-ATTACK-30"},
    role = "responder", tier = "agent", close = both,
    danger = {"memory"},
    -- DDP has no code for rights: the STag is invalid, or not of the stream.
    run = refuses({}, {terminate(1, 1, any{0, 2}), terminate(0, 1, 2)}, "r"),
  },
  {
    id = "rdma-write-009", title = "A Write to an STag of another stream is answered by a Terminate",
    requirements = {"RFC5040-8.1.1-03", "RFC5042-6.1.1-03"},
    role = "responder", tier = "agent", close = both,
    danger = {"memory"},
    run = refuses({}, {terminate(1, 1, 2), terminate(1, 1, 0)}, "rw", true),
  },
  {
    id = "rdma-write-010", title = "DDP version 0 in a tagged segment is answered by a Terminate",
    requirements = {"RFC5041-4.1-08"},
    role = "responder", tier = "none", close = both,
    -- Of no octets, so that the STag is not an error as well.
    run = refuses_anywhere({stag = 1, dv = 0}, terminate(1, 1, 4)),
  },
  {
    -- "Both version numbers are valid" (RFC 5040 4.1): 0 is that of the RDMA Consortium.
    id = "rdma-write-011", title = "A Write with RDMAP version 0 is accepted, or answered by a Terminate for its version",
    requirements = {"RFC5040-7.2-03"},
    role = "responder", tier = "agent", close = {"fin", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local target = dut:region{size = 64, fill = "."}
      local c = dut:connect{}
      c:write{stag = target.stag, to = target.to + 20, data = "12345678", rv = 0}
      step "send a Read of no octets after it"
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      local taken = c:expect{{kind = "read_response", size = 0}, terminate(0, 2, 5)}.kind == "read_response"
      if not taken then c:expect{closed} end
      local octets = dut:memory(target, 20, 8)
      check(octets == "12345678" or not taken and octets == "........", "an accepted Write is placed")
      check(dut:memory(target, 0, 20) .. dut:memory(target, 28, 36) == ("."):rep(56), "nothing else has changed")
      if taken then finish(c) end
    end,
  },
  {
    id = "rdma-write-012", title = "A Write to an unknown STag is answered by a Terminate; a valid Write after it is not placed",
    requirements = {"RFC5041-7.1-09"},
    role = "responder", tier = "agent", close = both,
    danger = {"memory"},
    run = function(dut)
      local target = dut:region{size = 64, fill = "."}
      local c = dut:connect{}
      step "send a Write to an unknown STag, then a valid one"
      c:write{stag = unknown_stag, data = "bad"}
      c:write{stag = target.stag, to = target.to, data = "good"}
      c:expect{terminate(1, 1, 0)}
      c:expect{closed}
      check(dut:memory(target, 0, 4) == "....", "the valid Write is not placed")
    end,
  },
  {
    id = "rdma-write-013", title = "The device's RDMA Write in several segments has the right TO in each",
    requirements = {"RFC5041-5.2-07", "RFC5041-4.2-08"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      -- Longer than any MULPDU: ULPDU_Length has 16 bits.
      local data = ("0123456789abcdef"):rep(4376)
      local target = region{size = #data}
      local c = dut:connect{}
      c:send{data = "your turn"}
      dut:received{}
      dut:write{stag = target.stag, to = target.to, data = data}
      dut:send{data = "done"}
      local write = c:expect{{kind = "rdma_write", stag = target.stag, to = target.to, size = #data}}
      check(write.segments > 1, "the Write has several segments")
      c:expect{{kind = "send", data = "done"}}
      check(target:get(0, #data) == data, "the octets placed are those that the device sent")
      finish(c)
    end,
  },
}
