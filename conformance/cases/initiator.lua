-- The device as initiator: RFC 5044 7.1, RFC 6581.

local closed = common.closed

-- Answers the device's Request by what no initiator may take.
local function refuses(reply)
  return function(dut)
    local c = dut:accept_tcp{}
    c:expect{{kind = "request"}}
    step "answer"
    c:reply(reply)
    step "wait for the end of the connection"
    c:expect{closed}
  end
end

return {
  {
    id = "mpa-initiator-001", title = "The initiator's Request is as it should be",
    requirements = {"RFC5044-7.1.1-01", "RFC5044-7.1.1-10", "RFC5044-7.1.1-12"},
    role = "initiator", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = dut:accept_tcp{}
      c:expect{{kind = "request", rev = any{1, 2}, r = false, res = 0}}
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-002", title = "The initiator sends no FPDU before the Reply",
    requirements = {"RFC5044-7.1.2-11"},
    role = "initiator", tier = "agent", close = {"fin"},
    run = function(dut)
      local c = dut:accept_tcp{}
      c:expect{{kind = "request"}}
      dut:send{data = "too early?"}
      step "withhold the Reply"
      c:expect{{kind = "silence"}, timeout = 0.3}
      step "send it"
      c:reply{}
      c:full()
      c:expect{{kind = "send", data = "too early?"}}
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-003", title = "A Request where a Reply is due closes the connection",
    requirements = {"RFC5044-7.1.2-20", "RFC5044-7.1.1-04"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = refuses{key = "MPA ID Req Frame"},
  },
  {
    id = "mpa-initiator-004", title = "A Reply with a PD_Length of 513 closes the connection",
    requirements = {"RFC5044-7.1.1-16"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = refuses{private_data = ("x"):rep(513)},
  },
  {
    id = "mpa-initiator-005", title = "A Reply with revision 9 closes the connection",
    requirements = {"RFC5044-7.1.1-14"},
    role = "initiator", tier = "agent", close = {"fin", "rst"},
    run = refuses{rev = 9},
  },
  {
    id = "mpa-initiator-006", title = "After a Reply with R=1 the initiator sends no FPDU",
    requirements = {"RFC5044-7.1.2-13"},
    role = "initiator", tier = "agent",
    run = function(dut)
      local c = dut:accept_tcp{}
      c:expect{{kind = "request"}}
      dut:send{data = "to nobody"}
      c:reply{r = true}
      c:full()
      c:expect{{kind = "silence"}, closed, timeout = 0.3}
    end,
  },
  {
    id = "mpa-initiator-007", title = "Peer-to-peer, the initiator's first FPDU is its RTR",
    requirements = {"RFC6581-9.2-09"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"fin"},
    run = function(dut)
      dut:configure{rev = 2, enhanced = true, peer_to_peer = true}
      local c = dut:accept_tcp{rev = 2}
      c:expect{{kind = "request", s = true, a = true}}
      dut:send{data = "behind the RTR"}
      step "answer that only an RDMA Write will do as RTR"
      c:reply{enhanced = true, a = true, b = false, rtr_c = true, rtr_d = false}
      c:full()
      -- The RTR itself is no message for the script; the monitor judges what came first.
      c:expect{{kind = "send", data = "behind the RTR"}}
      c:close()
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-008", title = "Without a common RTR type the initiator terminates with 2/0/07",
    requirements = {"RFC6581-9.2-10"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"terminate+fin", "terminate+rst"},
    run = function(dut)
      dut:configure{rev = 2, enhanced = true, peer_to_peer = true, rtr = {"write"}}
      local c = dut:accept_tcp{rev = 2}
      c:expect{{kind = "request", s = true, a = true, b = false, rtr_c = true, rtr_d = false}}
      step "answer that only a Send will do"
      c:reply{enhanced = true, a = true, b = true, rtr_c = false, rtr_d = false}
      c:full()
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = 7}}
      c:expect{closed}
    end,
  },
  {
    id = "mpa-initiator-009", title = "An initiator without the IRD asked for terminates with 2/0/06",
    requirements = {"RFC6581-9.1-08"},
    role = "initiator", tier = "agent", claims = {"rev-2"}, close = {"terminate+fin", "terminate+rst"},
    run = function(dut)
      dut:configure{rev = 2, enhanced = true, ird = 2, ord = 2}
      local c = dut:accept_tcp{rev = 2}
      c:expect{{kind = "request", s = true, ird = 2}}
      step "answer with an ORD above that"
      c:reply{enhanced = true, ird = 2, ord = 100}
      c:full()
      c:expect{{kind = "terminate", layer = 2, etype = 0, code = 6}}
      c:expect{closed}
    end,
  },
}
