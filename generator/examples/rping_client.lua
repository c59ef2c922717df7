-- One conversation with a stock "rping -s" of rdma-core, as its client: for each ping the server reads a text from
-- here, writes it back, and says so with a Send after either.
--
--   warpcheck play rping_client.lua --peer HOST:PORT [--arg size=64] [--arg count=1] [--arg settle=0.1]
--
-- size is the text's length in octets, its final NUL included; an rping server takes at most its own -S (64).

local size = args.size or 64
local count = args.count or 1
local settle = args.settle or 0.1

-- The text that rping's own client sends: letters after a number, a NUL at the end.
local function text(ping)
  local head = ("rdma-ping-%d: "):format(ping)
  local letters = {}
  for i = 0, size - #head - 2 do
    letters[#letters + 1] = string.char(65 + (ping + i) % 58)
  end
  return (head .. table.concat(letters)):sub(1, size - 1) .. "\0"
end

-- What tells the server where a buffer is: TO, STag, length.
local function advertise(buffer)
  return string.pack(">I8I4I4", buffer.to, buffer.stag, buffer.size)
end

local source = region{size = size, rights = "r", to = 0x1000}
local sink = region{size = size, rights = "w", to = 0x200000000}

-- rping accepts with the depths of the Request: without enhanced data, and an IRD of at least 1, it could not read.
step "startup"
local c = connect{rev = 2, ird = 1, ord = 1}

-- The kernel's responder sends its Reply before it looks for FPDUs; one that comes at once can lie unnoticed.
pause(settle)

for ping = 0, count - 1 do
  local data = text(ping)
  source:set(0, data)

  step(("ping %d: advertise the source"):format(ping))
  c:send{data = advertise(source)}
  c:expect{{kind = "read_request", source_stag = source.stag, source_to = source.to, size = size}}
  c:expect{{kind = "send", size = 16}}

  step(("ping %d: advertise the sink"):format(ping))
  c:send{data = advertise(sink)}
  c:expect{{kind = "rdma_write", stag = sink.stag, to = sink.to, data = data}}
  c:expect{{kind = "send", size = 16}}
  check(sink:get(0, size) == data, "the sink holds what the source gave")
end

step "close"
c:close()
c:expect{{kind = "close", how = "fin"}}
