-- The device sends Atomic Requests and accepts or rejects the responses: RFC 7306 5.1, 5.2 and 8.2,
-- draft-ietf-storm-rdmap-ext-01 5.1 and 5.2.

local closed, terminate, finish = common.closed, common.terminate, common.finish
local all = 0xFFFFFFFFFFFFFFFF

-- The script sends all responses.
local by_hand = {auto = {responses = false}}

local function answer(c, request, value, fields)
  check(request.identifier, "the Atomic Request has its whole header")
  local message = {kind = "atomic_response"}
  if not (fields and fields.header) then
    message.original_identifier, message.original_value = request.identifier, value
  end
  for name, field in pairs(fields or {}) do message[name] = field or nil end
  c:fpdu(message)
end

-- The next completion of the post.
local function completion_of(dut, post)
  local completion
  repeat completion = dut:completed{} until completion.post == post
  return completion
end

local cases = {}

local function add(fields)
  fields.role, fields.tier = fields.role or "initiator", "agent"
  fields.claims, fields.close = fields.claims or {"atomic"}, fields.close or {"fin"}
  cases[#cases + 1] = fields
end

-- ---- the request ----

-- The ULP posts one operation at a multiple of 8; the request is correct, and the ULP gets the response.
local function asks(role, method, options, fields)
  return function(dut)
    local c = common.open(dut, role, by_hand)
    options.stag, options.to = 0x00C0FFEE, 0x123456780
    fields.kind, fields.stag, fields.to = "atomic_request", options.stag, options.to
    fields.qn, fields.msn, fields.mo, fields.reserved, fields.ulpdu_length = 1, 1, 0, 0, 70
    step "the ULP posts the operation"
    local post = dut[method](dut, options)
    local request = c:expect{fields}
    step "answer"
    answer(c, request, 0x0123456789ABCDEF)
    local completion = completion_of(dut, post)
    check(completion.status == "done", "the operation is complete")
    check(completion.original == 0x0123456789ABCDEF, "the ULP gets the Original Remote Data Value")
    finish(c)
  end
end

-- { id, title, role, method, what the ULP posts, fields of the request, requirements, claims }
local requests = {
  {"rdma-atomic-requester-001", "The device's FetchAdd carries the operand and address that its ULP posted", "initiator",
    "fetch_add", {add = 0xFEDCBA9876543210}, {aopcode = 0, data = 0xFEDCBA9876543210, mask = 0, compare_data = 0,
    compare_mask = all},
    {"RFC7306-5.1.1-01", "RFC7306-5.2.1-03", "RFC7306-5.2.1-13", "RFC7306-5.2.1-14", "RFC7306-5.2.1-09"}},
  {"rdma-atomic-requester-002", "The device's FetchAdd carries its Add Mask", "initiator",
    "fetch_add", {add = 3, add_mask = 0x8000000080000000}, {aopcode = 0, data = 3, mask = 0x8000000080000000,
    compare_data = 0, compare_mask = all}, {"RFC7306-5.2.1-13", "RFC7306-5.2.2-05"}},
  {"rdma-atomic-requester-003", "The device's CmpSwap carries the operands, masks and address that its ULP posted",
    "initiator", "cmp_swap", {compare = 1, compare_mask = 0xFF, swap = 2, swap_mask = 0xFF00}, {aopcode = 2, data = 2,
    mask = 0xFF00, compare_data = 1, compare_mask = 0xFF},
    {"RFC7306-5.1.2-02", "RFC7306-5.2.1-03", "RFC7306-5.2.1-01", "RFC7306-5.2.1-14"}},
  {"rdma-atomic-requester-004", "The device's Swap carries the operand and address that its ULP posted", "initiator",
    "swap", {swap = 5}, {aopcode = 1, data = 5, mask = all, compare_data = 0, compare_mask = all},
    {"EXT01-5.1.2-02", "EXT01-5.2.1-01", "EXT01-5.2.1-02", "EXT01-5.2.1-03", "EXT01-4.1-01"}, {"atomic", "swap"}},
  {"rdma-atomic-requester-005", "The device as responder sends a FetchAdd", "responder",
    "fetch_add", {add = 1}, {aopcode = 0, data = 1, mask = 0},
    {"RFC7306-5.1.1-01", "RFC7306-5.2-01", "RFC7306-4.1-01"}},
  {"rdma-atomic-requester-006", "The device as responder sends a CmpSwap", "responder",
    "cmp_swap", {compare = 7, swap = 8}, {aopcode = 2, data = 8, mask = all, compare_data = 7, compare_mask = all},
    {"RFC7306-5.1.2-02", "RFC7306-5.2-01", "RFC7306-4.1-01"}},
  {"rdma-atomic-requester-040", "The device as responder sends a Swap", "responder",
    "swap", {swap = 9}, {aopcode = 1, data = 9, mask = all, compare_data = 0, compare_mask = all},
    {"EXT01-5.1.2-02", "EXT01-5.2.1-01", "EXT01-5.2.1-02", "EXT01-4.1-01"}, {"atomic", "swap"}},
}

for _, row in ipairs(requests) do
  local id, title, role, method, options, fields, requirements, claims = table.unpack(row)
  add{id = id, title = title, role = role, requirements = requirements, claims = claims,
    run = asks(role, method, options, fields)}
end

add{
  id = "rdma-atomic-requester-041", title = "The second FetchAdd of the device as responder is correct too",
  requirements = {"RFC7306-5.1.1-01", "RFC7306-5.2.1-03"}, role = "responder",
  run = function(dut)
    local c = common.open(dut, "responder", by_hand)
    local first = dut:fetch_add{stag = 0x100, to = 8, add = 1}
    local one = c:expect{{kind = "atomic_request", aopcode = 0, to = 8, data = 1, ulpdu_length = 70}}
    answer(c, one, 5)
    check(completion_of(dut, first).original == 5, "the first is complete")
    local second = dut:fetch_add{stag = 0x200, to = 0x80000000000, add = 2}
    local other = c:expect{{kind = "atomic_request", aopcode = 0, stag = 0x200, to = 0x80000000000, data = 2, ulpdu_length = 70}}
    answer(c, other, 6)
    check(completion_of(dut, second).original == 6, "the second is complete")
    finish(c)
  end,
}

add{
  id = "rdma-atomic-requester-007", title = "The device sends its requests in the order its ULP posted them",
  requirements = {"RFC7306-5.2.1-10", "RFC5041-4.3-08"},
  run = function(dut)
    local source, sink = region{size = 8, rights = "rwa", fill = 0}, dut:region{size = 8}
    local c = common.open(dut, "initiator")
    local target = {stag = source.stag, to = source.to}
    step "the ULP posts FetchAdd, Read, CmpSwap, FetchAdd"
    dut:fetch_add{stag = target.stag, to = target.to, add = 1}
    dut:read{sink = sink, source_stag = target.stag, source_to = target.to}
    dut:cmp_swap{stag = target.stag, to = target.to, compare = 1, swap = 2}
    local last = dut:fetch_add{stag = target.stag, to = target.to, add = 3}
    for i, outcome in ipairs{{kind = "atomic_request", aopcode = 0, data = 1}, {kind = "read_request"},
      {kind = "atomic_request", aopcode = 2}, {kind = "atomic_request", aopcode = 0, data = 3}} do
      outcome.qn, outcome.msn = 1, i
      c:expect{outcome}
    end
    check(completion_of(dut, last).original == 2, "the last returns the value that the previous one left")
    finish(c)
  end,
}
add{
  id = "rdma-atomic-requester-008", title = "The device keeps its outstanding requests within ORD",
  requirements = {"RFC5040-6.1-04", "RFC7306-5.2-01"}, claims = {"atomic", "rev-2"},
  run = function(dut)
    local post
    dut:configure{rev = 2, enhanced = true, ird = 2, ord = 2}
    local c = common.open(dut, "initiator", {rev = 2, ird = 2, ord = 2, auto = {responses = false}})
    local under_way = {}
    step "the ULP posts five FetchAdds"
    for i = 1, 5 do post = dut:fetch_add{stag = 0x100, to = 8 * i, add = i} end
    for i = 1, c.terms.ird do under_way[i] = {kind = "atomic_request", to = 8 * i} end
    under_way = common.under_way(c, under_way)
    step "the device is responsive and has sent no further request"
    common.alive(c)
    step "each response lets the device send one more request"
    for i = 1, 5 do
      answer(c, under_way[i], i)
      if #under_way < 5 then under_way[#under_way + 1] = c:expect{{kind = "atomic_request", to = 8 * (#under_way + 1)}} end
    end
    check(completion_of(dut, post).status == "done", "all are complete")
    finish(c)
  end,
}

-- ---- how it handles the responses ----

add{
  id = "rdma-atomic-requester-010", title = "The device accepts the responses to all its outstanding requests at once",
  requirements = {"RFC7306-5.2.2-04", "RFC7306-5.2.2-05"},
  run = function(dut)
    dut:configure{ird = 4, ord = 4}
    local c = common.open(dut, "initiator", {ird = 4, ord = 4, auto = {responses = false}})
    local posts, requests = {}, nil
    for i = 1, 4 do posts[i] = dut:fetch_add{stag = 0x100, to = 8 * i, add = i} end
    local request = {kind = "atomic_request", ulpdu_length = 70}
    requests = common.under_way(c, {request, request, request, request})
    step "send the responses to all outstanding requests in one TCP segment"
    local open = #requests
    for i = 1, 4 do
      requests[i] = requests[i] or c:expect{request}
      answer(c, requests[i], 10 * i, {merge = i < open})
    end
    for i = 1, 4 do
      check(completion_of(dut, posts[i]).original == 10 * i, "response " .. i .. " belongs to request " .. i)
    end
    finish(c)
  end,
}
add{
  id = "rdma-atomic-requester-011", title = "An operation completes when its response is delivered, not before",
  requirements = {"RFC7306-5.4-08", "RFC7306-5.4-01", "RFC5040-5.5-11"},
  run = function(dut)
    local c = common.open(dut, "initiator", by_hand)
    local post = dut:fetch_add{stag = 0x100, to = 8, add = 1}
    local behind = dut:send{data = "after it"}
    local request = c:expect{{kind = "atomic_request"}}
    local sent = {kind = "send", data = "after it"}
    -- The Send may go out before the response arrives.
    local early = c:expect{sent, {kind = "silence"}, timeout = 0.5}.kind == "send"
    step "the Send completes after the FetchAdd"
    answer(c, request, 9)
    if not early then c:expect{sent} end
    local first, second
    repeat first = dut:completed{} until first.post == post or first.post == behind
    second = dut:completed{}
    check(first.post == post and first.original == 9 and second.post == behind, "they complete in order")
    finish(c)
  end,
}
add{
  id = "rdma-atomic-requester-012",
  title = "The reserved bits and the Invalidate STag of an Atomic Response are ignored",
  requirements = {"RFC7306-4.1-01", "RFC5040-4.1-09", "RFC5041-4.1-07"},
  run = function(dut)
    local c = common.open(dut, "initiator", by_hand)
    local post = dut:fetch_add{stag = 0x100, to = 8, add = 1}
    answer(c, c:expect{{kind = "atomic_request"}}, 9, {rsv = 3, rsvd = 15, rsvdulp_rest = common.unknown_stag})
    check(completion_of(dut, post).original == 9, "the response is accepted")
    finish(c)
  end,
}
add{
  id = "rdma-atomic-requester-013", title = "A Terminate from the peer ends the connection; the outstanding FetchAdd fails",
  requirements = {"RFC7306-5.4-08", "RFC5040-7-03"}, close = {"fin", "rst"},
  run = function(dut)
    local c = common.open(dut, "initiator", {auto = {responses = false, close = false}})
    local post = dut:fetch_add{stag = 0x100, to = 8, add = 1}
    c:expect{{kind = "atomic_request"}}
    c:terminate{layer = 0, etype = 2, code = 7}
    c:expect{closed}
    check(completion_of(dut, post).status == "flushed", "the ULP learns that the operation failed")
  end,
}

-- The device sends a FetchAdd and gets an invalid response: it ends the stream and reports no result to its ULP. `change` makes
-- the response wrong; its functions get the request.
local function refuses(change, outcomes)
  return function(dut)
    local c = common.open(dut, "initiator", by_hand)
    local post, fields = dut:fetch_add{stag = 0x100, to = 8, add = 1}, {}
    local request = c:expect{{kind = "atomic_request", ulpdu_length = 70}}
    for name, value in pairs(change) do
      fields[name] = type(value) == "function" and value(request) or value
    end
    step "send the wrong response"
    answer(c, request, 9, fields)
    c:expect(outcomes)
    check(completion_of(dut, post).status == "flushed", "the operation has not succeeded")
  end
end

-- An error that surfaces (RFC 7306 5.2.2), for which the document names no code.
local surfaces = {{kind = "terminate", layer = 0, etype = 2}, {kind = "terminate", layer = 1, etype = 2}, closed}

-- { id, title, what is wrong, outcomes, requirement }
local wrong = {
  {"rdma-atomic-requester-021", "An Atomic Response truncated by one octet ends the connection; the FetchAdd fails",
    {header = function(request) return string.pack(">I4I8", request.identifier, 9):sub(1, 11) end}, surfaces,
    "RFC7306-5.2.2-07"},
  {"rdma-atomic-requester-022", "An Atomic Response with 4 extra octets after its header ends the connection; the FetchAdd fails",
    {data = "more"}, surfaces, "RFC7306-5.2.2-07"},
  {"rdma-atomic-requester-023", "An Atomic Response on queue 0 is answered by a Terminate",
    {qn = 0}, {terminate(1, 2, 1), terminate(0, 2, 6)}, "RFC7306-8.2-02"},
  {"rdma-atomic-requester-024", "An Atomic Response on queue 4 is answered by a Terminate",
    {qn = 4}, {terminate(1, 2, 1)}, "RFC7306-8.2-02"},
  {"rdma-atomic-requester-025", "A first Atomic Response with an MSN far beyond ORD is answered by a Terminate",
    {msn = 0x80000000}, {terminate(1, 2, any{2, 3})}, "RFC7306-8.2-02"},
  {"rdma-atomic-requester-026", "An Atomic Response at MO 4 is answered by a Terminate",
    -- DDP may find it within the buffer; RDMAP then gets a message that is too long.
    {mo = 4}, {terminate(1, 2, any{2, 4, 5}), terminate(0, 2, any{6, 7, 8, 0xFF})}, "RFC7306-8.2-02"},
  {"rdma-atomic-requester-027", "An Atomic Response with DDP version 3 is answered by a Terminate",
    {dv = 3}, {terminate(1, 2, 6)}, "RFC7306-8.2-02"},
  {"rdma-atomic-requester-028", "An Atomic Response with RDMAP version 2 is answered by a Terminate",
    {rv = 2}, {terminate(0, 2, 5)}, "RFC7306-8.2-04"},
  {"rdma-atomic-requester-030", "A Flush Response in answer to a FetchAdd ends the connection; the FetchAdd fails",
    {kind = "flush_response", original_identifier = false, original_value = false}, surfaces, "RFC7306-5-05"},
}

for _, row in ipairs(wrong) do
  local id, title, change, outcomes, requirement = table.unpack(row)
  add{
    id = id, title = title, requirements = {requirement, "RFC7306-8.2-01"},
    close = {"terminate+fin", "terminate+rst", "fin", "rst"}, run = refuses(change, outcomes),
  }
end

-- An Atomic Response whose identifier differs from that of the oldest request. RFC 7306 has an invalid identifier surface as
-- an error (5.2.2), but the checks of a requester (8.2) do not include the identifier, nor need two requests have different
-- ones: responses come in the order of the requests, and a requester may rely on that. So it rejects the response or takes it
-- as the one that is due. It neither leaves the operation open nor completes another request, ahead of those posted before
-- it (RFC 5040 5.5). `identifier` gets the list of requests.
local function mistaken(count, identifier)
  return function(dut)
    dut:configure{ird = count, ord = count}
    local c = common.open(dut, "initiator", by_hand)
    local posts, outcomes = {}, {}
    for i = 1, count do
      posts[i] = dut:fetch_add{stag = 0x100, to = 8 * i, add = i}
      outcomes[i] = {kind = "atomic_request", to = 8 * i, ulpdu_length = 70}
    end
    local requests = common.under_way(c, outcomes)
    step "send a response with that identifier"
    answer(c, requests[1], 9, {original_identifier = identifier(requests)})
    local first
    repeat first = dut:completed{} until first.post == posts[1] or first.post == posts[2]
    check(first.post == posts[1], "the first operation ends first")
    if first.status == "flushed" then
      c:expect(surfaces)
      return
    end
    check(first.original == 9, "the ULP gets the Original Remote Data Value")
    for i = 2, count do
      requests[i] = requests[i] or c:expect{outcomes[i]}
      answer(c, requests[i], 10 * i)
      check(completion_of(dut, posts[i]).original == 10 * i, "response " .. i .. " belongs to request " .. i)
    end
    finish(c)
  end
end

add{
  id = "rdma-atomic-requester-020",
  title = "An Atomic Response with a wrong identifier ends the connection, or completes the outstanding request",
  requirements = {"RFC7306-5.2.2-07", "RFC7306-8.2-01"}, close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  run = mistaken(1, function(requests) return requests[1].identifier ~ 1 end),
}
add{
  id = "rdma-atomic-requester-029",
  title = "An Atomic Response with the identifier of the second FetchAdd does not complete it before the first",
  requirements = {"RFC7306-5.2.2-07", "RFC7306-8.2-01"}, close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  -- The second may not have been sent yet; its identifier may then differ.
  run = mistaken(2, function(requests)
    return requests[2] and requests[2].identifier or requests[1].identifier + 1 & 0xFFFFFFFF
  end),
}

-- An Atomic Response without an outstanding request.
local function unasked(role)
  return function(dut)
    local c = common.open(dut, role, by_hand)
    c:fpdu{kind = "atomic_response", original_identifier = 1}
    c:expect(surfaces)
  end
end

add{
  id = "rdma-atomic-requester-031", title = "An unsolicited Atomic Response ends the connection",
  requirements = {"RFC7306-5.2.2-07"}, close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  run = unasked("initiator"),
}
add{
  id = "rdma-atomic-requester-032", title = "The device as responder ends the connection after an unsolicited Atomic Response",
  requirements = {"RFC7306-5.2.2-07"}, role = "responder", close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  run = unasked("responder"),
}
add{
  id = "rdma-atomic-requester-033", title = "A second response to one FetchAdd ends the connection; the first one counts",
  requirements = {"RFC7306-5.2.2-07", "RFC7306-5-05"}, close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  run = function(dut)
    local c = common.open(dut, "initiator", by_hand)
    local post = dut:fetch_add{stag = 0x100, to = 8, add = 1}
    local request = c:expect{{kind = "atomic_request"}}
    answer(c, request, 9, {merge = true})
    answer(c, request, 10)
    c:expect(surfaces)
    check(completion_of(dut, post).original == 9, "the first response counts")
  end,
}

return cases
