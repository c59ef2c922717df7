-- A Send with one bit of its CRC wrong: the peer has to answer with a Terminate of layer LLP, error "CRC", and to
-- close (RFC 5044 4.4 and 8).
--
--   warpcheck play wrong_crc.lua --peer HOST:PORT

step "startup"
local c = connect{rev = args.rev or 1}

step "a Send with a wrong CRC"
c:send{data = "this is not to be trusted", crc_flip = 0x00000001}
c:expect{{kind = "terminate", layer = 2, etype = 0, code = 2}}
c:expect{{kind = "close", how = any{"fin", "rst"}}}
-- finding: RFC5044-4.4-11
