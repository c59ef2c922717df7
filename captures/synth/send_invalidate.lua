-- Send with Invalidate and Send with SE and Invalidate, each of an STag that the peer had offered.
local listener = listen{}
local responder = spawn(function()
  local c = listener:accept{}
  local first, second = region{size = 64, stag = 0x11223344, stream = c},
    region{size = 64, stag = 0x55667788, stream = c}
  c:expect{{kind = "send_inv", invalidate_stag = first.stag}}
  c:expect{{kind = "send_se_inv", invalidate_stag = second.stag}}
  check(not first.valid and not second.valid, "both are invalidated")
  c:expect{{kind = "close"}}
end)

local c = connect{port = listener.port}
c:send{data = "hello", invalidate = 0x11223344}
c:send{data = "hello", invalidate = 0x55667788, se = true}
c:close()
responder:wait()
