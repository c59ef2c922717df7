-- A small tour: one script plays both sides. In memory with "warpcheck synth send_write_read.lua -o FILE", over
-- loopback with "warpcheck play send_write_read.lua".

local listener = listen{}

local responder = spawn(function()
  local c = listener:accept{}

  step "responder: offer a region"
  local hello = c:expect{{kind = "send"}}
  check(hello.data == "where may I write?", "the first Send asks")
  local box = region{size = 4096, rights = "rw", fill = "."}
  c:send{data = string.pack(">I4I8I4", box.stag, box.to, box.size)}

  -- Writes and Reads are the endpoint's work; the script only watches them go by.
  step "responder: watch"
  local write = c:expect{{kind = "rdma_write", stag = box.stag, size = 2000}}
  check(write.segments == 2, "2000 octets take two segments")
  c:expect{{kind = "read_request", source_stag = box.stag, size = 16}}
  c:expect{{kind = "send_se", data = match"^done"}}
  check(box:get(0, 10) == "0123456789", "the Write is in the region")
  c:expect{{kind = "close", how = "fin"}}
end)

step "startup"
local c = connect{port = listener.port, private_data = "hello"}

step "ask for a region"
c:send{data = "where may I write?"}
local answer = c:expect{{kind = "send", size = 16}}
local stag, to = string.unpack(">I4I8", answer.data)

step "write and read"
c:write{stag = stag, to = to, data = ("0123456789"):rep(200)}
local buffer = region{size = 16, rights = ""}
c:read{region = buffer, source_stag = stag, source_to = to + 5}
c:expect{{kind = "read_response", size = 16}}
check(buffer:get() == "5678901234567890", "the Read brings what the Write took")

step "close"
c:send{data = "done", se = true}
c:close()
c:expect{{kind = "close", how = "fin"}}
responder:wait()
