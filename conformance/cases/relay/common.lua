-- What the files of relay cases share. An impairment becomes two cases, one for each device: ID-initiator and ID-responder.

local others = {initiator = "responder", responder = "initiator"}

-- A unit of this sender and what is done to it, as one rule (docs/relay.md). The delay makes sure that the receiver is quiet
-- when the unit reaches it, so what it sends then is a reaction. If `at` is each FPDU, only the first one is delayed.
local function rules(impairment, sender)
  local unit = impairment.at:match("^(.*)#%*$")
  local what = ",direction=" .. sender .. (impairment.with and ",with=" .. impairment.with or "")
  local first = "at=" .. (unit or impairment.at) .. what .. ",delay=100," .. impairment.change
  if not unit then return {first} end
  return {first, "at=" .. impairment.at .. what .. "," .. impairment.change}
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
      rules = rules(impairment, sender),
      repair = impairment.repair,
      sender = sender,
      unit = impairment.unit,
      reactions = side.reactions,
      errors = side.errors,
      needs = impairment.needs,
      again = impairment.again,
      detects = side.detects,
      llp = side.llp,
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

-- Likewise, but the error is one of MPA: the Terminate is only a SHOULD (RFC 5040 6.2.1).
local function reports(errors, requirements)
  local side = terminates(errors, requirements)
  side.llp = true
  return side
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
  cases = cases, terminates = terminates, reports = reports, closes = closes, continues = continues, refuses = refuses,
}
