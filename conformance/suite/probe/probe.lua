-- Finds out what a device supports, and logs its profile. Arguments: the device, what to try (iw_probe.c), and the other
-- files of this folder, as functions by name. Each attempt has its own connection. A claim is made only if it was seen.
local dut, try, part = ...
local attempt = part.attempt()
local has = {roles = {}, notes = {}}

if try.responder then part.responder(dut, attempt, has) end
if try.agent then
  step "the device as initiator"
  if attempt.run(function() dut:accept{}:reset() return true end) then has.roles[#has.roles + 1] = "initiator" end
end
if try.initiator then part.initiator(dut, attempt, has) end
step "DDP over SCTP"
has.sctp = attempt.run(function()
  local a = dut:associate{}
  a:control{kind = "initiate"}
  local answer = a:expect{{kind = "accept"}, {kind = "reject"}, {kind = "terminate"}, {kind = "end"}, {kind = "silence"}}
  return answer.kind ~= "end" and answer.kind ~= "silence"
end)
part.operations(dut, attempt, has, try.agent)
if try.startup_limit > 0 then part.startup_timeout(dut, try, has) end
part.profile(has)
