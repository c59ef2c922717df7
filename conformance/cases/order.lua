-- Operations of several kinds at the same time, and as many as IRD allows: RFC 5041 4.3 and 5.3, RFC 5040 5.2, 5.5, 6.1, 8.1.1.

local closed, terminate, finish = common.closed, common.terminate, common.finish
local counting = ("0123456789abcdefghijklmnopqrstuv"):rep(64)

-- A connection that allows `depth` outstanding Reads.
local function deep(dut, open, depth, options)
  options = options or {}
  options.rev, options.ird, options.ord = 2, depth, depth
  dut:configure{rev = 2, enhanced = true, ird = depth, ord = depth}
  local c = open(options)
  check(c.terms.ord == depth, "the device allows as many outstanding requests as it was configured for")
  return c
end

return common.cases({tier = "agent", close = {"fin"}}, {
  {
    id = "rdma-order-001", initiator = "rdma-order-002",
    title = "Alternating Sends, Writes and Reads are executed, each kind in order",
    requirements = {"RFC5041-5.3-07", "RFC5040-5.2.1-07", "RFC5040-5.5-16", "RFC5040-5.5-13", "RFC5040-5.3-05", "RFC5041-4.3-08"},
    run = function(dut, open)
      local target = dut:region{size = 160, fill = "."}
      local sinks = {}
      dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
      local c = open{}
      step "send eight rounds of Send, Write, and Read of the octets written"
      for i = 1, 8 do
        sinks[i] = region{size = 20}
        c:send{data = "message " .. i, se = i % 2 == 0, merge = i % 3 == 0}
        c:write{stag = target.stag, to = target.to + 20 * (i - 1), data = tostring(i):rep(20), merge = i % 4 == 0}
        c:read{region = sinks[i], source_stag = target.stag, source_to = target.to + 20 * (i - 1)}
      end
      for i = 1, 8 do
        c:expect{{kind = "read_response", stag = sinks[i].stag, size = 20}}
        check(sinks[i]:get() == tostring(i):rep(20), "Read " .. i .. " has what the Write before it has placed")
      end
      for i = 1, 8 do
        local message = dut:received{}
        check(message.data == "message " .. i, "Send " .. i .. " is delivered in order")
        check(message.kind == (i % 2 == 0 and "send_se" or "send"), "with its opcode")
      end
      finish(c)
    end,
  },
  {
    id = "rdma-order-003", initiator = "rdma-order-004",
    title = "As many Reads as IRD allows are accepted at once and answered in order", claims = {"rev-2"},
    requirements = {"RFC5040-5.2.2-02", "RFC5040-5.5-16", "RFC5040-5.2.2-05"},
    run = function(dut, open)
      local source = dut:region{size = 2048, rights = "r", fill = counting}
      local c = deep(dut, open, 4)
      local sinks = {}
      step "send four Reads in one TCP segment, twice"
      for i = 1, 8 do
        sinks[i] = region{size = 256 * i}
        c:read{region = sinks[i], source_stag = source.stag, source_to = source.to, merge = i % 4 ~= 0}
      end
      for i = 1, 8 do
        c:expect{{kind = "read_response", stag = sinks[i].stag, size = 256 * i}}
        check(sinks[i]:get() == counting:sub(1, 256 * i), "with the octets of the Data Source")
      end
      finish(c)
    end,
  },
  {
    id = "rdma-order-005", initiator = "rdma-order-006",
    title = "After a long Read, the Read Request above IRD is answered by a Terminate, or answered if the earlier one is already answered",
    claims = {"rev-2"},
    requirements = {"RFC5040-6.1-05", "RFC5040-5.2.1-02"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = function(dut, open)
      local source = dut:region{size = 1 << 20, rights = "r", fill = counting}
      local sinks = {region{size = 1 << 20}, region{size = 1 << 20}}
      local c = deep(dut, open, 1, {auto = {terminate = false}})
      local read = {source_stag = source.stag, source_to = source.to, sink_stag = sinks[1].stag, sink_to = sinks[1].to,
        size = source.size}
      -- Either a buffer of DDP is missing or a limit of RDMAP is exceeded.
      local over = {terminate(1, 2, any{2, 3}), terminate(0, 2, any{7, 0xFF})}
      step "send two Reads of 1 MiB in one TCP segment"
      read.merge = true
      c:read(read)
      c:sent()
      read.kind, read.merge, read.msn = "read_request", nil, 2
      read.sink_stag, read.sink_to = sinks[2].stag, sinks[2].to
      c:fpdu(read)
      for _, sink in ipairs(sinks) do
        if common.filled(c, sink, {kind = "read_response", stag = sink.stag, size = sink.size}, over).kind == "terminate" then
          c:expect{closed}
          return
        end
        check(sink:get() == counting:rep(512), "with the octets of the Data Source")
      end
      finish(c)
    end,
  },
  {
    id = "rdma-order-007", initiator = "rdma-order-008",
    title = "The device sends its operations in the order its ULP posted them",
    requirements = {"RFC5040-5.5-09", "RFC5041-4.3-08", "RFC5041-5.3-02", "RFC5040-4.1-06", "RFC5040-4.1-08"},
    run = function(dut, open, role)
      local first = role == "initiator" and 2 or 1
      local target, sink = region{size = 64, fill = "r"}, dut:region{size = 8}
      local c = open{}
      step "the ULP posts Send, Write, Read, Send with Solicited Event, Write, Send"
      dut:send{data = "one"}
      dut:write{stag = target.stag, to = target.to, data = "first"}
      dut:read{sink = sink, source_stag = target.stag, source_to = target.to + 56}
      dut:send{data = "two", se = true}
      dut:write{stag = target.stag, to = target.to + 8, data = "second"}
      local last = dut:send{data = "three"}
      c:expect{{kind = "send", msn = first, data = "one"}}
      c:expect{{kind = "rdma_write", to = target.to, size = 5}}
      c:expect{{kind = "read_request", msn = 1, size = 8}}
      c:expect{{kind = "send_se", msn = first + 1, data = "two"}}
      c:expect{{kind = "rdma_write", to = target.to + 8, size = 6}}
      c:expect{{kind = "send", msn = first + 2, data = "three"}}
      check(common.completion(dut, last).status == "done", "all are complete")
      check(dut:memory(sink, 0, 8) == "rrrrrrrr", "the Read has its octets")
      finish(c)
    end,
  },
  {
    id = "rdma-order-009", initiator = "rdma-order-010",
    title = "The device's Sends and its Read Responses are each in order",
    requirements = {"RFC5040-5.2.1-10", "RFC5040-5.5-16", "RFC5041-5.2-05"},
    run = function(dut, open)
      local source, sink = dut:region{size = 4000, rights = "r", fill = counting}, region{size = 4000}
      dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
      local c = open{}
      step "five Reads, and five Sends of the device"
      for i = 1, 5 do
        c:read{sink_stag = sink.stag, sink_to = sink.to, size = 4000 - i, source_stag = source.stag, source_to = source.to}
        dut:send{data = i .. counting}
      end
      local reads, sends = 0, 0
      for _ = 1, 10 do
        local outcomes = {}
        if reads < 5 then outcomes[1] = {kind = "read_response", size = 4000 - reads - 1} end
        if sends < 5 then outcomes[#outcomes + 1] = {kind = "send", data = (sends + 1) .. counting} end
        if c:expect(outcomes).kind == "send" then sends = sends + 1 else reads = reads + 1 end
      end
      finish(c)
    end,
  },
  {
    id = "rdma-order-011", initiator = "rdma-order-012",
    title = "Reads in both directions at once are answered",
    requirements = {"RFC5040-5.2.1-10", "RFC5040-4.2-01"},
    run = function(dut, open)
      local theirs, ours = dut:region{size = 2000, fill = "d"}, region{size = 2000, fill = "s"}
      local c = open{}
      step "each side reads the other's second half into the first of its own"
      local post = dut:read{sink = theirs, source_stag = ours.stag, source_to = ours.to + 1000, size = 1000}
      c:read{sink_stag = ours.stag, sink_to = ours.to, size = 1000, source_stag = theirs.stag, source_to = theirs.to + 1000}
      local outcomes = {{kind = "read_request", size = 1000}, {kind = "read_response", size = 1000}}
      local first = c:expect(outcomes).kind
      c:expect{first == "read_request" and outcomes[2] or outcomes[1]}
      check(common.completion(dut, post).status == "done", "the device's Read is complete")
      check(dut:memory(theirs, 0, 2000) == ("s"):rep(1000) .. ("d"):rep(1000), "it has our octets")
      check(ours:get() == ("d"):rep(1000) .. ("s"):rep(1000), "and we have the device's")
      finish(c)
    end,
  },
  {
    id = "rdma-order-013", initiator = "rdma-order-014",
    title = "The STags of the device's Data Sinks are hard to guess: no long row of equal or small steps",
    requirements = {"RFC5040-8.1.1-09", "RFC5040-8.1.1-10"},
    run = function(dut, open)
      local source = region{size = 8, rights = "r"}
      local c = open{}
      step "32 Reads into as many buffers"
      for i = 1, 32 do
        local sink = dut:region{size = 8}
        dut:read{sink = sink, source_stag = source.stag, source_to = source.to}
        c:expect{{kind = "read_request", msn = i, sink_stag = sink.stag}}
      end
      finish(c)
    end,
  },
  {
    id = "rdma-order-015", initiator = "rdma-order-016",
    title = "The device accepts Sends and Reads on two connections in turn; MSNs begin with 1 on each",
    requirements = {"RFC5041-4.3-09", "RFC5041-4.3-08", "RFC5040-5.3-05"},
    run = function(dut, open, role)
      local first = role == "initiator" and 2 or 1
      local source = dut:region{size = 64, rights = "r", fill = counting}
      local connections = {open{ord = 1}, open{ord = 1}}
      local sinks = {region{size = 64}, region{size = 64}}
      step "send Sends and Reads in turn on both"
      for i = 1, 6 do
        local which = i % 2 + 1
        connections[which]:send{data = "message " .. i}
        connections[which]:read{region = sinks[which], source_stag = source.stag, source_to = source.to}
        connections[which]:expect{{kind = "read_response", stag = sinks[which].stag, size = 64}}
        check(dut:received{}.data == "message " .. i, "the Send is delivered")
      end
      step "the device sends on the second"
      for i = 1, 3 do dut:send{data = "answer " .. i} end
      for i = 1, 3 do connections[2]:expect{{kind = "send", msn = first + i - 1, data = "answer " .. i}} end
      for _, c in ipairs(connections) do finish(c) end
    end,
  },
  {
    id = "rdma-order-017", initiator = "rdma-order-018",
    title = "Reads are answered beyond the 256th MSN",
    requirements = {"RFC5041-4.3-08", "RFC5040-5.2.1-10", "RFC5040-5.5-16"},
    run = function(dut, open)
      local source, sink = dut:region{size = 300, rights = "r", fill = counting}, region{size = 300}
      local c = open{ord = 1}
      step "300 Reads of one octet"
      for i = 0, 299 do
        c:read{sink_stag = sink.stag, sink_to = sink.to + i, size = 1, source_stag = source.stag, source_to = source.to + i}
      end
      for i = 0, 299 do c:expect{{kind = "read_response", to = sink.to + i, size = 1}} end
      check(sink:get() == counting:sub(1, 300), "with the octets of the Data Source")
      finish(c)
    end,
  },
  {
    id = "rdma-order-019", initiator = "rdma-order-020",
    title = "The device's MSNs continue beyond the 256th",
    requirements = {"RFC5041-4.3-08", "RFC5041-4.3-09"},
    run = function(dut, open, role)
      local first = role == "initiator" and 2 or 1
      local c = open{}
      step "the device sends 300 Sends"
      for i = 1, 300 do dut:send{data = tostring(i)} end
      for i = 1, 300 do c:expect{{kind = "send", msn = first + i - 1, data = tostring(i)}} end
      finish(c)
    end,
  },
})
