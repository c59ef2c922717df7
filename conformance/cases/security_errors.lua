-- Attacks by invalid FPDUs, RFC 5042 5.1.1, 6.3 and 6.4.4: an error ends its own Stream, and reveals nothing.

local about, attacks, closed, many, started = common.about, common.attacks, common.closed, common.many, common.started
local terminate, unknown_stag = common.terminate, common.unknown_stag

local attackers = 16 -- connections of an attacker

-- Each way in which an FPDU is too short for the headers of its message: ULPDUs of `first` to `last` octets.
local function each_short(header, first, last, f)
  local whole = header .. ("\0"):rep(last - #header)
  for octets = first, last do f(whole:sub(1, octets), octets) end
end

local tagged, untagged = hex"C140 7BADBAD1 0000000000001000", hex"4143 00000000 00000000 00000002 00000000"
local read_request = hex"4141 00000000 00000001 00000002 00000000"

-- Sends the ULPDU after a valid FPDU, and returns the Terminate, or nil if the connection ends without one.
local function fails(dut, ulpdu)
  local c = started(dut)
  c:fpdu{ulpdu = ulpdu}
  local event = c:expect{{kind = "terminate"}, closed}
  if event.kind ~= "terminate" then return nil end
  c:expect{closed}
  return event
end

local function survives(header, first, last)
  return attacks(function(dut, serve)
    each_short(header, first, last, function(ulpdu, octets)
      step("send an FPDU with " .. octets .. " octets of ULPDU")
      fails(dut, ulpdu)
    end)
    serve()
  end)
end

-- The header in a Terminate: the octets that were sent, then zeros.
local function reveals_nothing(header, first, last)
  return attacks(function(dut, serve)
    each_short(header, first, last, function(ulpdu, octets)
      step("send an FPDU with " .. octets .. " octets of ULPDU")
      local event = fails(dut, ulpdu)
      if event and event.d then
        local included = event.data:sub(3) -- after DDP Segment Length
        local sent = ulpdu .. ("\0"):rep(#included)
        check(included == sent:sub(1, #included), "the Terminate includes only octets that were sent, and zeros")
      end
    end)
    serve()
  end)
end

-- Without a receive buffer, a device may report that first.
local no_buffer = terminate(1, 2, 2)
-- A device may look at the STag of a tagged segment first, even if the segment has no payload.
local invalid_stag = terminate(1, 1, any{0, 2})

-- Errors that tier none can cause, each with what may answer it, besides a close without a Terminate.
local errors = {
  {"a Send with a wrong MSN", function(c) c:send{data = "hello", msn = 0x80000000} end, terminate(1, 2, any{2, 3})},
  {"a Send with DDP version 2", function(c) c:send{data = "hello", dv = 2} end, terminate(1, 2, 6)},
  {"a Send with RDMAP version 3", function(c) c:send{data = "hello", rv = 3} end, terminate(0, 2, 5), no_buffer},
  {"a Send on queue 9", function(c) c:send{data = "hello", qn = 9} end, terminate(1, 2, 1)},
  {"a tagged Send", function(c) c:write{stag = 1, to = 0, data = "", opcode = 3} end, terminate(0, 2, 6), invalid_stag},
  {"a Read from an unknown STag", function(c) c:read{sink_stag = 1, source_stag = unknown_stag, size = 8} end,
    terminate(0, 1, any{0, 3})},
}

return {
  {
    id = "security-error-001", title = "A Write to an unknown STag ends its connection and no other",
    requirements = {"RFC5042-ATTACK-01", "RFC5042-5.1.1-01"},
    role = "responder", tier = "none", danger = {"memory", "connection"},
    run = attacks(function(dut, serve)
      local c = started(dut)
      step "send a Write to an unknown STag"
      c:write{stag = unknown_stag, to = 0, data = "12345678"}
      local event = c:expect{terminate(1, 1, 0)}
      about(event, {t = true, stag = unknown_stag, to = 0, opcode = 0})
      c:expect{closed}
      serve()
    end),
  },
  {
    id = "security-error-002", title = "FPDUs too short for a tagged DDP header end their connections and no other",
    requirements = {"RFC5042-ATTACK-28"},
    role = "responder", tier = "none", danger = {"connection", "host"}, run = survives(tagged, 0, 13),
  },
  {
    id = "security-error-003", title = "FPDUs too short for an untagged DDP header end their connections and no other",
    requirements = {"RFC5042-ATTACK-28"},
    role = "responder", tier = "none", danger = {"connection", "host"}, run = survives(untagged, 2, 17),
  },
  {
    id = "security-error-004", title = "FPDUs too short for a Read Request end their connections and no other",
    requirements = {"RFC5042-ATTACK-28"},
    role = "responder", tier = "none", danger = {"connection", "host"}, run = survives(read_request, 18, 45),
  },
  {
    id = "security-error-005", title = "A Terminate about an FPDU too short for a tagged header includes only octets that were sent",
    requirements = {"RFC5042-ATTACK-44"},
    role = "responder", tier = "none", danger = {"connection", "host"}, run = reveals_nothing(tagged, 0, 13),
  },
  {
    id = "security-error-006", title = "A Terminate about an FPDU too short for an untagged header includes only octets that were sent",
    requirements = {"RFC5042-ATTACK-44"},
    role = "responder", tier = "none", danger = {"connection", "host"}, run = reveals_nothing(untagged, 2, 17),
  },
  {
    id = "security-error-007", title = "A Terminate about a truncated Read Request includes only octets that were sent",
    requirements = {"RFC5042-ATTACK-44"},
    role = "responder", tier = "none", danger = {"connection", "host"}, run = reveals_nothing(read_request, 18, 45),
  },
  {
    id = "security-error-008", title = "Of Sends with wrong MSNs at the same time, each is answered by a Terminate with its own headers",
    requirements = {"RFC5042-ATTACK-43"},
    role = "responder", tier = "none", danger = {"connection"},
    run = attacks(function(dut, serve)
      local list = many(8, function() return started(dut) end)
      step "send a Send with a wrong MSN on each of 8 connections"
      for i, c in ipairs(list) do c:send{data = ("x"):rep(i), msn = 0x80000000 + i} end
      for i, c in ipairs(list) do
        about(c:expect{terminate(1, 2, any{2, 3})}, {t = false, qn = 0, msn = 0x80000000 + i, opcode = 3})
        c:expect{closed}
      end
      serve()
    end),
  },
  {
    id = "security-error-009",
    title = "Of Reads from unknown STags at the same time, each is answered by a Terminate with its own Read Request",
    requirements = {"RFC5042-ATTACK-43"},
    role = "responder", tier = "none", danger = {"connection"},
    run = attacks(function(dut, serve)
      local list = many(8, function() return started(dut) end)
      step "read from an unknown STag on each of 8 connections"
      for i, c in ipairs(list) do
        c:read{sink_stag = 0x5EC00000 + i, sink_to = i, source_stag = unknown_stag - i, source_to = 0x1000 * i, size = 8}
      end
      for i, c in ipairs(list) do
        local event = c:expect{terminate(0, 1, any{0, 3})}
        if event.r then
          local request = event.terminated_request
          check(request.sink_stag == 0x5EC00000 + i and request.sink_to == i, "the Data Sink is that of its own Read Request")
          check(request.source_stag == unknown_stag - i and request.source_to == 0x1000 * i,
            "the Data Source is that of its own Read Request")
        end
        c:expect{closed}
      end
      serve()
    end),
  },
  {
    id = "security-error-010", title = "Errors on many connections at the same time each end their own, and others are served",
    requirements = {"RFC5042-ATTACK-72"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      for round = 1, 3 do
        local list = common.crowd(8, function() return common.started_if_admitted(dut) end)
        step("cause an error on each of 8 connections, round " .. round)
        for i, c in ipairs(list) do errors[i % #errors + 1][2](c) end
        for i, c in ipairs(list) do
          local _, _, expected, other = table.unpack(errors[i % #errors + 1], 1, 4)
          if c:expect{expected, closed, other}.kind == "terminate" then c:expect{closed} end
        end
        serve()
      end
    end),
  },
  {
    id = "security-error-011", title = "While many peers stay open after a Terminate, others are served",
    requirements = {"RFC5042-ATTACK-74"},
    role = "responder", tier = "none", danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      step("cause a Terminate on each of " .. attackers .. " connections, and stay open")
      common.crowds(dut, serve, attackers, function()
        local c = common.started_if_admitted(dut, {auto = {close = false}})
        if not c then return nil end
        c:send{data = "hello", msn = 0x80000000}
        c:expect{terminate(1, 2, any{2, 3})} -- RFC 5040 6.2.1: the device may then await the FIN
        return c
      end)
    end),
  },
  {
    id = "security-error-012", title = "An invalid first FPDU ends its connection and no other",
    requirements = {"RFC5042-ATTACK-79"},
    role = "responder", tier = "none", claims = {"crc-reports"}, danger = {"connection", "host"},
    run = attacks(function(dut, serve)
      for _, first in ipairs{
        {"a Send with a wrong CRC", function(c) c:send{data = "hello", crc_flip = 1} end},
        {"a Send with a wrong MSN", function(c) c:send{data = "hello", msn = 0x80000000} end},
        {"a Send on queue 9", function(c) c:send{data = "hello", qn = 9} end},
        {"an FPDU without a ULPDU", function(c) c:fpdu{ulpdu = ""} end},
        {"a Terminate", function(c) c:terminate{layer = 0, etype = 0, code = 0} end},
        {"a Read Response", function(c) c:fpdu{kind = "read_response", stag = 1, to = 0, data = ""} end},
      } do
        local c = dut:connect{auto = {terminate = false}}
        step("send " .. first[1] .. " as the first FPDU")
        first[2](c)
        if c:expect{{kind = "terminate"}, closed}.kind == "terminate" then c:expect{closed} end
        serve()
      end
    end),
  },
  {
    id = "security-error-013", title = "Sends on undefined queues are each answered by a Terminate, and others are served",
    requirements = {"RFC5042-ATTACK-81"},
    role = "responder", tier = "none", danger = {"connection"},
    run = attacks(function(dut, serve)
      for _, qn in ipairs{4, 5, 0x7FFFFFFF, 0xFFFFFFFF} do
        local c = started(dut)
        step(("send a Send on queue %d"):format(qn))
        c:send{data = "hello", qn = qn}
        c:expect{terminate(1, 2, 1)}
        c:expect{closed}
      end
      serve()
    end),
  },
  {
    id = "security-error-014", title = "Opcodes in the wrong buffer model are each answered by a Terminate, and others are served",
    requirements = {"RFC5042-ATTACK-81"},
    role = "responder", tier = "none", danger = {"connection"},
    run = attacks(function(dut, serve)
      for _, opcode in ipairs{3, 4, 5, 6} do
        local c = started(dut)
        step("send opcode " .. opcode .. " in a tagged segment without payload")
        c:write{stag = 1, to = 0, data = "", opcode = opcode}
        c:expect{terminate(0, 2, 6), invalid_stag}
        c:expect{closed}
      end
      serve()
    end),
  },
}
