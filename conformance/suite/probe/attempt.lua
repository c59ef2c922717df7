-- What the other parts of the probe share.
local attempt = {}
local wait_s = 3
local flood_messages = 1000 -- in that time; heartbeats are far fewer
local flood_attempts = 3
local floods = 0 -- consecutive attempts without a reaction among so many messages

-- The result of the function; false if it fails: the device then lacks the ability. A device that only sends shows nothing, and
-- would take all the time of all attempts.
function attempt.run(try)
  local done, result = pcall(try)
  if floods == flood_attempts then fail "the device sends messages without end, and reacts to none" end
  return done and result or false
end

-- Messages that the ULP of the device may send at any time: they are no reaction to an attempt.
local from_ulp = {}
for _, kind in ipairs{"send", "send_se", "send_inv", "send_se_inv", "immediate", "immediate_se", "rdma_write", "read_request",
  "atomic_request", "flush_request", "verify_request", "atomic_write_request"} do
  from_ulp[kind] = true
end

-- Whether the event is an FPDU of the device.
function attempt.is_message(event)
  return from_ulp[event.kind] or event.kind:find "_response$" ~= nil
end

-- The device's next event, without the messages of its ULP. With `data`, also a message of its ULP that sends these octets back.
function attempt.reaction(c, data)
  local event, deadline
  local messages = 0
  repeat
    event = c:receive{timeout = wait_s}
    deadline = deadline or event.time + wait_s
    if event.time > deadline then
      floods = messages >= flood_messages and floods + 1 or 0
      return {kind = "silence"}
    end
    messages = messages + 1
  until not from_ulp[event.kind] or (data and event.data == data)
  floods = 0
  return event
end

-- "2/0/02", of a Terminate.
function attempt.terminate_text(event)
  return ("%d/%d/%02X"):format(event.layer, event.etype, event.code)
end

return attempt
