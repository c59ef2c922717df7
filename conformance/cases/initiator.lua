-- The device as initiator, RFC 5044 7.1: its Request, the Replies it accepts, and what it does after them.

local closed, finish = common.closed, common.finish

-- The device's ULP would like to send, if the device supports that.
local function would_send(dut, data)
  if dut.told then dut:send{data = data} end
end

-- Answers the device's Request with a Reply that every initiator rejects. RFC 5044 has it close at once (8). After a Request with
-- S=1, RFC 6581 has it send a Terminate first (8, 9.3): there, a Terminate is neither owed nor forbidden.
local function refuses(reply)
  return function(dut)
    local c = dut:accept_tcp{}
    local enhanced = c:expect{{kind = "request"}}.s
    would_send(dut, "no connection")
    step "answer"
    if type(reply) == "string" then
      c:octets(reply)
    else
      c:reply(reply)
    end
    step "wait for the end of the connection"
    if not enhanced then
      c:expect{closed, timeout = 15}
    elseif c:expect{closed, common.terminate(2, 0, any{4, 5}), timeout = 15}.kind == "terminate" then
      c:expect{closed}
    end
  end
end

-- FPDUs go both ways.
local function exchanges(dut, c)
  dut:send{data = "ping"}
  c:expect{{kind = "send", data = "ping", msn = 1}}
  c:send{data = "pong"}
  check(dut:received{}.data == "pong", "the ULP gets the octets that were sent")
  finish(c)
end

-- Answers the device's Request with a Reply that every initiator accepts; FPDUs then go both ways.
local function takes(options)
  return function(dut)
    step "answer"
    exchanges(dut, (dut:accept(options)))
  end
end

-- Answers with a part of a Reply, or nothing, and then FIN, or silence; no FPDU may follow.
local function goes_without(fields, close)
  return function(dut)
    local c = dut:accept_tcp{}
    c:expect{{kind = "request"}}
    would_send(dut, "no connection")
    step "send only this part of a Reply"
    if fields then c:reply(fields) end
    c:leave() -- so that the script sees whatever comes
    if close then
      c:close()
      c:expect{closed, {kind = "silence"}} -- a FIN of one side does not oblige the other to one of its own, RFC 9293
    else
      common.given_up(dut, c)
    end
  end
end

-- Answers with R=1.
local function rejects(dut, fields)
  local c = dut:accept_tcp{}
  c:expect{{kind = "request"}}
  fields.r = true
  step "answer with R=1"
  c:reply(fields)
  return c
end

return {
  {
    id = "mpa-initiator-001", title = "The initiator's Request is valid in every field",
    requirements = {"RFC5044-7.1.1-01", "RFC5044-7.1.1-10", "RFC5044-7.1.1-12"},
    role = "initiator", tier = "none", close = {"fin"},
    run = function(dut)
      local c = dut:accept_tcp{}
      c:expect{{kind = "request", rev = any{1, 2}, r = false, res = 0}}
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-002", title = "The initiator sends no FPDU before the Reply",
    requirements = {"RFC5044-7.1.2-11"},
    role = "initiator", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = dut:accept_tcp{}
      c:expect{{kind = "request"}}
      dut:send{data = "too early?"}
      step "withhold the Reply"
      c:expect{{kind = "silence"}, timeout = 0.3}
      step "send it"
      c:reply{}
      c:full()
      c:expect{{kind = "send", data = "too early?"}}
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-003", title = "The initiator closes the connection after a Request in place of the Reply",
    requirements = {"RFC5044-7.1.2-20", "RFC5044-7.1.1-04", "RFC5044-7.1.2-12", "RFC5044-7.1.2-16", "RFC5042-ATTACK-78"},
    role = "initiator", tier = "none", close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = refuses{key = "MPA ID Req Frame"},
  },
  {
    id = "mpa-initiator-004", title = "The initiator closes the connection after a Reply with a PD_Length of 513",
    requirements = {"RFC5044-7.1.1-16", "RFC5044-7.1.2-12", "RFC5044-7.1.2-25", "RFC5042-ATTACK-78"},
    role = "initiator", tier = "none", close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = refuses{private_data = ("x"):rep(513)},
  },
  {
    id = "mpa-initiator-005", title = "The initiator closes the connection after a Reply with revision 9",
    requirements = {"RFC5044-7.1.1-14", "RFC5044-7.1.1-13"},
    role = "initiator", tier = "none", close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = refuses{rev = 9},
  },
  {
    id = "mpa-initiator-006", title = "After a Reply with R=1 the initiator sends no FPDU",
    requirements = {"RFC5044-7.1.2-13"},
    role = "initiator", tier = "none",
    run = function(dut)
      local c = dut:accept_tcp{}
      c:expect{{kind = "request"}}
      would_send(dut, "no connection")
      c:reply{r = true}
      c:full()
      c:expect{{kind = "silence"}, closed, timeout = 0.3}
    end,
  },
  {
    id = "mpa-initiator-010", title = "The initiator closes the connection after a Reply with a wrong first octet of its Key",
    requirements = {"RFC5044-7.1.1-04", "RFC5044-7.1.2-16", "RFC5044-8-05", "RFC5042-ATTACK-78"},
    role = "initiator", tier = "none", close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = refuses{key = "mPA ID Rep Frame"},
  },
  {
    id = "mpa-initiator-011", title = "The initiator closes the connection after a Reply with a wrong last octet of its Key",
    requirements = {"RFC5044-7.1.1-04", "RFC5044-7.1.2-16", "RFC5042-ATTACK-78"},
    role = "initiator", tier = "none", close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = refuses{key = "MPA ID Rep FramE"},
  },
  {
    id = "mpa-initiator-012", title = "The initiator closes the connection after octets that are not a Reply",
    requirements = {"RFC5044-7.1.2-12", "RFC5044-7.1.1-04", "RFC5042-ATTACK-78"},
    role = "initiator", tier = "none", close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = refuses "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
  },
  {
    id = "mpa-initiator-013", title = "The initiator closes the connection at once after a Reply with a PD_Length of FFFFh",
    requirements = {"RFC5044-7.1.1-16", "RFC5044-7.1.2-22", "RFC5044-8-05", "RFC5042-ATTACK-78"},
    role = "initiator", tier = "none", close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = refuses{pd_length = 0xFFFF},
  },
  {
    id = "mpa-initiator-014", title = "The initiator closes the connection after a Reply with revision 255",
    requirements = {"RFC5044-7.1.1-14", "RFC5044-7.1.1-13"},
    role = "initiator", tier = "none", close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = refuses{rev = 255},
  },
  {
    id = "mpa-initiator-015",
    title = "After a Reply with revision 0, the initiator closes the connection or uses revision 0",
    requirements = {"RFC5044-AppC-03", "RFC5044-7.1.1-14"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:accept_tcp{}
      c:expect{{kind = "request"}}
      dut:send{data = "to a peer of the RDMA Consortium"}
      step "answer as a peer of the RDMA Consortium does"
      c:reply{rev = 0, m = true, c = true}
      c:full()
      local _, outcome = c:expect{closed, {kind = "send", dv = 0, rv = 0}, timeout = 15}
      if outcome == 2 then
        finish(c)
      end
    end,
  },
  {
    id = "mpa-initiator-016", title = "A Reply without private data is accepted",
    requirements = {"RFC5044-7.1.2-14"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = takes{},
  },
  {
    id = "mpa-initiator-017", title = "A Reply with 512 octets of private data, enhanced data included, is accepted",
    requirements = {"RFC5044-7.1.2-14", "RFC5044-7.1.2-22"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:accept_tcp{}
      local request = c:expect{{kind = "request"}}
      -- Enhanced data take 4 of the 512 octets (RFC 6581 6).
      local octets = 512 - (request.enhanced and 4 or 0)
      step("answer with " .. octets .. " octets of private data")
      c:reply{private_data = ("iWARP---"):rep(64):sub(1, octets)}
      c:full()
      exchanges(dut, c)
    end,
  },
  {
    id = "mpa-initiator-018", title = "A Reply with one octet of private data is accepted",
    requirements = {"RFC5044-7.1.2-14", "RFC5044-7.1.2-22"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = takes{private_data = "\0"},
  },
  {
    id = "mpa-initiator-019", title = "A Reply in TCP segments of one octet is accepted", segments = true,
    requirements = {"RFC5044-7.1.2-14", "RFC5044-7.1.2-11"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = takes{private_data = "abcd",
      startup = {split = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}},
  },
  {
    id = "mpa-initiator-020", title = "Res bits that are set in a Reply are ignored",
    requirements = {"RFC5044-7.1.1-11"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = takes{startup = {res = 0xF}},
  },
  {
    id = "mpa-initiator-021", title = "A Reply whose private data resembles a Reply is accepted",
    requirements = {"RFC5044-7.1.2-22", "RFC5044-7.1-01"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = takes{private_data = "MPA ID Rep Frame\x40\x01\0\0"},
  },
  {
    id = "mpa-initiator-022", title = "The initiator sends no FPDU before the last octet of the Reply",
    requirements = {"RFC5044-7.1.2-11"},
    role = "initiator", tier = "agent",
    run = function(dut)
      local c = dut:accept_tcp{}
      c:expect{{kind = "request"}}
      dut:send{data = "too early?"}
      step "send a Reply without the last octet of its private data"
      c:reply{private_data = "abcd", cut = 23}
      c:leave() -- so that the script sees whatever comes
      c:expect{{kind = "silence"}, timeout = 0.2}
    end,
  },
  {
    id = "mpa-initiator-023", title = "The initiator closes the connection if the Reply stays incomplete",
    requirements = {"RFC5044-7.1.2-26"},
    role = "initiator", tier = "none", close = {"fin", "rst"},
    run = goes_without({cut = 10}, false),
  },
  {
    id = "mpa-initiator-024",
    title = "The initiator closes the connection if the private data of the Reply does not arrive",
    requirements = {"RFC5044-7.1.2-26"},
    role = "initiator", tier = "none", close = {"fin", "rst"},
    run = goes_without({private_data = "12345678", cut = 20}, false),
  },
  {
    id = "mpa-initiator-025", title = "The initiator closes the connection if no Reply arrives",
    requirements = {"RFC5044-7.1.2-26"},
    role = "initiator", tier = "none", close = {"fin", "rst"},
    run = goes_without(nil, false),
  },
  {
    id = "mpa-initiator-026", title = "After a FIN in place of a Reply the initiator sends no FPDU",
    requirements = {"RFC5044-7.1.2-11", "RFC5044-8-01"},
    role = "initiator", tier = "agent", close = {"fin", "rst", "open"},
    run = function(dut)
      local c = dut:accept_tcp{}
      c:expect{{kind = "request"}}
      dut:send{data = "no connection"}
      c:leave() -- so that the script sees whatever comes
      step "send FIN"
      c:close()
      c:expect{closed, {kind = "silence"}} -- a FIN of one side does not oblige the other to one of its own, RFC 9293
    end,
  },
  {
    id = "mpa-initiator-027", title = "After a FIN in the private data of a Reply the initiator sends no FPDU",
    requirements = {"RFC5044-7.1.2-11", "RFC5044-7.1.1-16"},
    role = "initiator", tier = "none", close = {"fin", "rst", "open"},
    run = goes_without({private_data = "12345678", cut = 24}, true),
  },
  {
    id = "mpa-initiator-028", title = "After a Reply with R=1 and private data the initiator sends no FPDU",
    requirements = {"RFC5044-7.1.2-13"},
    role = "initiator", tier = "none",
    run = function(dut)
      local c = rejects(dut, {private_data = "busy"})
      would_send(dut, "no connection")
      c:leave()
      c:expect{{kind = "silence"}, closed, timeout = 0.3}
    end,
  },
  {
    id = "mpa-initiator-029", title = "After a Reply with R=1 received FPDUs are not delivered",
    requirements = {"RFC5044-7.1.2-13"},
    role = "initiator", tier = "agent",
    run = function(dut)
      local c = rejects(dut, {})
      c:leave()
      step "send FPDUs: a Send of \"hello\", a Read of no octets"
      c:octets(hex"0017 4143 00000000 00000000 00000001 00000000 68656c6c6f 000000 b990b10c" ..
        hex"002e4141 00000000 00000001 00000001 00000000 00000001 00000000 00000000 00000000 00000001 00000000 00000000 27dbd7e7")
      c:expect{{kind = "silence"}, closed, timeout = 0.3}
      check(dut:pending() == 0, "the ULP gets no message")
    end,
  },
  {
    id = "mpa-initiator-030", title = "The Request carries the private data of the ULP",
    requirements = {"RFC5044-7.1.1-15"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = function(dut)
      dut:configure{private_data = "hello"}
      local c = dut:accept{}
      check(c.startup.private_data == "hello", "the Request has the private data of the ULP")
      dut:send{data = "ping"}
      c:expect{{kind = "send", data = "ping"}}
      finish(c)
    end,
  },
  {
    id = "mpa-initiator-031", title = "A Request of revision 1 carries as much private data as the device's ULP may give",
    requirements = {"RFC5044-7.1.1-15", "RFC5044-7.1.1-17"},
    role = "initiator", tier = "agent", claims = {"rev-1"}, close = {"fin", "rst"},
    run = function(dut)
      local data = common.private_data(dut, 512)
      dut:configure{rev = 1, private_data = data}
      local c = dut:accept{}
      check(c.startup.rev == 1 and not c.startup.s, "the Request has revision 1 and S=0")
      check(c.startup.private_data == data, "it has the private data of the ULP")
      check(c.startup.pd_length == #data, "PD_Length counts it")
      finish(c)
    end,
  },
  {
    id = "mpa-initiator-032", title = "The S bit in a Reply of revision 1 is ignored",
    requirements = {"RFC5044-7.1.1-11"},
    role = "initiator", tier = "agent", claims = {"rev-1"}, close = {"fin", "rst"},
    run = function(dut)
      dut:configure{rev = 1}
      takes{startup = {s = true}}(dut)
    end,
  },
  {
    id = "mpa-initiator-057", title = "A Reply cut anywhere into two TCP segments is accepted", segments = true,
    requirements = {"RFC5044-7.1.2-14"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = function(dut)
      for octets = 1, 27 do
        step("cut after octet " .. octets)
        local c = dut:accept{private_data = "12345678", startup = {split = octets}}
        dut:send{data = "ping"}
        c:expect{{kind = "send", data = "ping"}}
        finish(c)
      end
    end,
  },
}
