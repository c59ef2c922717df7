-- Atomic Requests: which ones a responder executes, and which ones it rejects. RFC 7306 1.1, 5.1, 5.2 and 8,
-- draft-ietf-storm-rdmap-ext-01 5 and 8.2.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish
local fetch_add, swap, cmp_swap = 0, 1, 2
local octets = "0123456789abcdef"

-- The error of a request for which no table has a code: a Remote Operation Error other than those for version and STag.
local unspecified = terminate(0, 2, any{6, 7, 8, 0xFF})
local misaligned = terminate(0, 2, 7) -- RFC 7306 8.2

-- A connection, and a region of 16 octets at a 64-bit boundary.
local function begin(dut, role, options)
  local target = dut:region{size = 16, fill = octets, rights = options.rights or "a", elsewhere = options.elsewhere,
    to = options.to, invalidate = options.invalidate}
  return common.open(dut, role, options.connection), target
end

-- The device rejects the request that `change` makes wrong: it sends one of `answers`, changes no memory and sends no Atomic
-- Response. Functions in `change` get the region.
local function refuses(change, answers, options)
  options = options or {}
  return function(dut)
    local c, target = begin(dut, options.role, options)
    local request = {kind = "atomic_request"}
    if not change.header then
      request.stag, request.to, request.aopcode = target.stag, target.to, fetch_add
      request.data, request.mask, request.compare_mask = 1, 0, -1
    end
    for name, value in pairs(change) do
      request[name] = type(value) == "function" and value(target) or value
    end
    if request.aopcode == cmp_swap then request.mask, request.compare_mask = -1, 0 end
    step "send the request"
    c:fpdu(request)
    step "wait for the Terminate"
    c:expect(answers)
    c:expect{closed}
    check(dut:memory(target, 0, 16) == octets, "the memory is unchanged")
  end
end

-- The device executes the request all the same.
local function takes(change)
  return function(dut)
    local c = common.open(dut, "responder")
    local atom = common.atom(dut, c, 40)
    local request = {aopcode = fetch_add, stag = atom.stag, to = atom.to, data = 2, compare_mask = -1}
    for name, value in pairs(change) do request[name] = value end
    step "send the request"
    c:atomic(request)
    c:expect{{kind = "atomic_response", original_value = 40}}
    check(atom.value() == 42, "it is executed")
    finish(c)
  end
end

local function at(distance)
  return function(target) return target.to + distance end
end

local function case(fields)
  fields.role = fields.role or "responder"
  fields.tier = fields.tier or "agent"
  fields.claims = fields.claims or {"atomic"}
  fields.close = fields.close or both
  return fields
end

local cases = {}

local function add(fields) cases[#cases + 1] = case(fields) end

-- ---- alignment ----

-- What each operation does with an address that is not a multiple of 8.
local alignment = {
  {name = "FetchAdd", aopcode = fetch_add, claims = {"atomic"},
    requirements = {"RFC7306-5.1.1-02", "RFC7306-5.1.1-03", "RFC7306-5.1.1-05", "RFC7306-5.2.1-03", "RFC7306-8.2-05",
      "RFC7306-8.2-06", "RFC7306-8.2-07"}},
  {name = "CmpSwap", aopcode = cmp_swap, claims = {"atomic"},
    requirements = {"RFC7306-5.1.2-03", "RFC7306-5.1.2-04", "RFC7306-5.1.2-06", "RFC7306-8.2-05", "RFC7306-8.2-06",
      "RFC7306-8.2-07"}},
  {name = "Swap", aopcode = swap, claims = {"atomic", "swap"},
    requirements = {"EXT01-5.1.2-03", "EXT01-5.1.2-04", "EXT01-5.1.2-05", "EXT01-8.2-01"}},
}
local distances = {1, 4, 7}

for i, operation in ipairs(alignment) do
  for j, distance in ipairs(distances) do
    add{
      id = ("rdma-atomic-align-%03d"):format(10 * (i - 1) + j),
      title = ("A %s %d %s after a 64-bit boundary is answered by a Terminate and not executed"):format(operation.name, distance,
        distance == 1 and "octet" or "octets"),
      requirements = operation.requirements, claims = operation.claims,
      run = refuses({aopcode = operation.aopcode, to = at(distance)}, {misaligned}),
    }
  end
end

add{
  id = "rdma-atomic-align-031", title = "The device as initiator answers a misaligned FetchAdd by a Terminate",
  requirements = alignment[1].requirements, role = "initiator",
  run = refuses({to = at(2)}, {misaligned}, {role = "initiator"}),
}
add{
  id = "rdma-atomic-align-032", title = "A FetchAdd with a misaligned Tagged Offset but an aligned address is executed",
  requirements = {"RFC7306-5.1.1-02", "RFC7306-5.2.1-02", "RFC7306-5.2.1-12"}, close = {"fin"},
  run = function(dut)
    -- Memory begins at a 64-bit boundary whatever its first TO is; a device that chooses TOs itself may have chosen a different one.
    local c, target = begin(dut, "responder", {to = 0x1003})
    c:fetch_add{stag = target.stag, to = target.to + 8, add = 0}
    c:expect{{kind = "atomic_response"}}
    finish(c)
  end,
}
add{
  id = "rdma-atomic-align-033", title = "An Atomic Request with an aligned Tagged Offset but a misaligned address is answered by a Terminate",
  requirements = {"RFC7306-5.1.1-02", "RFC7306-5.1.1-03", "RFC7306-8.2-06"},
  run = refuses({to = at(5)}, {misaligned}, {to = 0x1003}),
}
add{
  id = "rdma-atomic-align-034",
  title = "A misaligned request after an executed one is answered by a Terminate; the first keeps its effect",
  requirements = {"RFC7306-5.1.1-02", "RFC7306-8.2-07"},
  run = function(dut)
    dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
    local c = common.open(dut, "responder")
    local atom = common.atom(dut, c, 7)
    c:fetch_add{stag = atom.stag, to = atom.to, add = 1}
    c:fetch_add{stag = atom.stag, to = atom.to - 4, add = 1}
    local _, answers = common.until_refused(c, {{kind = "atomic_response", original_value = 7}}, misaligned)
    c:expect{closed}
    local value = atom.value()
    check(value == 8 or answers == 0 and value == 7, "the first is executed, the second is not")
  end,
}

-- ---- the memory (RFC 7306 8.2-08) ----

-- { id, title, what is wrong, Terminates, options }
local protection = {
  {"rdma-atomic-memory-001", "An Atomic Request to an unknown STag is answered by a Terminate",
    {stag = common.unknown_stag}, {terminate(0, 1, 0)}},
  {"rdma-atomic-memory-002", "An Atomic Request to an STag of another stream is answered by a Terminate",
    {}, {terminate(0, 1, any{3, 0})}, {elsewhere = true}},
  -- The documents do not name the access right; the operation reads and writes.
  {"rdma-atomic-memory-003", "A FetchAdd to read-only memory is answered by a Terminate",
    {}, {terminate(0, 1, 2)}, {rights = "r"}},
  {"rdma-atomic-memory-004", "An Atomic Request to write-only memory is answered by a Terminate",
    {}, {terminate(0, 1, 2)}, {rights = "w"}},
  {"rdma-atomic-memory-005", "An Atomic Request just after the end of the buffer is answered by a Terminate",
    {to = at(16)}, {terminate(0, 1, 1)}},
  {"rdma-atomic-memory-006", "An Atomic Request just before the start of the buffer is answered by a Terminate",
    {to = at(-8)}, {terminate(0, 1, any{1, 4})}}, -- a buffer may begin at TO 0
  {"rdma-atomic-memory-007", "An Atomic Request at the last 64 bits below 2^64 is answered by a Terminate",
    {to = -8}, {terminate(0, 1, any{1, 4})}},
  {"rdma-atomic-memory-008", "A CmpSwap to an unknown STag is answered by a Terminate",
    {aopcode = cmp_swap, stag = common.unknown_stag}, {terminate(0, 1, 0)}},
  {"rdma-atomic-memory-009", "A CmpSwap to read-only memory is answered by a Terminate",
    {aopcode = cmp_swap}, {terminate(0, 1, 2)}, {rights = "r"}},
  {"rdma-atomic-memory-010", "The device as initiator answers an Atomic Request to an unknown STag by a Terminate",
    {stag = common.unknown_stag}, {terminate(0, 1, 0)}, {role = "initiator"}},
}

for _, row in ipairs(protection) do
  local id, title, change, answers, options = table.unpack(row)
  add{
    id = id, title = title, requirements = {"RFC7306-8.2-08"}, role = options and options.role, danger = {"memory"},
    run = refuses(change, answers, options),
  }
end

add{
  id = "rdma-atomic-memory-011", title = "An Atomic Request to the last 64 bits of a buffer is executed",
  requirements = {"RFC7306-8.2-08", "RFC7306-5.2.1-12"}, close = {"fin"},
  run = function(dut)
    local c, target = begin(dut, "responder", {})
    c:cmp_swap{stag = target.stag, to = target.to + 8, compare_mask = 0, swap = -1}
    c:expect{{kind = "atomic_response"}}
    check(dut:memory(target, 0, 16) == octets:sub(1, 8) .. ("\xFF"):rep(8), "only those bits change")
    finish(c)
  end,
}
add{
  id = "rdma-atomic-memory-012", title = "An Atomic Request to an STag that a Send has invalidated is answered by a Terminate",
  requirements = {"RFC7306-8.2-08", "RFC7306-5.4-06"},
  danger = {"memory"},
  run = function(dut)
    local c, target = begin(dut, "responder", {invalidate = true})
    c:send{data = "invalidate", invalidate = target.stag}
    c:fetch_add{stag = target.stag, to = target.to, add = 1}
    c:expect{terminate(0, 1, 0)}
    c:expect{closed}
    check(dut:memory(target, 0, 16) == octets, "the memory is unchanged")
  end,
}

-- ---- opcodes ----

for i, aopcode in ipairs{3, 7, 15} do
  add{
    id = ("rdma-atomic-opcode-%03d"):format(i),
    title = ("AOpCode %d, which is undefined, is answered by a Terminate"):format(aopcode),
    requirements = {"RFC7306-5.2.1-08"},
    run = refuses({aopcode = aopcode}, {unspecified}),
  }
end

add{
  id = "rdma-atomic-opcode-004", title = "With only RFC 7306 in use, a Swap (AOpCode 1) is answered by a Terminate",
  requirements = {"RFC7306-5.2.1-08"},
  run = function(dut)
    dut:configure{extensions = {"7306"}}
    refuses({aopcode = swap, data = 0, mask = -1}, {unspecified})(dut)
  end,
}
add{
  id = "rdma-atomic-opcode-005", title = "A device that supports FetchAdd also supports CmpSwap, and vice versa",
  requirements = {"RFC7306-5-03", "RFC7306-5.2.1-01"}, close = {"fin"},
  run = function(dut)
    dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
    local c = common.open(dut, "responder")
    local atom = common.atom(dut, c, 5)
    c:cmp_swap{stag = atom.stag, to = atom.to, compare = 5, swap = 6}
    c:fetch_add{stag = atom.stag, to = atom.to, add = 1}
    c:cmp_swap{stag = atom.stag, to = atom.to, compare = 7, swap = 8}
    for value = 5, 7 do c:expect{{kind = "atomic_response", original_value = value}} end
    check(atom.value() == 8, "all three are executed")
    finish(c)
  end,
}
add{
  id = "rdma-atomic-opcode-006", title = "A Swap is executed or answered by a Terminate",
  requirements = {"EXT01-5-01", "RFC7306-5.2.1-08"}, claims = {}, close = {"fin", "terminate+fin", "terminate+rst"},
  run = function(dut)
    local c, target = begin(dut, "responder", {})
    c:swap{stag = target.stag, to = target.to, swap = -1}
    local answer = c:expect{{kind = "atomic_response"}, unspecified}
    if answer.kind == "terminate" then
      c:expect{closed}
      check(dut:memory(target, 0, 16) == octets, "a rejected Swap changes nothing")
    else
      check(dut:memory(target, 0, 8) == ("\xFF"):rep(8), "an answered Swap is executed")
      finish(c)
    end
  end,
}

-- A device without the extensions.
local strange = {
  {"rdma-atomic-none-001", "an Atomic Request", {kind = "atomic_request", compare_mask = -1}},
  {"rdma-atomic-none-002", "an Atomic Response", {kind = "atomic_response"}},
  {"rdma-atomic-none-003", "Immediate Data", {kind = "immediate", data = "8 octets"}},
  {"rdma-atomic-none-004", "Immediate Data with SE", {kind = "immediate_se", data = "8 octets"}},
}

for _, row in ipairs(strange) do
  local id, what, message = table.unpack(row)
  add{
    id = id, title = ("Without RFC 7306, %s is answered by a Terminate"):format(what), claims = {},
    requirements = {"RFC7306-1.1-02", "RFC7306-8.2-03"},
    run = function(dut)
      dut:configure{extensions = {}}
      local c = common.open(dut, "responder")
      c:fpdu(message)
      local outcomes = {terminate(0, 2, any{6, 7, 8, 0xFF})}
      if message.kind == "atomic_response" then
        outcomes[2] = terminate(1, 2, any{1, 2, 3}) -- its queue 3 does not exist, either, or has no buffer
      elseif message.kind == "atomic_request" then
        outcomes[2] = terminate(1, 2, any{2, 5}) -- its buffers for requests hold a Read Request, which is shorter
      end
      c:expect(outcomes)
      c:expect{closed}
    end,
  }
end

-- ---- headers (RFC 7306 8.2, 8.1) ----

-- { id, title, what is wrong, Terminates, requirements }
local headers = {
  {"rdma-atomic-request-001", "An Atomic Request on queue 0 is answered by a Terminate",
    {qn = 0}, {terminate(1, 2, 1), terminate(0, 2, 6)}, {"RFC7306-8.2-02", "RFC7306-5.2.1-09"}},
  {"rdma-atomic-request-002", "An Atomic Request on queue 3 is answered by a Terminate",
    -- queue 3 is for the shorter responses, and no request is outstanding
    {qn = 3}, {terminate(1, 2, any{1, 2, 3, 5}), terminate(0, 2, 6)}, {"RFC7306-8.2-02", "RFC7306-5.2-01"}},
  {"rdma-atomic-request-003", "An Atomic Request on queue 4 is answered by a Terminate",
    {qn = 4}, {terminate(1, 2, 1)}, {"RFC7306-8.2-02", "RFC7306-5.2.1-09"}},
  {"rdma-atomic-request-004", "A first Atomic Request with an MSN far beyond IRD is answered by a Terminate",
    {msn = 0x80000000}, {terminate(1, 2, any{2, 3})}, {"RFC7306-8.2-02"}},
  {"rdma-atomic-request-005", "A first Atomic Request with MSN 0 is answered by a Terminate",
    {msn = 0}, {terminate(1, 2, any{2, 3})}, {"RFC7306-8.2-02"}},
  {"rdma-atomic-request-006", "An Atomic Request at MO 8 is answered by a Terminate",
    -- DDP may find it within the buffer; RDMAP then gets a message that is too long.
    {mo = 8}, {terminate(1, 2, any{2, 4, 5}), unspecified}, {"RFC7306-8.2-02"}},
  {"rdma-atomic-request-007", "An Atomic Request with DDP version 2 is answered by a Terminate",
    {dv = 2}, {terminate(1, 2, 6)}, {"RFC7306-8.2-02"}},
  {"rdma-atomic-request-008", "An Atomic Request with RDMAP version 2 is answered by a Terminate",
    {rv = 2}, {terminate(0, 2, 5)}, {"RFC7306-8.2-04"}},
  {"rdma-atomic-request-009", "An Atomic Request with RDMAP version 3 is answered by a Terminate",
    {rv = 3}, {terminate(0, 2, 5)}, {"RFC7306-8.2-04"}},
  -- No code is assigned to these lengths.
  {"rdma-atomic-request-010", "An Atomic Request truncated by one octet is answered by a Terminate",
    {header = function(target)
      return string.pack(">I4I4I4I8i8i8i8i8", fetch_add, 1, target.stag, target.to, 1, 0, 0, -1):sub(1, 51)
    end}, {unspecified}, {"RFC7306-8.2-01"}},
  {"rdma-atomic-request-011", "An Atomic Request without payload is answered by a Terminate",
    {header = ""}, {unspecified}, {"RFC7306-8.2-01"}},
  {"rdma-atomic-request-012", "An Atomic Request with 4 extra octets after its header is answered by a Terminate",
    {payload = "more"}, {unspecified, terminate(1, 2, 5)}, {"RFC7306-8.2-01"}},
  {"rdma-atomic-request-013", "An Atomic Request with a wrong CRC is answered by Terminate 2/0/02 and not executed",
    {crc_flip = 1}, {terminate(2, 0, 2)}, {"RFC7306-5.4-04"}},
}

for _, row in ipairs(headers) do
  local id, title, change, answers, requirements = table.unpack(row)
  add{id = id, title = title, requirements = requirements, run = refuses(change, answers),
    claims = change.crc_flip and {"atomic", "crc-reports"} or nil}
end

add{
  id = "rdma-atomic-request-014", title = "An Atomic Request in a tagged segment is answered by a Terminate",
  requirements = {"RFC7306-5.2.1-04", "RFC7306-8.2-01"},
  run = function(dut)
    local c, target = begin(dut, "responder", {rights = "rwa"})
    c:write{stag = target.stag, to = target.to, data = ("\xFF"):rep(8), opcode = 10}
    c:expect{terminate(0, 2, 6), terminate(1, 1, 0)}
    c:expect{closed}
    -- DDP has found no error and may have placed it.
    check(dut:memory(target, 8, 8) == octets:sub(9), "the rest of the region is unchanged")
  end,
}
add{
  id = "rdma-atomic-request-015", title = "An Atomic Request whose last segment is missing is not executed",
  requirements = {"RFC7306-5.4-04"}, close = {"fin", "rst", "terminate+fin", "terminate+rst"},
  run = function(dut)
    local c, target = begin(dut, "responder", {})
    step "send a request without L, and close the connection"
    c:fpdu{kind = "atomic_request", stag = target.stag, to = target.to, data = 1, compare_mask = -1, l = false}
    c:close{now = true}
    c:expect({{kind = "terminate"}, closed})
    check(dut:memory(target, 0, 16) == octets, "the memory is unchanged")
  end,
}
add{
  id = "rdma-atomic-request-016",
  title = "An Atomic Request to an unknown STag is answered by Terminate 0/1/00 with its DDP header and no RDMA header",
  requirements = {"RFC7306-8.1-01"},
  danger = {"memory"},
  run = function(dut)
    local c, target = begin(dut, "responder", {})
    c:fetch_add{stag = target.stag, to = target.to}
    c:expect{{kind = "atomic_response"}}
    c:fetch_add{stag = common.unknown_stag, to = target.to}
    local message = c:expect{terminate(0, 1, 0)}
    check(not message.r, "R is not set")
    local about = message.terminated
    check(not message.d or about and about.opcode == 10 and about.qn == 1 and about.msn == 2,
      "the Terminated DDP Header is that of the request")
    check(not message.m or message.segment_length == 70, "the DDP Segment Length is that of an Atomic Request")
    c:expect{closed}
  end,
}

-- What is ignored: { id, title, fields, requirement }
local ignored = {
  {"rdma-atomic-request-020", "The reserved bits of an Atomic Request are ignored",
    {reserved = 0xFFFFFFF}, "RFC7306-5.2.1-14"},
  {"rdma-atomic-request-021", "The Compare Data of a FetchAdd is ignored", {compare_data = 41}, "RFC7306-5.2.1-13"},
  {"rdma-atomic-request-022", "The Compare Mask of a FetchAdd is ignored", {compare_mask = 7}, "RFC7306-5.2.1-13"},
  {"rdma-atomic-request-023", "The Invalidate STag of an Atomic Request is ignored",
    {rsvdulp_rest = common.unknown_stag}, "RFC7306-4.1-01"},
  {"rdma-atomic-request-024", "Rsv of an Atomic Request is ignored", {rsv = 3}, "RFC5040-4.1-09"},
  {"rdma-atomic-request-025", "Rsvd of an Atomic Request is ignored", {rsvd = 15}, "RFC5041-4.1-07"},
}

for _, row in ipairs(ignored) do
  local id, title, fields, requirement = table.unpack(row)
  add{id = id, title = title, requirements = {requirement}, close = {"fin"}, run = takes(fields)}
end

add{
  id = "rdma-atomic-request-026", title = "The reserved bits of a Swap are ignored",
  requirements = {"EXT01-5.2.1-03"}, claims = {"atomic", "swap"}, close = {"fin"},
  run = takes{aopcode = swap, data = 42, mask = -1, reserved = 0xFFFFFFF},
}
add{
  id = "rdma-atomic-request-027", title = "The Invalidate STag of a Swap is ignored",
  requirements = {"EXT01-4.1-01"}, claims = {"atomic", "swap"}, close = {"fin"},
  run = takes{aopcode = swap, data = 42, mask = -1, rsvdulp_rest = common.unknown_stag},
}

return cases
