-- Enhanced connection setup, RFC 6581: revision 2, IRD and ORD, peer-to-peer and RTR.

local closed = common.closed

local function reply_to(dut, fields)
  local c = dut:tcp{rev = 2}
  step "send the Request"
  c:request(fields)
  step "wait for the Reply"
  return c, c:expect{{kind = "reply", r = false}}
end

-- Peer-to-peer with one type of RTR only, then a Send in each direction.
local function peer_to_peer(rtr)
  return function(dut)
    step("start up peer-to-peer, RTR by " .. rtr)
    local c = dut:connect{rev = 2, peer_to_peer = true, rtr = {rtr}, ird = 4, ord = 4}
    check(c.startup.a, "A=1 in the Request is answered by A=1")
    step "a Send in each direction"
    c:send{data = "ping"}
    local message = dut:received{}
    check(message.data == "ping", "the ULP gets the octets that were sent")
    dut:send{data = "pong"}
    c:expect{{kind = "send", data = "pong"}, ignore = {"read_response"}}
    c:close()
    c:expect{{kind = "close", how = "fin"}}
  end
end

return {
  {
    id = "mpa-enhanced-001", title = "Revision 2 without enhanced data is answered without",
    requirements = {"RFC6581-10-06"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, reply = reply_to(dut, {rev = 2, enhanced = false, s = false})
      check(not reply.s, "S=0 is answered by S=0")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-002", title = "Enhanced data is answered by enhanced data",
    requirements = {"RFC6581-10-05", "RFC6581-6-06"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, reply = reply_to(dut, {rev = 2, enhanced = true, ird = 4, ord = 4})
      check(reply.s and reply.enhanced, "S=1 is answered by S=1 and enhanced data")
      check(reply.rev == 2, "an enhanced Reply has revision 2")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-003", title = "The responder's ORD is at most the initiator's IRD",
    requirements = {"RFC6581-9.1-04"},
    role = "responder", tier = "none", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, reply = reply_to(dut, {rev = 2, enhanced = true, ird = 1, ord = 4})
      check(reply.enhanced and reply.ord <= 1, "IRD 1 is answered by an ORD of at most 1")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-enhanced-004", title = "Depths of 3FFFh are answered by 3FFFh",
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
    id = "mpa-enhanced-005", title = "A=0 is answered by A=0 and no RTR type",
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
    id = "mpa-enhanced-006", title = "A=1 is answered by A=1 and at least one RTR type",
    requirements = {"RFC6581-9.2-04", "RFC6581-9.2-08"},
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
    id = "mpa-enhanced-007", title = "Peer-to-peer with RTR by zero-length RDMA Write",
    requirements = {"RFC6581-9.2-04", "RFC5041-5.2-10"},
    role = "responder", tier = "agent", claims = {"rtr-write"}, close = {"fin"},
    run = peer_to_peer("write"),
  },
  {
    id = "mpa-enhanced-008", title = "Peer-to-peer with RTR by zero-length RDMA Read",
    requirements = {"RFC6581-9.2-04", "RFC5040-5.2.1-14"},
    role = "responder", tier = "agent", claims = {"rtr-read"}, close = {"fin"},
    run = peer_to_peer("read"),
  },
  {
    id = "mpa-enhanced-009", title = "Peer-to-peer with RTR by zero-length Send",
    requirements = {"RFC6581-9.2-04"},
    role = "responder", tier = "agent", claims = {"rtr-send"}, close = {"fin"},
    run = peer_to_peer("send"),
  },
  {
    id = "mpa-enhanced-010", title = "S=1 without room for the enhanced data is refused",
    requirements = {"RFC6581-6-07"},
    role = "responder", tier = "none", claims = {"rev-2"},
    run = function(dut)
      local c = dut:tcp{rev = 2}
      step "send a Request with S=1 and two octets of private data"
      c:request{rev = 2, enhanced = false, s = true, private_data = "xy"}
      c:expect{closed, {kind = "reply", r = true}, timeout = 15}
    end,
  },
  {
    id = "mpa-enhanced-011", title = "In revision 1 the bit S is not looked at",
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
}
