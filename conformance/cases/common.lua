-- What the cases of all files share: each file sees it as `common`.

local closed = {kind = "close", how = any{"fin", "rst"}}

local function terminate(layer, etype, code)
  return {kind = "terminate", layer = layer, etype = etype, code = code}
end

-- An IRD for a Request that is to be accepted: a responder may reject one that is less than the ORD that its ULP needs (RFC 6581
-- 9.1). No more than that is claimed.
local function depth(dut) return math.max(4, dut.profile.ord) end

-- A Send that is longer than its buffer is reported by 1/2/05 and no other code: the numbers of RFC 5041 7.2 correspond to the
-- checks of 7.1, and check 4 fails, of MO plus length. Check 2 asks for a buffer "that allows Placement of the payload". If that
-- included its length, checks 3 and 4 could never fail; and its code 02h says "no buffer available", where one is.
local too_long = terminate(1, 2, 5)
-- An MO outside of the buffer fails check 3 and, with the length, check 4.
local outside_buffer = terminate(1, 2, any{4, 5})

-- With D=1 a Terminate includes the DDP header of the message that it is about: these fields are those of the message.
local function about(message, fields)
  if not message.d then return end -- D is a SHOULD (RFC 5040 4.8), which the monitor judges
  check(message.terminated, "with D the Terminated DDP Header is there")
  for name, value in pairs(fields) do
    check(message.terminated[name] == value, "the Terminate is about the message sent, by its " .. name)
  end
end

-- The startup frame that the device waits for is missing or incomplete. RFC 5044 7.1.2 has the device end that after a
-- reasonable timeout and leaves the value open: the device's profile names it.
local function given_up(dut, c)
  c:expect{closed, timeout = dut.profile.startup_timeout + 5}
end

-- Ends a connection that had no errors.
local function finish(c)
  c:close()
  c:expect{closed}
end

-- Ends a connection after a Reply with R=1: MPA is over, and a FIN obliges the device to nothing (RFC 5044 7.1.2).
local function finish_reply(c, reply)
  c:close()
  c:expect{closed, reply.r and {kind = "silence"} or nil}
end

-- The device is still responsive: a Read of no octets needs no memory.
local function alive(c)
  step "check that the device is responsive: a Read of no octets"
  c:read{sink_stag = 1, source_stag = 1, size = 0}
  return c:expect{{kind = "read_response", size = 0, stag = 1, to = 0}}
end

-- A Read of no octets whose FPDU is in two TCP segments: the first `octets`, and the rest after a pause.
local function read_with_pause(c, octets)
  step("send the first " .. octets .. " of 52 octets of a Read of no octets, and the rest after a pause")
  c:read{sink_stag = octets, source_stag = 1, size = 0, split = {octets}, merge = true}
  pause(0.1)
  c:octets("")
  c:expect{{kind = "read_response", size = 0, stag = octets}}
end

local function send_first_fpdu(c)
  step "send a valid FPDU first: a Read of no octets"
  c:read{sink_stag = 1, source_stag = 1, size = 0}
  c:expect{{kind = "read_response", size = 0}}
  return c
end

-- A connection on which one valid FPDU was sent: a responder that has seen none may not even send a Terminate (RFC 5044 7.1.2).
local function started(dut, options)
  return send_first_fpdu(dut:connect(options or {}))
end

-- The next message of the device's ULP that has octets: an RTR that is an empty Send may be delivered like any other
-- Send (RFC 5040 5.3).
local function after_rtr(dut)
  local message
  repeat message = dut:received{} until message.data ~= ""
  return message
end

-- A connection on which both sides may send, the device in that role: a responder waits for the initiator's first
-- FPDU (RFC 5044 7.1.2).
local function open(dut, role, options)
  local c = role == "initiator" and dut:accept(options or {}) or dut:connect(options or {})
  if role == "initiator" then
    dut:send{data = "your turn"}
    c:expect{{kind = "send", data = "your turn"}}
  else
    c:send{data = "your turn"}
    after_rtr(dut)
  end
  return c
end

-- Private data of the device's ULP: so many octets, or as many as the device takes from its ULP, if they are fewer.
local function private_data(dut, octets)
  return ("private-"):rep(64):sub(1, math.min(octets, dut.profile.limits.private_data))
end

-- Receive buffers of the device's next connection; open() leaves this number of them unused.
local function buffers(dut, role, count, size)
  dut:post{count = count + (role == "responder" and 1 or 0), size = size}
end

-- The suite has sent `count` Sends, which fill all buffers of the device, and one more. The device ends the stream or
-- waits for a buffer (RFC 5041 7.1); it does not deliver the last Send. Returns whether it waits.
local function no_room(dut, c, count)
  local waits = c:expect{terminate(1, 2, any{2, 3}), {kind = "silence"}}.kind == "silence"
  if not waits then c:expect{closed} end
  check(dut:pending() == count, "as many messages are delivered as there are buffers")
  return waits
end

-- The device's ULP has posted all of these requests. ORD limits how many may be outstanding, and does not demand a number:
-- gives those that the device has sent without a response, at least one.
local function under_way(c, outcomes)
  local requests = {(c:expect{outcomes[1]})}
  for i = 2, #outcomes do
    local event = c:expect{outcomes[i], {kind = "silence"}, timeout = 0.5}
    if event.kind == "silence" then break end
    requests[i] = event
  end
  return requests
end

-- A message that fills a Data Sink, or one of `others`. While octets arrive, a slow device is not silent.
local function filled(c, sink, answer, others)
  local outcomes = {answer, table.unpack(others)}
  outcomes[#outcomes + 1] = {kind = "silence"}
  local before, event
  repeat
    before = sink:get()
    event = c:expect(outcomes)
  until event.kind ~= "silence" or sink:get() == before
  check(event.kind ~= "silence", "the answer arrives, or goes on arriving")
  return event
end

-- Of requests sent at once the last is rejected. Those before it are answered, unless the Terminate comes first: it is
-- sent at the earliest opportunity (RFC 5040 7.1). Gives the Terminate and the number of responses.
local function until_refused(c, answers, refusal)
  for i, answer in ipairs(answers) do
    local event = c:expect{answer, refusal}
    if event.kind == "terminate" then return event, i - 1 end
  end
  return (c:expect{refusal}), #answers
end

-- 64 bits of the device's memory that are `value`, for atomic operations over the connection: stag, to, and value(), which
-- reads them. The device keeps them in its own byte order (RFC 7306 5.1.1), which the response to a FetchAdd of 0
-- shows. 8 octets follow, so that an operation with a misaligned address is within the region too.
local function atom(dut, c, value)
  local region = dut:region{size = 32, rights = "a", fill = string.pack("<I8<I8>I8I8", 1, value, value, 0)}
  c:fetch_add{stag = region.stag, to = region.to}
  local one = c:expect{{kind = "atomic_response", original_value = any{1, 1 << 56}}}.original_value
  local order, offset = one == 1 and "<I8" or ">I8", one == 1 and 8 or 16
  return {
    stag = region.stag,
    to = region.to + offset,
    value = function() return (string.unpack(order, dut:memory(region, offset, 8))) end,
  }
end

-- draft-talpey-rdma-commit-01 has no code for an operation that cannot be done (5.2). RFC 5040 4.8 has
-- a Remote Protection Error, or a Remote Operation Error other than those for version and opcode.
local refused = {
  kind = "terminate", layer = 0, etype = any{1, 2}, code = function(code) return code ~= 5 and code ~= 6 end,
}

-- Of that post of the device's ULP.
local function completion(dut, post)
  local event
  repeat
    event = dut:completed{}
  until event.post == post
  return event
end

-- The cases of `rows`, each {id=, title=, requirements=, run=function(dut, connection, role) ... end}, in which
-- connection{...} opens one, with tier "agent" so that both sides may send. A row with `initiator`, an id too, is a
-- second case of that id, with the device as initiator. `defaults` fills in what a row omits.
local function cases(defaults, rows)
  local list = {}
  local function add(row, role, id)
    local function value(name)
      if row[name] == nil then
        return defaults[name]
      end
      return row[name]
    end
    list[#list + 1] = {
      id = id, title = row.title .. (id == row.initiator and " (device as initiator)" or ""),
      requirements = row.requirements, role = role, tier = value("tier"), claims = value("claims"),
      close = value("close"), danger = value("danger"), segments = value("segments"),
      run = function(dut)
        row.run(dut, function(options)
          return value("tier") == "none" and dut:connect(options) or open(dut, role, options)
        end, role)
      end,
    }
  end
  for _, row in ipairs(rows) do
    add(row, row.role or defaults.role or "responder", row.id)
    if row.initiator then
      add(row, "initiator", row.initiator)
    end
  end
  return list
end

-- ---- attacks: RFC 5042 ----

-- A connection with the device, or nil if the device refuses it: it may limit the Streams of a peer (RFC 5042 6.4.1). It may
-- not leave it without an answer.
local function admitted(dut, options)
  options = options or {}
  options.timeout = dut.profile.service_timeout
  local opened, c = pcall(dut.connect, dut, options)
  if opened then return c end
  if type(c) ~= "table" or c.actual == "silence" then error(c, 0) end
  return nil
end

-- The same; the device may first have to free connections that have ended.
local function admitted_in_time(dut, options)
  local last = now() + dut.profile.service_timeout
  repeat
    local c = admitted(dut, options)
    if c then return c end
    pause(0.1)
  until now() > last
  check(false, "a connection is accepted after others have ended")
end

-- Such a connection on which one valid FPDU was sent, or nil.
local function started_if_admitted(dut, options)
  local c = admitted(dut, options)
  return c and send_first_fpdu(c)
end

-- Connections of an attacker: of open(1) to open(count), up to the first nil, for which the device has refused one. Then
-- it has reached its limit, and `limited` is true.
local function crowd(count, open)
  local list = {}
  for i = 1, count do
    local c = open(i)
    if not c then return list, true end
    list[i] = c
  end
  return list, false
end

-- The device serves a new connection, too, unless it has reached its limit.
local function serves_another(dut, limited)
  if limited then
    log "the device limits the number of connections"
    return
  end
  step "open another connection meanwhile"
  local c = dut:connect{timeout = dut.profile.service_timeout}
  alive(c)
  finish(c)
end

-- While the attacker has such a crowd of connections, others are served; at the end, it resets them.
local function crowds(dut, serve, count, open)
  local list, limited = crowd(count, open)
  serve()
  serves_another(dut, limited)
  serve()
  for _, c in ipairs(list) do c:reset() end
end

-- A connection that is not attacked. serve() reads no octets on it, and fails unless the device answers in time.
local function bystander(dut)
  local limit = dut.profile.service_timeout
  local c, reads, slowest = dut:connect{timeout = limit}, 0, 0
  local function serve()
    local begin = now()
    reads = reads + 1
    c:read{sink_stag = reads, source_stag = 1, size = 0}
    c:expect{{kind = "read_response", stag = reads, size = 0}, timeout = limit}
    slowest = math.max(slowest, now() - begin)
  end
  serve()
  return serve, function()
    serve()
    log(("of %d answers to the bystander, the slowest took %.3f s"):format(reads, slowest))
    finish(c)
  end
end

-- The device still serves new connections.
local function serves_next(dut)
  step "check that the next connection is served"
  local c = admitted_in_time(dut)
  c:read{sink_stag = 1, source_stag = 1, size = 0}
  c:expect{{kind = "read_response", size = 0}, timeout = dut.profile.service_timeout}
  finish(c)
end

-- The `run` of a case: attack(dut, serve), where serve() checks the service to a bystander; afterwards, the bystander and
-- the next connection are served. If attack() returns a reason, the case is not applicable.
local function attacks(attack)
  return function(dut)
    step "open a connection that is not attacked, the bystander"
    local serve, done = bystander(dut)
    local inapplicable = attack(dut, serve)
    step "check that the bystander is still served"
    done()
    serves_next(dut)
    if inapplicable then dut:not_applicable(inapplicable) end
  end
end

-- The list of what f(1) to f(count) return.
local function many(count, f)
  local list = {}
  for i = 1, count do list[i] = f(i) end
  return list
end

-- ---- DDP over SCTP ----

-- An association with the device, the device in that role as in the sessions on it: options as of associate and listen_sctp.
-- try() gives nil if the device did not open one.
local function open_association(dut, role, options)
  local a = role == "initiator" and dut:accept_association(options) or role ~= "initiator" and dut:associate(options)
  a:next_tsn() -- it is open, or the device is not there
  return a
end

local function try_association(dut, role, options)
  if role == "responder" then return dut:associate(options) end
  local opened, a = pcall(dut.accept_association, dut, options)
  return opened and a or nil
end

-- Accepts that Initiate, an enhanced one with an enhanced Accept (RFC 6581 7), with an IRD for all that it asks for; an
-- initiator that wants peers then sends the RTR, the Write of no octets if it can (RFC 6581 9). Gives the DDP-SSN of the
-- device's next chunk and of this side's.
local function accept_initiate(a, e)
  local stream = e.stream
  if e.kind == "initiate" then
    a:control{stream = stream, kind = "accept"}
    return 1, 1
  end
  local rtr = e.a and (e.rtr_c and "rtr_c" or e.b and "b" or "rtr_d")
  local answer = {stream = stream, kind = "enhanced_accept", ird = e.ord, ord = e.ird, a = e.a}
  if rtr then answer[rtr] = true end
  a:control(answer)
  if rtr == "rtr_c" then
    a:expect{{kind = "segment", stream = stream, opcode = 0, size = 0}}
  elseif rtr == "b" then
    a:expect{{kind = "segment", stream = stream, opcode = 3, size = 0}}
  elseif rtr then
    local request = a:expect{{kind = "segment", stream = stream, opcode = 1}}
    a:data{stream = stream, octets = string.pack(">BBI4I8", 0xC1, 0x42, request.sink_stag, request.sink_to)}
  end
  return rtr and 2 or 1, rtr == "rtr_d" and 2 or 1
end

-- A session on that stream by hand; `again`: the device has already begun one on the association. An initiator begins
-- its first session on stream 0 by itself. Gives the DDP-SSN of the device's next chunk and of this side's.
local function session(dut, role, a, stream, again)
  step("begin a session on stream " .. stream)
  if role == "responder" then
    a:control{stream = stream, kind = "initiate"}
    a:expect{{kind = "accept", stream = stream, ssn = 0}}
    return 1, 1
  end
  if stream > 0 or again then dut:initiate(stream) end
  return accept_initiate(a,
    (a:expect{{kind = "initiate", stream = stream, ssn = 0}, {kind = "enhanced_initiate", stream = stream, ssn = 0}}))
end

-- The same as a connection, of an association with sessions = true.
local function connection(dut, role, a, stream)
  if role == "responder" then return a:connect{stream = stream} end
  if stream > 0 then dut:initiate(stream) end
  return a:accept{}
end

-- A Read Request by hand, its Data Sink STag being its MSN; options of a:data, and of the request.
local function read_by_hand(a, stream, msn, options)
  options = options or {}
  a:data{stream = stream, ssn = options.ssn, octets = string.pack(">BB I4I4I4I4 I4I8I4I4I8", 0x41, 0x41, 0, 1, msn, 0,
    msn, 0, options.size or 0, options.source_stag or 1, options.source_to or 0)}
end

-- The response to one of no octets.
local function answered(stream, msn)
  return {kind = "segment", stream = stream, opcode = 2, stag = msn, size = 0}
end

-- The cases of `rows`, each {id=, title=, requirements=, run=function(dut, role) ... end}; one with `initiator`, an id too, is
-- a second case of that id, with the device as initiator, for which it needs an agent.
local function sctp_cases(rows)
  local list = {}
  local function add(row, role, id, tier)
    local claims = {"sctp"}
    for _, claim in ipairs(row.claims or {}) do claims[#claims + 1] = claim end
    list[#list + 1] = {
      id = id, title = row.title .. (role == "initiator" and " (device as initiator)" or ""),
      requirements = row.requirements, role = role, tier = tier, claims = claims, danger = row.danger,
      run = function(dut) row.run(dut, role) end,
    }
  end
  for _, row in ipairs(rows) do
    add(row, "responder", row.id, row.tier or "none")
    if row.initiator then add(row, "initiator", row.initiator, "agent") end
  end
  return list
end

-- ---- rping ----

local size = 64 -- octets of a buffer of rping, unless its option -S says more: then these are the first
local text = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_\0"

local function with(fields, more)
  for name, value in pairs(more or {}) do fields[name] = value end
  return fields
end

-- The device is the rping client:

local function next_advert(c, msn)
  local message = c:expect{{kind = "send", qn = 0, msn = msn, mo = 0, l = true, size = 16}}
  local to, stag, octets = string.unpack(">I8I4I4", message.data)
  check(octets >= size, "the advert is of a buffer of at least " .. size .. " octets")
  return {stag = stag, to = to, size = octets}
end

local function go_ahead(c, fields)
  c:send(with({data = ("\0"):rep(16)}, fields))
end

-- The client has connected and advertised its source.
local function meet(dut, options)
  local c = dut:accept(options or {})
  local source = next_advert(c, 1)
  check(source.size == dut.rping_size, "the advert is of a buffer of " .. dut.rping_size .. " octets")
  return c, source
end

-- And then its sink.
local function meet_sink(dut, options)
  local c = meet(dut, options)
  step "go ahead"
  go_ahead(c)
  return c, next_advert(c, 2)
end

-- Octets of the client's buffer, from `offset` on.
local function fetch(c, buffer, offset, octets)
  local mine = region{size = octets}
  c:read{region = mine, source_stag = buffer.stag, source_to = buffer.to + offset}
  local response = c:expect{{kind = "read_response", stag = mine.stag, to = mine.to, size = octets}}
  return mine:get(), response
end

-- The message of the device must have several segments, or the case proves nothing.
local function in_segments(dut, c, message)
  if message.segments > 1 then return end
  c:close()
  dut:not_tested(("%d octets of rping fit into one segment: give it a larger -S, and --rping-size"):format(message.size))
end

-- The device is the rping server:

local function advertise(c, stag, to, fields, octets)
  c:send(with({data = string.pack(">I8I4I4", to, stag, octets or size)}, fields))
end

-- The server's Sends after its Read and after its Write.
local function told(c, msn)
  c:expect{{kind = "send", qn = 0, msn = msn, mo = 0, l = true, size = 16}}
end

-- An rping server takes its depths from the Request, so they are above 0.
local function greet(dut, options)
  return dut:connect(with({rev = 2, ird = 1, ord = 1}, options))
end

-- The script sends all responses, and our side rejects nothing.
local by_hand = {auto = {responses = false, terminate = false}}
local source_stag, source_to = 0x5EED, 0x123456789

local function awaits_request(c, octets)
  return c:expect{{kind = "read_request", qn = 1, msn = 1, mo = 0, l = true, size = octets or size, source_stag = source_stag,
    source_to = source_to}}
end

-- The server has got the advert of a source and reads it. Gives connection and request.
local function asked(dut, options, octets)
  local c = greet(dut, options or by_hand)
  step "advertise a source"
  advertise(c, source_stag, source_to, {}, octets)
  return c, awaits_request(c, octets)
end

-- A response to the request, or a segment of one.
local function answer(c, request, offset, octets, fields)
  c:fpdu(with({kind = "read_response", stag = request.sink_stag, to = request.sink_to + offset, data = octets}, fields))
end

-- A response of any length, in segments.
local function answer_in_segments(c, request, data)
  local most = 1000
  for offset = 0, #data - 1, most do
    answer(c, request, offset, data:sub(offset + 1, offset + most), {l = offset + most >= #data})
  end
end

-- The server has read its first source: its buffer, at the Data Sink of its Read, is known. The next advert is due.
local function revealed(dut)
  local c, request = asked(dut)
  answer(c, request, 0, text)
  told(c, 1)
  return c, {stag = request.sink_stag, to = request.sink_to, size = dut.rping_size}
end

return {
  about = about,
  admitted = admitted,
  admitted_in_time = admitted_in_time,
  alive = alive,
  attacks = attacks,
  atom = atom,
  after_rtr = after_rtr,
  both = {"terminate+fin", "terminate+rst"}, -- ways to close after a Terminate
  buffers = buffers,
  cases = cases,
  closed = closed,
  completion = completion,
  crowd = crowd,
  crowds = crowds,
  depth = depth,
  filled = filled,
  finish = finish,
  finish_reply = finish_reply,
  given_up = given_up,
  many = many,
  no_room = no_room,
  open = open,
  outside_buffer = outside_buffer,
  private_data = private_data,
  read_with_pause = read_with_pause,
  refused = refused,
  rping = {
    advertise = advertise,
    answer = answer,
    answer_in_segments = answer_in_segments,
    asked = asked,
    awaits_request = awaits_request,
    by_hand = by_hand,
    fetch = fetch,
    go_ahead = go_ahead,
    greet = greet,
    in_segments = in_segments,
    meet = meet,
    meet_sink = meet_sink,
    next_advert = next_advert,
    revealed = revealed,
    size = size,
    source_stag = source_stag,
    source_to = source_to,
    text = text,
    told = told,
    with = with,
  },
  sctp = {
    answered = answered,
    cases = sctp_cases,
    connection = connection,
    open = open_association,
    read = read_by_hand,
    session = session,
    try = try_association,
  },
  started = started,
  started_if_admitted = started_if_admitted,
  terminate = terminate,
  too_long = too_long,
  under_way = under_way,
  unknown_stag = 0x7BADBAD1,
  until_refused = until_refused,
}
