-- Attacks by the amount of valid traffic, RFC 5042 6.4.1 and 6.4.4.

local attacks, closed, many = common.attacks, common.closed, common.many

local attackers = 32 -- connections of an attacker

-- Each connection that the device accepts is served.
local function served(dut, c, number)
  if c then
    c:read{sink_stag = number, source_stag = 1, size = 0}
    c:expect{{kind = "read_response", stag = number, size = 0}, timeout = dut.profile.service_timeout}
  end
  return c
end

-- The FPDU of a Read of no octets in TCP segments of one octet.
local octet_by_octet = many(51, function() return 1 end)

return {
  {
    id = "security-load-001", title = "Many connections are each served or rejected, and can be opened again after their end",
    requirements = {"RFC5042-ATTACK-49", "RFC5042-6.4.1-02"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      step("open up to " .. attackers .. " connections")
      local list = common.crowd(attackers, function(i) return served(dut, common.admitted(dut), i) end)
      serve()
      step "end all, and open as many again"
      for i, c in ipairs(list) do
        served(dut, c, i)
        common.finish(c)
      end
      list = many(#list, function(i) return served(dut, common.admitted_in_time(dut), i) end)
      serve()
      for _, c in ipairs(list) do common.finish(c) end
    end),
  },
  {
    id = "security-load-002", title = "While a Send has thousands of segments without payload, others are served",
    requirements = {"RFC5042-ATTACK-70"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      local c = common.started(dut)
      step "send 2,000 segments of a Send, without payload and with L=0"
      for _ = 1, 2 do c:fpdu{kind = "send", msn = 1, mo = 0, l = false, times = 1000} end
      serve()
      step "send the segment with L=1, and a Read of no octets"
      c:fpdu{kind = "send", msn = 1, mo = 0}
      c:read{sink_stag = 2, source_stag = 1, size = 0}
      -- RFC 5041 7.1: without a receive buffer, the device may also wait for one.
      c:expect{{kind = "read_response", stag = 2, size = 0}, {kind = "terminate"}, closed, {kind = "silence"}, timeout = 0.5}
      c:reset()
    end),
  },
  {
    id = "security-load-003", title = "Many Writes and Reads of no octets are accepted, and others are served",
    requirements = {"RFC5042-ATTACK-71"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      -- Without enhanced data, the IRD of the device is not negotiated.
      local c = common.started(dut, {ord = math.max(1, math.min(8, dut.profile.ird))})
      step "send 1,000 Writes of no octets"
      c:fpdu{kind = "rdma_write", stag = 1, to = 0, times = 1000}
      serve()
      step "read no octets 200 times"
      for i = 1, 200 do c:read{sink_stag = i, source_stag = 1, size = 0} end
      for i = 1, 200 do c:expect{{kind = "read_response", stag = i, size = 0}} end
      serve()
      common.finish(c)
    end),
  },
  {
    id = "security-load-004", title = "FPDUs in TCP segments of one octet are accepted, and others are served",
    requirements = {"RFC5042-ATTACK-71"}, segments = true,
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      local c = common.started(dut)
      step "send 8 Read Requests in TCP segments of one octet"
      for i = 1, 8 do
        c:read{sink_stag = i, source_stag = 1, size = 0, split = octet_by_octet}
        c:expect{{kind = "read_response", stag = i, size = 0}}
        serve()
      end
      common.finish(c)
    end),
  },
}
