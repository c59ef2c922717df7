-- The graceful end of a stream: RFC 5041 6.2.1, RFC 5040 6.2.

local closed, finish = common.closed, common.finish
local fin = {kind = "close", how = "fin"}
local counting = ("0123456789abcdefghijklmnopqrstuv"):rep(512)

return common.cases({tier = "agent", close = {"fin"}}, {
  {
    id = "rdma-close-001", initiator = "rdma-close-002",
    title = "Reads requested before the peer's FIN are answered after it",
    requirements = {"RFC5041-6.2.1-04", "RFC5041-6.2.1-01"},
    run = function(dut, open)
      local source = dut:region{size = #counting, rights = "r", fill = counting}
      local sinks = {region{size = #counting}, region{size = 100}}
      dut:configure{ird = 2, ord = 2} -- on which both ULPs have agreed
      local c = open{}
      step "send two Reads and FIN"
      for _, sink in ipairs(sinks) do c:read{region = sink, source_stag = source.stag, source_to = source.to} end
      c:sent()
      c:close{now = true}
      for _, sink in ipairs(sinks) do
        c:expect{{kind = "read_response", stag = sink.stag, size = sink.size}}
        check(sink:get() == counting:sub(1, sink.size), "with the octets of the Data Source")
      end
      c:expect{fin}
    end,
  },
  {
    id = "rdma-close-003", initiator = "rdma-close-004",
    title = "Sends that the device's ULP posted before the peer's FIN are still sent",
    requirements = {"RFC5041-6.2.1-04", "RFC5041-6.2.1-01"},
    run = function(dut, open)
      local c = open{}
      step "the device posts twenty Sends; the peer sends FIN"
      for i = 1, 20 do dut:send{data = i .. counting} end
      c:close{now = true}
      for i = 1, 20 do c:expect{{kind = "send", data = i .. counting}} end
      c:expect{fin}
    end,
  },
  {
    id = "rdma-close-005", initiator = "rdma-close-006",
    title = "All that the device's ULP posted before closing is sent before its FIN",
    requirements = {"RFC5041-6.2.1-01"},
    run = function(dut, open)
      local target = region{size = #counting, fill = "."}
      local c = open{}
      step "the device posts a Write and ten Sends, and closes"
      dut:write{stag = target.stag, to = target.to, data = counting}
      for i = 1, 10 do dut:send{data = i .. counting} end
      dut:close()
      c:expect{{kind = "rdma_write", size = #counting}}
      for i = 1, 10 do c:expect{{kind = "send", data = i .. counting}} end
      c:expect{fin}
      check(target:get() == counting, "the Write is complete")
    end,
  },
  {
    id = "rdma-close-007", initiator = "rdma-close-008",
    title = "After its FIN the device places a Write and delivers a Send",
    requirements = {"RFC5041-6.2.1-07"},
    run = function(dut, open)
      local target = dut:region{size = 64, fill = "."}
      local c = open{auto = {close = false}}
      step "the device's ULP closes"
      dut:close{half = true}
      c:expect{fin}
      step "send data for it to accept"
      c:write{stag = target.stag, to = target.to, data = "still here"}
      c:send{data = "and so are we"}
      check(dut:received{}.data == "and so are we", "the Send is delivered")
      check(dut:memory(target, 0, 10) == "still here", "the Write is placed")
      c:close()
    end,
  },
  {
    id = "rdma-close-009", initiator = "rdma-close-010",
    title = "The peer's FIN is answered with a FIN",
    requirements = {"RFC5041-6.2.1-06"},
    run = function(dut, open)
      local c = open{}
      c:send{data = "the last one"}
      check(dut:received{}.data == "the last one", "the Send is delivered")
      step "FIN"
      c:close()
      c:expect{fin}
    end,
  },
  {
    id = "rdma-close-011", initiator = "rdma-close-012",
    title = "After a RST on one connection and a FIN on another, a third one is still served",
    requirements = {"RFC5041-3-13"},
    run = function(_, open)
      local last, reset, ended = open{}, open{}, open{}
      step "send RST on one connection, FIN on the other"
      reset:reset()
      ended:close()
      ended:expect{closed}
      step "the third stays open"
      common.alive(last)
      finish(last)
    end,
  },
  {
    id = "rdma-close-013", tier = "none", close = {"fin", "rst"}, danger = {"connection"},
    title = "After the RST of an idle connection the device accepts the next connection (no agent)",
    requirements = {"RFC5041-3-13", "RFC5041-6.2.2-02"},
    run = function(dut)
      local c = common.started(dut)
      step "send RST: nothing is outstanding"
      c:reset()
      step "open another connection"
      finish(common.started(dut))
    end,
  },
})
