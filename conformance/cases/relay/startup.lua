-- Startup frames that change on the way (RFC 5044 7.1, RFC 6581 6 and 9).

-- The device that sent the frame ends its side, too.
local ends = {does = "sends no message", reactions = {"abstain"}, requirements = {"RFC5044-7.1.2-11"}}

local function frame(number, title, change, receiver, sender, needs)
  return {
    id = ("relay-startup-%02d"):format(number), title = title, at = "startup", change = change, unit = "startup frame",
    receiver = receiver, sender = sender or ends, needs = needs,
  }
end

local function continued(number, title, change, requirements, needs)
  return frame(number, title, change, common.continues(requirements), common.continues(requirements), needs)
end

-- Frames with a Key or a Rev that no receiver accepts, followed by `others`.
local function frames(first, name, key, other_name, other_key, others)
  local revisions = common.refuses{"RFC5044-7.1.1-13", "RFC5044-7.1.1-14"}
  local list = {
    frame(first, "The first letter of the Key of the " .. name .. " changes its case", "flip=header:0:0x20",
      common.refuses{key}),
    frame(first + 1, "The last letter of the Key of the " .. name .. " changes its case", "flip=header:15:0x20",
      common.refuses{key}),
    frame(first + 2, ("The Key of the %s is that of a %s"):format(name, other_name), "flip=header:9:0x01",
      common.refuses{other_key}),
    frame(first + 3, "Rev of the " .. name .. " is 255", "set=mpa.rev:255", revisions),
    frame(first + 4, "Rev of the " .. name .. " is 3", "set=mpa.rev:3", revisions),
  }
  return table.move(others, 1, #others, #list + 1, list)
end

-- A responder whose ULP needs a larger ORD may reject the Request (RFC 6581 9.1).
local limited = {does = "continues, or rejects it", reactions = {"continue", "refuse"}, requirements = {"RFC6581-10-01"}}

-- The relay sends both Requests in one write: both have come before the Reply.
local requests = frames(1, "Request", "RFC5044-7.1.1-02", "Reply", "RFC5044-7.1.2-16", {
  frame(6, "PD_Length of the Request is 513", "set=mpa.pd_length:513", common.refuses{"RFC5044-7.1.1-16"}),
  frame(7, "PD_Length of the Request is 65,535", "set=mpa.pd_length:65535", common.refuses{"RFC5044-7.1.1-16"}),
  frame(8, "The enhanced Request loses its enhanced data", "set=mpa.pd_length:0,cut=20:4", common.refuses{"RFC6581-6-07"}, nil,
    {"enhanced"}),
  frame(9, "The Request arrives twice", "repeat", common.refuses{"RFC5044-7.1.2-24"}),
  continued(10, "A bit of Res in the Request is 1", "set=mpa.res:1", {"RFC6581-6-02"}),
  frame(11, "IRD of the Request is 1", "set=mpa.ird:1", limited, common.continues{"RFC6581-10-01"}, {"enhanced"}),
})

-- The initiator takes the Reply for one that demands Markers, and the responder gets Markers that it did not request.
local unwanted = common.reports({"RFC5044-4.4-13", "RFC5044-4.1-04"}, {"RFC5044-8-01", "RFC5040-6.2.1-01"})
unwanted.detects = true
unwanted.does = "reports FPDUs with Markers by a Terminate"

local invalid = common.refuses{"RFC6581-9.3-01"}
invalid.reactions = {"refuse", "terminate"}
invalid.errors = {"RFC6581-9.3-01"}

-- The initiator may have the resources for a larger IRD.
local depth = common.terminates({"RFC6581-9.1-09"}, {"RFC6581-9.1-08", "RFC6581-9.1-09"})
depth.reactions = {"terminate", "continue"}
depth.does = "reports that by a Terminate, or sets its IRD to that"
local after_depth = {
  does = "closes after a Terminate, or continues", reactions = {"close", "continue"}, requirements = {"RFC5040-7-03"},
}

local replies = frames(21, "Reply", "RFC5044-7.1.1-04", "Request", "RFC5044-7.1.2-20", {
  frame(26, "PD_Length of the Reply is 513", "set=mpa.pd_length:513", common.refuses{"RFC5044-7.1.2-12"}),
  frame(27, "The Reply becomes a rejection", "set=mpa.r:1",
    {does = "leaves MPA", reactions = {"abstain"}, requirements = {"RFC5044-7.1.2-13"}}),
  frame(28, "The enhanced Reply loses its enhanced data", "set=mpa.pd_length:0,cut=20:4", invalid, nil, {"enhanced"}),
  frame(29, "ORD of the Reply is above the IRD of the initiator", "set=mpa.ord:0x3FFE", depth, after_depth, {"enhanced", "depths"}),
  continued(30, "A bit of Res in the Reply is 1", "set=mpa.res:1", {"RFC6581-6-02"}),
  frame(31, "The Reply demands Markers that the responder did not request", "set=mpa.m:1",
    {does = "closes the connection after that", reactions = {"close"}, requirements = {"RFC5040-7-03"}}, unwanted, {"crc"}),
})

local list = common.cases(requests, {"initiator"})
for _, case in ipairs(common.cases(replies, {"responder"})) do list[#list + 1] = case end
return list
