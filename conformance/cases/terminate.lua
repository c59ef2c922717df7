-- Terminate, RFC 5040 4.8, 5.4, 6.2 and 7: its content and its effect.

local closed, both, unknown_stag = common.closed, common.both, common.unknown_stag

return {
  {
    id = "rdma-terminate-001", title = "After a Terminate from its peer the device closes the connection",
    requirements = {"RFC5040-5.4-04", "RFC5040-7-03", "RFC5040-6.2.1-03"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{auto = {close = false}}
      step "send a Terminate"
      c:terminate{layer = 0, etype = 0, code = 0}
      step "the device closes"
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-002", title = "After a Terminate with all reserved bits set the device closes the connection",
    requirements = {"RFC5040-4.8-07"},
    role = "responder", tier = "none", close = {"fin", "rst"},
    run = function(dut)
      local c = dut:connect{auto = {close = false}}
      step "send a Terminate with every reserved bit set"
      c:terminate{layer = 2, etype = 0, code = 2, reserved = 0x1FFF}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-003",
    title = "A Write to an unknown STag is answered by Terminate 1/1/00, about that Write",
    requirements = {"RFC5041-7.2-01", "RFC5040-4.8-04", "RFC5040-4.8-05", "RFC5040-4.8-10"},
    role = "responder", tier = "none", close = both,
    danger = {"memory"},
    run = function(dut)
      local c = dut:connect{}
      step "write 8 octets to an unknown STag"
      c:write{stag = unknown_stag, to = 0x100002000, data = "12345678"}
      local message = c:expect{{kind = "terminate", layer = 1, etype = 1, code = 0}}
      check(not message.r, "R is not set")
      -- The DDP header is a SHOULD, which the monitor checks.
      local about = message.terminated
      check(not message.d or about and about.stag == unknown_stag and about.to == 0x100002000,
        "the Terminated DDP Header is that of the Write")
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-004",
    title = "A Read from an unknown STag is answered by Terminate 0/1/00, which includes the DDP header and the Read Request",
    requirements = {"RFC5040-4.8-06", "RFC5040-4.8-11"},
    role = "responder", tier = "none", close = both,
    run = function(dut)
      local sink = region{size = 64}
      local c = dut:connect{}
      step "read from an unknown STag"
      c:read{region = sink, source_stag = unknown_stag, source_to = 0x2000}
      local message = c:expect{{kind = "terminate", layer = 0, etype = 1, code = 0}}
      check(not message.r or message.terminated_request and message.terminated_request.source_stag == unknown_stag,
        "the Terminated RDMA Header is that of the Read Request")
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-005", title = "A Send with a wrong CRC is answered by Terminate 2/0/02 without headers",
    requirements = {"RFC5040-4.8-04", "RFC5040-4.8-05"},
    role = "responder", tier = "none", claims = {"crc-reports"}, close = both,
    run = function(dut)
      local c = common.started(dut)
      c:send{data = "hello", crc_flip = 0x01000000}
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = 2, m = false, d = false, r = false}}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-006",
    title = "A Write to an unknown STag and a Send with a wrong MSN are answered by one Terminate, about the Write",
    requirements = {"RFC5040-7.1-03", "RFC5040-5.4-06"},
    role = "responder", tier = "none", close = both,
    danger = {"memory"},
    run = function(dut)
      local c = dut:connect{}
      step "send a Write to an unknown STag, then a Send with a wrong MSN"
      c:write{stag = unknown_stag, data = "12345678"}
      c:send{data = "x", msn = 99}
      c:expect{{kind = "terminate", layer = 1, etype = 1, code = 0}}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-007", title = "A Send on the undefined queue 5 is answered by a Terminate on queue 2 with MSN 1",
    requirements = {"RFC5040-4.1-07", "RFC5041-4.3-09", "RFC5040-5.4-01", "RFC5040-5.4-02"},
    role = "responder", tier = "none", close = both,
    run = function(dut)
      local c = dut:connect{}
      c:send{data = "x", qn = 5}
      c:expect{{kind = "terminate", qn = 2, msn = 1, mo = 0, l = true, t = false}}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-terminate-008",
    title = "After its Terminate for a Write to an unknown STag the device closes the connection by FIN",
    requirements = {"RFC5040-6.2.1-04"},
    role = "responder", tier = "none", close = {"terminate+fin"},
    danger = {"memory"},
    run = function(dut)
      local c = dut:connect{}
      c:write{stag = unknown_stag, data = "12345678"}
      c:expect{{kind = "terminate"}}
      -- a SHOULD: a device may send RST, which is reported as an abortive close
      c:expect{closed}
    end,
  },
}
