-- Markers that the device has asked for, RFC 5044 4.2 to 4.4: it removes them wherever they fall.

local alive, closed, finish = common.alive, common.closed, common.finish
local counting = ("0123456789abcdef"):rep(4096)

-- Figures 5 and 6 of RFC 5044 4.4: the first FPDU of a stream, a Send of 24 octets of zeros after a Marker; and the second
-- one after 492 octets, with a Marker in it. The 16 bits given stand for the reserved half of that Marker.
local function figure_5(reserved)
  return string.pack(">I2", reserved) .. hex"0000 002a 4143 00000000 00000000 00000001 00000000" .. ("\0"):rep(24) ..
    hex"52239983"
end
local function figure_6(reserved)
  return hex"002a 4143 00000000 00000000 00000002 00000000" .. string.pack(">I2", reserved) .. hex"0014" ..
    ("\0"):rep(24) .. hex"84925898"
end
local zeros = ("\0"):rep(24)

-- Two Sends, the first as long as given: after a Marker of four octets it has 24 of header and CRC.
local function falls(octets)
  return function(dut)
    dut:configure{markers = true}
    local c = dut:connect{}
    step("send a Send of " .. octets .. " octets, then one of 16")
    c:send{data = counting:sub(1, octets)}
    c:send{data = counting:sub(octets + 1, octets + 16)}
    check(dut:received{}.data == counting:sub(1, octets), "the ULP gets the octets of the first")
    check(dut:received{}.data == counting:sub(octets + 1, octets + 16), "and of the second")
    finish(c)
  end
end

-- Sends `first`, if given, which ends at octet 492 of the stream or wherever the figure begins, and then the figure.
local function takes(octets, first, options)
  return function(dut)
    dut:configure{markers = true}
    local c = dut:connect{}
    if first then
      step "send the FPDU before it"
      c:send{data = first}
      check(dut:received{}.data == first, "the ULP gets the octets that were sent")
    end
    step "send the octets of the RFC"
    c:octets(octets, options or {})
    check(dut:received{}.data == zeros, "the ULP gets 24 octets of zeros")
    finish(c)
  end
end

local rows = {
  {
    id = "mpa-marker-024", title = "A Marker between two FPDUs is removed",
    requirements = {"RFC5044-4.3-05", "RFC5044-4.3-10"},
    run = falls(484),
  },
  {
    id = "mpa-marker-025", title = "A Marker directly before the CRC is removed",
    requirements = {"RFC5044-4.3-10", "RFC5044-4.4-12"},
    run = falls(488),
  },
  {
    id = "mpa-marker-026", title = "A Marker within a DDP header is removed",
    requirements = {"RFC5044-4.3-10"},
    run = falls(480),
  },
  {
    id = "mpa-marker-027", title = "An FPDU with a Marker before it (figure 5 of RFC 5044) is accepted",
    requirements = {"RFC5044-4.3-10", "RFC5044-4.4-12", "RFC5044-7.1.2-19"},
    run = takes(figure_5(0)),
  },
  {
    id = "mpa-marker-028", title = "The FPDU of figure 6 of RFC 5044 is accepted as the second one of the stream",
    requirements = {"RFC5044-4.3-10", "RFC5044-4.4-12"},
    run = takes(figure_6(0), counting:sub(1, 464)),
  },
  {
    id = "mpa-marker-029", title = "An FPDU with a Marker before it is accepted in TCP segments of one octet", segments = true,
    requirements = {"RFC5044-5.1-05", "RFC5044-AppA.4-01"},
    run = takes(figure_5(0), nil, {split = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}),
  },
  {
    id = "mpa-marker-030", title = "A Marker across two TCP segments is removed", segments = true,
    requirements = {"RFC5044-5.1-05", "RFC5044-4.3-10"},
    run = function(dut)
      dut:configure{markers = true}
      local c = dut:connect{}
      step "send 1000 octets, cut in the middle of the second Marker and after half of the third"
      c:send{data = counting:sub(1, 1000), split = {514, 511}}
      check(dut:received{}.data == counting:sub(1, 1000), "the ULP gets the octets that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-031", title = "A changed bit of the Marker before an FPDU is answered by Terminate 2/0/02",
    claims = {"markers", "crc-reports"},
    requirements = {"RFC5044-4.4-12", "RFC5044-4.4-13"}, close = common.both,
    run = function(dut)
      local target = dut:region{size = 512}
      dut:configure{markers = true}
      local c = dut:connect{}
      step "send 512 octets of the stream: an RDMA Write of 488"
      c:write{stag = target.stag, to = target.to, data = counting:sub(1, 488)}
      c:sent()
      step "send the octets of figure 5 with one bit of the reserved half of their Marker changed"
      c:octets(figure_5(1))
      c:expect{common.terminate(2, 0, 2)}
      c:expect{closed}
      check(dut:pending() == 0, "the Send is not delivered")
    end,
  },
  {
    id = "mpa-marker-032", title = "An FPDU with a wrong bit in its Marker, and so a wrong CRC, is answered by Terminate 2/0/02",
    claims = {"markers", "crc-reports"},
    requirements = {"RFC5044-4.4-12", "RFC5044-4.4-13"}, close = common.both,
    run = function(dut)
      dut:configure{markers = true}
      local c = dut:connect{}
      c:send{data = counting:sub(1, 464)}
      check(dut:received{}.data == counting:sub(1, 464), "the ULP gets the octets that were sent")
      step "send the octets of figure 6 with one bit of the reserved half of their Marker changed"
      c:octets(figure_6(0x8000))
      c:expect{common.terminate(2, 0, 2)}
      c:expect{closed}
      check(dut:pending() == 0, "the Send is not delivered")
    end,
  },
  {
    id = "mpa-marker-033", title = "An FPDU without the Markers that the device asked for is answered by a Terminate",
    claims = {"markers", "crc-reports"},
    requirements = {"RFC5044-4.4-13", "RFC5044-8-01"}, close = common.both,
    run = function(dut)
      dut:configure{markers = true}
      local c = common.open(dut, "responder")
      step "send a Send of 1000 octets without Markers, and another"
      c:send{data = counting:sub(1, 1000), no_markers = true}
      c:send{data = "and what follows", no_markers = true}
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = any{2, 3}}}
      c:expect{closed}
      check(dut:pending() == 0, "neither Send is delivered")
    end,
  },
  {
    id = "mpa-marker-034", title = "The device removes the 127 Markers within the largest ULPDU",
    requirements = {"RFC5044-4.3-10", "RFC5044-4.3-08"},
    run = function(dut)
      local target = dut:region{size = 65536}
      dut:configure{markers = true}
      local c = dut:connect{mulpdu = 64768}
      step "send a Write of 64754 octets in one FPDU: 64768 of ULPDU"
      c:write{stag = target.stag, to = target.to, data = counting:sub(1, 64754)}
      alive(c)
      check(dut:memory(target, 0, 64754) == counting:sub(1, 64754), "the octets placed are those that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-035", title = "Markers among small FPDUs are removed",
    requirements = {"RFC5044-4.3-09", "RFC5044-4.3-10"},
    run = function(dut, open)
      dut:configure{markers = true}
      local c = open{}
      step "send a hundred Sends of one octet"
      for i = 1, 100 do c:send{data = string.char(i)} end
      for i = 1, 100 do
        check(dut:received{}.data == string.char(i), "the ULP gets the octet that was sent")
      end
      finish(c)
    end,
  },
  {
    id = "mpa-marker-036", title = "An initiator removes the Markers that it has asked for",
    requirements = {"RFC5044-4.3-10"}, role = "initiator",
    run = function(dut)
      dut:configure{markers = true}
      local target = dut:region{size = 4096}
      local c = common.open(dut, "initiator")
      step "write 4096 octets with Markers"
      c:write{stag = target.stag, to = target.to, data = counting:sub(1, 4096)}
      c:send{data = "done"}
      check(dut:received{}.data == "done", "the Send after it is delivered")
      check(dut:memory(target, 0, 4096) == counting:sub(1, 4096), "the octets placed are those that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-037", title = "An initiator that has asked for Markers accepts the FPDU of figure 5 of RFC 5044",
    requirements = {"RFC5044-7.1.2-19", "RFC5044-4.4-12"}, role = "initiator",
    run = function(dut)
      dut:configure{markers = true}
      local c = common.open(dut, "initiator")
      step "send the octets of the RFC"
      c:octets(figure_5(0))
      check(dut:received{}.data == zeros, "the ULP gets 24 octets of zeros")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-038", initiator = "mpa-marker-039",
    title = "FPDUs with Markers, cut anywhere into two TCP segments, are accepted", segments = true,
    requirements = {"RFC5044-5.1-05", "RFC5044-4.3-10"},
    run = function(dut, open)
      dut:configure{markers = true}
      local c = open{}
      for octets = 1, 63 do
        c:send{data = counting:sub(1, 40), split = octets}
        check(dut:received{}.data == counting:sub(1, 40), "the ULP gets the octets that were sent")
      end
      finish(c)
    end,
  },
  {
    id = "mpa-marker-040", initiator = "mpa-marker-041",
    title = "The device removes Markers also on a connection without CRCs",
    requirements = {"RFC5044-4.3-10", "RFC5044-4.1-03"}, claims = {"markers", "no-crc"},
    run = function(dut, open)
      dut:configure{markers = true, crc = false}
      local c = open{crc = false}
      check(not c.terms.crc, "neither side has requested CRCs")
      c:send{data = counting:sub(1, 1300), crc = 0}
      check(dut:received{}.data == counting:sub(1, 1300), "the ULP gets the octets that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-042", title = "An initiator ignores the reserved half of a Marker",
    requirements = {"RFC5044-4.2-02"}, role = "initiator",
    run = function(dut, open)
      dut:configure{markers = true}
      local c = open{}
      c:send{data = "hello", marker_reserved = 0xFFFF}
      check(dut:received{}.data == "hello", "the ULP gets the octets that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-043", title = "An initiator ignores the two low bits of FPDUPTR",
    requirements = {"RFC5044-4.2-04"}, role = "initiator",
    run = function(dut, open)
      dut:configure{markers = true}
      local c = open{}
      c:send{data = counting:sub(1, 1000), fpduptr_shift = 3}
      check(dut:received{}.data == counting:sub(1, 1000), "the ULP gets the octets that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-044", title = "An initiator ignores a wrong FPDUPTR, or answers it by Terminate 2/0/03",
    claims = {"markers", "crc-reports"},
    requirements = {"RFC5044-8-03", "RFC5044-5.2-02", "RFC5042-ATTACK-80"}, role = "initiator",
    run = function(dut, open)
      dut:configure{markers = true}
      local c = open{}
      c:send{data = counting:sub(1, 1000), fpduptr_shift = 64}
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = 3}, {kind = "read_response"}}
    end, close = {},
  },
  {
    id = "mpa-marker-045", title = "A wrong bit in the Marker before an FPDU is answered by Terminate 2/0/02 (device as initiator)",
    claims = {"markers", "crc-reports"},
    requirements = {"RFC5044-4.4-12", "RFC5044-4.4-13"}, role = "initiator", close = common.both,
    run = function(dut, open)
      dut:configure{markers = true}
      local c = open{}
      step "send the octets of figure 5 with one bit of the reserved half of their Marker changed"
      c:octets(figure_5(1))
      c:expect{common.terminate(2, 0, 2)}
      c:expect{closed}
      check(dut:pending() == 0, "the Send is not delivered")
    end,
  },
}

return common.cases({tier = "agent", claims = {"markers"}, close = {"fin"}}, rows)
