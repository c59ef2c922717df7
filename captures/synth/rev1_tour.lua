-- Revision 1: all four Sends, one of them in two segments, a Write, a Read; closed in order.
local c = connect{private_data = "tour"}
local sink = region{size = 16}

c:send{data = "a Send"}
c:send{data = "a Send with SE", se = true}
c:send{data = ("0123456789abcdef"):rep(100)}
c:write{stag = peer.stag, to = peer.to + 64, data = "written by RDMA!"}
c:read{region = sink, source_stag = peer.stag, source_to = peer.to + 64}
c:expect{{kind = "read_response", size = 16}}
check(sink:get() == "written by RDMA!", "the Read brings what the Write took")
c:write{stag = peer.stag, to = peer.to, data = ""}
c:close()
c:expect{{kind = "close"}}
