-- The client-server model of RFC 6581: the enhanced data tell each side how many Reads it may have open at the other
-- (9.1), and stand in front of the private data. The initiator sends first.
--
--   warpcheck play startup_enhanced.lua --peer HOST:PORT [--arg ird=4] [--arg ord=4]
--   warpcheck synth startup_enhanced.lua -o FILE

local ird, ord = args.ird or 4, args.ord or 4

step "startup"
local c = connect{rev = 2, ird = ird, ord = ord, private_data = "after the enhanced data"}
check(c.startup.s and c.startup.enhanced, "an enhanced Reply to an enhanced Request")
check(not c.startup.a, "A=0 is answered by A=0")
check(c.startup.ord <= ird, "the responder's ORD is no more than the IRD of the Request")
check(c.terms.ord == math.min(ord, c.startup.ird), "this side's ORD is no more than the IRD of the Reply")

step "the initiator sends first"
c:send{data = "the responder may send, now"}
c:close()
c:expect{{kind = "close", how = "fin"}}
