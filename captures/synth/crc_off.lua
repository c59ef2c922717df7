-- C=0 on both sides: the CRC fields are present and ignored.
local listener = listen{}
local responder = spawn(function()
  local c = listener:accept{crc = false}
  c:expect{{kind = "send", crc = "unchecked"}}
  c:send{data = "not checked", crc = 0x12345678}
  c:expect{{kind = "close"}}
end)

local c = connect{port = listener.port, crc = false}
c:send{data = "not checked"}
c:expect{{kind = "send", crc = "unchecked"}}
c:close()
responder:wait()
