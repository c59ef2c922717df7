-- A Request that the ULP refuses: R=1, with private data.
local listener = listen{}
local responder = spawn(function()
  local c = listener:tcp{}
  c:expect{{kind = "request"}}
  c:reply{r = true, private_data = "busy"}
  c:expect{{kind = "close"}}
end)

local c = tcp{port = listener.port}
c:request{private_data = "please"}
c:expect{{kind = "reply", r = true, private_data = "busy"}}
c:close()
responder:wait()
