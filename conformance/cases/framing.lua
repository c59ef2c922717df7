-- FPDUs, RFC 5044 4.1 and 5: length, PAD, and how TCP may cut them.

local alive, closed, finish, started = common.alive, common.closed, common.finish, common.started

-- A ULPDU shorter than a DDP header, after a valid FPDU.
local function too_short(ulpdu)
  return function(dut)
    local c = started(dut)
    step("send an FPDU of " .. #ulpdu .. " octets of ULPDU")
    c:fpdu{ulpdu = ulpdu}
    c:expect{{kind = "terminate"}, closed}
  end
end

-- A Read Request for no octets as one FPDU, which has 52 octets, in two parts with silence between them. A device that
-- asked for Markers gets the first one before it.
local function in_two(octets)
  return function(dut)
    local c = dut:connect{auto = {terminate = false}}
    step("send the first " .. octets .. " of 52 octets of an FPDU")
    c:read{sink_stag = 1, source_stag = 1, size = 0, split = {(c.terms.markers_out and 4 or 0) + octets}, merge = true}
    c:expect{{kind = "silence"}, timeout = 0.2}
    step "send the rest, and a Write of no octets"
    c:write{stag = 1}
    c:expect{{kind = "read_response", size = 0}}
    finish(c)
  end
end

local counting = ("0123456789abcdef"):rep(4096)

return {
  {
    id = "mpa-fpdu-001", title = "A non-zero PAD is ignored",
    requirements = {"RFC5044-4.1-02"},
    role = "responder", tier = "agent", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      step "send Sends with one, two and three octets of PAD, of FFh each"
      for _, data in ipairs{"goodbye", "hello!", "hello"} do c:send{data = data, pad_value = 0xFF} end
      alive(c)
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-002", title = "An FPDU in TCP segments of one octet is accepted", segments = true,
    requirements = {"RFC5044-5.1-05", "RFC5044-6-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      local ones = {}
      for i = 1, 51 do ones[i] = 1 end
      step "send a Read of no octets, one octet at a time"
      c:read{sink_stag = 1, source_stag = 1, size = 0, split = ones}
      c:expect{{kind = "read_response", size = 0, stag = 1, to = 0}}
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-003", title = "Two FPDUs in one TCP segment are both accepted", segments = true,
    requirements = {"RFC5044-5.2-01"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{auto = {terminate = false}}
      step "send an RDMA Write of no octets and a Read of no octets at once"
      c:write{stag = 1, merge = true}
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      c:expect{{kind = "read_response", size = 0, stag = 1, to = 0}}
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-004", title = "An FPDU in two TCP segments with a pause between them is accepted", segments = true,
    requirements = {"RFC5044-6-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = in_two(26),
  },
  {
    id = "mpa-fpdu-005", title = "An FPDU too short for a DDP header ends the connection",
    requirements = {"RFC5044-4.1-04"},
    role = "responder", tier = "none",
    run = function(dut)
      local c = dut:connect{}
      step "send an FPDU of four octets of ULPDU"
      c:fpdu{ulpdu = hex"41430000"}
      c:expect{{kind = "terminate"}, closed}
    end,
  },
  {
    id = "mpa-fpdu-006", title = "An FPDU of 16,000 octets is accepted",
    requirements = {"RFC5044-5.2-01"},
    role = "responder", tier = "none", close = common.both,
    danger = {"memory"},
    run = function(dut)
      local c = dut:connect{mulpdu = 16000}
      step "send a Write to an unknown STag in one large FPDU: the Terminate names the STag"
      c:write{stag = common.unknown_stag, to = 0x1000, data = ("0123456789abcdef"):rep(990)}
      c:expect{common.terminate(1, 1, 0)}
      c:expect{closed}
    end,
  },
  {
    id = "mpa-fpdu-007", title = "After the peer's FIN the device closes its half of the connection",
    requirements = {"RFC5041-6.2.1-05"},
    role = "responder", tier = "none", close = {"fin"},
    run = function(dut)
      local c = dut:connect{}
      c:write{stag = 1}
      step "send FIN"
      c:close()
      c:expect{{kind = "close", how = "fin"}}
    end,
  },
  {
    id = "mpa-fpdu-008", title = "An FPDU without a ULPDU ends the connection",
    requirements = {"RFC5044-4.1-04", "RFC5044-8-01"},
    role = "responder", tier = "none",
    run = too_short "",
  },
  {
    id = "mpa-fpdu-009", title = "A tagged ULPDU one octet short of a DDP header ends the connection",
    requirements = {"RFC5044-4.1-04"},
    role = "responder", tier = "none",
    run = too_short(hex"c140 00000001 00000000 000000"),
  },
  {
    id = "mpa-fpdu-010", title = "An untagged ULPDU one octet short of a DDP header ends the connection",
    requirements = {"RFC5044-4.1-04"},
    role = "responder", tier = "none",
    run = too_short(hex"4143 00000000 00000000 00000001 000000"),
  },
  {
    id = "mpa-fpdu-011", title = "After the first octet of ULPDU_Length the device waits for the rest of the FPDU",
    requirements = {"RFC5044-6-04", "RFC5044-AppA.4-01"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = in_two(1),
  },
  {
    id = "mpa-fpdu-012", title = "An FPDU is not processed before the last octet of its CRC has arrived",
    requirements = {"RFC5044-6-04", "RFC5044-6-01"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = in_two(51),
  },
  {
    id = "mpa-fpdu-013", title = "An FPDU is not processed before its CRC has arrived",
    requirements = {"RFC5044-6-04", "RFC5044-6-01"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = in_two(48),
  },
  {
    id = "mpa-fpdu-014", title = "Forty FPDUs in one TCP segment are all accepted", segments = true,
    requirements = {"RFC5044-5.2-01", "RFC5044-7.1.2-10"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      step "send forty RDMA Writes of no octets and a Read at once"
      for _ = 1, 40 do c:write{stag = 1, merge = true} end
      alive(c)
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-015", title = "FPDUs that begin in the middle of TCP segments are accepted", segments = true,
    requirements = {"RFC5044-5.1-05", "RFC5044-AppA.4-01"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      step "send four FPDUs that begin and end in the middle of TCP segments"
      c:write{stag = 1, merge = true}
      c:write{stag = 1, split = {30}, merge = true}
      c:write{stag = 1, split = {20}, merge = true}
      alive(c)
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-016", title = "DDP segments that span several TCP segments are placed", segments = true,
    requirements = {"RFC5044-AppA.4-01", "RFC5044-5.1-05"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local target = dut:region{size = 4096}
      local c = dut:connect{mulpdu = 512}
      step "write 4096 octets, each FPDU in a TCP segment of 97 octets and one with the rest"
      c:write{stag = target.stag, to = target.to, data = counting:sub(1, 4096), split = {97, 97, 97, 97, 97}}
      alive(c)
      check(dut:memory(target, 0, 4096) == counting:sub(1, 4096), "the octets placed are those that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-017", title = "An FPDU with the largest ULPDU is accepted",
    requirements = {"RFC5044-5.2-01", "RFC5044-6-04"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local target = dut:region{size = 65536}
      local c = dut:connect{mulpdu = 64768}
      step "send a Write of 64754 octets in one FPDU: 64768 of ULPDU"
      c:write{stag = target.stag, to = target.to, data = counting:sub(1, 64754)}
      alive(c)
      check(dut:memory(target, 0, 64754) == counting:sub(1, 64754), "the octets placed are those that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-018", title = "ULPDUs with each number of PAD octets are accepted",
    requirements = {"RFC5044-4.1-01", "RFC5044-5.2-01"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = dut:connect{}
      step "send Sends of five to eight octets"
      for octets = 5, 8 do c:send{data = counting:sub(1, octets)} end
      for octets = 5, 8 do
        check(dut:received{}.data == counting:sub(1, octets), "the ULP gets the octets that were sent")
      end
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-019", title = "The device pads each FPDU with zeros to a multiple of four octets",
    requirements = {"RFC5044-4.1-01", "RFC5044-4.1-02", "RFC5044-3-01"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = common.open(dut, "responder")
      step "the device's ULP sends five to eight octets"
      for octets = 5, 8 do dut:send{data = counting:sub(1, octets)} end
      for octets = 5, 8 do
        local event = c:expect{{kind = "send", data = counting:sub(1, octets)}}
        check(event.pad_octets == -octets % 4, "the FPDU is a multiple of four octets")
      end
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-020", title = "A FIN in the middle of an FPDU ends the connection; the FPDU is not delivered",
    requirements = {"RFC5044-8-01", "RFC5044-6-04"},
    role = "responder", tier = "agent",
    run = function(dut)
      local c = common.open(dut, "responder", {auto = {terminate = false}})
      step "send a Send without the last octet of its CRC, then FIN"
      c:send{data = "not whole", cut = 35}
      c:close()
      c:expect{{kind = "terminate"}, closed}
      check(dut:pending() == 0, "the ULP gets nothing of it")
    end,
  },
  {
    id = "mpa-fpdu-021", title = "The device keeps its segments within its MULPDU",
    requirements = {"RFC5044-3-03"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      dut:configure{mulpdu = 512}
      local source = dut:region{size = 4096, rights = "r", fill = counting:sub(1, 256)}
      local sink = region{size = 4096}
      local c = dut:connect{}
      step "read 4096 octets from a device with a MULPDU of 512"
      c:read{region = sink, source_stag = source.stag, source_to = source.to}
      local answer = c:expect{{kind = "read_response"}}
      check(answer.segments >= 9, "4096 octets take at least nine segments, of 14 octets of header and 498 of payload")
      check(sink:get(0, 4096) == counting:sub(1, 4096), "the octets are those of the Data Source")
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-022", title = "A Read of 16384 octets is answered in segments as large as the device's MULPDU allows",
    requirements = {"RFC5044-4.5-05"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local source = dut:region{size = 16384, rights = "r", fill = counting:sub(1, 256)}
      local sink = region{size = 16384}
      local c = dut:connect{}
      step "read 16384 octets: the monitor compares the segments with what TCP allows"
      c:read{region = sink, source_stag = source.stag, source_to = source.to}
      c:expect{{kind = "read_response", size = 16384}}
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-023", title = "An FPDU cut anywhere into two TCP segments is accepted", segments = true,
    requirements = {"RFC5044-5.1-05", "RFC5044-6-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      for octets = 1, 51 do
        step("send a Read of no octets, cut after octet " .. octets)
        c:read{sink_stag = octets, source_stag = 1, size = 0, split = octets}
        c:expect{{kind = "read_response", size = 0, stag = octets}}
      end
      finish(c)
    end,
  },
  {
    -- The receiver's TCP cannot join the two parts before MPA sees the first.
    id = "mpa-fpdu-033", title = "FPDUs in two TCP segments with a pause between them are accepted", segments = true,
    requirements = {"RFC5044-5.1-05", "RFC5044-6-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      for _, octets in ipairs{1, 2, 3, 16, 19, 20, 21, 47, 48, 49, 50, 51} do
        common.read_with_pause(c, octets)
      end
      finish(c)
    end,
  },
  {
    -- Only a Write with payload has PAD and needs no receive buffer; its STag may not be rejected for its PAD.
    id = "mpa-fpdu-034", title = "A Write of one octet with PAD octets of FFh to an unknown STag is answered by a Terminate for its STag",
    requirements = {"RFC5044-4.1-02", "RFC5041-7.1-06"},
    role = "responder", tier = "none", close = common.both, danger = {"memory"},
    run = function(dut)
      local c = started(dut)
      c:write{stag = common.unknown_stag, to = 0x1000, data = "x", pad_value = 0xFF}
      c:expect{common.terminate(1, 1, any{0, 2})}
      c:expect{closed}
    end,
  },
}
