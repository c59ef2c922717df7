-- The device as client of the unmodified rping of rdma-core: its adverts of 16 octets (TO, STag, size) name a source for the
-- suite to read and a sink to write. RFC 5040 5.1 to 5.3 and 7.2, RFC 5041 5 and 7.1.

local closed, terminate, finish = common.closed, common.terminate, common.finish
local counting = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

local size, meet, meet_sink, fetch = common.rping.size, common.rping.meet, common.rping.meet_sink, common.rping.fetch
local next_advert, go_ahead = common.rping.next_advert, common.rping.go_ahead
local text = counting .. "\0"

local function whole_ping(dut, options)
  local c, source = meet(dut, options)
  step "read the source"
  local octets = fetch(c, source, 0, source.size)
  check(octets:sub(1, 13) == "rdma-ping-0: " and octets:sub(-1) == "\0", "it is the text of rping's first ping")
  go_ahead(c)
  local sink = next_advert(c, 2)
  step "write to the sink"
  c:write{stag = sink.stag, to = sink.to, data = octets}
  go_ahead(c)
  step "the ping is over: a client with -C 1 closes, another begins the next ping"
  c:expect{closed, {kind = "send", qn = 0, msn = 3, mo = 0, l = true, size = 16}}
  c:close()
  c:expect{closed, {kind = "silence"}}
end

-- These writes of {offset, octets} to the sink change those octets and no others.
local function places(give)
  return function(dut)
    local c, sink = meet_sink(dut)
    step "fill the sink"
    c:write{stag = sink.stag, to = sink.to, data = ("."):rep(size)}
    c:sent()
    step "write"
    local expected = give(c, sink)
    step "read it back"
    check(fetch(c, sink, 0, size) == expected, "the octets are in their places, and no others have changed")
    finish(c)
  end
end

local advert = {kind = "send", qn = 0, msn = 1, mo = 0, l = true, size = 16}

-- A client with an enhanced Request. The script plays the peer from there.
local function enhanced_request(dut)
  local c = dut:accept_tcp{}
  local request = c:expect{{kind = "request"}}
  if not request.enhanced then
    c:reset()
    dut:not_applicable("the Request of the rping client has no enhanced data")
  end
  return c, request
end

-- An enhanced Reply with these fields is accepted: the client sends its advert.
local function takes_reply(fields)
  return function(dut)
    local c, request = enhanced_request(dut)
    step "answer"
    local reply = {enhanced = true, ird = math.max(request.ord, 1), ord = request.ird}
    for name, value in pairs(fields) do reply[name] = value end
    if fields.a == nil and request.a then
      c:reset()
      dut:not_applicable("the Request of the rping client has A=1")
    end
    c:reply(reply)
    c:full()
    c:expect{advert}
    finish(c)
  end
end

-- The text of rping's first ping: after its number the characters from A to z, over and over, and a NUL.
local function first_text(octets)
  local letters = {}
  for letter = 65, 122 do letters[#letters + 1] = string.char(letter) end
  local ring = table.concat(letters)
  return ("rdma-ping-0: " .. ring:rep(octets // #ring + 1)):sub(1, octets - 1) .. "\0"
end

local function takes_go_ahead(give)
  return function(dut)
    local c = meet(dut)
    step "go ahead"
    give(c, ("\0"):rep(16))
    next_advert(c, 2)
    finish(c)
  end
end

return common.cases({tier = "rping", role = "initiator", close = {"fin", "rst"}}, {
  {
    id = "rping-client-001",
    title = "After a Read of its source buffer and a Write to its sink buffer, the rping client begins the next ping or closes",
    requirements = {"RFC5040-5.2.1-10", "RFC5040-5.3-01", "RFC5040-5.3-07", "RFC5041-4.3-09", "RFC5041-4.3-08"},
    run = function(dut) whole_ping(dut) end,
  },
  {
    id = "rping-client-002",
    title = "Reads of parts of the rping client's source buffer are answered with those octets",
    requirements = {"RFC5040-5.2.1-09", "RFC5040-5.2.1-10", "RFC5040-4.4-05"},
    run = function(dut)
      local c, source = meet(dut)
      local whole = fetch(c, source, 0, size)
      step "read parts"
      for _, part in ipairs{{63, 1}, {0, 1}, {1, 2}, {3, 5}, {31, 33}, {7, 50}} do
        check(fetch(c, source, part[1], part[2]) == whole:sub(part[1] + 1, part[1] + part[2]), "the part matches the whole")
      end
      finish(c)
    end,
  },
  {
    id = "rping-client-003", title = "The Data Source of Reads of no octets is ignored",
    requirements = {"RFC5040-5.2.1-13", "RFC5040-5.2.1-14"},
    run = function(dut)
      local c, source = meet(dut)
      step "read no octets: of the source, after it, from STag 0"
      for i, at in ipairs{{source.stag, source.to}, {source.stag, source.to + source.size + 1}, {common.unknown_stag, -1}, {0, 0}} do
        c:read{sink_stag = i, sink_to = 7, size = 0, source_stag = at[1], source_to = at[2]}
        c:expect{{kind = "read_response", stag = i, to = 7, size = 0}}
      end
      finish(c)
    end,
  },
  {
    id = "rping-client-004", title = "A Write of 64 octets to the rping client's sink buffer is placed",
    requirements = {"RFC5041-5.2-04", "RFC5041-8.3.1-04", "RFC5040-5.5-13"},
    run = places(function(c, sink)
      c:write{stag = sink.stag, to = sink.to, data = text}
      return text
    end),
  },
  {
    id = "rping-client-005", title = "Writes of 1 to 5 octets at odd offsets of the rping client's sink buffer change only those octets",
    requirements = {"RFC5041-5.2-04", "RFC5040-5.1-04"},
    run = places(function(c, sink)
      for octets, offset in pairs{["1"] = 63, ["22"] = 1, ["333"] = 5, ["4444"] = 11, ["55555"] = 27} do
        c:write{stag = sink.stag, to = sink.to + offset, data = octets}
      end
      return ".22..333...4444............55555" .. ("."):rep(31) .. "1"
    end),
  },
  {
    id = "rping-client-006", title = "The segments of a Write, of 1, 30 and 10 octets, are placed at their TOs",
    requirements = {"RFC5041-5.2-04"},
    run = places(function(c, sink)
      for _, part in ipairs{{0, 1}, {1, 30}, {31, 10}} do
        c:fpdu{kind = "rdma_write", stag = sink.stag, to = sink.to + 7 + part[1], l = part[1] == 31,
          data = counting:sub(part[1] + 1, part[1] + part[2])}
      end
      return "......." .. counting:sub(1, 41) .. ("."):rep(16)
    end),
  },
  {
    id = "rping-client-007", title = "The STag and TO of Writes of no octets are ignored",
    requirements = {"RFC5041-5.2-10", "RFC5040-5.1-08"},
    run = places(function(c, sink)
      c:write{stag = common.unknown_stag, to = -1, data = ""}
      c:write{stag = sink.stag, to = sink.to + sink.size + 1, data = ""}
      return ("."):rep(size)
    end),
  },
  {
    id = "rping-client-008", title = "A Write in TCP segments of any length is placed", segments = true,
    requirements = {"RFC5044-5.1-05", "RFC5044-5.2-01", "RFC5041-5.2-04"},
    run = places(function(c, sink)
      c:write{stag = sink.stag, to = sink.to, data = text, split = {1, 2, 11, 20, 44, 3}}
      return text
    end),
  },
  {
    id = "rping-client-009", title = "A Send in two segments is delivered once both have arrived",
    requirements = {"RFC5041-5.2-04", "RFC5041-5.4-01", "RFC5041-4.1-06"},
    run = takes_go_ahead(function(c, octets)
      c:fpdu{kind = "send", msn = 1, mo = 0, data = octets:sub(1, 9), l = false}
      c:expect{{kind = "silence"}, timeout = 0.2}
      c:fpdu{kind = "send", msn = 1, mo = 9, data = octets:sub(10)}
    end),
  },
  {
    id = "rping-client-010", title = "The reserved bits and the Invalidate STag field of a Send are ignored",
    requirements = {"RFC5041-4.1-07", "RFC5040-4.1-09", "RFC5040-4.1-10"},
    run = takes_go_ahead(function(c, octets) c:send{data = octets, rsvd = 15, rsv = 3, invalidate_stag = 0x1234} end),
  },
  {
    id = "rping-client-011", title = "A Reply with private data is accepted",
    requirements = {"RFC5044-7.1.2-14", "RFC5044-7.1.2-22"},
    run = function(dut) whole_ping(dut, {private_data = "hello"}) end,
  },
  {
    id = "rping-client-012", title = "A Reply in TCP segments of any length is accepted", segments = true,
    requirements = {"RFC5044-7.1.2-14", "RFC5044-7.1.2-11"},
    run = function(dut) whole_ping(dut, {private_data = "hello", startup = {split = {1, 15, 2, 2, 1}}}) end,
  },
  {
    id = "rping-client-013", title = "Without CRC checks the rping client completes its ping", claims = {"no-crc"},
    requirements = {"RFC5044-4.4-08", "RFC5044-4.4-10"},
    run = function(dut) whole_ping(dut, {crc = false}) end,
  },
  {
    id = "rping-client-014", title = "After M=1 in the Reply the rping client sends Markers", claims = {"markers"},
    requirements = {"RFC5044-4.3-01", "RFC5044-4.3-02"},
    run = function(dut)
      local c, source = meet(dut, {markers = true})
      step "read until a Marker is due"
      for _ = 1, 8 do fetch(c, source, 0, size) end
      finish(c)
    end,
  },
  {
    id = "rping-client-032", title = "PAD octets of FFh in Writes are ignored",
    requirements = {"RFC5044-4.1-02"},
    run = places(function(c, sink)
      for octets = 1, 3 do -- with 3, 2 and 1 octets of PAD
        c:write{stag = sink.stag, to = sink.to + octets, data = counting:sub(1, octets), pad_value = 0xFF}
      end
      return ".00012" .. ("."):rep(58)
    end),
  },
  {
    id = "rping-client-033", title = "A Reply in two TCP segments with a pause between them is accepted", segments = true,
    requirements = {"RFC5044-7.1.2-14", "RFC5044-7.1.2-11"},
    run = function(dut)
      for _, octets in ipairs{1, 16, 19, 20, 23} do
        local c = dut:accept_tcp{}
        c:expect{{kind = "request"}}
        step("send the first " .. octets .. " octets of a Reply, and the rest after a pause")
        c:reply{private_data = "1234", split = {octets}, merge = true}
        pause(0.1)
        c:octets("")
        c:full()
        next_advert(c, 1)
        finish(c)
      end
    end,
  },
  {
    id = "rping-client-034", title = "Read Requests in two TCP segments with a pause between them are answered", segments = true,
    requirements = {"RFC5044-6-04", "RFC5044-5.1-05"},
    run = function(dut)
      local c = meet(dut)
      for _, octets in ipairs{1, 2, 3, 16, 20, 47, 48, 50, 51} do
        common.read_with_pause(c, octets)
      end
      finish(c)
    end,
  },
  {
    id = "rping-client-035",
    title = "If the Request has C=1 and the Reply C=0, the rping client's FPDUs have right CRCs",
    requirements = {"RFC5044-7.1.1-08", "RFC5044-4.4-11"},
    run = function(dut)
      local c, source = meet(dut, {crc = false})
      if not c.startup.c then
        finish(c)
        dut:not_applicable("the Request of the rping client has C=0")
      end
      local _, response = fetch(c, source, 0, 8)
      check(response.crc == "good", "the CRC is right")
      finish(c)
    end,
  },
  {
    id = "rping-client-036", title = "After C=0 in the Reply the rping client checks CRCs exactly if its Request had C=1",
    requirements = {"RFC5044-7.1.1-08", "RFC5044-7.1.1-09", "RFC5044-4.4-13"}, claims = {"crc-reports"},
    close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c, source = meet(dut, {crc = false})
      step("send a Read with a wrong CRC; C of the Request is " .. (c.startup.c and 1 or 0))
      c:read{region = region{size = 8}, source_stag = source.stag, source_to = source.to, crc = 0xDEADBEEF}
      if c.startup.c then
        c:expect{terminate(2, 0, 2)}
        c:expect{closed}
      else
        c:expect{{kind = "read_response", size = 8}}
        finish(c)
      end
    end,
  },
  {
    id = "rping-client-037", title = "If the rping client asks for Markers, reserved bits in the first Marker are ignored",
    requirements = {"RFC5044-4.2-02", "RFC5044-4.2-04", "RFC5044-4.3-10"},
    run = function(dut)
      local c, source = meet(dut)
      if not c.startup.m then
        finish(c)
        dut:not_applicable("the device does not ask for Markers")
      end
      local sink = region{size = 8}
      step "send Reads, reserved bits set in the first Marker"
      for i = 1, 30 do
        -- The first FPDU has a Marker directly before it, later ones every 512 octets.
        local first = i == 1
        c:read{region = sink, source_stag = source.stag, source_to = source.to, marker_reserved = first and 0xFFFF or nil,
          fpduptr_shift = first and 3 or nil}
        c:expect{{kind = "read_response", size = 8}}
      end
      finish(c)
    end,
  },
  {
    id = "rping-client-038", title = "A Reply with S=0 to an enhanced Request is accepted, or ends the connection",
    requirements = {"RFC6581-10-05"},
    close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c, request = enhanced_request(dut)
      step "answer with S=0"
      c:reply{rev = 1, enhanced = false, s = false}
      c:full{revision = 1, markers_out = request.m}
      -- RFC 6581 10 has a responder answer S=1 by S=1, and leaves open what an initiator does if it does not.
      if c:expect{advert, closed, {kind = "terminate", layer = 2}}.kind == "send" then
        finish(c)
      else
        c:expect{closed, {kind = "silence"}}
      end
    end,
  },
  {
    id = "rping-client-053",
    title = "A Reply with an ORD above the IRD of an enhanced Request is accepted, or answered by Terminate 2/0/06",
    requirements = {"RFC6581-9.1-08", "RFC6581-9.1-09"},
    close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c, request = enhanced_request(dut)
      step "answer with an ORD one above the IRD"
      c:reply{enhanced = true, ird = 4, ord = request.ird + 1}
      c:full()
      if c:expect{advert, terminate(2, 0, 6)}.kind == "send" then finish(c) else c:expect{closed} end
    end,
  },
  {
    id = "rping-client-055",
    title = "After a Reply with R=1 to an enhanced Request the rping client sends neither an FPDU nor a Terminate",
    requirements = {"RFC5044-7.1.2-13", "RFC6581-9.2-09"}, close = {"fin", "rst", "open"},
    run = function(dut)
      local c, request = enhanced_request(dut)
      step "reject the Request"
      c:reply{enhanced = true, r = true, ird = request.ord, ord = request.ird}
      c:full{enhanced = true, revision = 2, markers_out = request.m} -- as if it were accepted: the script sees FPDUs
      c:expect{closed, {kind = "silence"}, timeout = 0.3}
    end,
  },
  {
    id = "rping-client-056", title = "With A=0 the bits B, C and D of a Reply are ignored (rping client)",
    requirements = {"RFC6581-9.2-15"},
    run = takes_reply{a = false, b = true, rtr_c = true, rtr_d = true},
  },
  {
    id = "rping-client-057", title = "Res bits that are set in an enhanced Reply are ignored (rping client)",
    requirements = {"RFC6581-6-02"},
    run = takes_reply{res = 0xF},
  },
  {
    id = "rping-client-058", title = "A Reply with S=1 that is too short for the enhanced data ends the connection (rping client)",
    requirements = {"RFC5044-7.1.2-12", "RFC6581-6-06"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c = enhanced_request(dut)
      step "answer with two octets of private data"
      c:reply{rev = 2, enhanced = false, s = true, private_data = "xy"}
      -- A Terminate is neither owed nor forbidden, as in mpa-initiator-049.
      if c:expect{closed, terminate(2, 0, any{4, 5}), timeout = 15}.kind == "terminate" then c:expect{closed} end
    end,
  },
  {
    id = "rping-client-059", title = "A Reply with ORD 3FFFh, which leaves the ORD to the ULPs, is accepted (rping client)",
    requirements = {"RFC6581-9.1-08", "RFC6581-9.1-14"},
    run = takes_reply{ird = 4, ord = 0x3FFF},
  },
  {
    id = "rping-client-060",
    title = "A Reply with IRD 0 and ORD 0 is accepted, or answered by Terminate 2/0/06 if the rping client needs Reads",
    requirements = {"RFC6581-9.1-08", "RFC6581-9.1-09"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c, request = enhanced_request(dut)
      step "answer"
      c:reply{enhanced = true, ird = 0, ord = 0}
      c:full()
      if c:expect{advert, request.ord > 0 and terminate(2, 0, 6) or nil}.kind == "send" then finish(c) else c:expect{closed} end
    end,
  },
  {
    id = "rping-client-054", title = "Immediate Data in place of the answer to the advert is delivered: no Terminate follows",
    requirements = {"RFC7306-6.3-03"}, claims = {"immediate"},
    run = function(dut)
      local c = meet(dut)
      step "send Immediate Data, for which rping has a receive buffer but no use"
      c:immediate{data = "8 octets"}
      if c:expect{closed, {kind = "silence"}, timeout = 1}.kind == "silence" then finish(c) end
    end,
  },
  {
    id = "rping-client-061", title = "A Read of the rping client's whole source is answered in several correct segments",
    requirements = {"RFC5041-5.2-07", "RFC5041-4.2-04", "RFC5041-4.2-08", "RFC5041-4.1-03"},
    run = function(dut)
      local c, source = meet(dut)
      step "read the source"
      local octets, response = fetch(c, source, 0, source.size)
      common.rping.in_segments(dut, c, response)
      check(octets == first_text(source.size), "the octets are those of rping's first ping")
      finish(c)
    end,
  },
  {
    id = "rping-client-062", title = "Reads that begin and end within segments of other Reads are answered with those octets",
    requirements = {"RFC5040-5.2.1-10", "RFC5041-5.2-07"},
    run = function(dut)
      local c, source = meet(dut)
      local whole, response = fetch(c, source, 0, source.size)
      common.rping.in_segments(dut, c, response)
      local n = source.size
      for _, part in ipairs{{1, n - 1}, {n // 3, n // 3}, {n // 2 - 1, n // 2}, {n - 3, 3}} do
        step("read " .. part[2] .. " octets from offset " .. part[1])
        check(fetch(c, source, part[1], part[2]) == whole:sub(part[1] + 1, part[1] + part[2]), "the part matches the whole")
      end
      finish(c)
    end,
  },
  {
    id = "rping-client-063", title = "A Write in several segments fills the rping client's sink buffer",
    requirements = {"RFC5041-5.2-04", "RFC5041-5.4-01", "RFC5041-8.3.1-04"},
    run = function(dut)
      local c, sink = meet_sink(dut, {mulpdu = 128})
      local octets = first_text(sink.size):reverse()
      step "write in segments of at most 114 octets"
      c:write{stag = sink.stag, to = sink.to, data = octets}
      c:sent()
      step "read it back"
      check(fetch(c, sink, 0, sink.size) == octets, "all octets are in their places")
      finish(c)
    end,
  },
  {
    id = "rping-client-015", title = "After a FIN in place of the answer to its first advert the rping client closes without a Terminate",
    requirements = {"RFC5041-6.2.1-05", "RFC5041-6.2.1-06"},
    run = function(dut) finish((meet(dut))) end,
  },
})
