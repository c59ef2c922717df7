-- Enhanced connection setup, RFC 6581: revision 2, IRD and ORD, peer-to-peer and RTR.

local closed = common.closed

local function reply_to(dut, fields)
  local c = dut:tcp{rev = 2}
  if fields.enhanced then fields.ird = fields.ird or common.depth(dut) end
  step "send the Request"
  c:request(fields)
  step "wait for the Reply"
  return c, c:expect{{kind = "reply", r = false}}
end

-- Peer-to-peer with one RTR type only, then a Send in each direction.
local function peer_to_peer(rtr)
  return function(dut)
    step("start up peer-to-peer, RTR by " .. rtr)
    local c = dut:connect{rev = 2, peer_to_peer = true, rtr = {rtr}, ird = common.depth(dut), ord = 4}
    check(c.startup.a, "A=1 in the Request is answered by A=1")
    step "send a Send in each direction"
    c:send{data = "ping"}
    check(common.after_rtr(dut).data == "ping", "the ULP gets the octets that were sent")
    dut:send{data = "pong"}
    c:expect{{kind = "send", data = "pong"}, ignore = {"read_response"}}
    c:close()
    c:expect{{kind = "close", how = "fin"}}
  end
end

-- Sends a Request with S=1 that is too short for the enhanced data. It is malformed, and the connection closed, or its private
-- data is unacceptable, and R=1 (RFC 5044 7.1.2). The Terminate of RFC 6581 9.3 is not owed: an invalid frame has a code of
-- its own, which closes at once (RFC 5044 8, code 4). Nor may it come: an initiator without a Reply accepts no FPDU, and a
-- responder sends none before the initiator's first (RFC 5044 7.1.2).
local function refuses_enhanced(private_data)
  return function(dut)
    local c = dut:tcp{rev = 2}
    step("send a Request with S=1 and " .. #private_data .. " octets of private data")
    c:request{rev = 2, enhanced = false, s = true, private_data = private_data}
    c:expect{closed, {kind = "reply", r = true}, timeout = 15}
  end
end

-- Sends a Request with enhanced data that every responder accepts.
local function accepts(fields)
  return function(dut)
    fields.rev, fields.enhanced, fields.ird, fields.ord = 2, true, common.depth(dut), 4
    local c, reply = reply_to(dut, fields)
    check(reply.s and reply.enhanced and reply.rev == 2, "S=1 is answered by S=1 and enhanced data")
    c:close()
    c:expect{closed}
  end
end

-- Names one of the RTR types that the device supports.
local function names(type)
  return function(dut)
    local fields = {rev = 2, enhanced = true, ird = common.depth(dut), ord = 4, a = true, b = false, rtr_c = false, rtr_d = false}
    fields[type] = true
    local c, reply = reply_to(dut, fields)
    check(reply.a and reply[type], "the Reply has A=1 and names the type")
    c:close()
    c:expect{closed}
  end
end

return {
  {
    id = "mpa-enhanced-001", title = "A Request of revision 2 without enhanced data is answered without enhanced data",
    requirements = {"RFC6581-10-06", "RFC6581-10-02", "RFC6581-10-04"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, reply = reply_to(dut, {rev = 2, enhanced = false, s = false})
      check(not reply.s, "S=0 is answered by S=0")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-002", title = "A Request with enhanced data is answered by a Reply with enhanced data",
    requirements = {"RFC6581-10-05", "RFC6581-10-01", "RFC6581-6-06"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, reply = reply_to(dut, {rev = 2, enhanced = true, ord = 4})
      check(reply.s and reply.enhanced, "S=1 is answered by S=1 and enhanced data")
      check(reply.rev == 2, "an enhanced Reply has revision 2")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-003",
    title = "A Request with IRD 1 and ORD 4 is answered by a Reply with an ORD of at most 1, or with R=1",
    requirements = {"RFC6581-9.1-04"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst", "open"},
    run = function(dut)
      local c = dut:tcp{rev = 2}
      step "send the Request"
      c:request{rev = 2, enhanced = true, ird = 1, ord = 4}
      step "wait for the Reply"
      local reply = c:expect{{kind = "reply", s = true, enhanced = true}}
      check(reply.r or reply.ord <= 1, "IRD 1 is answered by an ORD of at most 1, or rejected as too small")
      common.finish_reply(c, reply)
    end,
  },
  {
    id = "mpa-enhanced-004", title = "A Request with IRD and ORD 3FFFh is answered by IRD and ORD 3FFFh",
    requirements = {"RFC6581-9.1-11", "RFC6581-9.1-13"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, reply = reply_to(dut, {rev = 2, enhanced = true, ird = 0x3FFF, ord = 0x3FFF})
      check(reply.ird == 0x3FFF, "ORD 3FFFh is answered by IRD 3FFFh")
      check(reply.ord == 0x3FFF, "IRD 3FFFh is answered by ORD 3FFFh")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-005", title = "A Request with A=0 is answered by A=0 and no RTR types",
    requirements = {"RFC6581-9.2-13", "RFC6581-9.2-14"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, reply = reply_to(dut, {rev = 2, enhanced = true, a = false, b = true, rtr_c = true, rtr_d = true})
      check(not reply.a, "A=0 is answered by A=0")
      check(not reply.b and not reply.rtr_c and not reply.rtr_d, "with A=0 the bits B, C and D are zero")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-006", title = "A Request with A=1 is answered by A=1 and at least one RTR type",
    requirements = {"RFC6581-9.2-04", "RFC6581-9.2-03", "RFC6581-9.2-05", "RFC6581-9.2-06"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, reply = reply_to(dut, {rev = 2, enhanced = true, a = true, b = true, rtr_c = true, rtr_d = true})
      check(reply.a, "A=1 is answered by A=1")
      check(reply.b or reply.rtr_c or reply.rtr_d, "a Reply with A=1 names at least one RTR type")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-007", title = "A peer-to-peer responder accepts a zero-length RDMA Write as RTR",
    requirements = {"RFC6581-9.2-04", "RFC5041-5.2-10"},
    role = "responder", tier = "agent", claims = {"rtr-write"}, close = {"fin"},
    run = peer_to_peer("write"),
  },
  {
    id = "mpa-enhanced-008", title = "A peer-to-peer responder accepts a zero-length RDMA Read as RTR",
    requirements = {"RFC6581-9.2-04", "RFC5040-5.2.1-14"},
    role = "responder", tier = "agent", claims = {"rtr-read"}, close = {"fin"},
    run = peer_to_peer("read"),
  },
  {
    id = "mpa-enhanced-009", title = "A peer-to-peer responder accepts a zero-length Send as RTR",
    requirements = {"RFC6581-9.2-04"},
    role = "responder", tier = "agent", claims = {"rtr-send"}, close = {"fin"},
    run = peer_to_peer("send"),
  },
  {
    id = "mpa-enhanced-032", title = "After a Send as RTR the next Send has MSN 2 and is delivered",
    requirements = {"RFC6581-9.2-04", "RFC5041-4.3-08", "RFC5040-5.3-05"},
    role = "responder", tier = "agent", claims = {"rtr-send"}, close = {"fin"},
    run = function(dut)
      local c = dut:connect{rev = 2, peer_to_peer = true, rtr = {"send"}, ird = common.depth(dut), ord = 4}
      c:send{data = "after the RTR", msn = 2}
      check(common.after_rtr(dut).data == "after the RTR", "the ULP gets the octets that were sent")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-033", title = "After a Send as RTR a Send with MSN 1 is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5041-4.3-08"},
    role = "responder", tier = "none", claims = {"rtr-send"}, close = common.both,
    run = function(dut)
      local c = dut:connect{rev = 2, peer_to_peer = true, rtr = {"send"}, ird = common.depth(dut), ord = 4}
      c:send{data = "x", msn = 1}
      c:expect{common.terminate(1, 2, any{2, 3})}
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-010", title = "A Request with S=1 and two octets of private data is answered by R=1 or a close",
    requirements = {"RFC6581-6-07"},
    role = "responder", tier = "none", claims = {"rev-2"},
    run = refuses_enhanced "xy",
  },
  {
    id = "mpa-enhanced-011", title = "The S bit in a Request of revision 1 is ignored",
    requirements = {"RFC5044-7.1.1-11", "RFC6581-10-06"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{}
      c:request{rev = 1, s = true, private_data = "abcdefgh"}
      c:expect{{kind = "reply", r = false, s = false}}
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-012", title = "A Request with S=1 gets a Reply with S=1, or the connection is closed",
    requirements = {"RFC6581-10-01", "RFC6581-10-05", "RFC6581-10-07"},
    role = "responder", tier = "none", close = {"fin", "rst", "open"},
    run = function(dut)
      local c = dut:tcp{rev = 2}
      c:request{rev = 2, enhanced = true, ird = 1, ord = 1}
      -- An IRD of 1 may be too small for the device's ULP: R=1 (RFC 6581 9.1).
      local answer = c:expect{{kind = "reply", s = true, rev = 2}, closed, timeout = 15}
      if answer.kind == "reply" then common.finish_reply(c, answer) end
    end,
  },
  {
    id = "mpa-enhanced-013", title = "A responder that supports only revision 1 closes the connection after a Request with S=1",
    requirements = {"RFC6581-10-07", "RFC5044-7.1.1-14"},
    role = "responder", tier = "agent", claims = {"rev-1"}, close = {"fin", "rst"},
    run = function(dut)
      dut:configure{rev = 1}
      local c = dut:tcp{rev = 2}
      c:request{rev = 2, enhanced = true, ird = 1, ord = 1}
      c:expect{closed, timeout = 15}
    end,
  },
  {
    id = "mpa-enhanced-014", title = "A Request with S=1 without private data is answered by R=1 or a close",
    requirements = {"RFC6581-6-07"},
    role = "responder", tier = "none", claims = {"rev-2"},
    run = refuses_enhanced "",
  },
  {
    id = "mpa-enhanced-015", title = "A Request with S=1 and three octets of private data is answered by R=1 or a close",
    requirements = {"RFC6581-6-07"},
    role = "responder", tier = "none", claims = {"rev-2"},
    run = refuses_enhanced "\0\4\0",
  },
  {
    id = "mpa-enhanced-016",
    title = "The responder closes the connection after a Request with S=1 and 513 octets, enhanced data included",
    requirements = {"RFC5044-7.1.1-16", "RFC5044-7.1.2-22"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{rev = 2}
      c:request{rev = 2, enhanced = true, ird = 4, ord = 4, private_data = ("x"):rep(509)}
      c:expect{closed, timeout = 15}
    end,
  },
  {
    id = "mpa-enhanced-017", title = "A Request with S=1 and 512 octets, enhanced data included, is accepted",
    requirements = {"RFC5044-7.1.2-08", "RFC5044-7.1.2-22"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = accepts{private_data = ("x"):rep(508)},
  },
  {
    id = "mpa-enhanced-018", title = "Res bits that are set in a Request of revision 2 are ignored",
    requirements = {"RFC6581-6-02"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = accepts{res = 0xF},
  },
  {
    id = "mpa-enhanced-019", title = "R=1 in a Request of revision 2 is ignored",
    requirements = {"RFC5044-7.1.1-10"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = accepts{r = true},
  },
  {
    id = "mpa-enhanced-020", title = "A Request with S=0 whose private data resembles enhanced data is answered by S=0",
    requirements = {"RFC6581-10-02", "RFC6581-10-06"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, reply = reply_to(dut, {rev = 2, enhanced = false, s = false, private_data = hex"c001 c001"})
      check(not reply.s, "S=0 is answered by S=0")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-021", title = "The Reply with S=1 carries the private data of the ULP after its enhanced data",
    requirements = {"RFC6581-6-06", "RFC5044-7.1.1-15"},
    role = "responder", tier = "agent", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local data = common.private_data(dut, 508)
      dut:configure{private_data = data}
      local c, reply = reply_to(dut, {rev = 2, enhanced = true, ord = 4})
      check(reply.enhanced and reply.private_data == data, "the private data is that of the ULP")
      check(reply.pd_length == #data + 4, "PD_Length counts the enhanced data, too")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-022", title = "A Request with S=1 that the ULP rejects is answered with S=1, if at all",
    requirements = {"RFC6581-10-05"},
    role = "responder", tier = "agent", claims = {"rev-2"},
    run = function(dut)
      dut:configure{reject = true}
      local c = dut:tcp{rev = 2}
      c:request{rev = 2, enhanced = true, ird = 4, ord = 4}
      c:expect{{kind = "reply", r = true, s = true, enhanced = true, rev = 2}, closed}
    end,
  },
  {
    id = "mpa-enhanced-023", title = "A Request that offers only the Send as RTR is answered by a Reply that names it",
    requirements = {"RFC6581-9.2-05"},
    role = "responder", tier = "none", claims = {"rtr-send"}, close = {"fin", "rst"},
    run = names("b"),
  },
  {
    id = "mpa-enhanced-024",
    title = "A Request that offers only the RDMA Write as RTR is answered by a Reply that names it",
    requirements = {"RFC6581-9.2-05"},
    role = "responder", tier = "none", claims = {"rtr-write"}, close = {"fin", "rst"},
    run = names("rtr_c"),
  },
  {
    id = "mpa-enhanced-025",
    title = "A Request that offers only the RDMA Read as RTR is answered by a Reply that names it",
    requirements = {"RFC6581-9.2-05"},
    role = "responder", tier = "none", claims = {"rtr-read"}, close = {"fin", "rst"},
    run = names("rtr_d"),
  },
  {
    id = "mpa-enhanced-026", title = "A Request with A=1 and no RTR type is answered by a Reply that names one",
    requirements = {"RFC6581-9.2-08", "RFC6581-9.2-03"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{rev = 2}
      step "send a Request that a responder may find malformed, or answer"
      c:request{rev = 2, enhanced = true, ird = 4, ord = 4, a = true, b = false, rtr_c = false, rtr_d = false}
      local reply, outcome = c:expect{{kind = "reply", r = false, a = true}, {kind = "reply", r = true}, closed}
      check(outcome > 1 or reply.b or reply.rtr_c or reply.rtr_d, "a Reply with A=1 names at least one RTR type")
    end,
  },
  {
    id = "mpa-enhanced-027", title = "With A=0 the bits B, C and D of a Request are ignored",
    requirements = {"RFC6581-9.2-15"},
    role = "responder", tier = "agent", claims = {"rev-2"}, close = {"fin"},
    run = function(dut)
      step "start up for the client-server model, with B, C and D set"
      local c = dut:connect{rev = 2, startup = {a = false, b = true, rtr_c = true, rtr_d = true}}
      step "send a Send in each direction"
      c:send{data = "ping"}
      check(dut:received{}.data == "ping", "the ULP gets the octets that were sent")
      dut:send{data = "pong"}
      c:expect{{kind = "send", data = "pong"}}
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-028", title = "The responder holds back its ULP's Sends until the RTR arrives",
    requirements = {"RFC6581-9.2-04", "RFC5044-7.1.2-15"},
    role = "responder", tier = "agent", claims = {"rtr-write"}, close = {"fin"},
    run = function(dut)
      local c = dut:connect{rev = 2, peer_to_peer = true, rtr = {"write"}, auto = {rtr = false}}
      step "the device's ULP sends while the initiator is silent"
      dut:send{data = "too early?"}
      c:expect{{kind = "silence"}, timeout = 0.3}
      step "send the RTR, an RDMA Write of no octets"
      c:write{stag = 1}
      c:expect{{kind = "send", data = "too early?", msn = 1}}
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-029", title = "An RTR by RDMA Read is answered by a Read Response of no octets",
    requirements = {"RFC6581-9.2-04", "RFC5040-5.2.1-14"},
    role = "responder", tier = "none", claims = {"rtr-read"}, close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{rev = 2, peer_to_peer = true, rtr = {"read"}, auto = {rtr = false}}
      step "send the RTR, a Read of no octets"
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      c:expect{{kind = "read_response", size = 0, stag = 1}}
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-030", title = "A responder with a local error after its Reply sends Terminate 2/0/05",
    requirements = {"RFC6581-9.3-01"},
    role = "responder", tier = "agent", claims = {"rev-2"}, close = common.both,
    run = function(dut)
      dut:local_error()
      step "start up"
      local c = dut:connect{rev = 2, ird = common.depth(dut), ord = 4}
      -- Before that a responder sends no FPDU (RFC 5044 7.1.2).
      step "send the first FPDU: a Read of no octets"
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      c:expect{common.terminate(2, 0, 5)}
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-031", title = "A peer-to-peer responder with a local error after its Reply sends Terminate 2/0/05",
    requirements = {"RFC6581-9.3-01"},
    role = "responder", tier = "agent", claims = {"rtr-write"}, close = common.both,
    run = function(dut)
      dut:local_error()
      step "start up peer-to-peer, RTR by RDMA Write"
      local c = dut:connect{rev = 2, peer_to_peer = true, rtr = {"write"}, ird = common.depth(dut), ord = 4}
      c:expect{common.terminate(2, 0, 5)}
      c:expect{closed}
    end,
  },
}
