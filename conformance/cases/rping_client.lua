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
  local octets = fetch(c, source, 0, size)
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
    title = "Reads of parts of the rping client's source buffer at odd offsets are answered with those octets",
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
      for i, at in ipairs{{source.stag, source.to}, {source.stag, source.to + size + 1}, {common.unknown_stag, -1}, {0, 0}} do
        c:read{sink_stag = i, sink_to = 7, size = 0, source_stag = at[1], source_to = at[2]}
        c:expect{{kind = "read_response", stag = i, to = 7, size = 0}}
      end
      finish(c)
    end,
  },
  {
    id = "rping-client-004", title = "A Write that fills the rping client's sink buffer is placed",
    requirements = {"RFC5041-5.2-04", "RFC5041-8.3.1-04", "RFC5040-5.5-13"},
    run = places(function(c, sink)
      c:write{stag = sink.stag, to = sink.to, data = text}
      return text
    end),
  },
  {
    id = "rping-client-005", title = "Writes of 1 to 5 octets at odd offsets change only those octets",
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
      c:write{stag = sink.stag, to = sink.to + size + 1, data = ""}
      return ("."):rep(size)
    end),
  },
  {
    id = "rping-client-008", title = "A Write in TCP segments of any length is placed",
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
    id = "rping-client-012", title = "A Reply in TCP segments of any length is accepted",
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
    id = "rping-client-033", title = "A Reply in two TCP segments with a pause between them is accepted",
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
    id = "rping-client-034", title = "FPDUs in two TCP segments with a pause between them are accepted",
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
    id = "rping-client-035", title = "C=1 in the Request, C=0 in the Reply: the rping client's FPDUs have right CRCs",
    requirements = {"RFC5044-7.1.1-08", "RFC5044-4.4-11"},
    -- With C=0 in the Request, too, the monitor judges only the field (RFC 5044 4.4).
    run = function(dut)
      local c, source = meet(dut, {crc = false})
      fetch(c, source, 0, 8)
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
    id = "rping-client-037", title = "Reserved bits of Markers that the rping client asks for are ignored",
    requirements = {"RFC5044-4.2-02", "RFC5044-4.2-04", "RFC5044-4.3-10"},
    run = function(dut)
      local c, source = meet(dut)
      local sink = region{size = 8}
      step("send Reads, reserved bits set in the first Marker; M of the Request is " .. (c.startup.m and 1 or 0))
      for i = 1, 30 do
        -- The first FPDU has a Marker directly before it, later ones every 512 octets.
        local marked = c.startup.m and i == 1
        c:read{region = sink, source_stag = source.stag, source_to = source.to, marker_reserved = marked and 0xFFFF or nil,
          fpduptr_shift = marked and 3 or nil}
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
      local c = dut:accept_tcp{}
      local request = c:expect{{kind = "request"}}
      step("answer with S=0; S of the Request is " .. (request.enhanced and 1 or 0))
      c:reply{rev = 1, enhanced = false, s = false}
      c:full{revision = 1, markers_out = request.m}
      -- RFC 6581 10 has a responder answer S=1 by S=1, and leaves open what an initiator does if it does not.
      local advert = {kind = "send", qn = 0, msn = 1, mo = 0, l = true, size = 16}
      if request.enhanced then
        if c:expect{advert, closed, {kind = "terminate", layer = 2}}.kind == "send" then
          finish(c)
        else
          c:expect{closed, {kind = "silence"}}
        end
      else
        c:expect{advert}
        finish(c)
      end
    end,
  },
  {
    id = "rping-client-053",
    title = "A Reply with an ORD above the IRD of an enhanced Request is accepted, or answered by Terminate 2/0/06",
    requirements = {"RFC6581-9.1-08", "RFC6581-9.1-09"},
    close = {"fin", "rst", "terminate+fin", "terminate+rst"},
    run = function(dut)
      local c = dut:accept_tcp{}
      local request = c:expect{{kind = "request"}}
      step("answer with an ORD one above the IRD, if there is one; S of the Request is " .. (request.enhanced and 1 or 0))
      if request.enhanced then
        c:reply{enhanced = true, ird = 4, ord = request.ird + 1}
      else
        c:reply{}
      end
      c:full()
      local advert = {kind = "send", qn = 0, msn = 1, mo = 0, l = true, size = 16}
      if c:expect{advert, request.enhanced and terminate(2, 0, 6) or nil}.kind == "send" then
        finish(c)
      else
        c:expect{closed}
      end
    end,
  },
  {
    id = "rping-client-015", title = "A FIN in place of the answer to the rping client's first advert is answered by FIN",
    requirements = {"RFC5041-6.2.1-05", "RFC5041-6.2.1-06"},
    run = function(dut) finish((meet(dut))) end,
  },
})
