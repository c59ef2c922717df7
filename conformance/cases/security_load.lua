-- Attacks by the amount of valid traffic, RFC 5042 6.4.1 and 6.4.4.

local attacks, closed, many = common.attacks, common.closed, common.many

local crowd = 64 -- connections of an attacker

-- Opens connections until the device rejects one, at most `crowd`; each that is accepted is served.
local function open_until_rejected(dut)
  local list, limit = {}, dut.profile.service_timeout
  for i = 1, crowd do
    local opened, c = pcall(dut.tcp, dut, {timeout = limit})
    if not opened then break end
    c:request{}
    local event = c:expect{{kind = "reply"}, closed, timeout = limit}
    if event.kind == "close" or event.r then break end
    c:full()
    c:read{sink_stag = i, source_stag = 1, size = 0}
    c:expect{{kind = "read_response", stag = i, size = 0}, timeout = limit}
    list[i] = c
  end
  return list
end

-- An FPDU of a Read of no octets or the like, in TCP segments of one octet.
local octet_by_octet = many(51, function() return 1 end)

return {
  {
    id = "security-load-001", title = "Many connections are each served or rejected, and can be opened again after their end",
    requirements = {"RFC5042-ATTACK-49", "RFC5042-6.4.1-02"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      local before
      for round = 1, 2 do
        step("open up to " .. crowd .. " connections, round " .. round)
        local list = open_until_rejected(dut)
        serve()
        check(#list > 0 and (not before or #list >= before), "as many connections can be opened as before")
        before = #list
        step "the first of them is still served"
        common.alive(list[1])
        for _, c in ipairs(list) do common.finish(c) end
      end
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
      if c:expect{{kind = "silence"}, {kind = "terminate"}, closed, timeout = 0.5}.kind == "silence" then
        step "send the segment with L=1"
        c:fpdu{kind = "send", msn = 1, mo = 0}
        c:expect{{kind = "silence"}, {kind = "terminate"}, closed, timeout = 0.5}
      end
      c:reset()
    end),
  },
  {
    id = "security-load-003", title = "Many Writes and Reads of no octets are accepted, and others are served",
    requirements = {"RFC5042-ATTACK-71"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      local c = common.started(dut)
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
