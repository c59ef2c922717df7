-- The pipeline of draft-talpey-rdma-commit-01 2.3: Write, Flush, Verify, Atomic Write, sent without waiting for an answer
-- between them. The marker that the last one places tells that the record is persistent and whole. A step that fails
-- ends the stream, and the marker is not placed.
--
--   warpcheck play pipeline.lua --peer HOST:PORT --arg stag=STAG --arg to=TO [--arg verify=sha256]
--   warpcheck synth pipeline.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
local algorithm = args.verify or peer.verify or "sha256"
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local marker = to + 4096
local record = ("a record of the log; "):rep(100)

local function commit(c, number, expected)
  c:write{stag = stag, to = to, data = record}
  c:flush{stag = stag, to = to, length = #record}
  c:verify{stag = stag, to = to, length = #record, hash = hash(algorithm, expected)}
  c:atomic_write{stag = stag, to = marker, data = number}
end

local function marked(c)
  c:fetch_add{stag = stag, to = marker, add = 0}
  return c:expect{{kind = "atomic_response"}}.original_value
end

step "all steps succeed"
local c = connect{}
commit(c, 1, record)
c:expect{{kind = "flush_response"}}
c:expect{{kind = "verify_response", data = hash(algorithm, record)}}
c:expect{{kind = "atomic_write_response"}}
check(marked(c) == 1, "the marker is placed")

step "the hash differs: the marker is not placed"
commit(c, 2, record .. "?")
c:expect{{kind = "flush_response"}}
c:expect{{kind = "terminate", layer = 0, etype = 2}}
c:expect{{kind = "close", how = "fin"}}

step "look"
c = connect{}
check(marked(c) == 1, "the marker is still the one before")
c:close()
c:expect{{kind = "close", how = "fin"}}
