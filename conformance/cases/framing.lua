-- FPDUs, RFC 5044 4.1, 4.4 and 5: length, PAD, CRC, and what TCP may do to them.

local closed = common.closed
local crc_error = {kind = "terminate", layer = 2, etype = 0, code = 2}

-- The device still answers: a Read of no octets needs no memory.
local function alive(c)
  step "ask whether the device is still there: a Read of no octets"
  c:read{sink_stag = 1, source_stag = 1, size = 0}
  c:expect{{kind = "read_response", size = 0}}
end

local function finish(c)
  step "close"
  c:close()
  c:expect{closed}
end

return {
  {
    id = "mpa-crc-001", title = "A CRC with one wrong bit is answered by Terminate 2/0/02",
    requirements = {"RFC5044-4.4-13", "RFC5040-7.1-02"},
    role = "responder", tier = "none", close = {"terminate+fin", "terminate+rst"},
    run = function(dut)
      local c = dut:connect{}
      step "send a Send with one bit of its CRC turned over"
      c:send{data = "hello", crc_flip = 1}
      c:expect{crc_error}
      c:expect{closed}
    end,
  },
  {
    id = "mpa-crc-002", title = "A wrong bit in the payload is answered by Terminate 2/0/02",
    requirements = {"RFC5044-4.4-13"},
    role = "responder", tier = "none", close = {"terminate+fin", "terminate+rst"},
    run = function(dut)
      local c = dut:connect{}
      step "send a Send of \"hellp\" with the CRC of \"hello\""
      c:send{data = "hellp", crc = 0xb990b10c}
      c:expect{crc_error}
      c:expect{closed}
    end,
  },
  {
    id = "mpa-crc-003", title = "An FPDU with a wrong CRC is not given to DDP",
    requirements = {"RFC5044-6-01", "RFC5044-8-07"},
    role = "responder", tier = "agent", close = {"terminate+fin", "terminate+rst"},
    run = function(dut)
      local region = dut:region{size = 64, fill = "."}
      local c = dut:connect{}
      step "an RDMA Write with a wrong CRC, then a right one"
      c:write{stag = region.stag, to = region.to, data = "wrong", crc_flip = 0x80}
      c:write{stag = region.stag, to = region.to + 32, data = "late"}
      c:expect{crc_error}
      c:expect{closed}
      check(dut:memory(region, 0, 64) == ("."):rep(64), "nothing of either Write is placed")
    end,
  },
  {
    id = "mpa-crc-004", title = "With C=0 on both sides the CRC is not checked",
    requirements = {"RFC5044-7.1.1-07"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      dut:configure{crc = false}
      local c = dut:connect{crc = false}
      step "send a Send with no sensible CRC"
      c:send{data = "unchecked", crc = 0xdeadbeef}
      check(dut:received{}.data == "unchecked", "the ULP gets the octets that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-crc-005", title = "What the device sends has the right CRC",
    requirements = {"RFC5044-4.4-11"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      step "ask for an FPDU: a Read of no octets"
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      c:expect{{kind = "read_response", crc = "good"}}
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-001", title = "PAD that is not zero is not looked at",
    requirements = {"RFC5044-4.1-02"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      step "an RDMA Write of no octets with a PAD of FFh"
      c:write{stag = 1, pad_value = 0xFF}
      c:send{data = "hello", pad_value = 0xFF}
      alive(c)
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-002", title = "An FPDU in TCP segments of one octet is taken",
    requirements = {"RFC5044-5.1-05", "RFC5044-6-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{}
      step "a Send of five octets, one octet at a time"
      c:send{data = "hello", split = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1}}
      alive(c)
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-003", title = "Two FPDUs in one TCP segment are both taken",
    requirements = {"RFC5044-5.2-01"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{auto = {terminate = false}}
      step "an RDMA Write of no octets and a Read of no octets at once"
      c:octets(hex"000ec140 00000001 00000000 00000000 ebd34c5f" ..
        hex"002e4141 00000000 00000001 00000001 00000000 00000001 00000000 00000000 00000000 00000001 00000000 00000000 27dbd7e7")
      c:expect{{kind = "read_response", size = 0, stag = 1, to = 0}}
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-004", title = "An FPDU across two TCP segments with a pause is taken",
    requirements = {"RFC5044-6-04"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local request = hex"002e4141 00000000 00000001 00000001 00000000 00000001 00000000 00000000 00000000 00000001 00000000 00000000 27dbd7e7"
      local c = dut:connect{auto = {terminate = false}}
      step "the first half of an FPDU"
      c:octets(request:sub(1, 26))
      c:expect{{kind = "silence"}, timeout = 0.2}
      step "the second half"
      c:octets(request:sub(27))
      c:expect{{kind = "read_response", size = 0}}
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-005", title = "An FPDU too short for a DDP header ends the connection",
    requirements = {"RFC5044-4.1-04"},
    role = "responder", tier = "none",
    run = function(dut)
      local c = dut:connect{}
      step "an FPDU of four octets of ULPDU"
      c:fpdu{ulpdu = hex"41430000"}
      c:expect{{kind = "terminate"}, closed}
    end,
  },
  {
    id = "mpa-fpdu-006", title = "An FPDU of 16,000 octets is taken",
    requirements = {"RFC5044-5.2-01"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{mulpdu = 16000}
      step "a Send in one large FPDU"
      c:send{data = ("0123456789abcdef"):rep(990)}
      alive(c)
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-007", title = "The device ends its own half when the peer has closed",
    requirements = {"RFC5041-6.2.1-05"},
    role = "responder", tier = "none", close = {"fin"},
    run = function(dut)
      local c = dut:connect{}
      c:send{data = "bye"}
      step "send FIN"
      c:close()
      c:expect{{kind = "close", how = "fin"}}
    end,
  },
}
