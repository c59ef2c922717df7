-- The device asks for Atomic Operations, and takes or refuses the answers: RFC 7306 5.1, 5.2 and 8.2,
-- draft-ietf-storm-rdmap-ext-01 5.1 and 5.2.

local closed, terminate, finish = common.closed, common.terminate, common.finish
local all = 0xFFFFFFFFFFFFFFFF

-- Nothing is answered by itself.
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

-- The next completion that is of the post.
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

-- ---- what it asks ----

-- The ULP asks for one operation, at a multiple of 8; the request is as it should be, and the ULP gets the answer.
local function asks(role, method, options, fields)
  return function(dut)
    local c = common.open(dut, role, by_hand)
    options.stag, options.to = 0x00C0FFEE, 0x123456780
    fields.kind, fields.stag, fields.to = "atomic_request", options.stag, options.to
    fields.qn, fields.msn, fields.mo, fields.reserved, fields.ulpdu_length = 1, 1, 0, 0, 70
    step "the ULP asks"
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

-- { id, title, role, method, what the ULP asks, fields of the request, requirements, claims }
local requests = {
  {"rdma-atomic-requester-001", "The device's own FetchAdd has its operands, and names the address asked for", "initiator",
    "fetch_add", {add = 0xFEDCBA9876543210}, {aopcode = 0, data = 0xFEDCBA9876543210, mask = 0, compare_data = 0,
    compare_mask = all},
    {"RFC7306-5.1.1-01", "RFC7306-5.2.1-03", "RFC7306-5.2.1-13", "RFC7306-5.2.1-14", "RFC7306-5.2.1-09"}},
  {"rdma-atomic-requester-002", "The device's own FetchAdd has its Add Mask", "initiator",
    "fetch_add", {add = 3, add_mask = 0x8000000080000000}, {aopcode = 0, data = 3, mask = 0x8000000080000000,
    compare_data = 0, compare_mask = all}, {"RFC7306-5.2.1-13", "RFC7306-5.2.2-05"}},
  {"rdma-atomic-requester-003", "The device's own CmpSwap has its operands and masks, and names the address asked for",
    "initiator", "cmp_swap", {compare = 1, compare_mask = 0xFF, swap = 2, swap_mask = 0xFF00}, {aopcode = 2, data = 2,
    mask = 0xFF00, compare_data = 1, compare_mask = 0xFF},
    {"RFC7306-5.1.2-02", "RFC7306-5.2.1-03", "RFC7306-5.2.1-01", "RFC7306-5.2.1-14"}},
  {"rdma-atomic-requester-004", "The device's own Swap has its operand, and names the address asked for", "initiator",
    "swap", {swap = 5}, {aopcode = 1, data = 5, mask = all, compare_data = 0, compare_mask = all},
    {"EXT01-5.1.2-02", "EXT01-5.2.1-01", "EXT01-5.2.1-02", "EXT01-5.2.1-03", "EXT01-4.1-01"}, {"atomic", "swap"}},
  {"rdma-atomic-requester-005", "A device that has accepted the connection asks for a FetchAdd", "responder",
    "fetch_add", {add = 1}, {aopcode = 0, data = 1, mask = 0},
    {"RFC7306-5.1.1-01", "RFC7306-5.2-01", "RFC7306-4.1-01"}},
  {"rdma-atomic-requester-006", "A device that has accepted the connection asks for a CmpSwap", "responder",
    "cmp_swap", {compare = 7, swap = 8}, {aopcode = 2, data = 8, mask = all, compare_data = 7, compare_mask = all},
    {"RFC7306-5.1.2-02", "RFC7306-5.2-01", "RFC7306-4.1-01"}},
  {"rdma-atomic-requester-040", "A device that has accepted the connection asks for a Swap", "responder",
    "swap", {swap = 9}, {aopcode = 1, data = 9, mask = all, compare_data = 0, compare_mask = all},
    {"EXT01-5.1.2-02", "EXT01-5.2.1-01", "EXT01-5.2.1-02", "EXT01-4.1-01"}, {"atomic", "swap"}},
}

for _, row in ipairs(requests) do
  local id, title, role, method, options, fields, requirements, claims = table.unpack(row)
  add{id = id, title = title, role = role, requirements = requirements, claims = claims,
    run = asks(role, method, options, fields)}
end

add{
  id = "rdma-atomic-requester-041", title = "The second FetchAdd of a device that has accepted the connection is as asked for, too",
  requirements = {"RFC7306-5.1.1-01", "RFC7306-5.2.1-03"}, role = "responder",
  run = function(dut)
    local c = common.open(dut, "responder", by_hand)
    local first = dut:fetch_add{stag = 0x100, to = 8, add = 1}
    local one = c:expect{{kind = "atomic_request", aopcode = 0, to = 8, data = 1, ulpdu_length = 70}}
    answer(c, one, 5)
    check(completion_of(dut, first).original == 5, "the first is answered")
    local second = dut:fetch_add{stag = 0x200, to = 0x80000000000, add = 2}
    local other = c:expect{{kind = "atomic_request", aopcode = 0, stag = 0x200, to = 0x80000000000, data = 2, ulpdu_length = 70}}
    answer(c, other, 6)
    check(completion_of(dut, second).original == 6, "the second is answered")
    finish(c)
  end,
}

add{
  id = "rdma-atomic-requester-007", title = "The device's own requests go out in the order of its ULP",
  requirements = {"RFC7306-5.2.1-10", "RFC5041-4.3-08"},
  run = function(dut)
    local source, sink = region{size = 8, rights = "rwa", fill = 0}, dut:region{size = 8}
    local c = common.open(dut, "initiator")
    local target = {stag = source.stag, to = source.to}
    step "the ULP asks for FetchAdd, Read, CmpSwap, FetchAdd"
    dut:fetch_add{stag = target.stag, to = target.to, add = 1}
    dut:read{sink = sink, source_stag = target.stag, source_to = target.to}
    dut:cmp_swap{stag = target.stag, to = target.to, compare = 1, swap = 2}
    local last = dut:fetch_add{stag = target.stag, to = target.to, add = 3}
    for i, outcome in ipairs{{kind = "atomic_request", aopcode = 0, data = 1}, {kind = "read_request"},
      {kind = "atomic_request", aopcode = 2}, {kind = "atomic_request", aopcode = 0, data = 3}} do
      outcome.qn, outcome.msn = 1, i
      c:expect{outcome}
    end
    check(completion_of(dut, last).original == 2, "the last has found what the one before it left")
    finish(c)
  end,
}
add{
  id = "rdma-atomic-requester-008", title = "The device has no more requests under way than ORD allows",
  requirements = {"RFC5040-6.1-04", "RFC7306-5.2-01"}, claims = {"atomic", "rev-2"},
  run = function(dut)
    local post
    dut:configure{rev = 2, enhanced = true, ird = 2, ord = 2}
    local c = common.open(dut, "initiator", {rev = 2, ird = 2, ord = 2, auto = {responses = false}})
    local under_way = {}
    step "the ULP asks for five FetchAdds"
    for i = 1, 5 do post = dut:fetch_add{stag = 0x100, to = 8 * i, add = i} end
    for i = 1, c.terms.ird do under_way[i] = {kind = "atomic_request", to = 8 * i} end
    under_way = common.under_way(c, under_way)
    step "the device answers, and has asked for no more"
    common.alive(c)
    step "each answer makes room for one more"
    for i = 1, 5 do
      answer(c, under_way[i], i)
      if #under_way < 5 then under_way[#under_way + 1] = c:expect{{kind = "atomic_request", to = 8 * (#under_way + 1)}} end
    end
    check(completion_of(dut, post).status == "done", "all are done")
    finish(c)
  end,
}

-- ---- what it makes of the answers ----

add{
  id = "rdma-atomic-requester-010", title = "The device has room for the answers to all its requests at once",
  requirements = {"RFC7306-5.2.2-04", "RFC7306-5.2.2-05"},
  run = function(dut)
    dut:configure{ird = 4, ord = 4}
    local c = common.open(dut, "initiator", {ird = 4, ord = 4, auto = {responses = false}})
    local posts, requests = {}, nil
    for i = 1, 4 do posts[i] = dut:fetch_add{stag = 0x100, to = 8 * i, add = i} end
    local request = {kind = "atomic_request", ulpdu_length = 70}
    requests = common.under_way(c, {request, request, request, request})
    step "answers in one TCP segment, to as many as are open"
    local open = #requests
    for i = 1, 4 do
      requests[i] = requests[i] or c:expect{request}
      answer(c, requests[i], 10 * i, {merge = i < open})
    end
    for i = 1, 4 do
      check(completion_of(dut, posts[i]).original == 10 * i, "answer " .. i .. " is that to request " .. i)
    end
    finish(c)
  end,
}
add{
  id = "rdma-atomic-requester-011", title = "An operation is complete when its answer is delivered, and not before",
  requirements = {"RFC7306-5.4-08", "RFC7306-5.4-01", "RFC5040-5.5-11"},
  run = function(dut)
    local c = common.open(dut, "initiator", by_hand)
    local post = dut:fetch_add{stag = 0x100, to = 8, add = 1}
    local behind = dut:send{data = "behind it"}
    local request = c:expect{{kind = "atomic_request"}}
    local sent = {kind = "send", data = "behind it"}
    -- It may go out ahead of the answer, and need not.
    local early = c:expect{sent, {kind = "silence"}, timeout = 0.5}.kind == "send"
    step "the Send is done, but not before the FetchAdd"
    answer(c, request, 9)
    if not early then c:expect{sent} end
    local first, second
    repeat first = dut:completed{} until first.post == post or first.post == behind
    second = dut:completed{}
    check(first.post == post and first.original == 9 and second.post == behind, "they complete in their order")
    finish(c)
  end,
}
add{
  id = "rdma-atomic-requester-012", title = "Reserved bits and the Invalidate STag of an Atomic Response are ignored",
  requirements = {"RFC7306-4.1-01", "RFC5040-4.1-09", "RFC5041-4.1-07"},
  run = function(dut)
    local c = common.open(dut, "initiator", by_hand)
    local post = dut:fetch_add{stag = 0x100, to = 8, add = 1}
    answer(c, c:expect{{kind = "atomic_request"}}, 9, {rsv = 3, rsvd = 15, rsvdulp_rest = common.unknown_stag})
    check(completion_of(dut, post).original == 9, "the answer is taken")
    finish(c)
  end,
}
add{
  id = "rdma-atomic-requester-013", title = "A Terminate ends the operations that wait for their answers",
  requirements = {"RFC7306-5.4-08", "RFC5040-7-03"}, close = {"fin", "rst"},
  run = function(dut)
    local c = common.open(dut, "initiator", {auto = {responses = false, close = false}})
    local post = dut:fetch_add{stag = 0x100, to = 8, add = 1}
    c:expect{{kind = "atomic_request"}}
    c:terminate{layer = 0, etype = 2, code = 7}
    c:expect{closed}
    check(completion_of(dut, post).status == "flushed", "the ULP is told that it was not answered")
  end,
}

-- The device asks for a FetchAdd and gets, as answer, what is none: it ends the stream, and tells its ULP of no result. `change`
-- makes the answer wrong; its functions are of the request.
local function refuses(change, outcomes)
  return function(dut)
    local c = common.open(dut, "initiator", by_hand)
    local post, fields = dut:fetch_add{stag = 0x100, to = 8, add = 1}, {}
    local request = c:expect{{kind = "atomic_request", ulpdu_length = 70}}
    for name, value in pairs(change) do
      fields[name] = type(value) == "function" and value(request) or value
    end
    step "the wrong answer"
    answer(c, request, 9, fields)
    c:expect(outcomes)
    check(completion_of(dut, post).status == "flushed", "the operation is not done")
  end
end

-- An error that surfaces (RFC 7306 5.2.2), without a code that it is said to have.
local surfaces = {{kind = "terminate", layer = 0, etype = 2}, {kind = "terminate", layer = 1, etype = 2}, closed}

-- { id, title, what is wrong, outcomes, requirement }
local wrong = {
  {"rdma-atomic-requester-021", "An Atomic Response that lacks its last octet is refused",
    {header = function(request) return string.pack(">I4I8", request.identifier, 9):sub(1, 11) end}, surfaces,
    "RFC7306-5.2.2-07"},
  {"rdma-atomic-requester-022", "An Atomic Response with 4 extra octets after its header is refused",
    {data = "more"}, surfaces, "RFC7306-5.2.2-07"},
  {"rdma-atomic-requester-023", "An Atomic Response on queue 0 is refused",
    {qn = 0}, {terminate(1, 2, 1), terminate(0, 2, 6)}, "RFC7306-8.2-02"},
  {"rdma-atomic-requester-024", "An Atomic Response on queue 4 is refused",
    {qn = 4}, {terminate(1, 2, 1)}, "RFC7306-8.2-02"},
  {"rdma-atomic-requester-025", "A first Atomic Response with an MSN far beyond ORD is refused",
    {msn = 0x80000000}, {terminate(1, 2, any{2, 3})}, "RFC7306-8.2-02"},
  {"rdma-atomic-requester-026", "An Atomic Response at MO 4 is refused",
    -- To DDP that may be within the buffer; RDMAP gets a message that is too long then.
    {mo = 4}, {terminate(1, 2, any{2, 4, 5}), terminate(0, 2, any{6, 7, 8, 0xFF})}, "RFC7306-8.2-02"},
  {"rdma-atomic-requester-027", "An Atomic Response with DDP version 3 is refused",
    {dv = 3}, {terminate(1, 2, 6)}, "RFC7306-8.2-02"},
  {"rdma-atomic-requester-028", "An Atomic Response with RDMAP version 2 is refused",
    {rv = 2}, {terminate(0, 2, 5)}, "RFC7306-8.2-04"},
  {"rdma-atomic-requester-030", "A FetchAdd is not answered by a Flush Response",
    {kind = "flush_response", original_identifier = false, original_value = false}, surfaces, "RFC7306-5-05"},
}

for _, row in ipairs(wrong) do
  local id, title, change, outcomes, requirement = table.unpack(row)
  add{
    id = id, title = title, requirements = {requirement, "RFC7306-8.2-01"},
    close = {"terminate+fin", "terminate+rst", "fin", "rst"}, run = refuses(change, outcomes),
  }
end

-- An Atomic Response that has not the identifier of the request whose turn it is. RFC 7306 has an invalid one surface as an
-- error (5.2.2), but of what a requester validates (8.2) the identifier is none, nor need two requests have different ones:
-- answers come in the order of the requests, and a requester may go by that. So it refuses the answer, or takes it for the
-- answer that is due. It neither leaves the operation open nor takes it for the answer to another, which would be done before
-- what was posted ahead of it (RFC 5040 5.5). `identifier` is of the list of requests.
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
    step "an answer with that identifier"
    answer(c, requests[1], 9, {original_identifier = identifier(requests)})
    local first
    repeat first = dut:completed{} until first.post == posts[1] or first.post == posts[2]
    check(first.post == posts[1], "the first operation is over first")
    if first.status == "flushed" then
      c:expect(surfaces)
      return
    end
    check(first.original == 9, "the ULP gets the Original Remote Data Value")
    for i = 2, count do
      requests[i] = requests[i] or c:expect{outcomes[i]}
      answer(c, requests[i], 10 * i)
      check(completion_of(dut, posts[i]).original == 10 * i, "answer " .. i .. " is that to request " .. i)
    end
    finish(c)
  end
end

add{
  id = "rdma-atomic-requester-020", title = "An Atomic Response with another identifier is refused, or taken in its turn",
  requirements = {"RFC7306-5.2.2-07", "RFC7306-8.2-01"}, close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  run = mistaken(1, function(requests) return requests[1].identifier ~ 1 end),
}
add{
  id = "rdma-atomic-requester-029", title = "The identifier of the second request does not make an answer overtake the first",
  requirements = {"RFC7306-5.2.2-07", "RFC7306-8.2-01"}, close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  -- The second may not have been sent yet; what it would have is another then, in any case.
  run = mistaken(2, function(requests)
    return requests[2] and requests[2].identifier or requests[1].identifier + 1 & 0xFFFFFFFF
  end),
}

-- An Atomic Response that answers nothing.
local function unasked(role)
  return function(dut)
    local c = common.open(dut, role, by_hand)
    c:fpdu{kind = "atomic_response", original_identifier = 1}
    c:expect(surfaces)
  end
end

add{
  id = "rdma-atomic-requester-031", title = "An Atomic Response that nobody asked for is refused",
  requirements = {"RFC7306-5.2.2-07"}, close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  run = unasked("initiator"),
}
add{
  id = "rdma-atomic-requester-032", title = "A device that has accepted the connection refuses it, too",
  requirements = {"RFC7306-5.2.2-07"}, role = "responder", close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  run = unasked("responder"),
}
add{
  id = "rdma-atomic-requester-033", title = "A second answer to one FetchAdd is refused",
  requirements = {"RFC7306-5.2.2-07", "RFC7306-5-05"}, close = {"terminate+fin", "terminate+rst", "fin", "rst"},
  run = function(dut)
    local c = common.open(dut, "initiator", by_hand)
    local post = dut:fetch_add{stag = 0x100, to = 8, add = 1}
    local request = c:expect{{kind = "atomic_request"}}
    answer(c, request, 9, {merge = true})
    answer(c, request, 10)
    c:expect(surfaces)
    check(completion_of(dut, post).original == 9, "the first answer counts")
  end,
}

return cases
