-- What the cases of all files share: each file has it as `common`.

local closed = {kind = "close", how = any{"fin", "rst"}}

local function terminate(layer, etype, code)
  return {kind = "terminate", layer = layer, etype = etype, code = code}
end

-- Ends a connection on which nothing is wrong.
local function finish(c)
  c:close()
  c:expect{closed}
end

-- A connection on which both sides may send, the device in that role: a responder has to wait for the initiator's first
-- FPDU (RFC 5044 7.1.2).
local function open(dut, role, options)
  local c = role == "initiator" and dut:accept(options or {}) or dut:connect(options or {})
  if role == "initiator" then
    dut:send{data = "your turn"}
    c:expect{{kind = "send", data = "your turn"}}
  else
    c:send{data = "your turn"}
    dut:received{}
  end
  return c
end

-- 64 bits of the device's memory that are `value`, for atomic operations over the connection: stag, to, and value(), which
-- reads them. The device has them in an order of octets of its own (RFC 7306 5.1.1), which the answer to a FetchAdd of 0
-- tells: so both orders are there.
local function atom(dut, c, value)
  local region = dut:region{size = 24, rights = "a", fill = string.pack("<I8<I8>I8", 1, value, value)}
  c:fetch_add{stag = region.stag, to = region.to}
  local one = c:expect{{kind = "atomic_response", original_value = any{1, 1 << 56}}}.original_value
  local order, offset = one == 1 and "<I8" or ">I8", one == 1 and 8 or 16
  return {
    stag = region.stag,
    to = region.to + offset,
    value = function() return (string.unpack(order, dut:memory(region, offset, 8))) end,
  }
end

return {
  atom = atom,
  both = {"terminate+fin", "terminate+rst"}, -- ways to close behind a Terminate
  closed = closed,
  finish = finish,
  open = open,
  terminate = terminate,
  unknown_stag = 0x7BADBAD1,
}
