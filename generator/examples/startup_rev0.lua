-- Rev 0 is no revision of MPA that was ever a standard: a Request with it is refused by a close, without a Reply (RFC
-- 5044 7.1.1).
--
--   warpcheck play startup_rev0.lua --peer HOST:PORT
--   warpcheck synth startup_rev0.lua -o FILE

step "a Request with Rev 0"
local c = tcp{}
c:request{rev = 0}
c:expect{{kind = "close", how = any{"fin", "rst"}}}
-- finding: RFC5044-7.1.1-12
