-- Markers that the device sends, RFC 5044 4.2 and 4.3, wherever they fall. The monitor judges each of them.

local closed, finish = common.closed, common.finish
local counting = ("0123456789abcdef"):rep(256)

local function right(event)
  for _, marker in ipairs(event.markers) do
    check(marker.reserved == 0, "the reserved half of a Marker is zero")
    check(marker.fpduptr == marker.expected, "FPDUPTR counts the octets from ULPDU_Length to the Marker")
  end
  return event
end

-- Two Reads. The answer to the first begins after a Marker of four octets and has 20 of header and CRC; if it is one FPDU,
-- as is to be expected of so few octets, the second Marker is due 512 octets after the first.
local function falls(octets)
  return function(dut)
    local source = dut:region{size = 4096, rights = "r", fill = counting}
    local first, second = region{size = octets}, region{size = 16}
    local c = dut:connect{markers = true}
    step("read " .. octets .. " octets, and 16 more")
    c:read{region = first, source_stag = source.stag, source_to = source.to}
    right(c:expect{{kind = "read_response", size = octets, crc = "good"}})
    c:read{region = second, source_stag = source.stag, source_to = source.to + octets}
    right(c:expect{{kind = "read_response", size = 16, crc = "good"}})
    check(first:get() .. second:get() == counting:sub(1, octets + 16), "the octets are those of the Data Source")
    finish(c)
  end
end

-- Markers in each direction as M of the other side asks, RFC 5044 7.1.1.
local function pair(id, initiator, own, device)
  local asked = {[true] = "M=1", [false] = "M=0"}
  local senders = {
    [true] = {[true] = "both send Markers", [false] = "only the device sends Markers"},
    [false] = {[true] = "only the peer sends Markers", [false] = "neither sends Markers"},
  }
  return {
    id = id, initiator = initiator,
    title = ("With %s of the device and %s of its peer, %s"):format(asked[device], asked[own], senders[own][device]),
    requirements = {"RFC5044-7.1.1-18", own and "RFC5044-7.1.1-06" or "RFC5044-7.1.1-05"},
    claims = (own or device) and {"markers"} or nil,
    run = function(dut, open)
      dut:configure{markers = device}
      local c = open{markers = own}
      check(c.startup.m == device, "M is as the device's ULP set it")
      step "send 2000 octets in each direction"
      c:send{data = counting:sub(1, 2000)}
      check(dut:received{}.data == counting:sub(1, 2000), "the ULP gets the octets that were sent")
      dut:send{data = counting:sub(3, 2002)}
      right(c:expect{{kind = "send", data = counting:sub(3, 2002)}})
      finish(c)
    end,
  }
end

local rows = {
  {
    id = "mpa-marker-008", title = "A Marker that the device sends between two FPDUs belongs to the second, with FPDUPTR 0",
    requirements = {"RFC5044-4.3-05", "RFC5044-4.4-12", "RFC5044-4.3-01"},
    run = falls(488),
  },
  {
    id = "mpa-marker-009", title = "A Marker directly before the CRC has an FPDUPTR counted from ULPDU_Length",
    requirements = {"RFC5044-4.3-03", "RFC5044-4.4-12"},
    run = falls(492),
  },
  {
    id = "mpa-marker-010", title = "A Marker within a DDP header has an FPDUPTR counted from ULPDU_Length",
    requirements = {"RFC5044-4.3-03", "RFC5044-4.3-09"},
    run = falls(484),
  },
  {
    id = "mpa-marker-011", title = "A Marker among many FPDUs points to the FPDU that contains it",
    requirements = {"RFC5044-4.3-09", "RFC5044-4.3-02"}, tier = "none",
    run = function(dut)
      local c = dut:connect{markers = true}
      step "request eighty Reads of no octets, one after another"
      for _ = 1, 80 do
        c:read{sink_stag = 1, source_stag = 1, size = 0}
        right(c:expect{{kind = "read_response", size = 0, crc = "good"}})
      end
      finish(c)
    end,
  },
  {
    id = "mpa-marker-012", title = "A Terminate is sent with its Marker",
    claims = {"markers", "crc-reports"},
    requirements = {"RFC5044-7.1.1-06", "RFC5044-7.1.2-19"}, tier = "none", close = common.both,
    run = function(dut)
      local c = dut:connect{markers = true}
      step "send a valid FPDU without a response, an RDMA Write of no octets; then a wrong CRC"
      c:write{stag = 1}
      c:send{data = "hello", crc_flip = 1}
      local event = right(c:expect{{kind = "terminate", layer = 2, etype = 0, code = 2, crc = "good"}})
      check(#event.markers == 1 and event.markers[1].fpduptr == 0, "the first FPDU has a Marker directly before it")
      c:expect{closed}
    end,
  },
  {
    id = "mpa-marker-013", initiator = "mpa-marker-014", title = "All Markers of an FPDU point to its ULPDU_Length",
    requirements = {"RFC5044-4.3-08", "RFC5044-4.3-02", "RFC5044-4.2-03"},
    run = function(dut, open)
      local sink = region{size = 4096}
      local c = open{markers = true}
      step "the device's ULP writes 4096 octets"
      dut:write{stag = sink.stag, to = sink.to, data = counting}
      dut:send{data = "done"}
      right(c:expect{{kind = "rdma_write", crc = "good"}})
      right(c:expect{{kind = "send", data = "done", crc = "good"}})
      check(sink:get() == counting, "the octets are those that the ULP has written")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-015", title = "An initiator asked for Markers sends one directly before its RTR",
    requirements = {"RFC5044-7.1.2-19", "RFC5044-7.1.1-06"}, role = "initiator", claims = {"markers", "rev-2"},
    run = function(dut)
      dut:configure{rev = 2, enhanced = true, peer_to_peer = true}
      local c = dut:accept{rev = 2, markers = true, auto = {rtr = false}}
      local event = right(c:expect{{kind = any{"send", "rdma_write", "read_request"}, size = 0}})
      check(#event.markers == 1 and event.markers[1].fpduptr == 0, "the first FPDU has a Marker directly before it")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-046", title = "After an RTR the responder sends a Marker directly before its first FPDU",
    requirements = {"RFC5044-7.1.2-19", "RFC5044-7.1.1-06"}, claims = {"markers", "rtr-write"},
    run = function(dut)
      local c = dut:connect{rev = 2, markers = true, peer_to_peer = true, rtr = {"write"}}
      dut:send{data = "the first"}
      local event = right(c:expect{{kind = "send", data = "the first", crc = "good"}})
      check(#event.markers == 1 and event.markers[1].fpduptr == 0, "the first FPDU has a Marker directly before it")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-047", initiator = "mpa-marker-048", title = "Without CRC checks the device sends Markers as well",
    requirements = {"RFC5044-7.1.1-06", "RFC5044-4.3-02"}, claims = {"markers", "no-crc"},
    run = function(dut, open)
      dut:configure{crc = false}
      local c = open{markers = true, crc = false}
      check(not c.terms.crc, "neither side has requested CRCs")
      dut:send{data = counting:sub(1, 1300)}
      right(c:expect{{kind = "send", data = counting:sub(1, 1300), crc = "unchecked"}})
      finish(c)
    end,
  },
  pair("mpa-marker-016", "mpa-marker-017", false, false),
  pair("mpa-marker-018", "mpa-marker-019", true, false),
  pair("mpa-marker-020", "mpa-marker-021", false, true),
  pair("mpa-marker-022", "mpa-marker-023", true, true),
}

return common.cases({tier = "agent", claims = {"markers"}, close = {"fin"}}, rows)
