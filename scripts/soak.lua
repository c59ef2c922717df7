-- The clients that soak.sh runs against a responder; args.what selects one. The script accepts every reaction to a hostile
-- client. The monitor reports violations of the responder, and the ordinary clients report missing service.
--
--   warpcheck play soak.lua --peer HOST:PORT --arg stag=STAG --arg to=TO --arg what=NAME [--arg seconds=N] [--arg place=N]
--
-- Hostile clients use the first half of the responder's MiB. Each ordinary one has 64 KiB at `place`.

local stag, to, seconds = args.stag, args.to, args.seconds or 1
local clients = {}

-- A hostile client may fail, but not because the responder has stopped listening, or because of a mistake in this script.
local function attempt(what, ...)
  local ok, result = pcall(what, ...)
  if not ok and (type(result) ~= "table" or result.kind == "environment") then
    error(result, 0)
  end
  return ok and result
end

local function together(count, what)
  local tasks = {}
  for i = 1, count do
    tasks[i] = spawn(attempt, what, i)
  end
  for _, task in ipairs(tasks) do
    task:wait()
  end
end

-- Reads what the responder sends, until it closes or is silent for that long.
local function listen_to(c, timeout)
  repeat
    local kind = c:receive{timeout = timeout}.kind
  until kind == "close" or kind == "silence"
end

-- ---- ordinary clients ----

local function round(c, sink, number)
  local at, text = to + args.place, ("%d of %d; "):format(number, args.place):rep(400)
  c:write{stag = stag, to = at, data = text}
  c:read{region = sink, size = #text, source_stag = stag, source_to = at}
  c:expect{{kind = "read_response", size = #text}}
  check(sink:get(0, #text) == text, "a Read brings what was written")
  c:fetch_add{stag = stag, to = at + 32768, add = 1}
  c:flush{stag = stag, to = at, length = #text}
  c:expect{{kind = "atomic_response"}}
  c:expect{{kind = "flush_response"}}
  c:send{data = text}
  return c:expect{{kind = "send", data = text}}.time
end

local function goodbye(c)
  c:close()
  c:expect{{kind = "close", how = "fin"}}
end

-- Opens connections of all kinds, one after another.
function clients.ordinary()
  local kinds = {
    {rev = 1}, {rev = 1, markers = true}, {rev = 2}, {rev = 2, peer_to_peer = true}, {rev = 2, markers = true, ord = 1},
  }
  for number, options in ipairs(kinds) do
    local c, sink = connect(options), region{size = 32768, rights = ""}
    for i = 1, 4 do
      round(c, sink, number * i)
    end
    sink:invalidate()
    goodbye(c)
  end
end

-- Keeps one connection open all the time.
function clients.lasting()
  local c, sink = connect{rev = 2}, region{size = 32768, rights = ""}
  local number, first = 1, round(c, sink, 0)
  while round(c, sink, number) - first < seconds do
    number = number + 1
    pause(0.2)
  end
  goodbye(c)
end

-- ---- hostile clients ----

-- Connections that send nothing or part of a Request: the responder drops each after a timeout.
function clients.half_open()
  together(args.count or 400, function(i)
    pause(i / 500)
    local c = tcp{}
    if i % 2 == 0 then
      c:request{private_data = ("x"):rep(300), cut = 1 + i % 319}
    end
    c:expect{{kind = "close"}}
  end)
end

-- The same, closed by the client.
function clients.given_up()
  together(args.count or 200, function(i)
    local c = tcp{}
    if i % 3 > 0 then
      c:request{private_data = ("x"):rep(300), cut = i % 3 == 1 and 1 + i % 319 or nil}
    end
    if i % 2 == 0 then c:reset() else c:close() end
  end)
end

-- Startup frames and messages that claim or request more than there is.
function clients.claims()
  local most = 0xffffffff
  local function startup(fields)
    local c = tcp{}
    c:request(fields)
    c:expect{{kind = "close"}}
  end
  local function message(method, fields)
    local c = connect{}
    c[method](c, fields)
    listen_to(c, 1)
    c:reset()
  end
  startup{pd_length = 0xffff}
  startup{pd_length = 512}
  local all = {
    {"read", {sink_stag = 1, sink_to = 0, source_stag = stag, source_to = to, size = most}},
    {"read", {sink_stag = 1, sink_to = -1, source_stag = stag, source_to = -1, size = most}},
    {"write", {stag = stag, to = -1, data = "xx"}},
    {"write", {stag = stag, to = to + most, data = "xx"}},
    {"flush", {stag = stag, to = to, length = most}},
    {"verify", {stag = stag, to = to, length = most}},
    {"verify", {stag = stag, to = -1, length = most}},
    {"fetch_add", {stag = stag, to = -1, add = 1}},
    {"atomic_write", {stag = stag, to = -7, data = 1}},
    {"send", {data = "far behind", mo = most - 4}},
    {"send", {data = "in the future", msn = most}},
    {"fpdu", {data = "longer than it is", ulpdu_length = 0xffff}},
    {"fpdu", {ulpdu = ""}},
    {"fpdu", {ulpdu = ("\0"):rep(0xffff)}},
  }
  together(#all, function(i) message(all[i][1], all[i][2]) end)
end

-- Messages without a last segment.
function clients.endless()
  local block = ("e"):rep(1000)
  local function partial(most, fields)
    return function()
      local c = connect{auto = {close = false}}
      for i = 1, most do
        if c.closed then break end
        local mo = fields.stag == nil and (i - 1) * #fields.data or nil
        c:fpdu{kind = fields.kind, l = false, msn = fields.stag == nil and 1 or nil, mo = mo, data = fields.data,
          stag = fields.stag, to = fields.stag and to or nil}
        if i % 50 == 0 then pause(0.001) end
      end
      pause(0.2)
      c:reset()
    end
  end
  together(40, partial(60, {kind = "send", data = block}))
  together(10, partial(2000, {kind = "send", data = ""}))
  together(10, partial(1000, {kind = "rdma_write", stag = stag, data = block}))
  together(5, partial(1000, {kind = "send", data = block}))
end

-- Connections that end at unexpected points.
function clients.vanishing()
  local block = ("v"):rep(20000)
  local function leave(c, i)
    if i % 3 == 0 then c:reset() elseif i % 3 == 1 then c:close{now = true} end -- or by the end of the script
  end
  together(60, function(i)
    local c = connect{rev = 1 + i % 2, markers = i % 5 == 0}
    c:send{data = block}
    c:write{stag = stag, to = to, data = block}
    for _ = 1, 8 do
      c:read{sink_stag = 1, sink_to = 0, source_stag = stag, source_to = to, size = 65536}
    end
    if i % 4 == 0 then
      c:fpdu{data = block:sub(1, 1000), cut = i}
    end
    pause(i % 7 / 100)
    leave(c, i)
  end)
end

-- Sends one octet at a time, but correctly: it is served.
function clients.slow_writer()
  together(20, function()
    local c = tcp{}
    local function slowly(octets)
      for i = 1, #octets do
        c:octets(octets:sub(i, i))
        pause(0.03)
      end
    end
    slowly "MPA ID Req Frame\x40\x01\0\0"
    c:expect{{kind = "reply", r = false}}
    c:full{crc = true}
    slowly(hex"0017 41 43 00000000 00000000 00000001 00000000 68656c6c6f 000000 b990b10c")
    c:expect{{kind = "send", data = "hello"}}
    goodbye(c)
  end)
end

-- Requests more than it reads. soak.sh gives it very little processor time and finally kills it.
function clients.slow_reader()
  local sink, block = region{size = 65536, rights = ""}, ("s"):rep(60000)
  together(8, function()
    local c = connect{rev = 2, ird = 8, ord = 8}
    while not c.closed do
      for _ = 1, 8 do
        c:read{region = sink, source_stag = stag, source_to = to}
        c:send{data = block}
      end
      for _ = 1, 16 do
        c:receive{}
      end
    end
  end)
end

-- Sends everything that an initiator can, for --defect to do one thing of it wrong.
function clients.all()
  local block = ("d"):rep(5000)
  local function say(options, how)
    local c = connect(options)
    c:send{data = block}
    c:send{data = "event", se = true}
    c:immediate{data = "12345678"}
    c:immediate{data = "87654321", se = true}
    c:write{stag = stag, to = to, data = block}
    c:read{region = region{size = 5000}, source_stag = stag, source_to = to}
    c:fetch_add{stag = stag, to = to + 8192, add = 1}
    c:cmp_swap{stag = stag, to = to + 8192, compare = 0, swap = 1}
    c:swap{stag = stag, to = to + 8192, swap = 2}
    c:flush{stag = stag, to = to, length = 5000}
    c:verify{stag = stag, to = to, length = 5000}
    c:atomic_write{stag = stag, to = to + 8200, data = 3}
    how(c)
    listen_to(c, 0.2)
    c:close()
    listen_to(c, 0.2)
  end
  local function nothing() end
  local function invalidate(c) c:send{data = "no such STag", invalidate = 0x7badbad1} end
  local function invalidate_event(c) c:send{data = "no such STag", invalidate = 0x7badbad1, se = true} end
  local function terminate(c) c:terminate{layer = 0, etype = 0, code = 0} end
  local ways = {
    {{rev = 1}, nothing},
    {{rev = 2, peer_to_peer = true, rtr = {"read"}, private_data = "hostile"}, invalidate},
    {{rev = 2, peer_to_peer = true, rtr = {"write"}, markers = true}, invalidate_event},
    {{rev = 2, peer_to_peer = true, rtr = {"send"}, crc = false}, terminate},
  }
  together(#ways, function(i)
    ways[i][1].timeout = 2
    say(ways[i][1], ways[i][2])
  end)
end

local client = clients[args.what]
check(client, "what? --arg what=NAME")
client()
