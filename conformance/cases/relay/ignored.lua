-- Changes that a receiver must ignore: reserved bits with a CRC that fits, and how TCP divides the octets. Both devices then
-- send what they send without the impairment. All segments of a message have the same RsvdULP, and a receiver may check that
-- (RFC 5041 4.3): what is in RsvdULP changes in messages of one segment.

local function ignored(number, title, at, change, unit, requirements, with)
  return {
    id = ("relay-ignored-%02d"):format(number), title = title, at = at, change = change, unit = unit, repair = "crc",
    with = with, receiver = common.continues(requirements), sender = common.continues(requirements),
  }
end

return common.cases{
  ignored(1, "All bits of Rsvd in a Send of the SENDER are 1", "send", "set=ddp.rsvd:15", "Send", {"RFC5041-4.1-07"}),
  ignored(2, "All bits of Rsvd in an RDMA Write of the SENDER are 1", "rdma-write", "set=ddp.rsvd:15", "RDMA Write",
    {"RFC5041-4.1-07"}),
  ignored(3, "Both bits of Rsv in a Send of the SENDER are 1", "send", "set=rdmap.rsv:3", "Send of one segment", {"RFC5040-4.1-09"},
    "message"),
  ignored(4, "Both bits of Rsv in a Read Response of the SENDER are 1", "rdma-read-response", "set=rdmap.rsv:3",
    "RDMA Read Response of one segment", {"RFC5040-4.1-09"}, "message"),
  ignored(5, "The Invalidate STag of a plain Send of the SENDER is not 0", "send", "set=ddp.rsvdulp_rest:0xDEADBE00",
    "Send of one segment", {"RFC5040-4.1-10"}, "message"),
  ignored(6, "The PAD octets of a Send of the SENDER are not 0", "send", "flip=pad:0:0xFF", "Send with PAD", {"RFC5044-4.1-02"}),
  ignored(7, "Each FPDU of the SENDER comes in pieces of 16 octets", "fpdu#*", "segment=16,pause=2", "FPDU",
    {"RFC5044-5.1-05", "RFC5044-AppA.4-01"}),
  ignored(8, "An FPDU of the SENDER pauses after its first octets", "fpdu#2", "segment=9,pause=20", "second FPDU",
    {"RFC5044-6-04"}),
  ignored(9, "The startup frame of the SENDER comes in writes of one octet", "startup", "segment=1,pause=1", "startup frame",
    {"RFC5044-5.1-05"}),
  ignored(10, "A Read Request of the SENDER has all bits of Rsvd set", "rdma-read-request", "set=ddp.rsvd:15",
    "RDMA Read Request", {"RFC5041-4.1-07"}),
  ignored(11, "The relay reads nothing from the SENDER for half a second", "fpdu", "stop=500", "FPDU", {"RFC5044-5.1-05"}),
  ignored(12, "The relay gives the SENDER a tiny TCP window", "startup", "window=2304", "startup frame", {"RFC5044-5.1-05"}),
}
