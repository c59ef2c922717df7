-- IRD and ORD (RFC 6581 9.1): what a side may have open at the other is the smaller of its own ORD and of the other's
-- IRD. Who asks for more has its ORD lowered, in either direction. One script plays both sides.
--
--   warpcheck synth startup_depths.lua -o FILE
--   warpcheck play startup_depths.lua

local listener = listen{}

-- `asked` and `given` are {IRD, ORD} of initiator and responder, `reply` those of the Reply.
local function negotiate(asked, given, reply)
  local responder = spawn(function()
    local c = listener:accept{ird = given[1], ord = given[2]}
    check(c.startup.ird == asked[1] and c.startup.ord == asked[2], "the Request tells the initiator's")
    check(c.terms.ird == reply[1] and c.terms.ord == reply[2], "the responder keeps to its Reply")
    c:expect{{kind = "close"}, ignore = "read_request"}
  end)

  local c = connect{port = listener.port, rev = 2, ird = asked[1], ord = asked[2]}
  check(c.startup.ird == reply[1] and c.startup.ord == reply[2], "the Reply tells what the responder has set")
  check(c.terms.ord == math.min(asked[2], reply[1]), "the initiator lowers its ORD to the IRD of the Reply")
  check(c.terms.ird >= reply[2], "and takes as many as the ORD of the Reply says")

  step "all Reads, at most ORD of them outstanding at a time"
  for _ = 1, c.terms.ord > 0 and 20 or 0 do
    c:read{sink_stag = 1, sink_to = 0, source_stag = 1, source_to = 0, size = 0}
  end
  for _ = 1, c.terms.ord > 0 and 20 or 0 do
    c:expect{{kind = "read_response", size = 0}}
  end
  c:close()
  c:expect{{kind = "close", how = "fin"}}
  responder:wait()
end

step "both have what the other wants"
negotiate({4, 4}, {4, 4}, {4, 4})

step "the initiator wants more than the responder has"
negotiate({8, 16}, {2, 8}, {2, 8})

step "the responder wants more than the initiator has"
negotiate({1, 4}, {8, 32}, {8, 1})

step "no Reads at all"
negotiate({0, 0}, {0, 8}, {0, 0})

step "the largest values that fit"
negotiate({0x3ffe, 0x3ffe}, {0x3ffe, 0x3ffe}, {0x3ffe, 0x3ffe})
