-- Markers, RFC 5044 4.2 and 4.3, in both directions.

local closed, finish = common.closed, common.finish
local counting = ("0123456789abcdef"):rep(256)

return {
  {
    id = "mpa-marker-001", title = "After M=1 in the Request the device sends Markers",
    requirements = {"RFC5044-7.1.1-06"},
    role = "responder", tier = "none", claims = {"markers"}, close = {"fin", "rst"},
    run = function(dut)
      step "request Markers"
      local c = dut:connect{markers = true}
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      local answer = c:expect{{kind = "read_response", size = 0, crc = "good"}}
      check(#answer.markers == 1 and answer.markers[1].fpduptr == 0, "the first FPDU has a Marker directly before it")
      finish(c)
    end,
  },
  {
    -- Without the claim "markers": a receiver may do without Markers, but "all MPA senders MUST be able to generate Markers when
    -- their use is declared by the opposing receiver" (RFC 5044 4.3).
    id = "mpa-marker-050", title = "A Request with M=1 is accepted, and the first FPDU of the device has a Marker",
    requirements = {"RFC5044-4.3-01", "RFC5044-7.1.1-06"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:tcp{}
      step "send a Request with M=1"
      c:request{rev = dut.profile.revision, enhanced = dut.profile.revision == 2, m = true}
      local reply = c:expect{{kind = "reply"}}
      check(not reply.r, "the device accepts a peer that asks for Markers")
      c:full()
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      local answer = c:expect{{kind = "read_response", size = 0}}
      check(#answer.markers == 1, "the first FPDU has a Marker directly before it")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-002", title = "The device sends a Marker every 512 octets, with the right FPDUPTR",
    requirements = {"RFC5044-7.1.1-06", "RFC5044-4.3-03", "RFC5044-4.2-02"},
    role = "responder", tier = "agent", claims = {"markers"}, close = {"fin"},
    run = function(dut)
      local source = dut:region{size = 4096, rights = "r", fill = counting}
      local sink = region{size = 4096}
      local c = dut:connect{markers = true}
      step "read 4096 octets"
      c:read{region = sink, source_stag = source.stag, source_to = source.to}
      local answer = c:expect{{kind = "read_response", crc = "good"}}
      check(sink:get(0, 4096) == counting, "the octets are those of the Data Source")
      for _, marker in ipairs(answer.markers) do
        check(marker.fpduptr == marker.expected, "FPDUPTR counts the octets from ULPDU_Length to the Marker")
      end
      finish(c)
    end,
  },
  {
    id = "mpa-marker-003", title = "After M=0 in the Request the device sends no Markers",
    requirements = {"RFC5044-7.1.1-05"},
    role = "responder", tier = "agent", close = {"fin"},
    run = function(dut)
      local source = dut:region{size = 1024, rights = "r", fill = counting}
      local sink = region{size = 1024}
      local c = dut:connect{markers = false}
      c:read{region = sink, source_stag = source.stag, source_to = source.to}
      c:expect{{kind = "read_response", crc = "good"}}
      check(sink:get(0, 1024) == counting:sub(1, 1024), "the octets are those of the Data Source")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-004", title = "The device removes the Markers that it asked for",
    requirements = {"RFC5044-4.3-10"},
    role = "responder", tier = "agent", claims = {"markers"}, close = {"fin"},
    run = function(dut)
      dut:configure{markers = true}
      local target = dut:region{size = 4096}
      local c = dut:connect{}
      check(c.startup.m, "the device is configured to ask for Markers")
      step "write 4096 octets with Markers"
      c:write{stag = target.stag, to = target.to, data = counting}
      c:send{data = "done"}
      check(dut:received{}.data == "done", "the Send after it is delivered")
      check(dut:memory(target, 0, 4096) == counting, "the octets placed are those that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-005", title = "The reserved half of a Marker is ignored",
    requirements = {"RFC5044-4.2-02"},
    role = "responder", tier = "agent", claims = {"markers"}, close = {"fin"},
    run = function(dut)
      dut:configure{markers = true}
      local c = dut:connect{}
      c:send{data = "hello", marker_reserved = 0xFFFF}
      check(dut:received{}.data == "hello", "the ULP gets the octets that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-049", title = "If the device asks for Markers, reserved bits in the first Marker are ignored (no agent)",
    requirements = {"RFC5044-4.2-02", "RFC5044-4.2-04", "RFC5044-4.3-10"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      if dut.told then dut:configure{markers = true} end
      local c = dut:connect{}
      if not c.startup.m then
        finish(c)
        dut:not_applicable("the device does not ask for Markers")
      end
      step "send Reads of no octets, reserved bits set in the first Marker"
      for i = 1, 30 do
        -- The first FPDU has a Marker directly before it, later ones every 512 octets.
        local first = i == 1
        c:read{sink_stag = i, source_stag = 1, size = 0, marker_reserved = first and 0xFFFF or nil,
          fpduptr_shift = first and 3 or nil}
        c:expect{{kind = "read_response", size = 0, stag = i}}
      end
      finish(c)
    end,
  },
  {
    id = "mpa-marker-006", title = "The two low bits of FPDUPTR are ignored",
    requirements = {"RFC5044-4.2-04"},
    role = "responder", tier = "agent", claims = {"markers"}, close = {"fin"},
    run = function(dut)
      dut:configure{markers = true}
      local c = dut:connect{}
      c:send{data = "hello", fpduptr_shift = 3}
      check(dut:received{}.data == "hello", "the ULP gets the octets that were sent")
      finish(c)
    end,
  },
  {
    id = "mpa-marker-007", title = "A wrong FPDUPTR is ignored, or answered by Terminate 2/0/03",
    requirements = {"RFC5044-8-03", "RFC5044-5.2-02", "RFC5042-ATTACK-80"},
    role = "responder", tier = "agent", claims = {"markers", "crc-reports"},
    run = function(dut)
      dut:configure{markers = true}
      local c = common.open(dut, "responder")
      step "send a Send with a Marker in it whose FPDUPTR is wrong"
      c:send{data = counting:sub(1, 1000), fpduptr_shift = 64}
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = 3}, {kind = "read_response"}}
    end,
  },
}
