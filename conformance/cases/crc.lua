-- The CRC of FPDUs, RFC 5044 4.4: which side computes it, which side checks it, what it covers.

local both, closed, finish, started = common.both, common.closed, common.finish, common.started
local crc_error = common.terminate(2, 0, 2)
local reports = {"crc-reports"}

-- An RDMAP Send of "hello", MSN 1, has this one.
local hello_crc = 0xB990B10C

-- Sends an FPDU whose CRC is wrong, then one that must no longer be served.
local function refuses(what, send)
  return function(dut)
    local c = started(dut)
    step(what)
    send(c)
    c:expect{crc_error}
    c:expect{closed}
  end
end

-- A Send of "hello" with a change, with the CRC of the unchanged Send, or with `fields.crc`.
local function refuses_hello(what, fields)
  return refuses(what, function(c)
    fields.crc = fields.crc or hello_crc
    fields.data = fields.data or "hello"
    c:send(fields)
  end)
end

-- A connection with C of both sides as given, on which both may send. The device confirms the C it was configured for; its
-- Reply may also repeat the C=1 of the Request, because no clause requires C=0 (RFC 5044 7.1.1).
local function agreed(dut, role, own, device)
  dut:configure{crc = device}
  local c = common.open(dut, role, {crc = own})
  check(c.startup.c == device or (role == "responder" and own), "C is as the device's ULP set it")
  return c
end

-- With C=1 on one side a wrong CRC is rejected, and the device sends right ones.
local function checks(role, own, device)
  return function(dut)
    local c = agreed(dut, role, own, device)
    step "send a Send with a wrong CRC"
    c:send{data = "x", crc_flip = 1}
    c:expect{crc_error}
    c:expect{closed}
  end
end

local function computes(role, own, device)
  return function(dut)
    local c = agreed(dut, role, own, device)
    step "the device's ULP sends"
    dut:send{data = "has a CRC"}
    c:expect{{kind = "send", data = "has a CRC", crc = "good"}}
    finish(c)
  end
end

local responder = {
  {
    id = "mpa-crc-001", title = "A CRC with one wrong bit is answered by Terminate 2/0/02",
    claims = reports, requirements = {"RFC5044-4.4-13", "RFC5044-8-01", "RFC5044-8-08", "RFC5040-7.1-02"},
    run = refuses("send a Send with one bit of its CRC inverted", function(c)
      c:send{data = "hello", crc_flip = 1}
    end),
  },
  {
    id = "mpa-crc-002", title = "A wrong octet in the payload is answered by Terminate 2/0/02",
    claims = reports, requirements = {"RFC5044-4.4-13"},
    run = refuses_hello("send a Send of \"hellp\" with the CRC of \"hello\"", {data = "hellp"}),
  },
  {
    id = "mpa-crc-006", title = "A wrong CRC of 0 is answered by Terminate 2/0/02",
    claims = reports, requirements = {"RFC5044-4.4-13", "RFC5044-4.4-11"},
    run = refuses_hello("send a Send with a CRC of 0", {crc = 0}),
  },
  {
    id = "mpa-crc-007", title = "A CRC in reversed byte order is answered by Terminate 2/0/02",
    claims = reports, requirements = {"RFC5044-4.4-13", "RFC5044-4.4-11"},
    run = refuses_hello("send a Send with the least significant octet of its CRC last", {crc = 0x0CB190B9}),
  },
  {
    id = "mpa-crc-008", title = "An inverted CRC is answered by Terminate 2/0/02",
    claims = reports, requirements = {"RFC5044-4.4-13", "RFC5044-4.4-11"},
    run = refuses_hello("send a Send with all bits of its CRC inverted", {crc = ~hello_crc & 0xFFFFFFFF}),
  },
  {
    id = "mpa-crc-009", title = "A changed bit of the PAD is answered by Terminate 2/0/02",
    claims = reports, requirements = {"RFC5044-4.4-12", "RFC5044-4.4-13"},
    run = refuses_hello("send a Send with a PAD of 01h and the CRC of one of 00h", {pad_value = 1}),
  },
  {
    id = "mpa-crc-010", title = "A changed ULPDU_Length is answered by Terminate 2/0/02",
    claims = reports, requirements = {"RFC5044-4.4-12", "RFC5044-4.4-13"},
    run = refuses("send a Send whose ULPDU_Length counts an octet of PAD, with the CRC of the right one", function(c)
      c:octets(hex"0018 4143 00000000 00000000 00000001 00000000 68656c6c6f 000000 b990b10c")
    end),
  },
  {
    id = "mpa-crc-011", title = "A changed reserved bit of the DDP header is answered by Terminate 2/0/02",
    claims = reports, requirements = {"RFC5044-4.4-12", "RFC5044-4.4-13"},
    run = refuses_hello("send a Send with a bit of Rsvd set and the CRC of one without", {rsvd = 1}),
  },
  {
    id = "mpa-crc-012", title = "A Read Request with a wrong CRC is answered by Terminate 2/0/02 and not by a Read Response",
    claims = reports, requirements = {"RFC5044-4.4-14", "RFC5044-6-01"},
    run = refuses("send a Read Request with a wrong CRC", function(c)
      c:read{sink_stag = 1, source_stag = 1, size = 0, crc_flip = 0x80000000}
    end),
  },
  {
    id = "mpa-crc-013",
    title = "A Send with a wrong CRC is answered by Terminate 2/0/02; the Read Request after it is not answered",
    claims = reports, requirements = {"RFC5044-8-07"},
    run = refuses("send a Send with a wrong CRC, and a valid Read Request in the same TCP segment", function(c)
      c:send{data = "hello", crc_flip = 0x10000, merge = true}
      c:read{sink_stag = 1, source_stag = 1, size = 0}
    end),
  },
  {
    id = "mpa-crc-005", title = "The answer to a Read of no octets has the right CRC",
    requirements = {"RFC5044-4.4-11", "RFC5044-4.4-12"}, close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      step "request an FPDU: a Read of no octets"
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      c:expect{{kind = "read_response", crc = "good"}}
      finish(c)
    end,
  },
}

-- A Request with C=0: C of the Reply alone decides about CRCs. With C=0 there, too, mpa-crc-028 tests that a wrong CRC is
-- ignored.
local asked_by_device = {
  {
    id = "mpa-crc-027", title = "If the Request has C=0 and the Reply C=1, the device sends right CRCs",
    requirements = {"RFC5044-7.1.1-08", "RFC5044-4.4-11"}, close = {"fin", "rst"},
    run = function(dut)
      if dut.told then dut:configure{crc = true} end
      local c = dut:connect{crc = false}
      if not c.startup.c then
        finish(c)
        dut:not_applicable("the device does not ask for CRCs if its peer does not")
      end
      step "send a Read of no octets"
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      c:expect{{kind = "read_response", size = 0, crc = "good"}}
      finish(c)
    end,
  },
  {
    id = "mpa-crc-028", title = "If the Request has C=0, the device checks CRCs exactly if its Reply has C=1",
    claims = reports, requirements = {"RFC5044-7.1.1-08", "RFC5044-7.1.1-09", "RFC5044-4.4-13"},
    close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c = dut:connect{crc = false}
      step("send a Read of no octets with a wrong CRC; C of the Reply is " .. (c.startup.c and 1 or 0))
      c:read{sink_stag = 1, source_stag = 1, size = 0, crc = 0xDEADBEEF}
      if c.startup.c then
        c:expect{crc_error, closed} -- a responder that closes at once has had no valid first FPDU (RFC 5044 7.1.2)
      else
        c:expect{{kind = "read_response", size = 0}}
        finish(c)
      end
    end,
  },
}

local agent = {
  {
    id = "mpa-crc-003", initiator = "mpa-crc-014",
    title = "A Write with a wrong CRC is answered by Terminate 2/0/02; neither it nor the next Write is placed",
    claims = reports, requirements = {"RFC5044-6-01", "RFC5044-8-07"},
    run = function(dut, open)
      local region = dut:region{size = 64, fill = "."}
      local c = open{}
      step "send an RDMA Write with a wrong CRC, then a right one"
      c:write{stag = region.stag, to = region.to, data = "wrong", crc_flip = 0x80}
      c:write{stag = region.stag, to = region.to + 32, data = "late"}
      c:expect{crc_error}
      c:expect{closed}
      check(dut:memory(region, 0, 64) == ("."):rep(64), "nothing of either Write is placed")
    end,
  },
  {
    id = "mpa-crc-015", initiator = "mpa-crc-016",
    title = "A Send with a wrong CRC is answered by Terminate 2/0/02; neither it nor the next Send is delivered",
    claims = reports, requirements = {"RFC5044-4.4-14", "RFC5044-8-07"},
    run = function(dut, open)
      local c = open{}
      step "send a Send with a wrong CRC, then a right one"
      c:send{data = "wrong", crc_flip = 0x100}
      c:send{data = "late"}
      c:expect{crc_error}
      c:expect{closed}
      check(dut:pending() == 0, "the ULP gets neither")
    end,
  },
  {
    id = "mpa-crc-017",
    title = "A wrong CRC in one segment of a message is answered by Terminate 2/0/02; the message is not delivered",
    claims = reports, requirements = {"RFC5044-4.4-14", "RFC5044-6-01"},
    run = function(dut, open)
      local c = open{mulpdu = 128}
      step "send a Send in three segments, the CRC of the second wrong"
      c:send{data = ("x"):rep(300), segment = 2, crc_flip = 1}
      c:expect{crc_error}
      c:expect{closed}
      check(dut:pending() == 0, "the ULP gets nothing of it")
    end,
  },
  {
    id = "mpa-crc-018",
    title = "A valid FPDU is accepted, even if the next FPDU of the same TCP segment has a wrong CRC", segments = true,
    claims = reports, requirements = {"RFC5044-4.4-14", "RFC5044-5.2-01"},
    run = function(dut, open)
      local c = open{}
      step "send two Sends at once, the CRC of the second wrong"
      c:send{data = "good", merge = true}
      c:send{data = "wrong", crc_flip = 1}
      c:expect{crc_error}
      c:expect{closed}
      check(dut:received{}.data == "good", "the ULP gets the first")
      check(dut:pending() == 0, "and not the second")
    end,
  },
  {
    id = "mpa-crc-004", initiator = "mpa-crc-019", title = "With C=0 on both sides a Send with a wrong CRC is delivered",
    requirements = {"RFC5044-7.1.1-07", "RFC5044-7.1.1-09", "RFC5044-4.1-03", "RFC5044-4.4-08"},
    claims = {"no-crc"}, close = {"fin"},
    run = function(dut, open)
      dut:configure{crc = false}
      local c = open{crc = false}
      check(not c.terms.crc, "neither side has requested CRCs")
      step "send a Send with a meaningless CRC"
      c:send{data = "unchecked", crc = 0xDEADBEEF}
      check(dut:received{}.data == "unchecked", "the ULP gets the octets that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-crc-020", title = "With C=0 on both sides an FPDU still has its CRC field",
    requirements = {"RFC5044-4.4-10", "RFC5044-4.1-01"}, claims = {"no-crc"}, close = {"fin"},
    run = function(dut, open)
      dut:configure{crc = false}
      local c = open{crc = false}
      check(not c.terms.crc, "neither side has requested CRCs")
      step "the device's ULP sends twice"
      dut:send{data = "one"}
      dut:send{data = "two"}
      c:expect{{kind = "send", data = "one", crc = "unchecked"}}
      c:expect{{kind = "send", data = "two"}}
      finish(c)
    end,
  },
}

local function settled(id, title, requirement, role, close, run)
  return {
    id = id, title = title, requirements = {requirement, "RFC5044-7.1.1-08"}, role = role, tier = "agent",
    claims = {"no-crc", close == both and "crc-reports" or nil}, close = close, run = run,
  }
end

local list = {
  settled("mpa-crc-021", "If only the Reply has C=1, the responder answers a wrong CRC by Terminate 2/0/02", "RFC5044-4.4-13",
    "responder", both, checks("responder", false, true)),
  settled("mpa-crc-022", "If only the Reply has C=1, the FPDUs of the responder have right CRCs", "RFC5044-4.4-11",
    "responder", {"fin"}, computes("responder", false, true)),
  settled("mpa-crc-023", "If only the Request has C=1, the FPDUs of the responder have right CRCs", "RFC5044-4.4-07",
    "responder", {"fin"}, computes("responder", true, false)),
  settled("mpa-crc-024", "If only the Reply has C=1, the initiator answers a wrong CRC by Terminate 2/0/02", "RFC5044-4.4-07",
    "initiator", both, checks("initiator", true, false)),
  settled("mpa-crc-025", "If only the Reply has C=1, the FPDUs of the initiator have right CRCs", "RFC5044-4.4-07",
    "initiator", {"fin"}, computes("initiator", true, false)),
  settled("mpa-crc-026", "If only the Request has C=1, the initiator answers a wrong CRC by Terminate 2/0/02", "RFC5044-4.4-13",
    "initiator", both, checks("initiator", false, true)),
}

for _, one in ipairs(common.cases({tier = "none", close = both}, responder)) do list[#list + 1] = one end
for _, one in ipairs(common.cases({tier = "none"}, asked_by_device)) do list[#list + 1] = one end
for _, one in ipairs(common.cases({tier = "agent", close = both}, agent)) do list[#list + 1] = one end
return list
