-- Errors that the device detects as server of the unmodified rping of rdma-core: RFC 5040 5.2, 5.3 and 7.2, RFC 5041 7.1.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish
local size, text = common.rping.size, common.rping.text
local advertise, greet = common.rping.advertise, common.rping.greet
local asked, answer, revealed = common.rping.asked, common.rping.answer, common.rping.revealed
local source_stag, source_to = common.rping.source_stag, common.rping.source_to

-- A wrong response is rejected: the server does not go on.
local function refuses_answer(offset, octets, fields, ...)
  local answers = {...}
  return function(dut)
    local c, request = asked(dut)
    step "send the wrong response"
    answer(c, request, type(offset) == "function" and offset(dut) or offset, octets, fields)
    c:expect(answers)
    c:expect{closed}
  end
end

-- RDMAP may compare a response with its request, and has no code of its own for a difference (RFC 5040 5.2.2).
local function refusal(etype, code)
  return {kind = "terminate", layer = 1, etype = etype, code = code}, {kind = "terminate", layer = 0, etype = any{1, 2}}
end

local function refuses_advert(fields, answer_to_it)
  return function(dut)
    local c = greet(dut)
    step "send a Send that the device must reject"
    advertise(c, source_stag, source_to, fields)
    c:expect{answer_to_it}
    c:expect{closed}
  end
end

-- `use` of the server's buffer is rejected.
local function protects(use, ...)
  local answers = {...}
  return function(dut)
    local c, buffer = revealed(dut)
    step "use the server's buffer, whose STag its Read has named"
    use(c, buffer)
    c:expect(answers)
    c:expect{closed}
  end
end

return common.cases({tier = "rping", close = both, claims = {"rev-2"}, danger = {"connection"}}, {
  {
    id = "rping-server-016",
    title = "A Read Response with a wrong CRC is answered by a Terminate; the rping server sends no further message",
    claims = {"rev-2", "crc-reports"},
    requirements = {"RFC5044-4.4-14", "RFC5040-7.1-02", "RFC5040-6.2.1-01"},
    run = refuses_answer(0, text, {crc_flip = 0x100}, terminate(2, 0, 2)),
  },
  {
    id = "rping-server-017", title = "A Read Response to an unknown STag is answered by a Terminate (rping server)",
    requirements = {"RFC5041-7.1-06", "RFC5041-4.2-05", "RFC5041-7.2-01"},
    danger = {"memory"},
    run = refuses_answer(0, text, {stag = common.unknown_stag}, refusal(1, any{0, 2})),
  },
  {
    id = "rping-server-018", title = "A Read Response that ends one octet beyond the end of the Data Sink is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5041-7.2-01", "RFC5042-6.2.1-01", "RFC5042-ATTACK-23"},
    danger = {"memory"},
    run = refuses_answer(function(dut) return dut.rping_size - size + 1 end, text, {}, refusal(1, 1)),
  },
  {
    id = "rping-server-019", title = "A Read Response that begins one octet before the Data Sink is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5041-7.2-01", "RFC5042-6.2.1-01", "RFC5042-ATTACK-23"},
    danger = {"memory"},
    run = refuses_answer(-1, text, {}, refusal(1, 1)),
  },
  {
    id = "rping-server-020", title = "A Read Response one octet longer than requested is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5041-7.2-01", "RFC5042-6.2.1-01"},
    danger = {"memory"},
    run = function(dut)
      local c, request = asked(dut, nil, dut.rping_size)
      step "answer the Read of all that the buffer holds with one octet more"
      common.rping.answer_in_segments(c, request, ("x"):rep(dut.rping_size) .. "!")
      c:expect{refusal(1, 1)}
      c:expect{closed}
    end,
  },
  {
    id = "rping-server-021", title = "A Read Response that reaches beyond TO 2^64 is answered by a Terminate (rping server)",
    requirements = {"RFC5041-7.1-06", "RFC5041-7.2-01"},
    danger = {"memory"},
    run = refuses_answer(0, text, {to = -8}, refusal(1, any{1, 3})),
  },
  {
    id = "rping-server-022", title = "A Read Response with DDP version 2 is answered by a Terminate (rping server)",
    requirements = {"RFC5041-4.1-08", "RFC5040-7.2-01", "RFC5041-7.2-01"},
    run = refuses_answer(0, text, {dv = 2}, terminate(1, 1, 4)),
  },
  {
    id = "rping-server-023", title = "A Read Response with RDMAP version 3 is answered by a Terminate (rping server)",
    requirements = {"RFC5040-4.1-08", "RFC5040-7.2-03"},
    run = refuses_answer(0, text, {rv = 3}, terminate(0, 2, 5)),
  },
  {
    id = "rping-server-024", title = "A Read Response truncated by one octet is accepted or answered by a Terminate",
    requirements = {"RFC5040-5.2.2-06"},
    run = function(dut)
      local c, request = asked(dut)
      step "send 63 octets with L"
      answer(c, request, 0, "short\0" .. text:sub(7, -2))
      local _, which = c:expect{{kind = "send", msn = 1, size = 16}, {kind = "terminate", layer = any{0, 1}}}
      if which == 1 then finish(c) else c:expect{closed} end
    end,
  },
  {
    id = "rping-server-025", title = "A second Read Response to one Read is answered by a Terminate (rping server)",
    requirements = {"RFC5040-5.2.2-08", "RFC5040-5.2-01", "RFC5042-ATTACK-25"},
    run = function(dut)
      local c, request = asked(dut)
      step "send the response twice"
      answer(c, request, 0, text, {merge = true})
      answer(c, request, 0, text)
      c:expect{{kind = "terminate", layer = any{0, 1}}, ignore = {"send"}}
      c:expect{closed}
    end,
  },
  {
    id = "rping-server-026",
    title = "An unsolicited Read Response is answered by a Terminate; headers that the Terminate includes are those of the Read Response (rping server)",
    requirements = {"RFC5040-5.2.2-08", "RFC5040-5.2-01", "RFC5040-4.8-10", "RFC5042-ATTACK-25"},
    run = function(dut)
      local c = common.started(dut, {rev = 2, ird = 1, ord = 1})
      step "send an unsolicited Read Response"
      c:fpdu{kind = "read_response", stag = common.unknown_stag, to = 0, data = text}
      local message = c:expect{{kind = "terminate", layer = any{0, 1}}}
      common.about(message, {t = true, opcode = 2, stag = common.unknown_stag, to = 0})
      c:expect{closed}
    end,
  },
  {
    id = "rping-server-027", title = "An rping advert one octet longer than the receive buffer is answered by a Terminate",
    requirements = {"RFC5040-5.3-04", "RFC5041-7.1-01", "RFC5041-7.2-01"},
    run = refuses_advert({data = ("x"):rep(17)}, common.too_long),
  },
  {
    id = "rping-server-028",
    title = "An rping advert whose second segment begins at the end of the receive buffer is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "RFC5041-7.2-01", "RFC5040-7.2-01"},
    run = function(dut)
      local c = greet(dut)
      c:fpdu{kind = "send", msn = 1, mo = 0, data = ("x"):rep(8), l = false}
      -- A gap is no error: DDP need not check that a message is complete (RFC 5041 5.2).
      step "send MO 16 instead of 8, at the end of the buffer"
      c:fpdu{kind = "send", msn = 1, mo = 16, data = ("x"):rep(7)}
      c:expect{common.outside_buffer}
      c:expect{closed}
    end,
  },
  {
    id = "rping-server-029", title = "A Terminate in place of the Read Response is accepted: the rping server closes without a Terminate",
    requirements = {"RFC5040-5.4-05", "RFC5041-3-13", "RFC5040-7-03"}, close = {"fin", "rst"},
    run = function(dut)
      local c = asked(dut)
      step "send a Terminate: the STag of the Read is invalid"
      c:terminate{layer = 0, etype = 1, code = 0}
      c:expect{closed}
    end,
  },
  {
    id = "rping-server-036", title = "A Write that ends one octet beyond the rping server's buffer is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5040-8.1.1-04"}, danger = {"memory"},
    run = protects(function(c, buffer)
      c:write{stag = buffer.stag, to = buffer.to + buffer.size - 7, data = "12345678"}
    end, terminate(1, 1, any{0, 1, 2})),
  },
  {
    id = "rping-server-037", title = "A Write that begins one octet before the rping server's buffer is answered by a Terminate",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5040-8.1.1-04"}, danger = {"memory"},
    run = protects(function(c, buffer)
      c:write{stag = buffer.stag, to = buffer.to - 1, data = "12345678"}
    end, terminate(1, 1, any{0, 1, 2})),
  },
  {
    id = "rping-server-038", title = "A Read of one octet more than the rping server's buffer holds is answered by a Terminate",
    requirements = {"RFC5040-7.2-12", "RFC5040-8.1.1-04"},
    run = protects(function(c, buffer)
      c:read{region = region{size = buffer.size + 1}, source_stag = buffer.stag, source_to = buffer.to}
    end, terminate(0, 1, any{0, 1, 2})),
  },
  {
    id = "rping-server-039", title = "A Write to the rping server's buffer of another connection is answered by a Terminate",
    requirements = {"RFC5040-8.1.1-02", "RFC5041-7.1-06"}, danger = {"memory"},
    -- rping has a protection domain for each connection.
    run = function(dut)
      local owner, buffer = revealed(dut)
      local c = common.started(dut, {rev = 2, ird = 1, ord = 1})
      step "use the STag of the other connection"
      c:write{stag = buffer.stag, to = buffer.to, data = "not mine"}
      c:expect{terminate(1, 1, any{0, 2})}
      c:expect{closed}
      step "the other connection stays open"
      common.alive(owner)
      finish(owner)
    end,
  },
  {
    id = "rping-server-040",
    title = "A Send that invalidates the rping server's buffer, or the Write to it that follows, is answered by a Terminate",
    requirements = {"RFC5040-5.3-12", "RFC5040-8.1.1-07"}, danger = {"memory"},
    run = function(dut)
      local c, buffer = revealed(dut)
      step "send an advert that invalidates the server's buffer, and a Write to the buffer, in one TCP segment"
      advertise(c, 0x51D3, 0xFFFFFFF1, {invalidate = buffer.stag, merge = true})
      c:write{stag = buffer.stag, to = buffer.to, data = "too late"}
      -- A device may have STags that cannot be invalidated.
      c:expect{terminate(1, 1, 0), terminate(0, any{1, 2}, 9), ignore = {"rdma_write", "send"}}
      c:expect{closed}
    end,
  },
  {
    id = "rping-server-043", title = "Immediate Data of 7 octets is answered by a Terminate by the rping server",
    requirements = {"RFC7306-6.3-07", "RFC7306-8.2-01"}, claims = {"rev-2", "immediate"},
    run = function(dut)
      local c = common.started(dut, {rev = 2, ird = 1, ord = 1})
      c:fpdu{kind = "immediate", header = ("x"):rep(7)}
      c:expect{terminate(0, 2, any{7, 8, 0xFF})}
      c:expect{closed}
    end,
  },
  {
    id = "rping-server-041", title = "A Read Response after a Write without L is accepted or answered by a Terminate",
    requirements = {"RFC5040-7.2-01", "RFC5041-5.4-01"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c, request = asked(dut)
      step "send a Write without L to the Data Sink, and then the response"
      c:fpdu{kind = "rdma_write", stag = request.sink_stag, to = request.sink_to, data = "unfinished", l = false}
      answer(c, request, 0, text)
      if c:expect{{kind = "send", msn = 1, size = 16}, {kind = "terminate", layer = any{0, 1}}}.kind == "send" then
        finish(c)
      else
        c:expect{closed}
      end
    end,
  },
})
