-- MPA of RFC 5044: a Request with Rev 1, a Reply with Rev 1, full operation (7.1.1, 7.1.2).
--
--   warpcheck play startup_rev1.lua --peer HOST:PORT
--   warpcheck synth startup_rev1.lua -o FILE

step "startup"
local c = connect{rev = 1}
check(c.startup.rev == 1 and not c.startup.enhanced, "a Reply with Rev 1, and nothing of RFC 6581 in it")
check(c.startup.private_data == "", "no private data")

step "the initiator sends first"
c:send{data = "the responder may send, now"}
c:close()
c:expect{{kind = "close", how = "fin"}}
