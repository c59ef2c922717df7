-- MPA connection setup, RFC 5044 7.1: Requests that a responder accepts, and those after which it closes.

local closed, finish, started = common.closed, common.finish, common.started

-- Sends a Request that every responder rejects; only the end of the connection may follow.
local function refuses(fields)
  return function(dut)
    local c = dut:tcp{}
    step "send the Request"
    c:request(fields)
    step "wait for the end of the connection"
    c:expect{closed, timeout = 15}
  end
end

-- Sends a Request of an undefined revision. A responder that cannot interoperate with it closes (RFC 5044 7.1.1), and none
-- can, although RFC 6581 6 mentions revisions above two. A Reply with R=1 may come first: neither document demands or forbids
-- it.
local function refuses_revision(rev)
  return function(dut)
    local c = dut:tcp{}
    step "send the Request"
    c:request{rev = rev}
    step "wait for the end of the connection"
    if c:expect{closed, {kind = "reply", r = true}, timeout = 15}.kind == "reply" then c:expect{closed, timeout = 15} end
  end
end

-- Sends a Request that every responder accepts.
local function takes(fields, reply)
  return function(dut)
    local c = dut:tcp{}
    step "send the Request"
    c:request(fields)
    step "wait for the Reply"
    local expected = {kind = "reply", r = false, rev = 1, s = false}
    for name, value in pairs(reply or {}) do expected[name] = value end
    c:expect{expected}
    c:close()
    c:expect{closed}
  end
end

-- A Request in two parts: no Reply follows the first, and a Reply follows the second.
local function takes_two(fields, rest)
  return function(dut)
    local c = dut:tcp{}
    step "send a part of the Request"
    c:request(fields)
    c:expect{{kind = "silence"}, timeout = 0.2}
    step "send the rest"
    c:octets(rest)
    c:expect{{kind = "reply", r = false, rev = 1}}
    finish(c)
  end
end

-- Part of a Request, or nothing, and then silence.
local function gives_up(fields)
  return function(dut)
    local c = dut:tcp{}
    step "send only this part of a Request"
    if fields then c:request(fields) end
    common.given_up(dut, c)
  end
end

-- A Request that the device's ULP rejects, in any form.
local function rejected(dut, options, fields)
  options.reject = true
  dut:configure(options)
  local c = dut:tcp{rev = fields.rev}
  step "send a Request that the device's ULP rejects"
  c:request(fields)
  return c, c:expect{{kind = "reply", r = true}}
end

return {
  {
    id = "mpa-startup-001", title = "A Request of revision 1 is accepted",
    requirements = {"RFC5044-7.1.2-08", "RFC5044-7.1.1-03", "RFC5044-7.1.1-12", "RFC6581-6-05", "RFC6581-10-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes{rev = 1},
  },
  {
    id = "mpa-startup-002", title = "512 octets of private data are accepted",
    requirements = {"RFC5044-7.1.1-17"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes{rev = 1, private_data = ("iWARP---"):rep(64)},
  },
  {
    id = "mpa-startup-003", title = "The responder closes the connection after a Request with one wrong octet in its Key",
    requirements = {"RFC5044-7.1.1-02", "RFC5044-7.1.2-04", "RFC5044-7.1.2-16", "RFC5044-8-05"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{key = "MPA ID Req Frams"},
  },
  {
    id = "mpa-startup-004", title = "The responder closes the connection after a Reply in place of the Request",
    requirements = {"RFC5044-7.1.2-20", "RFC5044-7.1.1-02", "RFC5042-ATTACK-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{key = "MPA ID Rep Frame"},
  },
  {
    id = "mpa-startup-005", title = "The responder closes the connection after a Request with a PD_Length of 513",
    requirements = {"RFC5044-7.1.1-16", "RFC5044-7.1.2-22", "RFC5044-7.1.2-25"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{private_data = ("x"):rep(513)},
  },
  {
    id = "mpa-startup-006", title = "The responder closes the connection after a Request with revision 3",
    requirements = {"RFC5044-7.1.1-14", "RFC5044-7.1.1-13"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses_revision(3),
  },
  {
    id = "mpa-startup-007", title = "The responder closes the connection after a Request with revision 255",
    requirements = {"RFC5044-7.1.1-14"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses_revision(255),
  },
  {
    id = "mpa-startup-008", title = "Res bits that are set in a Request of revision 1 are ignored",
    requirements = {"RFC5044-7.1.1-11"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes{rev = 1, res = 0xF},
  },
  {
    id = "mpa-startup-009", title = "R=1 in a Request is ignored",
    requirements = {"RFC5044-7.1.1-10"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes{rev = 1, r = true},
  },
  {
    id = "mpa-startup-010", title = "The responder closes the connection if octets follow the Request directly",
    requirements = {"RFC5044-7.1.2-24", "RFC5042-ATTACK-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{}
      step "send a Request with more octets of private data than its PD_Length says"
      c:request{private_data = "private!", pd_length = 4}
      step "wait for the end of the connection"
      c:expect{closed, timeout = 15, ignore = {"reply"}}
    end,
  },
  {
    id = "mpa-startup-011", title = "A Request in TCP segments of one octet is accepted", segments = true,
    requirements = {"RFC5044-7.1.2-08", "RFC5044-5.1-05"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes{rev = 1, private_data = "abcd",
      split = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
  },
  {
    id = "mpa-startup-012", title = "After a FIN in the middle of a Request the device sends no Reply",
    requirements = {"RFC5044-7.1.2-03"},
    role = "responder", tier = "none", close = {"fin", "rst", "open"},
    run = function(dut)
      local c = dut:tcp{}
      step "send ten octets of a Request, then FIN"
      c:request{cut = 10}
      c:close()
      c:expect{closed, {kind = "silence"}} -- a FIN of one side does not oblige the other to one of its own, RFC 9293
    end,
  },
  {
    id = "mpa-startup-013", title = "The responder closes the connection if the Request stays incomplete",
    requirements = {"RFC5044-7.1.2-26"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{}
      step "send ten octets of a Request, then silence"
      c:request{cut = 10}
      common.given_up(dut, c)
    end,
  },
  {
    id = "mpa-startup-014", title = "The responder closes the connection after octets that are not a Request",
    requirements = {"RFC5044-7.1.2-04", "RFC5042-ATTACK-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{}
      step "send octets that are not a Request"
      c:octets("GET / HTTP/1.1\r\nHost: rnic\r\n\r\n")
      c:expect{closed, timeout = 15}
    end,
  },
  {
    id = "mpa-startup-015", title = "Before a Request arrives the device sends nothing",
    requirements = {"RFC5044-7.1.2-03"},
    role = "responder", tier = "none",
    run = function(dut)
      local c = dut:tcp{}
      step "send nothing"
      c:expect{{kind = "silence"}, closed, timeout = 0.3}
    end,
  },
  {
    id = "mpa-startup-016", title = "The responder sends no FPDU before the initiator's first",
    requirements = {"RFC5044-7.1.2-15"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = dut:connect{}
      step "the device's ULP sends while the initiator is silent"
      dut:send{data = "too early?"}
      c:expect{{kind = "silence"}, timeout = 0.3}
      step "send the first FPDU"
      c:send{data = "now"}
      c:expect{{kind = "send", data = "too early?", msn = 1}}
      c:close()
      c:expect{{kind = "close", how = "fin"}}
    end,
  },
  {
    id = "mpa-startup-017", title = "C=1 in the Request makes both sides use the CRC",
    requirements = {"RFC5044-7.1.1-08", "RFC5044-4.4-07"},
    role = "responder", tier = "agent", claims = {"no-crc", "crc-reports"}, close = {"terminate+fin", "terminate+rst"},
    run = function(dut)
      dut:configure{crc = false}
      local c = common.open(dut, "responder")
      step "send a Send with a wrong CRC"
      c:send{data = "x", crc_flip = 1}
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = 2, crc = "good"}}
      c:expect{closed}
    end,
  },
  {
    id = "mpa-startup-018", title = "A Request that the ULP rejects is answered with R=1",
    requirements = {"RFC5044-7.1.2-05", "RFC5044-7.1.2-18"},
    role = "responder", tier = "agent",
    run = function(dut)
      dut:configure{reject = true}
      local c = dut:tcp{}
      c:request{rev = 1}
      c:expect{{kind = "reply", r = true}}
    end,
  },
  {
    id = "mpa-startup-019", title = "The responder closes the connection after a Request with a wrong first octet of its Key",
    requirements = {"RFC5044-7.1.1-02", "RFC5044-7.1.2-16"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{key = "mPA ID Req Frame"},
  },
  {
    id = "mpa-startup-020", title = "The responder closes the connection after a Request with a wrong last octet of its Key",
    requirements = {"RFC5044-7.1.1-02", "RFC5044-7.1.2-16"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{key = "MPA ID Req FramE"},
  },
  {
    id = "mpa-startup-021", title = "The responder closes the connection at once after a Request with a PD_Length of FFFFh",
    requirements = {"RFC5044-7.1.1-16", "RFC5044-7.1.2-22", "RFC5044-8-05"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{pd_length = 0xFFFF},
  },
  {
    id = "mpa-startup-022", title = "After a FIN in the private data the device sends no Reply",
    requirements = {"RFC5044-7.1.2-03", "RFC5044-7.1.1-16"},
    role = "responder", tier = "none", close = {"fin", "rst", "open"},
    run = function(dut)
      local c = dut:tcp{}
      step "send a Request that lacks four octets of its private data, then FIN"
      c:request{private_data = "12345678", cut = 24}
      c:close()
      c:expect{closed, {kind = "silence"}}
    end,
  },
  {
    id = "mpa-startup-023", title = "The Reply does not come before the last octet of the private data",
    requirements = {"RFC5044-7.1.2-03", "RFC5044-7.1.2-08"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes_two({rev = 1, private_data = "12345678", cut = 27}, "8"),
  },
  {
    id = "mpa-startup-024", title = "The Reply does not come before the last octet of PD_Length",
    requirements = {"RFC5044-7.1.2-03", "RFC5044-7.1.2-08"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes_two({rev = 1, cut = 19}, "\0"),
  },
  {
    id = "mpa-startup-025",
    title = "The responder closes the connection if the private data of the Request does not arrive",
    requirements = {"RFC5044-7.1.2-26"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = gives_up{private_data = "12345678", cut = 20},
  },
  {
    id = "mpa-startup-026", title = "The responder closes the connection if no Request arrives",
    requirements = {"RFC5044-7.1.2-21"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = gives_up(),
  },
  {
    id = "mpa-startup-027", title = "A Request with one octet of private data is accepted",
    requirements = {"RFC5044-7.1.2-08", "RFC5044-7.1.2-22"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes{rev = 1, private_data = "\0"},
  },
  {
    id = "mpa-startup-028", title = "A Request whose private data resembles a Request is accepted",
    requirements = {"RFC5044-7.1.2-22", "RFC5044-7.1-01"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = started(dut, {private_data = "MPA ID Req Frame\x40\x01\0\0"})
      finish(c)
    end,
  },
  {
    id = "mpa-startup-029", title = "A Request with C=0 is accepted",
    requirements = {"RFC5044-7.1.2-08"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes{rev = 1, c = false},
  },
  {
    id = "mpa-startup-030", title = "The responder answers a Request with revision 0 by revision 0, or closes the connection",
    requirements = {"RFC5044-AppC-03", "RFC5044-AppC-02", "RFC5044-7.1.1-13"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{}
      step "send a Request as a peer of the RDMA Consortium does"
      c:request{rev = 0, m = true, c = true}
      local _, outcome = c:expect{closed, {kind = "reply", rev = 0, m = true, c = true}, {kind = "reply", rev = 1},
        timeout = 15}
      if outcome == 2 then
        c:close()
      end
      if outcome > 1 then
        c:expect{closed, timeout = 15}
      end
    end,
  },
  {
    id = "mpa-startup-031", title = "A Request that the ULP rejects is answered with R=1 and the ULP's private data",
    requirements = {"RFC5044-7.1.2-05", "RFC5044-7.1.2-18"},
    role = "responder", tier = "agent",
    run = function(dut)
      local _, reply = rejected(dut, {private_data = "busy"}, {rev = 1, private_data = "hello?"})
      check(reply.private_data == "busy", "the Reply has the private data of the ULP")
    end,
  },
  {
    id = "mpa-startup-032", title = "After the device's Reply with R=1, received FPDUs are not delivered",
    requirements = {"RFC5044-7.1.2-07"},
    role = "responder", tier = "agent",
    run = function(dut)
      dut:configure{reject = true}
      local c = dut:tcp{}
      step "send a Request that the device's ULP rejects"
      c:request{rev = 1}
      -- The Reply is a SHOULD.
      if c:expect{{kind = "reply", r = true}, closed}.kind == "close" then return end
      c:leave()
      step "send FPDUs: a Send of \"hello\", a Read of no octets"
      c:octets(hex"0017 4143 00000000 00000000 00000001 00000000 68656c6c6f 000000 b990b10c" ..
        hex"002e4141 00000000 00000001 00000001 00000000 00000001 00000000 00000000 00000000 00000001 00000000 00000000 27dbd7e7")
      c:expect{{kind = "silence"}, closed, timeout = 0.3}
      check(dut:pending() == 0, "the ULP gets no message")
    end,
  },
  {
    id = "mpa-startup-033", title = "The Reply carries as much private data as the device's ULP may give",
    requirements = {"RFC5044-7.1.1-15", "RFC5044-7.1.1-17"},
    role = "responder", tier = "agent", close = {"fin", "rst"},
    run = function(dut)
      -- In a Reply with S=1 the enhanced data take 4 of the 512 octets (RFC 6581 6).
      local enhanced = dut.profile.revision == 2 and 4 or 0
      local data = common.private_data(dut, 512 - enhanced)
      dut:configure{private_data = data}
      local c = dut:connect{}
      check(c.startup.private_data == data, "the Reply has the private data of the ULP")
      check(c.startup.pd_length == #data + (c.startup.enhanced and 4 or 0), "PD_Length counts it, and the enhanced data")
      finish(c)
    end,
  },
  {
    id = "mpa-startup-034", title = "Four octets of zeros before the first FPDU end the connection",
    requirements = {"RFC5044-7.1-01", "RFC5042-ATTACK-04"},
    role = "responder", tier = "none", claims = {"crc-reports"},
    run = function(dut)
      local c = dut:connect{auto = {terminate = false}}
      step "send four octets of zeros, and a Read Request after them"
      c:octets("\0\0\0\0")
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      -- MPA may find the CRC wrong, or a ULPDU_Length of 0.
      c:expect{{kind = "terminate", layer = 2, etype = 0}, closed}
    end,
  },
  {
    id = "mpa-startup-035", title = "The responder sends no Marker before the initiator's first FPDU",
    requirements = {"RFC5044-7.1.2-15"},
    role = "responder", tier = "agent", claims = {"markers"},
    run = function(dut)
      local c = dut:tcp{}
      c:request{rev = 1, m = true}
      c:expect{{kind = "reply", r = false}}
      c:leave()
      step "the device's ULP sends while the initiator is silent"
      dut:send{data = "too early?"}
      c:expect{{kind = "silence"}, timeout = 0.3}
    end,
  },
  {
    id = "mpa-startup-036", title = "After a first FPDU with a wrong CRC the responder sends no Send of its ULP",
    requirements = {"RFC5044-7.1.2-15", "RFC5044-4.4-14"},
    role = "responder", tier = "agent", claims = {"crc-reports"},
    run = function(dut)
      local c = dut:connect{}
      step "the device's ULP sends while the initiator is silent"
      dut:send{data = "too early?"}
      step "send an FPDU with a wrong CRC"
      c:send{data = "hello", crc_flip = 1}
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = 2}, closed}
    end,
  },
  {
    id = "mpa-startup-037", title = "After an invalid Request the next connection is accepted",
    requirements = {"RFC5044-7.1.2-08"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      refuses{key = "MPA ID Req Frams"}(dut)
      takes{rev = 1}(dut)
    end,
  },
  {
    id = "mpa-startup-038", title = "A Request cut anywhere into two TCP segments is accepted", segments = true,
    requirements = {"RFC5044-7.1.2-08", "RFC5044-5.1-05"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      for octets = 1, 27 do
        step("cut after octet " .. octets)
        local c = dut:connect{private_data = "12345678", startup = {split = octets}}
        finish(c)
      end
    end,
  },
  {
    -- The receiver's TCP cannot join the two parts before MPA sees the first.
    id = "mpa-startup-039", title = "A Request in two TCP segments with a pause between them is accepted", segments = true,
    requirements = {"RFC5044-7.1.2-08", "RFC5044-5.1-05"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      for _, octets in ipairs{1, 15, 16, 17, 18, 19, 20, 21, 27} do
        local c = dut:tcp{}
        step("send the first " .. octets .. " of 28 octets of a Request, and the rest after a pause")
        c:request{rev = 1, private_data = "12345678", split = {octets}, merge = true}
        pause(0.1)
        c:octets("")
        c:expect{{kind = "reply", r = false, rev = 1}}
        finish(c)
      end
    end,
  },
}
