-- Messages whose headers change on the way, with a CRC that fits: DDP and RDMAP of the receiver must notice
-- (RFC 5041 7, RFC 5040 7.2). Each Terminate is legal that a clause allows for the change.

local function wrong(id, title, at, change, unit, errors, requirements)
  return {
    id = "relay-" .. id, title = title, at = at, with = unit.with, change = change, unit = unit.name, repair = "crc,markers",
    receiver = common.terminates(errors, requirements), sender = common.closes,
  }
end

-- A device may validate that a Read Response is the one that it has requested (RFC 5040 5.2.2): it may also place a second one.
local function again(...)
  local impairment = wrong(...)
  impairment.receiver.reactions = {"terminate", "continue"}
  impairment.receiver.does = "reports it by a Terminate, or continues"
  impairment.sender = {
    does = "closes after a Terminate, or continues", reactions = {"close", "continue"}, requirements = {"RFC5040-7-03"},
  }
  return impairment
end

-- A receiver ignores STag and TO of a message without payload (RFC 5041 5.2), and the source of a Read of no octet (RFC 5040 7.2).
-- It may take opcode and RV from any segment of a message (RFC 5041 4.3), and one segment need not be a duplicate of a message.
local send, one_send = {name = "Send"}, {name = "Send of one segment", with = "message"}
local second_send = {name = "second Send of one segment", with = "message"}
local write, one_write = {name = "RDMA Write with payload", with = "payload"},
  {name = "RDMA Write of one segment, with payload", with = "payload+message"}
local response, one_response = {name = "RDMA Read Response with payload", with = "payload"},
  {name = "RDMA Read Response of one segment, with payload", with = "payload+message"}
local request, filled_request = {name = "RDMA Read Request"}, {name = "RDMA Read Request for at least one octet", with = "payload"}

return common.cases{
  -- Sends
  wrong("send-01", "DV of a Send of the SENDER is 0", "send", "set=ddp.dv:0", send, {"RFC5041-4.1-08"}, {"RFC5041-7.2-01"}),
  wrong("send-02", "A Send of the SENDER is on queue 5", "send", "set=ddp.qn:5", send, {"RFC5040-5.3-07"}, {"RFC5041-7.1-01"}),
  wrong("send-03", "The MSN of a Send of the SENDER is 0", "send", "set=ddp.msn:0", send, {"RFC5041-4.3-09", "RFC5040-5.3-02"},
    {"RFC5041-7.1-01"}),
  wrong("send-04", "The second Send of the SENDER has the MSN of the first", "send#2", "set=ddp.msn:1", second_send,
    {"RFC5041-4.3-08", "RFC5040-5.3-02"}, {"RFC5041-7.1-01"}),
  wrong("send-05", "The MO of a Send of the SENDER is beyond every buffer", "send", "set=ddp.mo:0xFFFFFF00", send,
    {"RFC5041-4.3-12", "RFC5040-5.3-04"}, {"RFC5041-7.1-01"}),
  wrong("send-06", "The opcode of a Send of the SENDER is that of an RDMA Write", "send", "set=rdmap.opcode:0", one_send,
    {"RFC5040-5.1-01"}, {"RFC5040-7.2-02"}),
  wrong("send-07", "RV of a Send of the SENDER is 3", "send", "set=rdmap.rv:3", one_send, {"RFC5040-4.1-08"}, {"RFC5040-7.2-03"}),
  wrong("send-08", "A Send of the SENDER invalidates an unknown STag", "send",
    "set=rdmap.opcode:4,set=ddp.rsvdulp_rest:0xDEADBE00", one_send, {"0/1/00", "0/1/03", "0/1/09", "0/2/09"}, {"RFC5040-7.2-04"}),
  wrong("send-09", "A Send of the SENDER arrives twice", "send", "repeat", one_send, {"RFC5041-4.3-08", "RFC5040-5.3-02"},
    {"RFC5041-7.1-01", "RFC5041-5.3-06"}),
  wrong("send-10", "A Send of the SENDER is on queue 1, where requests are", "send", "set=ddp.qn:1", send,
    {"RFC5040-5.3-07", "RFC5040-7.2-07"}, {"RFC5040-7.2-07"}),

  -- RDMA Writes
  wrong("write-01", "The STag of an RDMA Write of the SENDER is unknown", "rdma-write", "set=ddp.stag:0xDEADBE00", write,
    {"RFC5041-4.2-05"}, {"RFC5041-7.1-06"}),
  wrong("write-02", "The TO of an RDMA Write of the SENDER is outside the buffer", "rdma-write",
    "set=ddp.to:0x7FFFFFFFFFFF0000", write, {"RFC5041-8.3.1-04"}, {"RFC5041-7.1-06"}),
  wrong("write-03", "The opcode of an RDMA Write of the SENDER is that of a Send", "rdma-write", "set=rdmap.opcode:3", one_write,
    {"RFC5040-5.3-01"}, {"RFC5040-7.2-02"}),
  wrong("write-04", "RV of an RDMA Write of the SENDER is 2", "rdma-write", "set=rdmap.rv:2", one_write, {"RFC5040-4.1-08"},
    {"RFC5040-7.2-03"}),
  wrong("write-05", "DV of an RDMA Write of the SENDER is 2", "rdma-write", "set=ddp.dv:2", write, {"1/1/04"},
    {"RFC5041-7.2-01"}),
  wrong("write-06", "The TO of an RDMA Write of the SENDER wraps", "rdma-write", "set=ddp.to:0xFFFFFFFFFFFFFFFF", write,
    {"1/1/03", "RFC5041-8.3.1-04"}, {"RFC5041-7.1-06"}),
  wrong("write-07", "An RDMA Write of the SENDER becomes a Read Response", "rdma-write", "set=rdmap.opcode:2", one_write,
    {"RFC5040-5.2.2-08"}, {"RFC5040-5.2.2-08"}),

  -- Read Responses
  wrong("response-01", "The STag of a Read Response of the SENDER is unknown", "rdma-read-response",
    "set=ddp.stag:0xDEADBE00", response, {"RFC5041-4.2-05", "RFC5040-5.2.2-08"}, {"RFC5041-7.1-06"}),
  wrong("response-02", "RV of a Read Response of the SENDER is 2", "rdma-read-response", "set=rdmap.rv:2", one_response,
    {"RFC5040-4.1-08"}, {"RFC5040-7.2-03"}),
  wrong("response-03", "DV of a Read Response of the SENDER is 3", "rdma-read-response", "set=ddp.dv:3", response, {"1/1/04"},
    {"RFC5041-7.2-01"}),
  again("response-04", "A Read Response of the SENDER arrives twice", "rdma-read-response", "repeat", one_response,
    {"RFC5040-5.2.2-08", "RFC5041-4.2-05"}, {"RFC5040-5.2.2-08"}),
  wrong("response-05", "The opcode of a Read Response of the SENDER is that of a Terminate", "rdma-read-response",
    "set=rdmap.opcode:7", one_response, {"RFC5040-5.3-01"}, {"RFC5040-7.2-02"}),
  wrong("response-06", "The TO of a Read Response of the SENDER is outside the buffer", "rdma-read-response",
    "set=ddp.to:0x7FFFFFFFFFFF0000", response, {"RFC5041-8.3.1-04", "RFC5040-5.2.2-08"}, {"RFC5041-7.1-06"}),

  -- Read Requests
  wrong("read-01", "RV of a Read Request of the SENDER is 2", "rdma-read-request", "set=rdmap.rv:2", request,
    {"RFC5040-4.1-08"}, {"RFC5040-7.2-08"}),
  wrong("read-02", "The Data Source STag of a Read Request of the SENDER is unknown", "rdma-read-request",
    "set=rdmap.read.source_stag:0xDEADBE00", filled_request, {"RFC5040-7.2-09"}, {"RFC5040-7.2-09"}),
  wrong("read-03", "The Data Source TO of a Read Request of the SENDER is outside the buffer", "rdma-read-request",
    "set=rdmap.read.source_to:0x7FFFFFFFFFFF0000", filled_request, {"RFC5040-7.2-11"}, {"RFC5040-7.2-11"}),
  wrong("read-04", "A Read Request of the SENDER is for almost 4 GiB", "rdma-read-request",
    "set=rdmap.read.size:0xFFFFFF00", filled_request, {"RFC5040-7.2-12"}, {"RFC5040-7.2-12"}),
  wrong("read-05", "The MSN of a Read Request of the SENDER is 0", "rdma-read-request", "set=ddp.msn:0", request,
    {"RFC5041-4.3-09", "RFC5040-5.2.1-02"}, {"RFC5040-7.2-06"}),
  wrong("read-06", "A Read Request of the SENDER is on queue 7", "rdma-read-request", "set=ddp.qn:7", request,
    {"RFC5040-5.2.1-05"}, {"RFC5040-7.2-06"}),
  wrong("read-07", "A Read Request of the SENDER arrives twice", "rdma-read-request", "repeat", request,
    {"RFC5041-4.3-08", "RFC5040-5.2.1-02"}, {"RFC5040-7.2-06"}),
  wrong("read-08", "DV of a Read Request of the SENDER is 0", "rdma-read-request", "set=ddp.dv:0", request,
    {"RFC5041-4.1-08"}, {"RFC5040-7.2-06"}),
  wrong("read-09", "The Data Source range of a Read Request of the SENDER wraps", "rdma-read-request",
    "set=rdmap.read.source_to:0xFFFFFFFFFFFFFFFF", filled_request, {"RFC5040-7.2-13", "RFC5040-7.2-12"}, {"RFC5040-7.2-13"}),
}
