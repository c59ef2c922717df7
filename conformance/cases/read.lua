-- RDMA Read: RFC 5040 4.4, 5.2 and 7.2.

local closed, both, unknown_stag = common.closed, common.both, common.unknown_stag
local terminate, finish = common.terminate, common.finish
local counting = ("0123456789abcdef"):rep(512)

-- DDP finds the STag invalid, or RDMAP finds no request: it has no code of its own for that (RFC 5040 5.2.2).
local unsolicited = {terminate(0, 2, any{6, 7, 0xFF}), terminate(0, 1, any{0, 3, 0xFF}), terminate(1, 1, any{0, 2})}

-- A Read of `size` octets at `offset` of a region of 8192.
local function reads(offset, size)
  return function(dut)
    local source = dut:region{size = 8192, rights = "r", fill = counting}
    local sink = region{size = size, fill = 0}
    local c = dut:connect{}
    step("read " .. size .. " octets at offset " .. offset)
    c:read{region = sink, source_stag = source.stag, source_to = source.to + offset}
    c:expect{{kind = "read_response", stag = sink.stag, to = sink.to, size = size}}
    check(sink:get(0, size) == counting:sub(offset + 1, offset + size), "the octets are those of the Data Source")
    finish(c)
  end
end

-- A Read of 8 octets at the start of a region of 64, which a change makes invalid.
local function refuses(change, answers, rights, elsewhere)
  return function(dut)
    local source = dut:region{size = 64, fill = "secret--", rights = rights, elsewhere = elsewhere}
    local sink = region{size = 4096}
    local read = {sink_stag = sink.stag, sink_to = sink.to, size = 8, source_stag = source.stag, source_to = source.to}
    for name, value in pairs(change) do
      read[name] = type(value) == "function" and value(source) or value
    end
    local c = dut:connect{}
    step "read"
    c:read(read)
    step "wait for the Terminate"
    c:expect(answers)
    c:expect{closed}
  end
end

return {
  {
    id = "rdma-read-001", title = "A Read is answered with the octets of the Data Source",
    requirements = {"RFC5040-5.2.1-10", "RFC5040-4.4-02", "RFC5040-4.4-05"},
    role = "responder", tier = "agent", close = {"fin"},
    run = reads(0, 64),
  },
  {
    id = "rdma-read-002", title = "A Read at an odd offset is answered",
    requirements = {"RFC5040-5.2.1-10", "RFC5040-4.4-05"},
    role = "responder", tier = "agent", close = {"fin"},
    run = reads(1001, 333),
  },
  {
    id = "rdma-read-003", title = "A Read of 8192 octets is answered with all octets",
    requirements = {"RFC5040-5.2.1-10", "RFC5041-5.2-07"},
    role = "responder", tier = "agent", close = {"fin"},
    run = reads(0, 8192),
  },
  {
    id = "rdma-read-004", title = "A Read of no octets from an unknown STag is answered",
    requirements = {"RFC5040-5.2.1-13", "RFC5040-5.2.1-14", "RFC5042-6.3.5-03"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      step "read no octets from an unknown STag"
      c:read{sink_stag = 0x1234, sink_to = 0x1000, source_stag = unknown_stag, source_to = -1, size = 0}
      c:expect{{kind = "read_response", size = 0}}
      finish(c)
    end,
  },
  {
    id = "rdma-read-005", title = "Reads are answered in the order sent",
    requirements = {"RFC5040-5.2.2-05"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local source = dut:region{size = 8192, rights = "r", fill = counting}
      local sinks = {region{size = 4000}, region{size = 1}, region{size = 2000}}
      dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
      local c = dut:connect{}
      step "send three Reads of different sizes at once"
      for i, sink in ipairs(sinks) do
        c:read{region = sink, source_stag = source.stag, source_to = source.to + i}
      end
      for i, sink in ipairs(sinks) do
        c:expect{{kind = "read_response", stag = sink.stag, size = sink.size}}
        check(sink:get(0, sink.size) == counting:sub(i + 1, i + sink.size), "with the octets of its Data Source")
      end
      finish(c)
    end,
  },
  {
    id = "rdma-read-006", title = "A Read sees what an earlier Write has placed",
    requirements = {"RFC5040-5.5-13"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local buffer = dut:region{size = 64, fill = "."}
      local sink = region{size = 64}
      local c = dut:connect{}
      c:write{stag = buffer.stag, to = buffer.to + 8, data = "new octets"}
      c:read{region = sink, source_stag = buffer.stag, source_to = buffer.to}
      c:expect{{kind = "read_response"}}
      check(sink:get(8, 10) == "new octets", "the Read comes after the Write")
      finish(c)
    end,
  },
  {
    id = "rdma-read-007", title = "A Read from an unknown STag is answered by a Terminate",
    requirements = {"RFC5040-7.2-09", "RFC5040-4.8-06"},
    role = "responder", tier = "none", close = both,
    run = function(dut)
      local sink = region{size = 64}
      local c = dut:connect{}
      step "read from an unknown STag"
      c:read{region = sink, source_stag = unknown_stag, source_to = 0x2000}
      c:expect{terminate(0, 1, 0)}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-read-008", title = "A Read one octet beyond the end of the region is answered by a Terminate",
    requirements = {"RFC5040-7.2-12"},
    role = "responder", tier = "agent", close = both,
    run = refuses({source_to = function(source) return source.to + 57 end}, {terminate(0, 1, 1)}),
  },
  {
    id = "rdma-read-009", title = "A Read one octet before the start of the region is answered by a Terminate",
    requirements = {"RFC5040-7.2-11"},
    role = "responder", tier = "agent", close = both,
    run = refuses({source_to = function(source) return source.to - 1 end}, {terminate(0, 1, any{1, 4})}), -- the region may start at TO 0
  },
  {
    id = "rdma-read-010", title = "A Read whose TO wraps is answered by a Terminate",
    requirements = {"RFC5040-7.2-13"},
    role = "responder", tier = "agent", close = both,
    run = refuses({source_to = -4}, {terminate(0, 1, 4), terminate(0, 1, 1)}),
  },
  {
    id = "rdma-read-011", title = "A Read from memory without read access is answered by a Terminate",
    requirements = {"RFC5040-7.2-14", "RFC5042-2.2.2-02", "RFC5042-6.3.5-02", "RFC5042-ATTACK-38"},
    role = "responder", tier = "agent", close = both,
    run = refuses({}, {terminate(0, 1, 2)}, "w"),
  },
  {
    id = "rdma-read-012", title = "A Read from an STag of another stream is answered by a Terminate",
    requirements = {"RFC5040-7.2-10", "RFC5042-6.1.1-03"},
    role = "responder", tier = "agent", close = both,
    run = refuses({}, {terminate(0, 1, 3), terminate(0, 1, 0)}, "rw", true),
  },
  {
    id = "rdma-read-013", title = "A Read Request on queue 0 is answered by a Terminate",
    requirements = {"RFC5040-7.2-06"},
    role = "responder", tier = "none", close = both,
    run = function(dut)
      local c = dut:connect{auto = {terminate = false}}
      step "send a Read Request of no octets on queue 0"
      c:fpdu{kind = "read_request", qn = 0}
      -- There may be no buffer on that queue, or only smaller ones.
      c:expect{terminate(1, 2, any{1, 2, 5}), terminate(0, 2, 6)}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-read-014", title = "A first Read Request with an MSN far beyond IRD is answered by a Terminate",
    requirements = {"RFC5040-7.2-06"},
    role = "responder", tier = "none", close = both,
    run = function(dut)
      local c = dut:connect{auto = {terminate = false}}
      c:fpdu{kind = "read_request", msn = 0x80000000}
      c:expect{terminate(1, 2, 3), terminate(1, 2, 2)}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-read-015", title = "An unsolicited Read Response is answered by a Terminate",
    requirements = {"RFC5040-5.2.2-08", "RFC5042-ATTACK-25"},
    role = "responder", tier = "agent", close = both,
    run = function(dut)
      local target = dut:region{size = 64, rights = "r", fill = "."}
      local c = dut:connect{}
      step "send a Read Response to a valid STag without write access"
      c:fpdu{kind = "read_response", stag = target.stag, to = target.to, data = "unasked!"}
      c:expect{{kind = "terminate", layer = any{0, 1}}}
      c:expect{closed}
      check(dut:memory(target, 0, 8) == "........", "nothing is placed")
    end,
  },
  {
    id = "rdma-read-017", title = "A Read Request without L is not answered",
    requirements = {"RFC5041-5.4-01", "RFC5041-4.1-02"},
    role = "responder", tier = "none", close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c = common.started(dut)
      step "send a Read Request of no octets without L: the message is not complete"
      c:fpdu{kind = "read_request", sink_stag = 1, source_stag = 1, size = 0, l = false}
      if c:expect{{kind = "silence"}, {kind = "terminate", layer = any{0, 1}}, timeout = 0.3}.kind == "silence" then
        c:close()
      end
      c:expect{closed}
    end,
  },
  {
    id = "rdma-read-018", title = "A Read Request four octets too long is answered by a Terminate",
    requirements = {"RFC5040-7.2-06", "RFC5041-7.1-01"},
    role = "responder", tier = "none", close = both,
    run = function(dut)
      local c = common.started(dut)
      step "send a Read Request of no octets with four octets after its header"
      c:fpdu{kind = "read_request", sink_stag = 1, source_stag = 1, size = 0, data = "more"}
      c:expect{terminate(1, 2, any{2, 4, 5}), terminate(0, 2, any{7, 8, 0xFF})}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-read-019",
    title = "An unsolicited Read Response is answered by a Terminate; headers that the Terminate includes are those of the Read Response (no agent)",
    requirements = {"RFC5040-5.2.2-08", "RFC5041-7.1-06", "RFC5040-4.8-10", "RFC5042-ATTACK-25"},
    role = "responder", tier = "none", close = both,
    run = function(dut)
      local c = common.started(dut)
      c:fpdu{kind = "read_response", stag = unknown_stag, to = 0, data = "unasked!"}
      common.about(c:expect(unsolicited), {t = true, opcode = 2, stag = unknown_stag, to = 0})
      c:expect{closed}
    end,
  },
  {
    id = "rdma-read-020", title = "An unsolicited Read Response of no octets is answered by a Terminate (no agent)",
    requirements = {"RFC5040-5.2.2-08"},
    role = "responder", tier = "none", close = both,
    run = function(dut)
      local c = common.started(dut)
      c:fpdu{kind = "read_response"}
      c:expect(unsolicited)
      c:expect{closed}
    end,
  },
  {
    id = "rdma-read-016", title = "The device sends a Read and accepts the Read Response",
    requirements = {"RFC5040-4.2-01", "RFC5041-4.3-09", "RFC5040-5.2.1-01", "RFC5040-5.2.1-05"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local sink = dut:region{size = 3000, fill = "."}
      local source = region{size = 3000, rights = "r", fill = counting}
      local c = dut:connect{}
      c:send{data = "your turn"}
      dut:received{}
      step "the device reads"
      dut:read{sink = sink, source_stag = source.stag, source_to = source.to}
      c:expect{{kind = "read_request", qn = 1, msn = 1, size = 3000, sink_stag = sink.stag, source_stag = source.stag}}
      c:send{data = "done"}
      dut:received{}
      check(dut:memory(sink, 0, 3000) == counting:sub(1, 3000), "the octets are those of our buffer")
      finish(c)
    end,
  },
}
