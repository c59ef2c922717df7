-- RTR types as sets (RFC 6581 9.2): each side names those that it supports, and the initiator sends one that both do.
-- Without a common type, it ends the connection by a Terminate: LLP, MPA, "no matching RTR option". One script plays both
-- sides.
--
--   warpcheck synth startup_peer_to_peer_sets.lua -o FILE
--   warpcheck play startup_peer_to_peer_sets.lua

local listener = listen{}

local function common(asked, taken)
  for _, one in ipairs(asked) do
    for _, other in ipairs(taken) do
      if one == other then return true end
    end
  end
  return false
end

local function agree(asked, taken)
  local responder = spawn(function()
    local c = listener:accept{rtr = taken}
    c:send{data = "the RTR has come"}
    c:expect{{kind = "close", how = "fin"}}
  end)
  local c = connect{port = listener.port, rev = 2, peer_to_peer = true, rtr = asked}
  c:expect{{kind = "send", data = "the RTR has come"}}
  c:close()
  responder:wait()
end

local function disagree(asked, taken)
  local responder = spawn(function()
    local c = listener:accept{rtr = taken}
    c:expect{{kind = "terminate", layer = 2, etype = 0, code = 7}}
    c:expect{{kind = "close", how = "fin"}}
  end)
  local options = {port = listener.port, rev = 2, peer_to_peer = true, rtr = asked}
  check(not pcall(connect, options), "no RTR type in common")
  responder:wait()
end

local sets = {
  {"send"}, {"write"}, {"read"},
  {"send", "write"}, {"send", "read"}, {"write", "read"},
  {"send", "write", "read"},
}
for _, asked in ipairs(sets) do
  for _, taken in ipairs(sets) do
    step(table.concat(asked, "+") .. ", " .. table.concat(taken, "+"))
    if common(asked, taken) then
      agree(asked, taken)
    else
      disagree(asked, taken)
    end
  end
end
