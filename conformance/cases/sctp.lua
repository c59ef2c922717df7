-- DDP Stream Sessions over SCTP: RFC 5043 5.2, 6, 10 and 11.3, RFC 6581 7, RFC 5041 6.2.1. Most chunks are made by hand.

local sctp = common.sctp
local read, answered, session = sctp.read, sctp.answered, sctp.session

-- Number of pending Initiates after which the search for a limit ends.
local most_pending = 512

-- Events that end a session, or all sessions of the association.
local ended, over = {kind = "terminate"}, {kind = "end"}

return sctp.cases{
  {
    id = "sctp-009", initiator = "sctp-010",
    title = "A session is opened by Initiate and Accept and closed by a session Terminate",
    requirements = {"RFC5043-5.2.1-01", "RFC5043-6-01", "RFC5043-6.1-01", "RFC5043-10-01", "RFC5043-5.2.3-02",
      "RFC5043-5.2.3-03", "RFC5043-6.5-03", "RFC5043-6.6-01"},
    run = function(dut, role)
      local a = sctp.open(dut, role)
      local ssn = session(dut, role, a, 0)
      step "send three Reads of no octets"
      for i = 1, 3 do read(a, 0, i) end
      for _ = 1, 3 do -- SCTP may deliver the responses in another order (RFC 5043 10)
        local e = a:expect{answered(0, any{1, 2, 3})}
        check(e.ssn == ssn + e.stag - 1 and not e.ordered, "chunks are unordered, and DDP-SSNs count from 0")
      end
      step "end the session, and the association"
      a:control{kind = "terminate"}
      a:expect{ended, over, {kind = "silence"}}
    end,
  },
  {
    id = "sctp-011", initiator = "sctp-012", title = "A second session works on a DDP Stream after the first has ended",
    requirements = {"RFC5043-5.2.1-01", "RFC5043-6.1-01"},
    run = function(dut, role)
      local a = sctp.open(dut, role)
      for i = 1, 2 do
        local ssn = session(dut, role, a, 0, i > 1)
        read(a, 0, 1)
        check(a:expect{answered(0, 1)}.ssn == ssn, "DDP-SSNs begin again at 0 in each session")
        step "end the session"
        a:control{kind = "terminate"}
        -- A device may close an association that has no session.
        if i == 1 and a:expect{ended, over, {kind = "silence"}}.kind == "end" then return end
      end
    end,
  },
  {
    id = "sctp-013", initiator = "sctp-014",
    title = "A segment that arrives before an earlier DDP-SSN is processed only after the earlier one",
    requirements = {"RFC5043-6.1-01", "RFC5043-5.2.1-01"},
    run = function(dut, role)
      local a = sctp.open(dut, role)
      local _, ssn = session(dut, role, a, 0)
      step "send the second Read before the first"
      read(a, 0, 2, {ssn = ssn + 1})
      a:expect{{kind = "silence"}, timeout = 0.3}
      read(a, 0, 1, {ssn = ssn})
      local first = a:expect{answered(0, any{1, 2})}
      a:expect{answered(0, 3 - first.stag)}
    end,
  },
  {
    id = "sctp-015", initiator = "sctp-016", title = "A DDP-SSN out of range is not accepted, or ends the session",
    requirements = {"RFC5043-10-04", "RFC5043-10-06", "RFC5043-6.1-01"},
    run = function(dut, role)
      local a = sctp.open(dut, role)
      local _, ssn = session(dut, role, a, 0)
      step "send a Read with a DDP-SSN that is 32768 ahead"
      read(a, 0, 1, {ssn = ssn + 32768})
      if a:expect{{kind = "silence"}, {kind = "segment", opcode = 7}, ended, over}.kind ~= "silence" then return end
      step "send the same with the right DDP-SSN"
      read(a, 0, 1, {ssn = ssn})
      a:expect{answered(0, 1)}
    end,
  },
  {
    id = "sctp-017", initiator = "sctp-018", title = "An unexpected control message ends the session",
    requirements = {"RFC5043-6.1-01"},
    run = function(dut, role)
      local a = sctp.open(dut, role)
      session(dut, role, a, 0)
      step "send another Accept"
      a:control{kind = "accept"}
      a:expect{ended, over, ignore = "segment"}
    end,
  },
  {
    id = "sctp-019", initiator = "sctp-020", title = "An undefined Function Code ends the session",
    requirements = {"RFC5043-6.1-01", "RFC5043-6.5-03", "RFC6580-3.5-01"},
    run = function(dut, role)
      local a = sctp.open(dut, role)
      session(dut, role, a, 0)
      step "send Function Code 8"
      a:control{kind = 8}
      a:expect{ended, over, ignore = "segment"}
    end,
  },
  {
    -- The association may end or stay; but each session has a Terminate of its own (RFC 5043 6.2).
    id = "sctp-021", initiator = "sctp-022",
    title = "An error on one of two DDP Streams is answered by a Terminate on that one; the other stays open",
    requirements = {"RFC5043-11.3-03", "RFC5043-6.2-01"}, danger = {"memory", "connection"},
    run = function(dut, role)
      local a = sctp.open(dut, role, {sessions = true})
      local one, other = sctp.connection(dut, role, a, 0), sctp.connection(dut, role, a, 1)
      common.alive(one)
      common.alive(other)
      step "send a Write to an unknown STag on the first"
      one:write{stag = common.unknown_stag, to = 0, data = "x"}
      one:expect{common.terminate(1, 1, 0)}
      one:expect{common.closed}
      step "send a Read of no octets on the other"
      other:read{sink_stag = 1, source_stag = 1, size = 0}
      other:expect{{kind = "read_response", size = 0}, {kind = "close", how = "fin"}}
    end,
  },
  {
    id = "sctp-023", initiator = "sctp-024", title = "After a DATA chunk without user data, for which SCTP aborts the association, the device sends no RDMAP Terminates",
    requirements = {"RFC5043-11.3-01"}, danger = {"connection"},
    run = function(dut, role)
      local a = sctp.open(dut, role)
      for stream = 0, 1 do
        session(dut, role, a, stream)
        read(a, stream, 1)
        a:expect{answered(stream, 1)}
      end
      step "send a DATA chunk without user data, for which SCTP has to abort the association (RFC 9260 6.2)"
      a:inject(string.pack(">BBI2 I4 I2I2I4", 0, 7, 16, a:next_tsn(), 0, 0, 17))
      a:expect{over, {kind = "silence"}, ignore = "terminate"}
    end,
  },
  {
    id = "sctp-025", initiator = "sctp-026", title = "A Read Request after the session Terminate is not answered by a Read Response",
    requirements = {"RFC5041-6.2.1-03", "RFC5043-6.1-01"}, danger = {"connection"},
    run = function(dut, role)
      local a = sctp.open(dut, role)
      session(dut, role, a, 0)
      read(a, 0, 1)
      a:expect{answered(0, 1)}
      step "send a session Terminate, and a Read after it"
      a:control{kind = "terminate"}
      read(a, 0, 2)
      local e = a:expect{ended, over, {kind = "segment", opcode = 7}, {kind = "silence"}}
      if e.kind == "terminate" then a:expect{over, {kind = "silence"}, timeout = 0.3} end
    end,
  },
  {
    id = "sctp-027", title = "An Initiate without private data is answered by an Accept or a Reject",
    requirements = {"RFC5043-5.2.3-07", "RFC5043-6.4-02"},
    run = function(dut)
      local a = sctp.open(dut, "responder")
      step "send an Initiate with private data"
      a:control{kind = "initiate", private_data = "four"}
      a:expect{{kind = "accept"}, {kind = "reject"}}
      step "send one without"
      a:control{stream = 1, kind = "initiate"}
      a:expect{{kind = "accept", stream = 1}, {kind = "reject", stream = 1}}
    end,
  },
  {
    id = "sctp-029", title = "Initiates above the limit of pending ones are each answered by a Terminate",
    requirements = {"RFC5043-6.4-01", "RFC5043-5.2.3-06"}, tier = "agent", danger = {"connection"},
    run = function(dut)
      local waiting, tried, refused = {}, 0, 0
      dut:configure{hold = true}
      repeat
        local a = sctp.open(dut, "responder", {streams = most_pending})
        local streams = math.min(a.peer.inbound, a.peer.outbound)
        step("send Initiates on " .. streams .. " streams, without a decision of the ULP")
        for stream = 0, streams - 1 do a:control{stream = stream, kind = "initiate"} end
        waiting[a] = streams
        while a:expect{{kind = "terminate"}, {kind = "silence"}, timeout = 0.5}.kind ~= "silence" do
          waiting[a], refused = waiting[a] - 1, refused + 1
        end
        tried = tried + streams
      until refused > 0 or tried >= most_pending
      step("of " .. tried .. " Initiates " .. tried - refused .. " are pending; the ULP rejects them")
      for _ = 1, tried - refused do
        dut:answer{connection = dut:event{kind = "requested"}.connection, reject = true}
      end
      for a, count in pairs(waiting) do
        for _ = 1, count do a:expect{{kind = "reject"}} end
      end
    end,
  },
  {
    id = "sctp-031", title = "A session that the ULP rejects is answered by a Reject",
    requirements = {"RFC5043-6.3-03", "RFC5043-6.1-01"}, tier = "agent",
    run = function(dut)
      dut:configure{reject = true, private_data = "no"}
      local a = sctp.open(dut, "responder")
      step "send an Initiate"
      a:control{kind = "initiate"}
      a:expect{{kind = "reject", ssn = 0, private_data = "no"}}
      a:expect{{kind = "silence"}, timeout = 0.3}
    end,
  },
  {
    id = "sctp-033", title = "An Enhanced Initiate is answered by an Enhanced Accept or Reject; an Enhanced Accept from the initiator ends the session",
    requirements = {"RFC6581-7-03", "RFC6581-7-04", "RFC6581-7-05", "RFC6581-7-09", "RFC5043-6.1-01"}, claims = {"rev-2"},
    run = function(dut)
      local a = sctp.open(dut, "responder")
      step "send an Enhanced Initiate with IRD 8 and ORD 8"
      a:control{kind = "enhanced_initiate", ird = 8, ord = 8, private_data = "v2"}
      local e = a:expect{{kind = "enhanced_accept", ssn = 0}, {kind = "enhanced_reject", ssn = 0}}
      if e.kind == "enhanced_reject" then return end -- the device may require another IRD (RFC 6581 9.1)
      check(#e.octets >= 8 and #e.private_data <= 508, "enhanced data, and with them at most 512 octets")
      check(e.ord <= 8, "ORD is at most the IRD of the Initiate")
      read(a, 0, 1)
      a:expect{answered(0, 1)}
      step "send an Enhanced Accept, which ends the session"
      a:control{kind = "enhanced_accept"}
      a:expect{ended, over, ignore = "segment"}
    end,
  },
  {
    -- Without a common RTR type a device may reject the session, or leave that to the initiator (RFC 6581 9.2).
    id = "sctp-035", title = "An enhanced session with unacceptable enhanced data is rejected with Function Code 7",
    requirements = {"RFC6581-7-01", "RFC6581-7-08"}, tier = "agent", claims = {"rev-2"},
    run = function(dut)
      dut:configure{rtr = {"read"}}
      local a = sctp.open(dut, "responder")
      step "send an Initiate that is not enhanced"
      a:control{stream = 1, kind = "initiate"}
      a:expect{{kind = "accept", stream = 1}}
      step "send an Enhanced Initiate with an RTR type that the device's ULP does not accept"
      a:control{kind = "enhanced_initiate", a = true, rtr_c = true, ird = 1, ord = 1}
      a:expect{{kind = "enhanced_reject", stream = 0}, {kind = "enhanced_accept", stream = 0}, {kind = "terminate", stream = 0}}
    end,
  },
}
