-- FPDUs and startup frames cut into TCP segments at awkward places; with --isn the sequence numbers wrap in between.
local c = tcp{markers = true}
c:request{split = {1, 15, 3}}
c:expect{{kind = "reply"}}
c:full()
c:send{data = ("s"):rep(40), split = {1, 1, 14, 5}}
c:send{data = ("t"):rep(1200), split = {1000, 200}}
c:read{region = region{size = 2000}, source_stag = peer.stag, source_to = peer.to}
c:expect{{kind = "read_response", size = 2000}}
c:close()
c:expect{{kind = "close"}}
