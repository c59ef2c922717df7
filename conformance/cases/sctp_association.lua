-- SCTP associations for DDP: the Adaptation Layer Indication, RFC 5043 5.1, 7.1 and 11.1; and chunks in flight, RFC 5043 10.

local sctp = common.sctp
local read, answered, session = sctp.read, sctp.answered, sctp.session

-- An association on which this side has indicated a layer other than DDP: it ends, or carries no DDP. Returns which.
local function no_ddp(dut, role, indication)
  local good = sctp.open(dut, role)
  session(dut, role, good, 0)
  good:control{kind = "terminate"}
  step(indication and "an association with a different Adaptation Layer Indication" or "an association without one")
  local a = sctp.try(dut, role, {indication = indication})
  if not a or not a.open then return "end" end
  if role == "responder" then a:control{kind = "initiate"} end
  return a:expect{{kind = "end"}, {kind = "silence"}}.kind
end

local function without_ddp(indication)
  return function(dut, role) no_ddp(dut, role, indication) end
end

return sctp.cases{
  {
    id = "sctp-001", initiator = "sctp-002", title = "The device sends the Adaptation Layer Indication of DDP",
    requirements = {"RFC5043-11.1-01", "RFC5043-5.1-01", "RFC5043-8-01"},
    run = function(dut, role)
      local a = sctp.open(dut, role)
      check(a.peer.indicated and a.peer.indication == 1, "INIT or INIT ACK has the Adaptation Layer Indication 1")
      session(dut, role, a, 0)
    end,
  },
  {
    id = "sctp-003", initiator = "sctp-004",
    title = "The device sends no DDP to a peer that sends no Adaptation Layer Indication",
    requirements = {"RFC5043-11.1-02", "RFC5043-11.1-01"}, run = without_ddp(false),
  },
  {
    id = "sctp-005", initiator = "sctp-006",
    title = "The device sends no DDP to a peer that indicates a different adaptation layer",
    requirements = {"RFC5043-11.1-02", "RFC5043-11.1-01"}, run = without_ddp(0x7EE7),
  },
  {
    id = "sctp-007", initiator = "sctp-008",
    title = "The device closes an association whose peer indicates a different adaptation layer",
    requirements = {"RFC5043-7.1-03"},
    run = function(dut, role)
      check(no_ddp(dut, role, 0x7EE7) == "end", "the association is closed")
    end,
  },
  {
    id = "sctp-039", initiator = "sctp-040", title = "Each segment of a message is one chunk, not fragmented by SCTP",
    requirements = {"RFC5043-9-02", "RFC5043-6-01", "RFC5043-10-01"}, tier = "agent",
    run = function(dut, role)
      local region, sink = dut:region{size = 20000, rights = "r", fill = "over SCTP "}, region{size = 20000}
      local a = sctp.open(dut, role, {sessions = true})
      local c = sctp.connection(dut, role, a, 0)
      step "send a Read of 20000 octets"
      c:read{region = sink, source_stag = region.stag, source_to = region.to}
      c:expect{{kind = "read_response", size = 20000}}
      check(sink:get() == ("over SCTP "):rep(2000), "the octets of the region have arrived")
      common.finish(c)
    end,
  },
  {
    -- With 32768 DDP-SSNs in flight a later one looks like an earlier one. Chunks acknowledged in gap blocks are
    -- still in flight (RFC 9260 3.3.4).
    id = "sctp-037", title = "The device sends at most 32767 chunks of a stream after an unacknowledged one",
    requirements = {"RFC5043-10-03", "RFC5043-10-01"}, tier = "agent",
    run = function(dut)
      local octets = math.min(34000 * 50, dut.profile.limits.region)
      local reads = math.max(1, math.min(34000 * 50 // octets, dut.profile.ird))
      local region, got = dut:region{size = octets, rights = "r"}, 0
      dut:configure{mulpdu = 64}
      local a = sctp.open(dut, "responder")
      session(dut, "responder", a, 0)
      a:hold(true)
      step("send Reads of " .. reads * octets .. " octets, and drop the first chunk of the responses")
      for i = 1, reads do read(a, 0, i, {source_stag = region.stag, source_to = region.to, size = octets}) end
      local segment, before = {kind = "segment", opcode = 2}, nil
      repeat -- SCTP cannot deliver what is too far ahead; the number alone shows it
        before = a:ahead()
        repeat
          local e = a:expect{segment, {kind = "silence"}, timeout = 0.5}
          got = got + (e.size or 0)
        until e.kind == "silence"
      until a:ahead() == before
      check(a:ahead() <= 32767, "at most 32767 chunks follow the missing one")
      step "let it arrive"
      a:hold(false)
      while got < reads * octets do got = got + a:expect{segment}.size end
      check(got == reads * octets, "all of it arrives, each octet once")
    end,
  },
}
