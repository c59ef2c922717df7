-- Revision 2, peer-to-peer; --arg rtr=send, write or read is the only RTR type offered.
local c = connect{rev = 2, peer_to_peer = true, rtr = {args.rtr}, ird = 4, ord = 2, private_data = "p2p"}
check(c.terms.peer_to_peer, "both sides have A=1")
c:send{data = "the first message of the ULP"}
c:read{region = region{size = 8}, source_stag = peer.stag, source_to = peer.to}
c:expect{{kind = "read_response", size = 8}}
c:close()
c:expect{{kind = "close"}}
