-- Attacks on the connection setup, RFC 5042 5.1.2 and 6.4: what a peer can do before its first FPDU.

local attacks, closed, many = common.attacks, common.closed, common.many

local attackers = 16 -- connections of an attacker

-- A TCP connection, or nil if the device refuses it.
local function tcp_if_admitted(dut, options)
  local opened, c = pcall(dut.tcp, dut, options or {})
  return opened and c or nil
end

-- Opens connections whose startup stays incomplete, each after start(connection). Another connection is served meanwhile.
local function unfinished(start, words)
  return attacks(function(dut, serve)
    step("open " .. attackers .. " connections, each with " .. words)
    common.crowds(dut, serve, attackers, function()
      local c = tcp_if_admitted(dut)
      if c then start(c) end
      return c
    end)
  end)
end

-- A connection with a Request that has these fields, and the Reply; the device may refuse the connection, with or without one.
local function ask(dut, fields)
  local c = tcp_if_admitted(dut, {rev = fields.rev or 1})
  if not c then return nil end
  c:request(fields)
  return c, c:expect{{kind = "reply"}, closed, timeout = dut.profile.service_timeout}
end

-- Opens a connection of an attacker after such a Request, for common.crowd.
local function asks(dut, fields)
  return function()
    local c, reply = ask(dut, fields)
    if not c or reply.kind == "reply" and not reply.r then return c end
    c:reset()
  end
end

-- 512 octets, of which no two pieces of 8 are the same.
local nonce = table.concat(many(64, function(i) return string.pack(">I4I4", 0xC0FFEE00 + i, 0x5EC2E700 + i) end))

local function has_piece(text)
  for at = 1, #text - 7 do
    if nonce:find(text:sub(at, at + 7), 1, true) then return true end
  end
  return false
end

return {
  {
    id = "security-startup-001", title = "A second Request in place of the first FPDU is not answered by a Reply",
    requirements = {"RFC5042-ATTACK-04"},
    role = "responder", tier = "none", danger = {"connection"},
    run = attacks(function(dut, serve)
      local c = dut:connect{auto = {terminate = false}}
      step "send the Request again"
      c:octets("MPA ID Req Frame" .. hex"40 01 0000")
      serve()
      -- Read as an FPDU it is longer: the device may wait for the rest.
      c:expect{{kind = "terminate"}, closed, {kind = "silence"}, timeout = 0.2}
      c:reset()
    end),
  },
  {
    id = "security-startup-002", title = "Extreme depths in Requests are answered within the limits, and others are served",
    requirements = {"RFC5042-ATTACK-06"},
    role = "responder", tier = "none", claims = {"rev-2"}, danger = {"connection"},
    run = attacks(function(dut, serve)
      for _, depths in ipairs{{0x3FFE, 0x3FFE}, {0, 0}, {0, 0x3FFE}, {0x3FFE, 0}} do
        step(("send a Request with IRD %d and ORD %d"):format(depths[1], depths[2]))
        local c, reply = ask(dut, {rev = 2, enhanced = true, ird = depths[1], ord = depths[2]})
        check(c, "the connection is accepted by TCP")
        check(reply.kind == "close" or reply.r or reply.ord <= depths[1],
          "the ORD of the Reply is at most the IRD of the Request")
        serve()
        c:reset()
      end
    end),
  },
  {
    id = "security-startup-003", title = "A Request with C=0 does not disable the CRC that the device requests",
    requirements = {"RFC5042-ATTACK-08"},
    role = "responder", tier = "none", claims = {"crc-reports"}, danger = {"connection"},
    run = attacks(function(dut, serve)
      local c = dut:connect{crc = false}
      if not c.terms.crc then
        common.finish(c)
        return "the device does not request CRC"
      end
      common.alive(c)
      step "send a Read of no octets with a wrong CRC"
      c:read{sink_stag = 2, source_stag = 1, size = 0, crc_flip = 1}
      if c:expect{common.terminate(2, 0, 2), closed}.kind == "terminate" then c:expect{closed} end
      serve()
    end),
  },
  {
    id = "security-startup-004", title = "Private data of one peer is in no Reply to another",
    requirements = {"RFC5042-ATTACK-47"},
    role = "responder", tier = "none",
    run = attacks(function(dut, serve)
      step "send a Request with 256 octets of private data, and reset the connection"
      local first = ask(dut, {private_data = nonce:sub(1, 256)})
      check(first, "the connection is accepted by TCP")
      first:reset()
      for i = 1, 8 do
        step("send Request " .. i .. " without private data")
        local c, reply = ask(dut, {})
        check(c, "the connection is accepted by TCP")
        check(not has_piece(reply.private_data or ""), "the Reply has no private data of the other peer")
        c:reset()
      end
      serve()
    end),
  },
  {
    id = "security-startup-005", title = "Connections that are reset in any phase of the startup leave nothing behind",
    requirements = {"RFC5042-ATTACK-50"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      local function request(fields)
        return function(c) c:request(fields) end
      end
      local function replied(c)
        c:request{}
        c:expect{{kind = "reply"}, closed, timeout = dut.profile.service_timeout}
      end
      for _, phase in ipairs{
        {"before the Request", function() end},
        {"in the Request", request{cut = 10}},
        {"in the private data of the Request", request{private_data = "abcd", pd_length = 8}},
        {"after the Request", request{}},
        {"after the Reply", replied},
        {"in the first FPDU", function(c) replied(c) c:octets(hex"002e 4041") end},
      } do
        step("open " .. attackers .. " connections, and reset each " .. phase[1])
        common.crowd(attackers, function()
          local c = tcp_if_admitted(dut)
          if not c then return nil end
          phase[2](c)
          c:reset()
          return c
        end)
        serve()
      end
    end),
  },
  {
    id = "security-startup-006", title = "Connections that are reset after an FPDU leave nothing behind",
    requirements = {"RFC5042-ATTACK-50"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      step("open " .. attackers .. " connections, and reset each after a Read Request")
      many(attackers, function()
        local c = common.admitted_in_time(dut)
        c:read{sink_stag = 1, source_stag = 1, size = 0}
        c:sent()
        c:reset()
      end)
      serve()
      step("open " .. attackers .. " connections, and reset each after the device's Terminate")
      many(attackers, function()
        local c = common.admitted_in_time(dut)
        common.alive(c)
        c:send{data = "hello", msn = 0x80000000}
        c:expect{{kind = "terminate"}, closed}
        c:reset()
      end)
      serve()
    end),
  },
  {
    id = "security-startup-007", title = "While many connections send no Request, others are served",
    requirements = {"RFC5042-ATTACK-51"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = unfinished(function() end, "no octet"),
  },
  {
    id = "security-startup-008", title = "While many connections have sent 19 octets of a Request, others are served",
    requirements = {"RFC5042-ATTACK-52"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = unfinished(function(c) c:request{cut = 19} end, "19 octets of a Request"),
  },
  {
    id = "security-startup-009",
    title = "While many connections have sent a Request without its last octet of private data, others are served",
    requirements = {"RFC5042-ATTACK-52"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = unfinished(function(c) c:request{private_data = ("x"):rep(255), pd_length = 256} end, "a Request that lacks one octet"),
  },
  {
    id = "security-startup-010", title = "While many connections are idle after the startup, others are served",
    requirements = {"RFC5042-ATTACK-54", "RFC5042-6.4.2-01"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      step("open " .. attackers .. " connections without an FPDU")
      common.crowds(dut, serve, attackers, function() return common.admitted(dut) end)
    end),
  },
  {
    id = "security-startup-011", title = "While many peer-to-peer connections lack their RTR, others are served",
    requirements = {"RFC5042-ATTACK-54", "RFC5042-6.4.2-01"},
    role = "responder", tier = "none", claims = {"rev-2"}, danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      step("open " .. attackers .. " connections with A=1, without the RTR")
      common.crowds(dut, serve, attackers, asks(dut,
        {rev = 2, enhanced = true, a = true, b = true, rtr_c = true, rtr_d = true, ird = common.depth(dut), ord = 4}))
    end),
  },
  {
    id = "security-startup-012", title = "While many connections have the largest depths, an earlier one keeps what its Reply granted",
    requirements = {"RFC5042-ATTACK-55"},
    role = "responder", tier = "none", claims = {"rev-2"}, danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      local first = dut:connect{rev = 2, ord = 16}
      local granted = first.terms.ord
      step("open " .. attackers .. " connections with IRD and ORD 3FFEh")
      local list = common.crowd(attackers, asks(dut, {rev = 2, enhanced = true, ird = 0x3FFE, ord = 0x3FFE}))
      serve()
      step("read no octets " .. granted .. " times at once on the earlier connection")
      for i = 1, granted do first:read{sink_stag = i, source_stag = 1, size = 0} end
      for i = 1, granted do
        first:expect{{kind = "read_response", stag = i, size = 0}, timeout = dut.profile.service_timeout}
      end
      common.finish(first)
      for _, c in ipairs(list) do c:reset() end
    end),
  },
  {
    id = "security-startup-013", title = "While many connections have 256 octets of private data, others are served",
    requirements = {"RFC5042-ATTACK-56"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      step("open " .. attackers .. " connections with 256 octets of private data")
      common.crowds(dut, serve, attackers, asks(dut, {private_data = nonce:sub(1, 256)}))
    end),
  },
  {
    id = "security-startup-014", title = "Many Requests with a PD_Length of FFFFh each end their connection, and others are served",
    requirements = {"RFC5042-ATTACK-56"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      step("open " .. attackers .. " connections with a PD_Length of FFFFh")
      local list = common.crowd(attackers, function()
        local c = tcp_if_admitted(dut)
        if c then c:request{pd_length = 0xFFFF} end
        return c
      end)
      serve()
      for _, c in ipairs(list) do c:expect{closed, timeout = 15} end
    end),
  },
}
