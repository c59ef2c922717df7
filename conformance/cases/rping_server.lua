-- The device as server of the unmodified rping of rdma-core: the suite is its client and names in adverts of 16 octets (TO,
-- STag, size) what to read and where to write. RFC 5040 5.1 to 5.3 and 7.2, RFC 5041 5 and 7.1.

local closed, terminate, finish = common.closed, common.terminate, common.finish
local size, text, with, by_hand = common.rping.size, common.rping.text, common.rping.with, common.rping.by_hand
local advertise, told, greet = common.rping.advertise, common.rping.told, common.rping.greet
local awaits_request, asked = common.rping.awaits_request, common.rping.asked
local answer, revealed = common.rping.answer, common.rping.revealed
local source_stag, source_to = common.rping.source_stag, common.rping.source_to

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

-- A text that fills a buffer of that size, up to its NUL.
local function long_text(octets) return text:sub(1, -2):rep(octets // 63 + 1):sub(1, octets - 1) .. "\0" end

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

return common.cases({tier = "rping", close = {"fin", "rst"}, claims = {"rev-2"}}, {
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
    id = "rping-server-005", title = "The rping server reads an advert's source only after both segments of the advert have arrived",
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
    id = "rping-server-007", title = "An rping advert in TCP segments of any length is accepted", segments = true,
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
    id = "rping-server-010", title = "A Read Response in TCP segments of any length is accepted", segments = true,
    requirements = {"RFC5044-5.1-05", "RFC5044-5.2-01"},
    run = takes_answer(function(c, request) answer(c, request, 0, text, {split = {1, 2, 11, 20, 44, 3}}) end),
  },
  {
    id = "rping-server-011", title = "The reserved bits of a Read Response are ignored (rping server)",
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
    id = "rping-server-015", title = "After a FIN in place of the Read Response the rping server closes without a Terminate",
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
    id = "rping-server-032", title = "An rping advert in two TCP segments with a pause between them is accepted", segments = true,
    requirements = {"RFC5044-6-04", "RFC5044-5.1-05"},
    run = takes_advert(function(c, octets)
      c:send{data = octets, split = {c.terms.markers_out and 9 or 5}, merge = true}
      c:expect{{kind = "silence"}, timeout = 0.2}
      step "send the rest"
      c:octets("")
    end),
  },
  {
    id = "rping-server-033", title = "A Read Response in two TCP segments with a pause between them is accepted", segments = true,
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
      local c = greet(dut, {crc = false})
      if not c.startup.c then
        finish(c)
        dut:not_applicable("the Reply has C=0 if the Request has")
      end
      local source = region{size = size, rights = "r"}
      advertise(c, source.stag, source.to)
      c:expect{{kind = "read_request", size = size, crc = "good"}}
      c:expect{{kind = "send", size = 16, crc = "good"}}
      finish(c)
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
  {
    id = "rping-server-044", title = "Immediate Data in place of an advert is delivered: no Terminate follows",
    requirements = {"RFC7306-6.3-03"}, claims = {"rev-2", "immediate"},
    run = function(dut)
      local c = common.started(dut, {rev = 2, ird = 1, ord = 1})
      step "send Immediate Data, for which rping has a receive buffer but no use"
      c:immediate{data = "8 octets"}
      if c:expect{closed, {kind = "silence"}, timeout = 1}.kind == "silence" then finish(c) end
    end,
  },
  {
    id = "rping-server-045", title = "The rping server writes a long source to the sink in several correct segments",
    requirements = {"RFC5041-5.2-07", "RFC5041-4.2-04", "RFC5041-4.2-08", "RFC5041-4.1-03"},
    run = function(dut)
      local c = greet(dut)
      local octets = long_text(dut.rping_size)
      local source, sink = region{size = #octets, rights = "r", fill = octets}, region{size = #octets, rights = "w"}
      step "the source"
      advertise(c, source.stag, source.to, {}, #octets)
      c:expect{{kind = "read_request", size = #octets}}
      told(c, 1)
      step "the sink"
      advertise(c, sink.stag, sink.to, {}, #octets)
      local write = c:expect{{kind = "rdma_write", stag = sink.stag, to = sink.to, size = #octets}}
      common.rping.in_segments(dut, c, write)
      told(c, 2)
      check(sink:get() == octets, "the sink has the content of the source")
      finish(c)
    end,
  },
  {
    id = "rping-server-046",
    title = "A Read Response of the size of the rping server's buffer, in segments of 1,000 octets, is accepted",
    requirements = {"RFC5041-5.2-04", "RFC5041-5.4-01", "RFC5041-8.3.1-04"},
    run = function(dut)
      local octets = long_text(dut.rping_size)
      local c, request = asked(dut, nil, #octets)
      step "send the response"
      common.rping.answer_in_segments(c, request, octets)
      told(c, 1)
      step "advertise a sink"
      advertise(c, 0x51D3, 0xFFFFFFF1, {}, #octets)
      local write = c:expect{{kind = "rdma_write", stag = 0x51D3, to = 0xFFFFFFF1, size = #octets}}
      check(write.data == octets, "the Write has the octets of the response")
      told(c, 2)
      finish(c)
    end,
  },
})
