-- The device as server of the unmodified rping of rdma-core: the suite is its client and names in adverts of 16 octets (TO,
-- STag, size) what to read and where to write. RFC 5040 5.1 to 5.3 and 7.2, RFC 5041 5 and 7.1.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish
local counting = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

local size = 64 -- octets of every buffer of rping, unless its user sets another size
local text = counting .. "\0"

local function with(fields, more)
  for name, value in pairs(more or {}) do fields[name] = value end
  return fields
end

local function advertise(c, stag, to, fields)
  c:send(with({data = string.pack(">I8I4I4", to, stag, size)}, fields))
end

-- The server's Sends after its Read and after its Write.
local function told(c, msn)
  c:expect{{kind = "send", qn = 0, msn = msn, mo = 0, l = true, size = 16}}
end

-- An rping server takes its depths from the Request, so they are above 0.
local function greet(dut, options)
  return dut:connect(with({rev = 2, ird = 1, ord = 1}, options))
end

-- The script sends all responses, and our side rejects nothing.
local by_hand = {auto = {responses = false, terminate = false}}
local source_stag, source_to = 0x5EED, 0x123456789

local function awaits_request(c)
  return c:expect{{kind = "read_request", qn = 1, msn = 1, mo = 0, l = true, size = size, source_stag = source_stag,
    source_to = source_to}}
end

-- The server has got the advert of a source and reads it. Gives connection and request.
local function asked(dut, options)
  local c = greet(dut, options or by_hand)
  step "advertise a source"
  advertise(c, source_stag, source_to)
  return c, awaits_request(c)
end

-- A response to the request, or a segment of one.
local function answer(c, request, offset, octets, fields)
  c:fpdu(with({kind = "read_response", stag = request.sink_stag, to = request.sink_to + offset, data = octets}, fields))
end

-- It has the text: it says so, and writes it to a sink.
local function goes_on(c)
  told(c, 1)
  step "advertise a sink"
  advertise(c, 0x51D3, 0xFFFFFFF1)
  c:expect{{kind = "rdma_write", stag = 0x51D3, to = 0xFFFFFFF1, l = true, data = text}}
  told(c, 2)
  finish(c)
end

-- Pings with these texts, from this source to this sink.
local function pings(dut, options, texts, at)
  local c = greet(dut, options)
  local source = region(with({size = size, rights = "r"}, at and at.source))
  local sink = region(with({size = size, rights = "w"}, at and at.sink))
  for i, octets in ipairs(texts) do
    source:set(0, octets)
    step("ping " .. i .. ": the source")
    advertise(c, source.stag, source.to)
    c:expect{{kind = "read_request", qn = 1, msn = i, mo = 0, size = size, source_stag = source.stag, source_to = source.to}}
    told(c, 2 * i - 1)
    step("ping " .. i .. ": the sink")
    advertise(c, sink.stag, sink.to)
    c:expect{{kind = "rdma_write", stag = sink.stag, to = sink.to, data = octets}}
    told(c, 2 * i)
    check(sink:get(0, #octets) == octets, "the sink has the content of the source")
  end
  finish(c)
end

local function takes_advert(send)
  return function(dut)
    local c = greet(dut, by_hand)
    step "advertise a source"
    send(c, string.pack(">I8I4I4", source_to, source_stag, size))
    answer(c, awaits_request(c), 0, text)
    goes_on(c)
  end
end

-- A valid response, in any segments.
local function takes_answer(give)
  return function(dut)
    local c, request = asked(dut)
    step "send the response"
    give(c, request)
    goes_on(c)
  end
end

-- A wrong response is rejected: the server does not go on.
local function refuses_answer(offset, octets, fields, ...)
  local answers = {...}
  return function(dut)
    local c, request = asked(dut)
    step "send the wrong response"
    answer(c, request, offset, octets, fields)
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
    step "send a wrong Send"
    advertise(c, source_stag, source_to, fields)
    c:expect{answer_to_it}
    c:expect{closed}
  end
end

-- The server has read its first source: its buffer, at the Data Sink of its Read, is known. The next advert is due.
local function revealed(dut)
  local c, request = asked(dut)
  answer(c, request, 0, text)
  told(c, 1)
  return c, {stag = request.sink_stag, to = request.sink_to}
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

local served = {
  {
    id = "rping-server-001",
    title = "The rping server reads the advertised source, sends a Send, writes to the advertised sink, and sends a Send",
    requirements = {"RFC5040-5.2.1-01", "RFC5040-5.2.1-05", "RFC5040-5.1-01", "RFC5040-5.3-01", "RFC5040-5.3-07",
      "RFC5041-4.3-09"},
    run = function(dut) pings(dut, {}, {text}) end,
  },
  {
    id = "rping-server-002", title = "During three pings the rping server's MSNs grow by one with each message of a queue",
    requirements = {"RFC5041-4.3-08", "RFC5040-5.3-05"},
    run = function(dut) pings(dut, {}, {text, "second\0", "third\0"}) end,
  },
  {
    id = "rping-server-003",
    title = "The rping server reads from STag FFFFFFFEh near TO 2^64 and writes to STag 80000001h across TO 2^32",
    requirements = {"RFC5040-4.4-04", "RFC5040-5.1-03", "RFC5041-5.2-07"},
    run = function(dut)
      pings(dut, {}, {text}, {source = {stag = 0xFFFFFFFE, to = -72}, sink = {stag = 0x80000001, to = 0xFFFFFFE1}})
    end,
  },
  {
    id = "rping-server-004", title = "The rping server's Writes of 1 to 5 octets have the right PAD",
    requirements = {"RFC5044-4.1-01", "RFC5044-4.1-02", "RFC5044-4.4-11", "RFC5040-5.1-04"},
    run = function(dut) pings(dut, {}, {"\0", "1\0", "12\0", "123\0", "1234\0"}) end,
  },
  {
    id = "rping-server-005", title = "An rping advert in two segments is delivered once both have arrived",
    requirements = {"RFC5041-5.2-04", "RFC5041-5.4-01", "RFC5041-4.1-06"},
    run = takes_advert(function(c, octets)
      c:fpdu{kind = "send", msn = 1, mo = 0, data = octets:sub(1, 9), l = false}
      c:expect{{kind = "silence"}, timeout = 0.2}
      c:fpdu{kind = "send", msn = 1, mo = 9, data = octets:sub(10)}
    end),
  },
  {
    id = "rping-server-006", title = "An rping advert with Solicited Event is accepted",
    requirements = {"RFC5040-7.2-02", "RFC5040-5.3-02"},
    run = takes_advert(function(c, octets) c:send{data = octets, se = true} end),
  },
  {
    id = "rping-server-007", title = "An rping advert in TCP segments of any length is accepted",
    requirements = {"RFC5044-5.1-05", "RFC5044-5.2-01"},
    run = takes_advert(function(c, octets) c:send{data = octets, split = {1, 1, 1, 16, 5, 13, 2}} end),
  },
  {
    id = "rping-server-008", title = "The reserved bits and the Invalidate STag field of an rping advert are ignored",
    requirements = {"RFC5041-4.1-07", "RFC5040-4.1-09", "RFC5040-4.1-10"},
    run = takes_advert(function(c, octets) c:send{data = octets, rsvd = 15, rsv = 3, invalidate_stag = 0x1234} end),
  },
  {
    id = "rping-server-009", title = "A Read Response in segments of 1, 30 and 33 octets is accepted",
    requirements = {"RFC5041-5.2-04", "RFC5041-5.4-01"},
    run = takes_answer(function(c, request)
      answer(c, request, 0, text:sub(1, 1), {l = false})
      answer(c, request, 1, text:sub(2, 31), {l = false})
      answer(c, request, 31, text:sub(32))
    end),
  },
  {
    id = "rping-server-010", title = "A Read Response in TCP segments of any length is accepted",
    requirements = {"RFC5044-5.1-05", "RFC5044-5.2-01"},
    run = takes_answer(function(c, request) answer(c, request, 0, text, {split = {1, 2, 11, 20, 44, 3}}) end),
  },
  {
    id = "rping-server-011", title = "The reserved bits of a Read Response are ignored",
    requirements = {"RFC5041-4.1-07", "RFC5040-4.1-09"},
    run = takes_answer(function(c, request) answer(c, request, 0, text, {rsvd = 15, rsv = 3}) end),
  },
  {
    id = "rping-server-012", title = "While its own Read is outstanding the rping server answers a Read of no octets",
    requirements = {"RFC5040-5.2.1-14", "RFC5040-5.2.1-03"},
    run = takes_answer(function(c, request)
      common.alive(c)
      answer(c, request, 0, text)
    end),
  },
  {
    id = "rping-server-013", title = "Without CRC checks the rping server completes a ping", claims = {"no-crc", "rev-2"},
    requirements = {"RFC5044-4.4-08", "RFC5044-4.4-10"},
    run = function(dut) pings(dut, {crc = false}, {text}) end,
  },
  {
    id = "rping-server-014",
    title = "After M=1 in the Request the rping server sends Markers", claims = {"markers", "rev-2"},
    requirements = {"RFC5044-4.3-01", "RFC5044-4.3-02"},
    run = function(dut) pings(dut, {markers = true}, {text, text, text, text, text}) end,
  },
  {
    id = "rping-server-015", title = "A FIN in place of the Read Response is answered by FIN",
    requirements = {"RFC5041-6.2.1-05", "RFC5041-6.2.1-06"},
    run = function(dut)
      local c = asked(dut)
      step "FIN"
      c:close{now = true}
      c:expect{closed}
    end,
  },
  {
    id = "rping-server-030",
    title = "A Write to the rping server's buffer is placed and can be read, unless its rights forbid that",
    requirements = {"RFC5041-5.2-04", "RFC5041-7.1-06", "RFC5040-5.5-13"},
    close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c, buffer = revealed(dut)
      local mine = region{size = size}
      step "fill the server's buffer, whose STag its Read has named, and read it"
      c:write{stag = buffer.stag, to = buffer.to, data = text:reverse(), merge = true}
      c:read{region = mine, source_stag = buffer.stag, source_to = buffer.to}
      -- The ULP may have granted the rights for its own Read alone.
      local response = {kind = "read_response", stag = mine.stag, size = size}
      local event = c:expect{response, terminate(1, 1, any{0, 2}), terminate(0, 1, any{0, 2})}
      if event.kind == "terminate" then
        c:expect{closed}
        return
      end
      check(event.data == text:reverse(), "the Read returns the octets of the Write")
      finish(c)
    end,
  },
  {
    id = "rping-server-031", title = "PAD octets of FFh in a Read Response are ignored",
    requirements = {"RFC5044-4.1-02"},
    run = takes_answer(function(c, request)
      answer(c, request, 0, text:sub(1, 1), {l = false, pad_value = 0xFF})
      answer(c, request, 1, text:sub(2, 31), {l = false, pad_value = 0xFF})
      answer(c, request, 31, text:sub(32), {pad_value = 0xFF})
    end),
  },
  {
    id = "rping-server-032", title = "An rping advert in two TCP segments with a pause between them is accepted",
    requirements = {"RFC5044-6-04", "RFC5044-5.1-05"},
    run = takes_advert(function(c, octets)
      c:send{data = octets, split = {c.terms.markers_out and 9 or 5}, merge = true}
      c:expect{{kind = "silence"}, timeout = 0.2}
      step "send the rest"
      c:octets("")
    end),
  },
  {
    id = "rping-server-033", title = "A Read Response in two TCP segments with a pause between them is accepted",
    requirements = {"RFC5044-6-04", "RFC5044-5.1-05"},
    run = takes_answer(function(c, request)
      answer(c, request, 0, text, {split = {40}, merge = true})
      c:expect{{kind = "silence"}, timeout = 0.2}
      step "send the rest"
      c:octets("")
    end),
  },
  {
    id = "rping-server-034", title = "If the Request has C=0 and the Reply C=1, the rping server's FPDUs have right CRCs",
    requirements = {"RFC5044-7.1.1-08", "RFC5044-4.4-11"},
    run = function(dut)
      -- The monitor judges the CRCs; the Reply decides whether there are any.
      pings(dut, {crc = false}, {text})
    end,
  },
  {
    id = "rping-server-035", title = "The STags of the rping server's buffers on eight connections do not grow by a constant",
    requirements = {"RFC5040-8.1.1-09"},
    run = function(dut)
      local row, last, step_of_row = true, nil, nil
      for i = 1, 8 do
        step("connection " .. i)
        local c, buffer = revealed(dut)
        -- The ULP may choose the last eight bits of an STag.
        local distance = last and ((buffer.stag >> 8) - last) % (1 << 24)
        row = row and (step_of_row == nil or distance == step_of_row)
        step_of_row, last = distance, buffer.stag >> 8
        finish(c)
      end
      -- A device may give a new buffer the STag of one that is deregistered.
      check(not row or step_of_row == 0, "the STags are hard to guess")
    end,
  },
  {
    id = "rping-server-042", title = "If the Request has C=0, the rping server checks CRCs exactly if its Reply has C=1",
    requirements = {"RFC5044-7.1.1-08", "RFC5044-7.1.1-09", "RFC5044-4.4-13"}, claims = {"rev-2", "crc-reports"},
    close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local options = {crc = false, auto = by_hand.auto}
      local c, request = asked(dut, options)
      step("send a Read Response with a wrong CRC; C of the Reply is " .. (c.startup.c and 1 or 0))
      answer(c, request, 0, text, {crc = 0xDEADBEEF})
      if c.startup.c then
        c:expect{terminate(2, 0, 2)}
        c:expect{closed}
      else
        goes_on(c)
      end
    end,
  },
}

local unserved = {
  {
    id = "rping-server-016",
    title = "A Read Response with a wrong CRC is rejected; the rping server sends no further message",
    claims = {"rev-2", "crc-reports"},
    requirements = {"RFC5044-4.4-14", "RFC5040-7.1-02", "RFC5040-6.2.1-01"},
    run = refuses_answer(0, text, {crc_flip = 0x100}, terminate(2, 0, 2)),
  },
  {
    id = "rping-server-017", title = "A Read Response to an unknown STag is rejected",
    requirements = {"RFC5041-7.1-06", "RFC5041-4.2-05", "RFC5041-7.2-01"},
    danger = {"memory"},
    run = refuses_answer(0, text, {stag = common.unknown_stag}, refusal(1, any{0, 2})),
  },
  {
    id = "rping-server-018", title = "A Read Response that ends one octet beyond the end of the Data Sink is rejected",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5041-7.2-01"},
    danger = {"memory"},
    run = refuses_answer(1, text, {}, refusal(1, 1)),
  },
  {
    id = "rping-server-019", title = "A Read Response that begins one octet before the Data Sink is rejected",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5041-7.2-01"},
    danger = {"memory"},
    run = refuses_answer(-1, text, {}, refusal(1, 1)),
  },
  {
    id = "rping-server-020", title = "A Read Response one octet longer than requested is rejected",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5041-7.2-01"},
    danger = {"memory"},
    run = refuses_answer(0, text .. "!", {}, refusal(1, 1)),
  },
  {
    id = "rping-server-021", title = "A Read Response that reaches beyond TO 2^64 is rejected",
    requirements = {"RFC5041-7.1-06", "RFC5041-7.2-01"},
    danger = {"memory"},
    run = refuses_answer(0, text, {to = -8}, refusal(1, any{1, 3})),
  },
  {
    id = "rping-server-022", title = "A Read Response with DDP version 2 is rejected",
    requirements = {"RFC5041-4.1-08", "RFC5040-7.2-01", "RFC5041-7.2-01"},
    run = refuses_answer(0, text, {dv = 2}, terminate(1, 1, 4)),
  },
  {
    id = "rping-server-023", title = "A Read Response with RDMAP version 3 is rejected",
    requirements = {"RFC5040-4.1-08", "RFC5040-7.2-03"},
    run = refuses_answer(0, text, {rv = 3}, terminate(0, 2, 5)),
  },
  {
    id = "rping-server-024", title = "A Read Response truncated by one octet is accepted or rejected",
    requirements = {"RFC5040-5.2.2-06"},
    run = function(dut)
      local c, request = asked(dut)
      step "send 63 octets with L"
      answer(c, request, 0, "short\0" .. counting:sub(7))
      local _, which = c:expect{{kind = "send", msn = 1, size = 16}, {kind = "terminate", layer = any{0, 1}}}
      if which == 1 then finish(c) else c:expect{closed} end
    end,
  },
  {
    id = "rping-server-025", title = "A second Read Response to one Read is rejected",
    requirements = {"RFC5040-5.2.2-08", "RFC5040-5.2-01"},
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
    id = "rping-server-026", title = "An unsolicited Read Response is rejected",
    requirements = {"RFC5040-5.2.2-08", "RFC5040-5.2-01"},
    run = function(dut)
      local c = common.started(dut, {rev = 2, ird = 1, ord = 1})
      step "send an unsolicited Read Response"
      c:fpdu{kind = "read_response", stag = common.unknown_stag, to = 0, data = text}
      c:expect{{kind = "terminate", layer = any{0, 1}}}
      c:expect{closed}
    end,
  },
  {
    id = "rping-server-027", title = "An rping advert one octet longer than the receive buffer is rejected",
    requirements = {"RFC5040-5.3-04", "RFC5041-7.1-01", "RFC5041-7.2-01"},
    run = refuses_advert({data = ("x"):rep(17)}, terminate(1, 2, any{2, 5})),
  },
  {
    id = "rping-server-028",
    title = "An rping advert whose second segment begins at the end of the receive buffer is rejected",
    requirements = {"RFC5041-7.1-01", "RFC5041-7.2-01", "RFC5040-7.2-01"},
    run = function(dut)
      local c = greet(dut)
      c:fpdu{kind = "send", msn = 1, mo = 0, data = ("x"):rep(8), l = false}
      -- A gap is no error: DDP need not check that a message is complete (RFC 5041 5.2).
      step "send MO 16 instead of 8, at the end of the buffer"
      c:fpdu{kind = "send", msn = 1, mo = 16, data = ("x"):rep(7)}
      c:expect{terminate(1, 2, any{2, 4, 5})}
      c:expect{closed}
    end,
  },
  {
    id = "rping-server-029", title = "A Terminate in place of the Read Response ends the rping server's connection",
    requirements = {"RFC5040-5.4-05", "RFC5041-3-13", "RFC5040-7-03"}, close = {"fin", "rst"},
    run = function(dut)
      local c = asked(dut)
      step "send a Terminate: the STag of the Read is invalid"
      c:terminate{layer = 0, etype = 1, code = 0}
      c:expect{closed}
    end,
  },
}

table.move({
  {
    id = "rping-server-036", title = "A Write that ends one octet beyond the rping server's buffer is rejected",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5040-8.1.1-04"}, danger = {"memory"},
    run = protects(function(c, buffer)
      c:write{stag = buffer.stag, to = buffer.to + size - 7, data = "12345678"}
    end, terminate(1, 1, any{0, 1, 2})),
  },
  {
    id = "rping-server-037", title = "A Write that begins one octet before the rping server's buffer is rejected",
    requirements = {"RFC5041-7.1-06", "RFC5041-8.3.1-04", "RFC5040-8.1.1-04"}, danger = {"memory"},
    run = protects(function(c, buffer)
      c:write{stag = buffer.stag, to = buffer.to - 1, data = "12345678"}
    end, terminate(1, 1, any{0, 1, 2})),
  },
  {
    id = "rping-server-038", title = "A Read of one octet more than the rping server's buffer holds is rejected",
    requirements = {"RFC5040-7.2-12", "RFC5040-8.1.1-04"},
    run = protects(function(c, buffer)
      c:read{region = region{size = size + 1}, source_stag = buffer.stag, source_to = buffer.to}
    end, terminate(0, 1, any{0, 1, 2})),
  },
  {
    id = "rping-server-039", title = "A Write to the rping server's buffer of another connection is rejected",
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
    title = "A Send with Invalidate of the rping server's buffer invalidates it: the Write after it is rejected",
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
    id = "rping-server-041", title = "A Read Response after a Write without L is accepted or rejected",
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
}, 1, 6, #unserved + 1, unserved)

local list = common.cases({tier = "rping", close = {"fin", "rst"}, claims = {"rev-2"}}, served)
local rest = common.cases({tier = "rping", close = both, claims = {"rev-2"}, danger = {"connection"}}, unserved)
return table.move(rest, 1, #rest, #list + 1, list)
