-- IRD and ORD, RFC 6581 9.1: how the Reply answers those of the Request, and how the device then keeps to them.

local closed, under_way = common.closed, common.under_way

-- The Reply to a Request with these depths, unless it is one with R=1: a device may find an IRD too small.
local function answers(ird, ord, text, right)
  return function(dut)
    local c = dut:tcp{rev = 2}
    step("send a Request with IRD " .. ird .. " and ORD " .. ord)
    c:request{rev = 2, enhanced = true, ird = ird, ord = ord}
    local reply = c:expect{{kind = "reply", s = true, enhanced = true}}
    check(reply.r or right(reply), text)
    common.finish_reply(c, reply)
  end
end

-- The device's ULP has an ORD of its own and reads three times; the result limits the outstanding Reads.
local function reads_at_a_time(ord, ird, most)
  return function(dut)
    local sink = dut:region{size = 64}
    dut:configure{ird = 4, ord = ord}
    local c = dut:tcp{rev = 2, auto = {responses = false}}
    step("send a Request with IRD " .. ird)
    c:request{rev = 2, enhanced = true, ird = ird, ord = 4}
    local reply = c:expect{{kind = "reply", s = true, enhanced = true}}
    if reply.r then -- the device's ULP needs more (RFC 6581 9.1)
      common.finish_reply(c, reply)
      return
    end
    c:full()
    c:send{data = "your turn"}
    dut:received{}
    step "the device's ULP reads three times"
    for _ = 1, 3 do dut:read{sink = sink, source_stag = 1, source_to = 0, size = 0} end
    if most == 0 then
      -- A Read that can never be sent is an error, which has a Terminate of its own (RFC 5040 7.1).
      c:expect{{kind = "silence"}, {kind = "terminate"}, closed, timeout = 0.3}
      return
    end
    local request = {kind = "read_request"}
    local requests = under_way(c, {request, request, most > 1 and request or nil})
    check(#requests <= most, "no further Read is outstanding")
    step "answer the first"
    c:message{kind = "read_response", stag = requests[1].sink_stag, to = requests[1].sink_to}
    c:expect{request}
    c:close{now = true}
  end
end

return {
  {
    id = "mpa-depth-001", title = "A Request with IRD 0 is answered by a Reply with ORD 0, or with R=1",
    requirements = {"RFC6581-9.1-04"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst", "open"},
    run = answers(0, 4, "the ORD is at most the IRD of the Request", function(reply) return reply.ord == 0 end),
  },
  {
    id = "mpa-depth-002",
    title = "A Request with ORD 0 is answered by a Reply with an ORD of at most the Request's IRD, or with R=1",
    requirements = {"RFC6581-10-05", "RFC5044-7.1.2-08"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst", "open"},
    run = answers(4, 0, "the ORD is at most the IRD of the Request", function(reply) return reply.ord <= 4 end),
  },
  {
    id = "mpa-depth-003", title = "A Request with IRD 0 and ORD 0 is answered by a Reply with ORD 0, or with R=1",
    requirements = {"RFC6581-10-05", "RFC6581-9.1-04"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst", "open"},
    run = answers(0, 0, "the ORD is at most the IRD of the Request", function(reply) return reply.ord == 0 end),
  },
  {
    id = "mpa-depth-004", title = "A Request with IRD 3FFFh and ORD 4 is answered by a Reply with ORD 3FFFh, or with R=1",
    requirements = {"RFC6581-9.1-13"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst", "open"},
    run = answers(0x3FFF, 4, "IRD 3FFFh is answered by ORD 3FFFh", function(reply) return reply.ord == 0x3FFF end),
  },
  {
    id = "mpa-depth-005",
    title = "A Request with ORD 3FFFh and IRD 2 is answered by IRD 3FFFh and an ORD of at most 2, or with R=1",
    requirements = {"RFC6581-9.1-11", "RFC6581-9.1-04"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst", "open"},
    run = answers(2, 0x3FFF, "ORD 3FFFh is answered by IRD 3FFFh, IRD 2 by an ORD of at most 2",
      function(reply) return reply.ird == 0x3FFF and reply.ord <= 2 end),
  },
  {
    id = "mpa-depth-006", title = "A Request with A=1, IRD 3FFFh and ORD 3FFFh is answered by IRD 3FFFh, ORD 3FFFh and an RTR type",
    requirements = {"RFC6581-9.1-11", "RFC6581-9.1-13", "RFC6581-9.2-05", "RFC6581-9.2-06"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{rev = 2}
      c:request{rev = 2, enhanced = true, ird = 0x3FFF, ord = 0x3FFF, a = true, b = true, rtr_c = true, rtr_d = true}
      local reply = c:expect{{kind = "reply", r = false, s = true, a = true, ird = 0x3FFF, ord = 0x3FFF}}
      check(reply.b or reply.rtr_c or reply.rtr_d, "a Reply with A=1 names at least one RTR type")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-depth-007",
    title = "A Request with IRD 5, below the ORD of 32 of the responder's ULP, is answered by an ORD of at most 5, or with R=1",
    requirements = {"RFC6581-9.1-04"},
    role = "responder", tier = "agent", claims = {"rev-2"}, close = {"fin", "rst", "open"},
    run = function(dut)
      dut:configure{ird = 8, ord = 32}
      answers(5, 5, "the ORD is at most the IRD of the Request", function(reply) return reply.ord <= 5 end)(dut)
    end,
  },
  {
    id = "mpa-depth-008", title = "As many Reads as the IRD of the Reply are accepted at a time",
    requirements = {"RFC5040-5.2.1-10", "RFC5040-5.2.1-02"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{rev = 2, ird = common.depth(dut), ord = 4}
      local depth = c.terms.ord
      step("send " .. depth .. " Reads of no octets in one TCP segment")
      for i = 1, depth do c:read{sink_stag = i, source_stag = 1, size = 0, merge = i < depth} end
      for i = 1, depth do c:expect{{kind = "read_response", size = 0, stag = i}} end
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-depth-009", title = "With IRD 1 in the Request the responder has at most one Read outstanding",
    requirements = {"RFC5040-6.1-04"},
    role = "responder", tier = "agent", claims = {"rev-2"},
    run = reads_at_a_time(4, 1, 1),
  },
  {
    id = "mpa-depth-010", title = "With IRD 0 in the Request the responder sends no Read",
    requirements = {"RFC5040-6.1-04"},
    role = "responder", tier = "agent", claims = {"rev-2"},
    run = reads_at_a_time(4, 0, 0),
  },
  {
    id = "mpa-depth-011",
    title = "With IRD 3FFFh in the Request the responder has at most as many Reads outstanding as its own ORD",
    requirements = {"RFC5040-6.1-04"},
    role = "responder", tier = "agent", claims = {"rev-2"},
    run = reads_at_a_time(2, 0x3FFF, 2),
  },
  {
    id = "mpa-depth-012",
    title = "To a Request with less IRD than the responder's ULP needs, the Reply has R=1 or an ORD of at most that IRD",
    requirements = {"RFC6581-9.1-06", "RFC6581-9.1-04"},
    role = "responder", tier = "agent", claims = {"rev-2"},
    run = function(dut)
      dut:configure{ird = 4, ord = 4}
      local c = dut:tcp{rev = 2}
      step "send a Request with IRD 1; the device's ULP needs 4"
      c:request{rev = 2, enhanced = true, ird = 1, ord = 1}
      local reply = c:expect{{kind = "reply", s = true, enhanced = true}}
      check(reply.r or reply.ord <= 1, "ORD is at most the IRD of the Request")
      c:full()
      if not reply.r then
        c:send{data = "go on"}
        c:expect{{kind = "terminate", layer = 2, etype = 0, code = 6}, {kind = "silence"}, timeout = 0.3}
      end
      common.finish_reply(c, reply)
    end,
  },
}
