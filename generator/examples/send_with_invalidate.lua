-- Send with Invalidate, which ends an STag of the receiver, and then Send with SE and Invalidate. What is read by an
-- STag that was invalidated is refused; this peer has the STag valid again for the next connection.
--
--   warpcheck play send_with_invalidate.lua --peer HOST:PORT --arg stag=STAG --arg to=TO
--   warpcheck synth send_with_invalidate.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")
local sink = region{size = 16, rights = ""}

for _, se in ipairs{false, true} do
  step(se and "Send with SE and Invalidate" or "Send with Invalidate")
  local c = connect{}
  c:read{region = sink, source_stag = stag, source_to = to}
  c:expect{{kind = "read_response"}}
  c:send{data = "I have read it", se = se, invalidate = stag}
  c:close()
  c:expect{{kind = "close", how = "fin"}}
end
