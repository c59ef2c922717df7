-- Many connections add to one counter of the peer at the same time; nothing is lost (RFC 7306 5.3).
--
--   warpcheck play contention.lua --peer HOST:PORT --arg stag=STAG --arg to=TO [--arg connections=8] [--arg rounds=50]
--   warpcheck synth contention.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
local connections, rounds = args.connections or 8, args.rounds or 50
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local seen, all = {}, connections * rounds

local function add(number)
  step("connection " .. number)
  local c = connect{}
  for _ = 1, rounds do
    c:fetch_add{stag = stag, to = to, add = 1}
  end
  for _ = 1, rounds do
    local value = c:expect{{kind = "atomic_response"}}.original_value
    check(not seen[value], "each request returns a different value")
    seen[value] = true
  end
  c:close()
  c:expect{{kind = "close", how = "fin"}}
end

local c = connect{}
c:atomic_write{stag = stag, to = to, data = 0}
c:expect{{kind = "atomic_write_response"}}
local tasks = {}
for i = 1, connections do
  tasks[i] = spawn(add, i)
end
for _, task in ipairs(tasks) do
  task:wait()
end

step "the sum"
c:fetch_add{stag = stag, to = to, add = 0}
c:expect{{kind = "atomic_response", original_value = all}}
c:close()
c:expect{{kind = "close", how = "fin"}}
