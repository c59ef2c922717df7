-- The device as initiator of an enhanced startup, RFC 6581 9: its Request, and its reaction to the Reply.

local both, closed, finish = common.both, common.closed, common.finish

local function asks(options)
  local configuration = {rev = 2, enhanced = true}
  for name, value in pairs(options) do configuration[name] = value end
  return configuration
end

-- The device's Request, with `options` of its ULP. The script plays the peer from there.
local function request(dut, options, auto)
  dut:configure(asks(options))
  local c = dut:accept_tcp{rev = 2, auto = auto or {responses = false}}
  return c, c:expect{{kind = "request", s = true, enhanced = true, rev = 2}}
end

-- The device requests the peer-to-peer model with these RTR types, and the Reply names those.
local function peers(dut, types, reply)
  local c, frame = request(dut, {peer_to_peer = true, rtr = types})
  dut:send{data = "after the RTR"}
  reply.enhanced, reply.a = true, true
  for _, name in ipairs{"b", "rtr_c", "rtr_d"} do reply[name] = reply[name] or false end
  step "answer"
  c:reply(reply)
  -- as if there were no RTR: the script sees it
  c:full{enhanced = true, revision = 2, markers_out = frame.m}
  return c, frame
end

-- The RTR uses the one common type and comes first. What is posted later comes later.
local function rtr(kind, types, reply)
  return function(dut)
    local c = peers(dut, types, reply)
    local event = c:expect{{kind = kind, size = 0}}
    if kind == "read_request" then
      c:message{kind = "read_response", stag = event.sink_stag, to = event.sink_to}
    end
    c:expect{{kind = "send", data = "after the RTR"}}
    finish(c)
  end
end

-- No type is common to both sides.
local function no_rtr(types, reply)
  return function(dut)
    local c = peers(dut, types, reply)
    c:expect{common.terminate(2, 0, 7)}
    c:expect{closed}
  end
end

-- B, C and D of a Request, as its ULP sets them.
local function names(types, b, c, d)
  return function(dut)
    local connection, frame = request(dut, {peer_to_peer = true, rtr = types})
    check(frame.a, "A is one")
    check(frame.b == b and frame.rtr_c == c and frame.rtr_d == d, "B, C and D are as the ULP set them")
    connection:close()
    connection:expect{closed}
  end
end

-- The device requests IRD 4 and ORD 4; it accepts the Reply and goes to full operation.
local function takes(reply)
  return function(dut)
    local c = request(dut, {ird = 4, ord = 4})
    step "answer"
    reply.enhanced = true
    c:reply(reply)
    c:full()
    dut:send{data = "ping"}
    c:expect{{kind = "send", data = "ping", msn = 1}}
    finish(c)
  end
end

-- The ULP reads three times, with an ORD of its own; the Reply has an IRD. That limits the outstanding Reads.
local function reads_at_a_time(ord, ird, most)
  return function(dut)
    local sink = dut:region{size = 64}
    local c, frame = request(dut, {ird = 4, ord = ord})
    c:reply{enhanced = true, ird = ird, ord = 0}
    c:full{enhanced = true, revision = 2, markers_out = frame.m}
    step "the device's ULP reads three times"
    for _ = 1, 3 do dut:read{sink = sink, source_stag = 1, source_to = 0, size = 0} end
    if most == 0 then
      -- A Read that can never be sent is an error, which has a Terminate of its own (RFC 5040 7.1).
      c:expect{{kind = "silence"}, {kind = "terminate"}, closed, timeout = 0.3}
      return
    end
    local request = {kind = "read_request"}
    local requests = common.under_way(c, {request, request, most > 1 and request or nil})
    check(#requests <= most, "no further Read is outstanding")
    step "answer the first"
    c:message{kind = "read_response", stag = requests[1].sink_stag, to = requests[1].sink_to}
    c:expect{request}
    c:close{now = true}
  end
end

-- The Reply has an ORD above the IRD of the Request. The initiator raises its IRD to at least that or, without resources,
-- sends Terminate 2/0/06 (RFC 6581 9.1).
local function makes_room(ird, ord)
  return function(dut)
    local source, sink = dut:region{size = 1 << 20, rights = "r"}, region{size = 1 << 20}
    local c, frame = request(dut, {ird = ird, ord = ird}, {})
    dut:send{data = "your turn"}
    step("answer with an ORD of " .. ord)
    c:reply{enhanced = true, ird = ird, ord = ord}
    c:full{enhanced = true, revision = 2, markers_out = frame.m, ord = ord}
    if c:expect{common.terminate(2, 0, 6), {kind = "send", data = "your turn"}}.kind == "terminate" then
      c:expect{closed}
      return
    end
    step "send a long Read, and as many more as the IRD must allow"
    for i = 1, ord do
      c:read{sink_stag = sink.stag, sink_to = sink.to, size = i == 1 and sink.size or 0, source_stag = source.stag,
        source_to = source.to, merge = i < ord}
    end
    common.filled(c, sink, {kind = "read_response", size = sink.size}, {})
    for _ = 2, ord do c:expect{{kind = "read_response", size = 0}} end
    finish(c)
  end
end

return {
  {
    id = "mpa-initiator-007", title = "In the peer-to-peer model the initiator's first FPDU is its RTR",
    requirements = {"RFC6581-9.2-09"},
    role = "initiator", tier = "agent", claims = {"rev-2", "rtr-write"}, close = {"fin"},
    run = function(dut)
      dut:configure{rev = 2, enhanced = true, peer_to_peer = true}
      local c = dut:accept_tcp{rev = 2}
      c:expect{{kind = "request", s = true, a = true}}
      dut:send{data = "after the RTR"}
      step "answer that only an RDMA Write is accepted as RTR"
      c:reply{enhanced = true, a = true, b = false, rtr_c = true, rtr_d = false}
      c:full()
      -- The script does not see the RTR itself; the monitor judges what came first.
      c:expect{{kind = "send", data = "after the RTR"}}
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-008", title = "Without a common RTR type the initiator sends Terminate 2/0/07",
    requirements = {"RFC6581-9.2-10", "RFC6581-9.2-11", "RFC5042-ATTACK-07"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"terminate+fin", "terminate+rst"},
    run = function(dut)
      dut:configure{rev = 2, enhanced = true, peer_to_peer = true, rtr = {"write"}}
      local c = dut:accept_tcp{rev = 2}
      c:expect{{kind = "request", s = true, a = true, b = false, rtr_c = true, rtr_d = false}}
      step "answer that only a Send is accepted as RTR"
      c:reply{enhanced = true, a = true, b = true, rtr_c = false, rtr_d = false}
      c:full()
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = 7}}
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-009",
    title = "If the Reply's ORD is 100 and the initiator's IRD 2, the initiator raises its IRD or sends Terminate 2/0/06",
    requirements = {"RFC6581-9.1-08", "RFC6581-9.1-09", "RFC5042-ATTACK-07"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = makes_room(2, 100),
  },
  {
    id = "mpa-initiator-033", title = "An enhanced Request has S=1, the enhanced data, and then the private data",
    requirements = {"RFC6581-6-03", "RFC6581-6-06", "RFC5044-7.1.1-15"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local data = common.private_data(dut, 508)
      local c, frame = request(dut, {ird = 3, ord = 5, private_data = data})
      check(frame.ird == 3 and frame.ord == 5, "IRD and ORD are as the ULP set them")
      check(frame.private_data == data and frame.pd_length == #data + 4, "PD_Length counts the enhanced data, too")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-034", title = "In a Request of the client-server model A, B, C and D are zero",
    requirements = {"RFC6581-9.2-14", "RFC6581-6-01"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, frame = request(dut, {peer_to_peer = false})
      check(not frame.a and not frame.b and not frame.rtr_c and not frame.rtr_d, "A, B, C and D are zero")
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-035", title = "The Request names the Send alone as RTR type, if the ULP sets it so",
    requirements = {"RFC6581-9.2-02"},
    role = "initiator", tier = "agent", claims = {"rtr-send"}, close = {"fin", "rst"},
    run = names({"send"}, true, false, false),
  },
  {
    id = "mpa-initiator-036", title = "The Request names the RDMA Write alone as RTR type, if the ULP sets it so",
    requirements = {"RFC6581-9.2-02"},
    role = "initiator", tier = "agent", claims = {"rtr-write"}, close = {"fin", "rst"},
    run = names({"write"}, false, true, false),
  },
  {
    id = "mpa-initiator-037", title = "The Request names the RDMA Read alone as RTR type, if the ULP sets it so",
    requirements = {"RFC6581-9.2-02"},
    role = "initiator", tier = "agent", claims = {"rtr-read"}, close = {"fin", "rst"},
    run = names({"read"}, false, false, true),
  },
  {
    id = "mpa-initiator-038", title = "The Request names each RTR type that the initiator supports",
    requirements = {"RFC6581-9.2-02"},
    role = "initiator", tier = "agent", claims = {"rtr-send", "rtr-write", "rtr-read"}, close = {"fin", "rst"},
    run = names({"send", "write", "read"}, true, true, true),
  },
  {
    id = "mpa-initiator-039", title = "If the Reply names the Send alone, the RTR is a Send",
    requirements = {"RFC6581-9.2-09", "RFC6581-5-01"},
    role = "initiator", tier = "agent", claims = {"rtr-send", "rtr-write", "rtr-read"}, close = {"fin", "rst"},
    run = rtr("send", {"send", "write", "read"}, {b = true}),
  },
  {
    id = "mpa-initiator-040", title = "If the Reply names the RDMA Write alone, the RTR is an RDMA Write",
    requirements = {"RFC6581-9.2-09", "RFC6581-5-01"},
    role = "initiator", tier = "agent", claims = {"rtr-send", "rtr-write", "rtr-read"}, close = {"fin", "rst"},
    run = rtr("rdma_write", {"send", "write", "read"}, {rtr_c = true}),
  },
  {
    id = "mpa-initiator-041", title = "If the Reply names the RDMA Read alone, the RTR is an RDMA Read",
    requirements = {"RFC6581-9.2-09", "RFC6581-5-01"},
    role = "initiator", tier = "agent", claims = {"rtr-send", "rtr-write", "rtr-read"}, close = {"fin", "rst"},
    run = rtr("read_request", {"send", "write", "read"}, {rtr_d = true}),
  },
  {
    id = "mpa-initiator-042", title = "If the Request names only the RDMA Write and the Reply all RTR types, the RTR is an RDMA Write",
    requirements = {"RFC6581-9.2-09", "RFC6581-9.2-02"},
    role = "initiator", tier = "agent", claims = {"rtr-write"}, close = {"fin", "rst"},
    run = rtr("rdma_write", {"write"}, {b = true, rtr_c = true, rtr_d = true}),
  },
  {
    id = "mpa-initiator-043", title = "A Reply that names no RTR type is answered by Terminate 2/0/07",
    requirements = {"RFC6581-9.2-10", "RFC6581-9.2-11", "RFC6581-8-01"},
    role = "initiator", tier = "agent", claims = {"rtr-write"}, close = both,
    run = no_rtr({"write"}, {}),
  },
  {
    id = "mpa-initiator-044",
    title = "If the Request names only the RDMA Read and the Reply the RDMA Write as RTR, the initiator sends Terminate 2/0/07",
    requirements = {"RFC6581-9.2-10", "RFC6581-9.2-11"},
    role = "initiator", tier = "agent", claims = {"rtr-read"}, close = both,
    run = no_rtr({"read"}, {rtr_c = true}),
  },
  {
    id = "mpa-initiator-045",
    title = "If the Request names only the Send and the Reply all RTR types but the Send, the initiator sends Terminate 2/0/07",
    requirements = {"RFC6581-9.2-10", "RFC6581-9.2-11"},
    role = "initiator", tier = "agent", claims = {"rtr-send"}, close = both,
    run = no_rtr({"send"}, {rtr_c = true, rtr_d = true}),
  },
  {
    id = "mpa-initiator-046", title = "After a Reply with R=1 the initiator sends no RTR and no Terminate",
    requirements = {"RFC5044-7.1.2-13", "RFC6581-9.2-09"},
    role = "initiator", tier = "agent", claims = {"rtr-write"},
    run = function(dut)
      local c = peers(dut, {"write"}, {rtr_c = true, r = true})
      c:expect{{kind = "silence"}, closed, timeout = 0.3}
    end,
  },
  {
    id = "mpa-initiator-047", title = "With A=0 the bits B, C and D of a Reply are ignored",
    requirements = {"RFC6581-9.2-15"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin", "rst"},
    run = takes{a = false, b = true, rtr_c = true, rtr_d = true},
  },
  {
    id = "mpa-initiator-048", title = "Res bits that are set in a Reply of revision 2 are ignored",
    requirements = {"RFC6581-6-02"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin", "rst"},
    run = takes{res = 0xF},
  },
  {
    id = "mpa-initiator-049",
    title = "The initiator closes the connection after a Reply with S=1 that is too short for the enhanced data",
    requirements = {"RFC5044-7.1.2-12", "RFC6581-6-06"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c = request(dut, {})
      dut:send{data = "no connection"}
      step "answer with two octets of private data"
      c:reply{rev = 2, enhanced = false, s = true, private_data = "xy"}
      -- RFC 5044 has an initiator close at once on such a Reply (7.1.2, and 8, code 4). RFC 6581 has it send a Terminate for
      -- any error outside section 8 first (9.3), and each of RFC 5044's codes may count as one of those: so a Terminate is
      -- neither owed nor forbidden.
      if c:expect{closed, common.terminate(2, 0, any{4, 5}), timeout = 15}.kind == "terminate" then c:expect{closed} end
    end,
  },
  {
    id = "mpa-initiator-050", title = "A Reply with an ORD equal to the initiator's IRD is accepted",
    requirements = {"RFC6581-9.1-08"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin", "rst"},
    run = takes{ird = 4, ord = 4},
  },
  {
    id = "mpa-initiator-051",
    title = "If the Reply's ORD is one above the initiator's IRD, the initiator raises its IRD or sends Terminate 2/0/06",
    requirements = {"RFC6581-9.1-08", "RFC6581-9.1-09", "RFC6581-8-01"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = makes_room(4, 5),
  },
  {
    id = "mpa-initiator-052", title = "A Reply with ORD 3FFFh, which leaves the ORD to the ULPs, is accepted",
    requirements = {"RFC6581-9.1-08", "RFC6581-9.1-14"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin", "rst"},
    run = takes{ird = 4, ord = 0x3FFF},
  },
  {
    id = "mpa-initiator-053", title = "IRD 0 and ORD 0 on both sides are accepted",
    requirements = {"RFC6581-9.1-08"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin", "rst"},
    run = function(dut)
      local c, frame = request(dut, {ird = 0, ord = 0})
      check(frame.ird == 0 and frame.ord == 0, "IRD and ORD are as the ULP set them")
      c:reply{enhanced = true, ird = 0, ord = 0}
      c:full()
      dut:send{data = "ping"}
      c:expect{{kind = "send", data = "ping"}}
      finish(c)
    end,
  },
  {
    id = "mpa-initiator-054", title = "With IRD 1 in the Reply the initiator has at most one Read outstanding",
    requirements = {"RFC5040-6.1-04", "RFC6581-9.1-07"},
    role = "initiator", tier = "agent", claims = {"rev-2"},
    run = reads_at_a_time(4, 1, 1),
  },
  {
    id = "mpa-initiator-055", title = "With IRD 0 in the Reply the initiator sends no Read that its ULP posts",
    requirements = {"RFC5040-6.1-04", "RFC6581-9.1-07"},
    role = "initiator", tier = "agent", claims = {"rev-2"},
    run = reads_at_a_time(4, 0, 0),
  },
  {
    id = "mpa-initiator-056",
    title = "With IRD 3FFFh in the Reply the initiator has at most as many Reads outstanding as its own ORD",
    requirements = {"RFC5040-6.1-04", "RFC6581-9.1-12"},
    role = "initiator", tier = "agent", claims = {"rev-2"},
    run = reads_at_a_time(2, 0x3FFF, 2),
  },
  {
    id = "mpa-initiator-058", title = "An initiator with a local error after the Reply sends Terminate 2/0/05",
    requirements = {"RFC6581-9.3-01"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = both,
    run = function(dut)
      dut:local_error()
      local c = request(dut, {ird = 4, ord = 4})
      step "answer"
      c:reply{enhanced = true, ird = 4, ord = 4}
      c:full()
      c:expect{common.terminate(2, 0, 5)}
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-059", title = "A peer-to-peer initiator with a local error after the Reply sends Terminate 2/0/05",
    requirements = {"RFC6581-9.3-01"},
    role = "initiator", tier = "agent", claims = {"rtr-write"}, close = both,
    run = function(dut)
      dut:local_error()
      local c = peers(dut, {"write"}, {rtr_c = true})
      -- The initiator may send the RTR before the error occurs.
      if c:expect{{kind = "rdma_write", size = 0}, common.terminate(2, 0, 5)}.kind == "rdma_write" then
        c:expect{common.terminate(2, 0, 5)}
      end
      c:expect{closed}
    end,
  },
}
