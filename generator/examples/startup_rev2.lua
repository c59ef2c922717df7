-- Rev 2 without enhanced data: all is as with Rev 1 (RFC 6581 6, 10).
--
--   warpcheck play startup_rev2.lua --peer HOST:PORT
--   warpcheck synth startup_rev2.lua -o FILE

step "startup"
local c = connect{rev = 2, enhanced = false, private_data = "S=0: this is all the ULP's"}
check(c.startup.rev == 2 and not c.startup.s, "a plain Reply to a plain Request")

step "the initiator sends first"
c:send{data = "the responder may send, now"}
c:close()
c:expect{{kind = "close", how = "fin"}}
