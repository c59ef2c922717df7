-- The same conversations under every setting that startup and framing allow: RFC 5044 4 to 7, RFC 6581. `warpcheck run`
-- runs each once, with the first value of each factor; `--strength` runs them under combinations of the others.

local all_ones = 0xFFFFFFFFFFFFFFFF
local pattern = ("0123456789abcdef"):rep(4376) -- 70,016 octets: more than a ULPDU can have

local factors = {
  {name = "startup", values = {"rev-1", "rev-2", "enhanced", "rtr-send", "rtr-write", "rtr-read"},
    claims = {"rev-1", "rev-2", "rev-2", "rtr-send", "rtr-write", "rtr-read"}},
  {name = "crc", values = {"both", "device", "peer", "neither"}, claims = {[3] = "no-crc", [4] = "no-crc"}}, -- which side asks for it
  {name = "markers_out", values = {false, true}, claims = {[2] = "markers"}}, -- in what the device sends
  {name = "markers_in", values = {false, true}, claims = {[2] = "markers"}},  -- in what it is sent
  {name = "ird", values = {8, 1, 2, 0x3FFF}}, -- of this side; 3FFFh leaves it to the ULP (RFC 6581 9.1)
  {name = "ord", values = {8, 1, 2, 0x3FFF}},
  {name = "mulpdu", values = {1442, 128, 256, 16000}}, -- of what the device is sent
  {name = "tcp", values = {"whole", "header", "octets", "merged"}}, -- how FPDUs to the device lie in TCP segments
  {name = "private", values = {0, 1, 500}}, -- octets of private data, in both startup frames
  {name = "size", values = {1000, 0, 1, 511, 70000}}, -- octets of payload
}

-- ---- how it is opened ----

local function startup_of(p)
  local options = {rev = p.startup == "rev-1" and 1 or 2}
  options.enhanced = p.startup ~= "rev-1" and p.startup ~= "rev-2"
  local rtr = p.startup:match"^rtr%-(.*)"
  if rtr then
    options.peer_to_peer, options.rtr = true, {rtr}
  end
  return options
end

local function open(dut, role, p)
  local device, peer = {}, {}
  local initiator = role == "initiator" and device or peer
  for name, value in pairs(startup_of(p)) do initiator[name] = value end
  if role == "initiator" then
    peer.rev = 2
  end
  device.markers, peer.markers = p.markers_in, p.markers_out
  if p.crc == "peer" or p.crc == "neither" then device.crc = false end
  peer.crc = p.crc == "both" or p.crc == "peer"
  device.private_data, peer.private_data = ("d"):rep(p.private), ("p"):rep(p.private)
  peer.mulpdu = p.mulpdu
  -- Without enhanced data neither side names a number of outstanding requests: one.
  local enhanced = initiator.enhanced
  peer.ird, peer.ord = math.min(p.ird, 8), enhanced and math.min(p.ord, 8) or 1
  peer.startup = enhanced and {ird = p.ird, ord = p.ord} or nil
  dut:configure(device)
  dut:post{count = 16, size = p.size + 64}
  local c = common.open(dut, role, peer)
  check(c.terms.markers_out == p.markers_in and c.terms.markers_in == p.markers_out, "each direction has Markers as asked")
  check(c.terms.crc == (p.crc ~= "neither"), "CRC is used if one side asks for it")
  check(c.startup.private_data == device.private_data, "the device's private data")
  return c
end

-- The connection's FPDUs go to TCP as `p.tcp` says. A request may have to wait for a response before it can be sent, so
-- no message waits for it.
local waits = {send = true, write = true, immediate = true}
local function through(c, p)
  local cuts = {
    whole = {}, header = {split = {1, 3, 14}}, merged = {merge = true},
    octets = {split = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, -- of the 20 that the shortest has
  }
  local wrapped = {}
  return setmetatable(wrapped, {__index = function(_, method)
    return function(_, options)
      for name, value in pairs(cuts[p.tcp]) do options[name] = name ~= "merge" and value or waits[method] end
      return c[method](c, options)
    end
  end})
end

-- ---- messages ----

local function data_of(p, number)
  return pattern:sub(number, number + p.size - 1)
end

-- A last Send of each side: it follows all earlier messages, so they have arrived.
local function finish(dut, c)
  c:send{data = "that was all"}
  local message
  repeat message = dut:received{} until message.data == "that was all"
  dut:send{data = "here, too"}
  c:expect{{kind = "send", data = "here, too"}}
  common.finish(c)
end

local function sends(dut, c, p)
  local out = through(c, p)
  for i = 1, 4 do
    out:send{data = data_of(p, i), se = i % 2 == 0}
    dut:send{data = data_of(p, 10 + i), se = i % 2 == 1}
  end
  c:send{data = "pushes what was merged"}
  for i = 1, 4 do
    local message = dut:received{}
    check(message.data == data_of(p, i), "the device gets message " .. i)
    check(message.kind == (i % 2 == 0 and "send_se" or "send"), "with its opcode")
  end
  check(dut:received{}.data == "pushes what was merged", "and the last one")
  for i = 1, 4 do
    c:expect{{kind = i % 2 == 1 and "send_se" or "send", data = data_of(p, 10 + i)}}
  end
end

local function writes(dut, c, p)
  local theirs, ours = dut:region{size = p.size + 16, fill = "."}, region{size = p.size + 16, fill = "."}
  local out = through(c, p)
  out:write{stag = theirs.stag, to = theirs.to + 5, data = data_of(p, 1)}
  out:write{stag = theirs.stag, to = theirs.to + 5 + p.size, data = "afterward"}
  c:send{data = "written"}
  dut:write{stag = ours.stag, to = ours.to + 3, data = data_of(p, 9)}
  dut:send{data = "written, too"}
  check(dut:received{}.data == "written", "the device gets the Send after the Writes")
  c:expect{{kind = "rdma_write", size = p.size}}
  c:expect{{kind = "send", data = "written, too"}}
  check(dut:memory(theirs, 0, p.size + 16) == "....." .. data_of(p, 1) .. "afterward..", "the device has placed just that")
  check(ours:get() == "..." .. data_of(p, 9) .. ("."):rep(13), "the device has written just that")
end

local function reads(dut, c, p)
  local source, own = dut:region{size = #pattern, rights = "r", fill = pattern}, region{size = #pattern, rights = "r", fill = pattern}
  local out, sinks, sink = through(c, p), {}, dut:region{size = p.size + 8, fill = "."}
  for i = 1, 3 do
    sinks[i] = region{size = p.size + 8, fill = "."}
    out:read{sink_stag = sinks[i].stag, sink_to = sinks[i].to, size = p.size, source_stag = source.stag, source_to = source.to + i}
  end
  c:send{data = "pushes what was merged"}
  for i = 1, 3 do
    c:expect{{kind = "read_response", size = p.size, stag = sinks[i].stag, to = sinks[i].to}}
    check(sinks[i]:get() == pattern:sub(i + 1, i + p.size) .. "........", "Read " .. i .. " has its octets")
  end
  dut:received{}
  local post = dut:read{sink = sink, size = p.size, source_stag = own.stag, source_to = own.to + 7}
  c:expect{{kind = "read_request", size = p.size}}
  check(common.completion(dut, post).status == "done", "the device's Read is complete")
  check(dut:memory(sink, 0, p.size + 8) == pattern:sub(8, 7 + p.size) .. "........", "with its octets")
end

local function atomics(dut, c, p)
  local atom, out = common.atom(dut, c, 40), through(c, p)
  out:fetch_add{stag = atom.stag, to = atom.to, add = 2}
  out:cmp_swap{stag = atom.stag, to = atom.to, compare = 42, swap = 7}
  out:cmp_swap{stag = atom.stag, to = atom.to, compare = 42, swap = 9}
  out:fetch_add{stag = atom.stag, to = atom.to, add = all_ones}
  c:send{data = "pushes what was merged"}
  for _, value in ipairs{40, 42, 7, 7} do
    c:expect{{kind = "atomic_response", original_value = value}}
  end
  check(atom.value() == 6, "the memory has the expected result")
  dut:received{}
end

local function immediates(dut, c, p)
  local theirs, out = dut:region{size = p.size + 1, fill = "."}, through(c, p)
  for i = 1, 3 do
    out:write{stag = theirs.stag, to = theirs.to, data = data_of(p, i)}
    out:immediate{data = ("%08d"):format(i), se = i == 2}
    dut:immediate{data = ("%08d"):format(-i), se = i == 3}
  end
  c:send{data = "pushes what was merged"}
  for i = 1, 3 do
    local message = dut:received{}
    check(message.kind == (i == 2 and "immediate_se" or "immediate") and message.data == ("%08d"):format(i),
      "the device gets Immediate Data " .. i)
    c:expect{{kind = i == 3 and "immediate_se" or "immediate", data = ("%08d"):format(-i)}}
  end
  dut:received{}
  check(dut:memory(theirs, 0, p.size + 1) == data_of(p, 3) .. ".", "the last Write stays")
end

local function pipelines(dut, c, p)
  local log = dut:region{size = p.size + 32, fill = ".", rights = "wp", verify = "sha256", persistent = true}
  local mark, out = (p.size + 15) // 8 * 8, through(c, p)
  local record = data_of(p, 2)
  out:write{stag = log.stag, to = log.to, data = record}
  out:flush{stag = log.stag, to = log.to, length = p.size, p = true}
  out:verify{stag = log.stag, to = log.to, length = p.size, hash = hash("sha256", record)}
  out:atomic_write{stag = log.stag, to = log.to + mark, data = 0x0101010101010101}
  c:send{data = "pushes what was merged"}
  c:expect{{kind = "flush_response"}}
  c:expect{{kind = "verify_response"}}
  c:expect{{kind = "atomic_write_response"}}
  dut:received{}
  check(dut:kept(log, 0, p.size) == record, "the medium has the record")
  check(dut:memory(log, mark, 8) == ("\1"):rep(8), "the mark is set")
end

-- Valid traffic, then a Write to an unknown STag: the reaction is the same whatever the setup.
local function refusals(dut, c, p)
  sends(dut, c, p)
  c:write{stag = common.unknown_stag, to = 0x1000, data = "nowhere"}
  c:expect{common.terminate(1, 1, 0)}
  c:expect{common.closed}
end

local conversations = {
  {1, "Sends in both directions are delivered", sends, requirements = {"RFC5041-5.3-07", "RFC5040-5.3-05", "RFC5044-7.1.1-06"}},
  {3, "RDMA Writes in both directions are placed", writes, requirements = {"RFC5041-5.2-04", "RFC5044-4.3-10"}},
  {5, "Reads in both directions are answered", reads, requirements = {"RFC5040-5.2.1-10", "RFC5041-5.2-04", "RFC5040-5.5-16"}},
  {7, "Atomic Operations are executed", atomics, requirements = {"RFC7306-5.2.2-05"}, claims = {"atomic"}},
  {9, "Immediate Data after Writes is delivered", immediates, requirements = {"RFC7306-6.3-02"}, claims = {"immediate"}},
  {11, "Write, Flush, Verify and Atomic Write are executed", pipelines, requirements = {"RFC5041-5.2-04"},
    claims = {"flush-persist", "verify-sha256", "atomic-write"}},
  {13, "After Sends a Write to an unknown STag is answered by a Terminate", refusals, requirements = {"RFC5041-7.1-06"}, close = common.both,
    danger = {"memory"}},
}

local cases = {}
for _, conversation in ipairs(conversations) do
  local number, title, talk = table.unpack(conversation)
  for i, role in ipairs{"responder", "initiator"} do
    cases[#cases + 1] = {
      id = ("sweep-%03d"):format(number + i - 1), title = title .. ", with the device as " .. role,
      requirements = conversation.requirements, role = role, tier = "agent", claims = conversation.claims,
      close = conversation.close or {"fin"}, danger = conversation.danger, factors = factors,
      run = function(dut, p)
        local c = open(dut, role, p)
        talk(dut, c, p)
        if talk ~= refusals then
          finish(dut, c)
        end
      end,
    }
  end
end
return cases
