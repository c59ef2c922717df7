-- A conversation with all messages that the cases of `warpcheck run --relay` change: Sends in both directions, RDMA Writes,
-- and RDMA Reads. The peer answers each Send with a Send of the same octets, as `warpcheck serve --echo` does. Each step
-- waits for the one before, so that the peers are quiet between them.
--
--   warpcheck play relay_tour.lua --peer HOST:PORT --arg stag=STAG --arg to=TO [--arg markers=1] [--arg stays=SECONDS]
--
-- With `stays`, the program does not end at once if the conversation fails: otherwise its end would close the connection.

local stag, to = args.stag or peer.stag, args.to or peer.to
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

step "startup"
local c = connect{rev = 2, ird = 4, ord = 4, markers = args.markers ~= nil}
local sink = region{size = 64, rights = ""}

local function talk()
  for round = 1, 3 do
    step(("round %d: a Send, and its echo"):format(round))
    local text = ("round %d"):format(round)
    c:send{data = text}
    c:expect{{kind = "send", data = text}}

    step(("round %d: a Write, read back"):format(round))
    c:write{stag = stag, to = to, data = text:rep(6)}
    c:read{region = sink, source_stag = stag, source_to = to, size = 42}
    c:expect{{kind = "read_response", size = 42}}
    check(sink:get(0, 42) == text:rep(6), "the Read brings what was written")
  end

  step "close"
  c:close()
  c:expect{{kind = "close", how = "fin"}}
end

local completed, reason = pcall(talk)
if not completed and args.stays then pause(tonumber(args.stays)) end
assert(completed, reason)
