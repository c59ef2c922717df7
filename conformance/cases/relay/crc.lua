-- Octets that change on the way, below the CRC (RFC 5044 4.4): what TCP's own checksum has missed.

local reports = common.reports({"RFC5044-4.4-13"}, {"RFC5044-4.4-13", "RFC5044-4.4-14", "RFC5044-8-07", "RFC5040-6.2.1-01"})

local function damage(number, title, at, change, unit, repair)
  return {
    id = ("relay-crc-%02d"):format(number), title = title, at = at, change = change, unit = unit, repair = repair,
    needs = {"crc"}, receiver = reports, sender = common.closes,
  }
end

return common.cases{
  damage(1, "One bit of the payload of a Send of the SENDER is inverted", "send", "flip=payload:0:1", "Send with payload"),
  damage(2, "One bit of the payload of an RDMA Write of the SENDER is inverted", "rdma-write", "flip=payload:0:1",
    "RDMA Write with payload"),
  damage(3, "One bit of the payload of a Read Response of the SENDER is inverted", "rdma-read-response", "flip=payload:0:0x80",
    "RDMA Read Response with payload"),
  damage(4, "One bit of the DDP header of a Send of the SENDER is inverted", "send", "flip=header:0:1", "Send"),
  damage(5, "One bit of the RDMAP header of a Read Request of the SENDER is inverted", "rdma-read-request",
    "flip=header:27:1", "RDMA Read Request"),
  damage(6, "The lowest bit of the CRC of the second FPDU of the SENDER is inverted", "fpdu#2", "flip=crc:3:1", "second FPDU"),
  damage(7, "The highest bit of the CRC of the second FPDU of the SENDER is inverted", "fpdu#2", "flip=crc:0:0x80",
    "second FPDU"),
  damage(8, "ULPDU_Length of a Send of the SENDER covers no payload", "send", "set=mpa.ulpdu_length:18", "Send with payload"),
  damage(9, "Four octets of a Send of the SENDER are missing, with a ULPDU_Length that fits", "send", "cut=20:4",
    "Send with at least four octets of payload", "length"),
  damage(10, "A Send of the SENDER has four octets too many, with a ULPDU_Length that fits", "send", "insert=20:00000000",
    "Send", "length"),
}
