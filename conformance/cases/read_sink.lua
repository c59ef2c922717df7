-- The device reads our memory and accepts or rejects the Read Responses: RFC 5040 5.2.2, 5.5, 6.1 and 7.2, RFC 5041 7.1.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish
local counting = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ__"

-- The script sends all responses, and our side rejects nothing.
local by_hand = {auto = {responses = false, terminate = false}}

-- The device's ULP reads 48 octets to the beginning of a buffer of 64. Gives connection, buffer and post.
local function asks(dut, open, options)
  local sink = dut:region{size = 64, fill = "."}
  local c = open(options or by_hand)
  step "the device reads 48 octets"
  local post = dut:read{sink = sink, source_stag = 0x5EED, source_to = 0x123456789, size = 48}
  c:expect{{kind = "read_request", qn = 1, msn = 1, mo = 0, l = true, sink_stag = sink.stag, sink_to = sink.to, size = 48,
    source_stag = 0x5EED, source_to = 0x123456789}}
  return c, sink, post
end

-- A response, or a segment of one.
local function answer(c, sink, offset, octets, fields)
  local message = {kind = "read_response", stag = sink.stag, to = sink.to + offset, data = octets}
  for name, value in pairs(fields or {}) do message[name] = value end
  c:fpdu(message)
end

-- RDMAP may compare a response with its request, and has no code of its own for a difference (RFC 5040 5.2.2).
local function refusal(etype, code)
  return {kind = "terminate", layer = 1, etype = etype, code = code}, {kind = "terminate", layer = 0, etype = any{1, 2}}
end

-- A response of 48 octets, which a change makes wrong, is rejected: nothing is placed, and the Read does not succeed.
local function refuses(offset, fields, ...)
  local answers = {...}
  return function(dut, open)
    local c, sink, post = asks(dut, open)
    step "send the wrong response"
    answer(c, sink, offset, counting:sub(1, 48), fields)
    c:expect(answers)
    c:expect{closed}
    check(common.completion(dut, post).status == "flushed", "the Read has not succeeded")
    check(dut:memory(sink, 0, 64) == ("."):rep(64), "nothing is placed")
  end
end

local taken = {
  {
    id = "rdma-read-sink-001", initiator = "rdma-read-sink-002",
    title = "A Read Response in segments of any length is accepted",
    requirements = {"RFC5041-5.2-04", "RFC5040-5.2.2-07"},
    run = function(dut, open)
      local c, sink, post = asks(dut, open)
      step "answer with 1, 30 and 17 octets"
      answer(c, sink, 0, counting:sub(1, 1), {l = false})
      answer(c, sink, 1, counting:sub(2, 31), {l = false})
      answer(c, sink, 31, counting:sub(32, 48))
      check(common.completion(dut, post).status == "done", "the Read is complete")
      check(dut:memory(sink, 0, 64) == counting:sub(1, 48) .. ("."):rep(16), "the octets are placed, and no others have changed")
      finish(c)
    end,
  },
  {
    id = "rdma-read-sink-003", initiator = "rdma-read-sink-004",
    title = "A Read of no octets completes even if the device's ULP invalidates its Data Sink STag before the response",
    requirements = {"RFC5040-5.2.1-11", "RFC5041-5.2-10"},
    run = function(dut, open)
      local sink = dut:region{size = 64, fill = "."}
      local c = open(by_hand)
      local post = dut:read{sink = sink, source_stag = 0x5EED, source_to = 7, size = 0}
      local request = c:expect{{kind = "read_request", msn = 1, size = 0}}
      step "invalidate the Data Sink STag, and send the response, which names it"
      dut:invalidate(sink)
      c:fpdu{kind = "read_response", stag = request.sink_stag, to = request.sink_to}
      check(common.completion(dut, post).status == "done", "the Read is complete")
      check(dut:memory(sink, 0, 64) == ("."):rep(64), "nothing is placed")
      finish(c)
    end,
  },
  {
    id = "rdma-read-sink-005", initiator = "rdma-read-sink-006",
    title = "Read Responses that arrive together complete the device's Reads in order",
    requirements = {"RFC5040-5.5-11", "RFC5040-5.5-06"},
    run = function(dut, open)
      dut:configure{ird = 4, ord = 4} -- on which both ULPs have agreed
      local c = open(by_hand)
      local sinks, posts = {}, {}
      for i = 1, 4 do
        sinks[i] = dut:region{size = 8 * i}
        posts[i] = dut:read{sink = sinks[i], source_stag = 0x5EED, source_to = i}
      end
      local requests = {}
      for i = 1, 4 do
        requests[i] = {kind = "read_request", msn = i, sink_stag = sinks[i].stag, sink_to = sinks[i].to, size = 8 * i, source_to = i}
      end
      local open = #common.under_way(c, requests)
      step "answer all outstanding Reads in one TCP segment"
      for i = 1, 4 do
        if i > open then c:expect{requests[i]} end
        answer(c, sinks[i], 0, tostring(i):rep(8 * i), {merge = i < open})
      end
      for i = 1, 4 do
        local event
        repeat event = dut:completed{} until event.post >= posts[1]
        check(event.post == posts[i] and event.status == "done", "Read " .. i .. " completes in order")
        check(dut:memory(sinks[i], 0, 8 * i) == tostring(i):rep(8 * i), "with its octets")
      end
      finish(c)
    end,
  },
  {
    id = "rdma-read-sink-007", initiator = "rdma-read-sink-008",
    title = "A Send after a Read may be sent at once, but completes after the Read",
    requirements = {"RFC5040-5.5-11", "RFC5040-5.5-15"},
    run = function(dut, open)
      local c, sink, post = asks(dut, open)
      local behind = dut:send{data = "after it"}
      local sent = {kind = "send", data = "after it"}
      local early = c:expect{sent, {kind = "silence"}, timeout = 0.5}.kind == "send"
      answer(c, sink, 0, counting:sub(1, 48))
      if not early then c:expect{sent} end
      local event
      repeat event = dut:completed{} until event.post >= post
      check(event.post == post and event.status == "done", "the Read is complete")
      event = dut:completed{}
      check(event.post == behind and event.status == "done", "and then the Send")
      finish(c)
    end,
  },
  {
    id = "rdma-read-sink-009", initiator = "rdma-read-sink-010",
    title = "The device keeps its outstanding Reads within ORD",
    requirements = {"RFC5040-6.1-04", "RFC5042-6.4.3.3-02"}, claims = {"rev-2"},
    run = function(dut, open)
      dut:configure{rev = 2, enhanced = true, ird = 2, ord = 2}
      local c = open{rev = 2, ird = 2, ord = 2, auto = {responses = false, terminate = false}}
      local sink = dut:region{size = 8}
      local post, requests = nil, {}
      for i = 1, 5 do
        requests[i] = {kind = "read_request", msn = i, sink_stag = sink.stag, sink_to = sink.to, size = 8, source_to = i}
      end
      step "the ULP posts five Reads"
      for i = 1, 5 do post = dut:read{sink = sink, source_stag = 0x5EED, source_to = i} end
      local open = #common.under_way(c, table.move(requests, 1, c.terms.ird, 1, {}))
      step "the device is responsive and has sent no further request"
      common.alive(c)
      step "each response lets the device send one more request"
      for _ = 1, 5 do
        answer(c, sink, 0, "8 octets")
        if open < 5 then
          open = open + 1
          c:expect{requests[open]}
        end
      end
      check(common.completion(dut, post).status == "done", "all are complete")
      finish(c)
    end,
  },
  {
    id = "rdma-read-sink-011", initiator = "rdma-read-sink-012",
    title = "The reserved bits of a Read Response are ignored",
    requirements = {"RFC5041-4.1-07", "RFC5040-4.1-09"},
    run = function(dut, open)
      local c, sink, post = asks(dut, open)
      answer(c, sink, 0, counting:sub(1, 48), {rsvd = 15, rsv = 3})
      check(common.completion(dut, post).status == "done", "the Read is complete")
      check(dut:memory(sink, 0, 48) == counting:sub(1, 48), "the octets are placed")
      finish(c)
    end,
  },
}

local doubtful = {
  {
    id = "rdma-read-sink-034", initiator = "rdma-read-sink-035",
    title = "A Read Response to an STag other than the requested one is accepted or answered by a Terminate",
    requirements = {"RFC5040-5.2.2-06"},
    danger = {"memory"},
    run = function(dut, open)
      local other = dut:region{size = 64, fill = "."}
      local c, sink = asks(dut, open)
      step "answer to memory with write access that the Read did not name"
      answer(c, other, 0, counting:sub(1, 48))
      step "send a Read of no octets after it"
      c:read{sink_stag = 1, source_stag = 1, size = 0}
      if c:expect{{kind = "read_response", size = 0}, refusal(1, any{0, 2})}.kind == "read_response" then
        finish(c)
      else
        c:expect{closed}
      end
      check(dut:memory(sink, 0, 64) == ("."):rep(64), "nothing is placed in the memory that the Read did not name")
    end,
  },
}

local refused = {
  {
    id = "rdma-read-sink-013", initiator = "rdma-read-sink-014",
    title = "A Read Response to an unknown STag is answered by a Terminate; nothing is placed",
    danger = {"memory"},
    requirements = {"RFC5041-7.1-06", "RFC5040-7.2-01"}, run = refuses(0, {stag = common.unknown_stag}, refusal(1, any{0, 2})),
  },
  {
    id = "rdma-read-sink-015", initiator = "rdma-read-sink-016",
    title = "A Read Response that ends beyond the end of the buffer is answered by a Terminate; nothing is placed",
    danger = {"memory"},
    requirements = {"RFC5041-7.1-06", "RFC5040-7.2-01", "RFC5042-6.2.1-01", "RFC5042-ATTACK-23"}, run = refuses(17, {}, refusal(1, 1)),
  },
  {
    id = "rdma-read-sink-017", initiator = "rdma-read-sink-018",
    title = "A Read Response that begins before the buffer is answered by a Terminate; nothing is placed",
    danger = {"memory"},
    requirements = {"RFC5041-7.1-06", "RFC5040-7.2-01", "RFC5042-6.2.1-01", "RFC5042-ATTACK-23"}, run = refuses(-1, {}, refusal(1, any{1, 3})), -- at TO 0
  },
  {
    id = "rdma-read-sink-019", initiator = "rdma-read-sink-020",
    title = "A Read Response that reaches beyond TO 2^64 is answered by a Terminate; nothing is placed",
    danger = {"memory"},
    requirements = {"RFC5041-7.1-06", "RFC5040-7.2-01", "RFC5042-ATTACK-23"}, run = refuses(0, {to = -8}, refusal(1, any{1, 3})),
  },
  {
    id = "rdma-read-sink-021", initiator = "rdma-read-sink-022",
    title = "A Read Response with DDP version 2 is answered by a Terminate; nothing is placed",
    requirements = {"RFC5041-4.1-08", "RFC5040-7.2-01"}, run = refuses(0, {dv = 2}, terminate(1, 1, 4)),
  },
  {
    id = "rdma-read-sink-023", initiator = "rdma-read-sink-024",
    title = "A Read Response with RDMAP version 3 is answered by a Terminate",
    requirements = {"RFC5040-4.1-08", "RFC5040-7.2-03"},
    run = function(dut, open)
      local c, sink, post = asks(dut, open)
      answer(c, sink, 0, counting:sub(1, 48), {rv = 3})
      c:expect{terminate(0, 2, 5)}
      c:expect{closed}
      check(common.completion(dut, post).status == "flushed", "the Read has not succeeded")
    end,
  },
  {
    id = "rdma-read-sink-025", initiator = "rdma-read-sink-026",
    title = "A second Read Response to one Read is answered by a Terminate",
    requirements = {"RFC5040-5.2.2-08", "RFC5040-5.2-01", "RFC5042-ATTACK-25"},
    run = function(dut, open)
      local c, sink, post = asks(dut, open)
      answer(c, sink, 0, counting:sub(1, 48), {merge = true})
      answer(c, sink, 0, counting:sub(1, 48))
      c:expect{{kind = "terminate", layer = any{0, 1}}}
      c:expect{closed}
      check(common.completion(dut, post).status == "done", "the first response counts")
      check(dut:memory(sink, 0, 48) == counting:sub(1, 48), "its octets are placed")
    end,
  },
  {
    id = "rdma-read-sink-027", role = "initiator",
    title = "The device as initiator answers an unsolicited Read Response by a Terminate",
    requirements = {"RFC5040-5.2.2-08", "RFC5042-ATTACK-25"},
    run = function(dut, open)
      local target = dut:region{size = 64, rights = "r", fill = "."}
      local c = open{}
      answer(c, target, 0, "unasked!")
      c:expect{{kind = "terminate", layer = any{0, 1}}}
      c:expect{closed}
      check(dut:memory(target, 0, 8) == "........", "nothing is placed")
    end,
  },
  {
    id = "rdma-read-sink-028", initiator = "rdma-read-sink-029",
    title = "An unsolicited Read Response of no octets is answered by a Terminate",
    requirements = {"RFC5040-5.2.2-08", "RFC5042-ATTACK-25"},
    run = function(dut, open)
      local c = open{}
      c:fpdu{kind = "read_response"}
      c:expect{{kind = "terminate", layer = any{0, 1}}}
      c:expect{closed}
    end,
  },
}

local ended = {
  {
    id = "rdma-read-sink-030", initiator = "rdma-read-sink-031",
    title = "A Read without a response is flushed when the connection is reset",
    requirements = {"RFC5040-5.5-15", "RFC5041-6.2.2-02"},
    run = function(dut, open)
      local c, _, post = asks(dut, open)
      step "reset the connection instead of answering"
      c:reset()
      check(common.completion(dut, post).status == "flushed", "the ULP learns that the Read failed")
    end,
  },
  {
    id = "rdma-read-sink-032", initiator = "rdma-read-sink-033",
    title = "A Read with a partial response is flushed when the connection is reset",
    requirements = {"RFC5040-5.5-15", "RFC5041-6.2.2-02"},
    run = function(dut, open)
      local c, sink, post = asks(dut, open)
      step "answer with 47 of 48 octets, then reset the connection"
      answer(c, sink, 0, counting:sub(1, 47), {l = false})
      c:reset()
      check(common.completion(dut, post).status == "flushed", "the ULP learns that the Read failed")
    end,
  },
}

local list = {}
for _, part in ipairs{
  common.cases({tier = "agent", close = {"fin"}}, taken),
  common.cases({tier = "agent", close = {"fin", "terminate+fin", "terminate+rst"}}, doubtful),
  common.cases({tier = "agent", close = both}, refused),
  common.cases({tier = "agent", danger = {"connection"}}, ended),
} do
  table.move(part, 1, #part, #list + 1, list)
end
return list
