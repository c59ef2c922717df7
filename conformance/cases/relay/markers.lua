-- Markers that change on the way (RFC 5044 4.3), for devices that request them.

local function marker(number, title, change, repair, receiver, sender, needs)
  return {
    id = ("relay-marker-%02d"):format(number), title = title, at = "fpdu", change = change, unit = "FPDU with a Marker",
    repair = repair, needs = needs or {"markers"}, receiver = receiver, sender = sender,
  }
end

-- A receiver need not check Markers, but should (RFC 5044 5.2 and 8).
local checks = common.reports({"RFC5044-8-03"}, {"RFC5044-8-03"})
checks.reactions = {"terminate", "continue"}
checks.does = "ignores that, or reports it by a Terminate"

return common.cases{
  marker(1, "A bit of FPDUPTR in the first Marker of the SENDER is inverted", "flip=marker:3:4", nil,
    common.reports({"RFC5044-4.4-13", "RFC5044-8-03"}, {"RFC5044-8-01", "RFC5040-6.2.1-01"}), common.closes,
    {"markers", "crc"}), -- without a CRC it is the third case
  marker(2, "The reserved half of the first Marker of the SENDER is not 0", "flip=marker:0:1", "crc",
    common.continues{"RFC5044-4.2-02"}, common.continues{"RFC5044-4.2-02"}),
  marker(3, "FPDUPTR of the first Marker of the SENDER is wrong, with a CRC that fits", "flip=marker:3:4", "crc", checks,
    {does = "closes, or continues", reactions = {"close", "continue"}, requirements = {"RFC5040-7-03"}}),
}
