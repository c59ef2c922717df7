-- The measure of all other cases: the same conversation without an impairment.

local list = {}
for _, role in ipairs{"initiator", "responder"} do
  list[#list + 1] = {
    id = "relay-base-" .. role, title = "Nothing is impaired: the " .. role .. " completes its conversation",
    requirements = {"RFC5044-7.1.2-14"}, role = role, tier = "relay",
    relay = {conversation = "relay-base", sender = "initiator", reactions = {"continue"}},
  }
end
return list
