-- Terminate: the last message of a stream, which names an error. Here the ULP of the initiator has had one; nothing
-- of the peer's is about it, so no headers are included.
--
--   warpcheck play terminate.lua --peer HOST:PORT
--   warpcheck synth terminate.lua -o FILE

local c = connect{}
c:send{data = "so far, so good"}
pause(0.1) -- what is sent by hand overtakes what waits

step "Terminate: RDMA, Local Catastrophic Error"
c:terminate{layer = 0, etype = 0, code = 0}
c:close()

step "the peer closes"
c:expect{{kind = "close", how = "fin"}}
