-- RDMA Verify: the peer computes a hash of its memory, and compares it with one that is expected
-- (draft-talpey-rdma-commit-01 3.1.2). Which algorithm it is, both know by other means.
--
--   warpcheck play verify.lua --peer HOST:PORT --arg stag=STAG --arg to=TO [--arg verify=sha256]
--   warpcheck synth verify.lua -o FILE

local stag, to = args.stag or peer.stag, args.to or peer.to
local algorithm = args.verify or peer.verify or "sha256"
assert(stag and to, "give the region that `warpcheck serve` prints: --arg stag=STAG --arg to=TO")

local c = connect{}
local text = ("record"):rep(100)
c:write{stag = stag, to = to, data = text}
c:flush{stag = stag, to = to, length = #text}
c:expect{{kind = "flush_response"}}

step "what is the hash?"
c:verify{stag = stag, to = to, length = #text}
c:expect{{kind = "verify_response", data = hash(algorithm, text)}}

step "is it this one?"
c:verify{stag = stag, to = to, length = #text, hash = hash(algorithm, text)}
c:expect{{kind = "verify_response", data = hash(algorithm, text)}}

step "or this one? Then there is no answer but a Terminate"
c:verify{stag = stag, to = to, length = #text, hash = hash(algorithm, "another text")}
c:expect{{kind = "terminate", layer = 0, etype = 2}}
c:expect{{kind = "close", how = "fin"}}
