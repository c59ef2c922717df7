-- What the files of relay cases share. An impairment becomes two cases, one for each device: ID-initiator and ID-responder.

local others = {initiator = "responder", responder = "initiator"}

-- A unit of this sender and what is done to it, as one rule (docs/relay.md). The delay makes sure that the receiver is quiet
-- when the unit reaches it, so what it sends then is a reaction.
local function rule(impairment, sender)
  return "at=" .. impairment.at .. ",direction=" .. sender .. ",delay=100," .. impairment.change
end

local function case(impairment, sender, role, side)
  local id = impairment.id .. (sender == "initiator" and "a" or "b")
  return {
    id = id .. "-" .. role,
    title = impairment.title:gsub("SENDER", sender) .. ": the " .. role .. " " .. side.does,
    requirements = side.requirements,
    role = role,
    tier = "relay",
    relay = {
      conversation = id,
      rules = {rule(impairment, sender)},
      repair = impairment.repair,
      sender = sender,
      unit = impairment.unit,
      reactions = side.reactions,
      errors = side.errors,
      needs = impairment.needs,
      again = impairment.again,
      detects = side.detects,
    },
  }
end

-- Both cases of an impairment of what `sender` sends.
local function pair(list, impairment, sender)
  for _, role in ipairs{"initiator", "responder"} do
    list[#list + 1] = case(impairment, sender, role, role == sender and impairment.sender or impairment.receiver)
  end
end

-- The cases of all impairments, of what `senders` send, one device at a time.
local function cases(impairments, senders)
  local list = {}
  for _, impairment in ipairs(impairments) do
    for _, sender in ipairs(senders or {"initiator", "responder"}) do
      assert(others[sender], sender)
      pair(list, impairment, sender)
    end
  end
  return list
end

-- ---- reactions ----

-- The device that gets a message in error reports it by a Terminate, and closes.
local function terminates(errors, requirements)
  return {does = "reports it by a Terminate", reactions = {"terminate"}, errors = errors, requirements = requirements}
end

-- A device that gets a Terminate, or a close, closes (RFC 5040 7).
local closes = {does = "closes the connection after that", reactions = {"close"}, requirements = {"RFC5040-7-03"}}

-- The impairment must not matter.
local function continues(requirements)
  return {does = "continues", reactions = {"continue"}, requirements = requirements}
end

-- A startup frame that its receiver must not accept.
local function refuses(requirements)
  return {does = "does not accept it", reactions = {"refuse"}, requirements = requirements}
end

return {
  cases = cases, terminates = terminates, closes = closes, continues = continues, refuses = refuses,
}
