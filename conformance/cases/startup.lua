-- MPA connection setup, RFC 5044 7.1: what a responder takes, and what makes it close.

local closed = common.closed

-- Sends a Request that no responder may take; nothing but the end of the connection may follow.
local function refuses(fields)
  return function(dut)
    local c = dut:tcp{}
    step "send the Request"
    c:request(fields)
    step "wait for the end of the connection"
    c:expect{closed, timeout = 15}
  end
end

-- Sends a Request that every responder takes.
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

return {
  {
    id = "mpa-startup-001", title = "A Request of revision 1 is accepted",
    requirements = {"RFC5044-7.1.2-08", "RFC5044-7.1.1-03", "RFC5044-7.1.1-12"},
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
    id = "mpa-startup-003", title = "A key with one wrong octet closes the connection",
    requirements = {"RFC5044-7.1.1-02", "RFC5044-7.1.2-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{key = "MPA ID Req Frams"},
  },
  {
    id = "mpa-startup-004", title = "A Reply where a Request is due closes the connection",
    requirements = {"RFC5044-7.1.2-20", "RFC5044-7.1.1-02"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{key = "MPA ID Rep Frame"},
  },
  {
    id = "mpa-startup-005", title = "A PD_Length of 513 closes the connection",
    requirements = {"RFC5044-7.1.1-16"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{private_data = ("x"):rep(513)},
  },
  {
    id = "mpa-startup-006", title = "Revision 3 closes the connection",
    requirements = {"RFC5044-7.1.1-14"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{rev = 3},
  },
  {
    id = "mpa-startup-007", title = "Revision 255 closes the connection",
    requirements = {"RFC5044-7.1.1-14"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = refuses{rev = 255},
  },
  {
    id = "mpa-startup-008", title = "Set bits of Res in a Request are not looked at",
    requirements = {"RFC5044-7.1.1-11"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes{rev = 1, res = 0xF},
  },
  {
    id = "mpa-startup-009", title = "R=1 in a Request is not looked at",
    requirements = {"RFC5044-7.1.1-10"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes{rev = 1, r = true},
  },
  {
    id = "mpa-startup-010", title = "Octets behind a Request close the connection",
    requirements = {"RFC5044-7.1.2-24"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{}
      step "send a Request that claims fewer octets of private data than follow"
      c:request{private_data = "private!", pd_length = 4}
      step "wait for the end of the connection"
      c:expect{closed, timeout = 15, ignore = {"reply"}}
    end,
  },
  {
    id = "mpa-startup-011", title = "A Request in TCP segments of one octet is accepted",
    requirements = {"RFC5044-7.1.2-08", "RFC5044-5.1-05"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = takes{rev = 1, private_data = "abcd",
      split = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
  },
  {
    id = "mpa-startup-012", title = "A FIN in the middle of a Request gets no Reply",
    requirements = {"RFC5044-7.1.2-03"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{}
      step "send ten octets of a Request, then FIN"
      c:request{cut = 10}
      c:close()
      c:expect{closed, timeout = 15}
    end,
  },
  {
    id = "mpa-startup-013", title = "A Request that never becomes whole is given up",
    requirements = {"RFC5044-7.1.2-26"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{}
      step "send ten octets of a Request and no more"
      c:request{cut = 10}
      c:expect{closed, timeout = 25}
    end,
  },
  {
    id = "mpa-startup-014", title = "Octets that are no Request close the connection",
    requirements = {"RFC5044-7.1.2-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{}
      step "send what is no Request"
      c:octets("GET / HTTP/1.1\r\nHost: rnic\r\n\r\n")
      c:expect{closed, timeout = 15}
    end,
  },
  {
    id = "mpa-startup-015", title = "Nothing is sent while no Request has come",
    requirements = {"RFC5044-7.1.2-03"},
    role = "responder", tier = "none",
    run = function(dut)
      local c = dut:tcp{}
      step "say nothing"
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
    id = "mpa-startup-017", title = "C=1 in the Request alone makes both sides use the CRC",
    requirements = {"RFC5044-7.1.1-08"},
    role = "responder", tier = "agent", close = {"terminate+fin", "terminate+rst"},
    run = function(dut)
      dut:configure{crc = false}
      local c = dut:connect{}
      check(not c.startup.c, "the device is set up to ask for no CRC")
      step "send a Send whose CRC is wrong"
      c:send{data = "x", crc_flip = 1}
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = 2, crc = "good"}}
      c:expect{closed}
    end,
  },
  {
    id = "mpa-startup-018", title = "A Request that the ULP refuses gets R=1",
    requirements = {"RFC5044-7.1.2-05"},
    role = "responder", tier = "agent",
    run = function(dut)
      dut:configure{reject = true}
      local c = dut:tcp{}
      c:request{rev = 1}
      c:expect{{kind = "reply", r = true}}
    end,
  },
}
