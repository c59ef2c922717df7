-- Send, and Send with SE, which asks the peer to tell its ULP at once.
--
--   warpcheck play send.lua --peer HOST:PORT
--   warpcheck synth send.lua -o FILE

local c = connect{}

step "Send"
c:send{data = "hello"}

step "Send of nothing, and of more than a segment takes"
c:send{}
c:send{data = ("x"):rep(4000)}

step "Send with SE"
c:send{data = "now", se = true}

step "close"
c:close()
c:expect{{kind = "close", how = "fin"}}
