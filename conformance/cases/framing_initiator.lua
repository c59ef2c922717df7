-- FPDUs that an initiator receives and sends, RFC 5044 4.1 and 5.

local closed, finish = common.closed, common.finish
local counting = ("0123456789abcdef"):rep(256)

local function open(dut, options)
  return common.open(dut, "initiator", options)
end

local function delivered(dut, data)
  check(dut:received{}.data == data, "the ULP gets the octets that were sent")
end

return {
  {
    id = "mpa-fpdu-024", title = "An initiator ignores a non-zero PAD",
    requirements = {"RFC5044-4.1-02"},
    role = "initiator", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = open(dut)
      c:send{data = "hello", pad_value = 0xFF}
      delivered(dut, "hello")
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-025", title = "An initiator accepts an FPDU cut anywhere into two TCP segments", segments = true,
    requirements = {"RFC5044-5.1-05", "RFC5044-6-04"},
    role = "initiator", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = open(dut)
      for octets = 1, 31 do
        step("send a Send of five octets, cut after octet " .. octets)
        c:send{data = "hello", split = octets}
        delivered(dut, "hello")
      end
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-026", title = "An initiator accepts forty FPDUs in one TCP segment", segments = true,
    requirements = {"RFC5044-5.2-01"},
    role = "initiator", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = open(dut)
      for i = 1, 40 do c:send{data = string.char(i), merge = i < 40} end
      for i = 1, 40 do delivered(dut, string.char(i)) end
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-027", title = "An initiator ends the connection after an FPDU too short for a DDP header",
    requirements = {"RFC5044-4.1-04"},
    role = "initiator", tier = "agent",
    run = function(dut)
      local c = open(dut)
      step "send an FPDU of four octets of ULPDU"
      c:fpdu{ulpdu = hex"41430000"}
      c:expect{{kind = "terminate"}, closed}
    end,
  },
  {
    id = "mpa-fpdu-028", title = "After the peer's FIN an initiator closes its half of the connection",
    requirements = {"RFC5041-6.2.1-05"},
    role = "initiator", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = open(dut)
      step "send FIN"
      c:close()
      c:expect{{kind = "close", how = "fin"}}
    end,
  },
  {
    id = "mpa-fpdu-029", title = "An initiator pads each FPDU with zeros to a multiple of four octets",
    requirements = {"RFC5044-4.1-01", "RFC5044-4.1-02", "RFC5044-3-01"},
    role = "initiator", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = open(dut)
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
    id = "mpa-fpdu-030", title = "An initiator accepts FPDUs that straddle TCP segments", segments = true,
    requirements = {"RFC5044-AppA.4-01", "RFC5044-5.1-05"},
    role = "initiator", tier = "agent", close = {"fin"},
    run = function(dut)
      local target = dut:region{size = 4096}
      local c = open(dut, {mulpdu = 512})
      step "write 4096 octets, each FPDU in a TCP segment of 97 octets and one with the rest"
      c:write{stag = target.stag, to = target.to, data = counting, split = {97, 97, 97, 97, 97}}
      c:send{data = "done"}
      delivered(dut, "done")
      check(dut:memory(target, 0, 4096) == counting, "the octets placed are those that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-fpdu-031", title = "An initiator does not deliver a truncated FPDU to its ULP",
    requirements = {"RFC5044-6-04", "RFC5044-8-01"},
    role = "initiator", tier = "agent",
    run = function(dut)
      local c = open(dut, {auto = {terminate = false}})
      step "send a Send without the last octet of its CRC, then FIN"
      c:send{data = "not whole", cut = 35}
      c:close()
      c:expect{{kind = "terminate"}, closed}
      check(dut:pending() == 0, "the ULP gets nothing of it")
    end,
  },
  {
    id = "mpa-fpdu-032", title = "An initiator accepts an FPDU of more than 12,000 octets",
    requirements = {"RFC5044-5.2-01"},
    role = "initiator", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = open(dut, {mulpdu = 16000})
      step "send a Send in one large FPDU"
      c:send{data = counting:rep(3)}
      delivered(dut, counting:rep(3))
      finish(c)
    end,
  },
}
