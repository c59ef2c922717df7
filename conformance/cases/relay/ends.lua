-- Connections that end in the middle: half of them closes, or the network resets them (RFC 5041 6.2, RFC 5040 6.2).

-- RFC 5044 8 counts a FIN among the errors of MPA, which a Terminate may report.
local half = {
  does = "closes, too", reactions = {"close", "terminate"}, errors = {"2/0/01"}, requirements = {"RFC5041-6.2.1-05"},
}

local function close(number, title, at, unit)
  return {
    id = ("relay-end-%02d"):format(number), title = title, at = at, change = "close", unit = unit, receiver = half,
    sender = half,
  }
end

-- A reset shows only whether the devices still work afterwards.
local works = {does = "works in the next connection", reactions = {"continue"}, requirements = {"RFC5044-8-01"}}

local function reset(number, title, at, unit)
  return {
    id = ("relay-end-%02d"):format(number), title = title, at = at, change = "reset", unit = unit, receiver = works,
    sender = works, again = true,
  }
end

return common.cases{
  close(1, "A FIN follows the second FPDU of the SENDER", "fpdu#2", "second FPDU"),
  close(2, "A FIN follows the startup frame of the SENDER", "startup", "startup frame"),
  reset(3, "A RST follows the second FPDU of the SENDER", "fpdu#2", "second FPDU"),
  reset(4, "A RST follows the startup frame of the SENDER", "startup", "startup frame"),
}
