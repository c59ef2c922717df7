-- Reads of the device's memory: valid buffers, octets returned, requests rejected. RFC 5040 4.4, 5.2, 5.5, 7.2, 8.1.

local closed, both, terminate, finish = common.closed, common.both, common.terminate, common.finish
local counting = ("0123456789abcdefghijklmnopqrstuv"):rep(256)

local dead, bounds, rights = terminate(0, 1, 0), terminate(0, 1, 1), terminate(0, 1, 2)
-- The answer to a valid STag of another stream.
local not_ours = terminate(0, 1, any{0, 3})

-- Reads of these {offset, octets} of a buffer of `size` octets, all at once, into a buffer of ours registered with `sink`.
local function gives(size, reads, options, sink)
  return function(dut, open)
    options = options or {}
    options.size, options.rights, options.fill = size, "r", counting
    local source = dut:region(options)
    dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
    local c = open{mulpdu = 128}
    local sinks = {}
    step "read"
    for i, read in ipairs(reads) do
      sink = sink or {}
      sinks[i] = region{size = read[2] + 8, fill = ".", to = sink.to, stag = i == 1 and sink.stag or nil}
      c:read{sink_stag = sinks[i].stag, sink_to = sinks[i].to + 4, size = read[2], source_stag = source.stag,
        source_to = source.to + read[1]}
    end
    for i, read in ipairs(reads) do
      c:expect{{kind = "read_response", stag = sinks[i].stag, to = sinks[i].to + 4, size = read[2]}}
      check(sinks[i]:get() == "...." .. counting:sub(read[1] + 1, read[1] + read[2]) .. "....",
        "the octets are those of the Data Source, in the places requested")
    end
    finish(c)
  end
end

-- A Read of 8 octets of a buffer of 64, which a change makes invalid, is answered by `answer` and no Read Response.
local function refuses(change, answer, options, prepare)
  return function(dut, open)
    options = options or {}
    options.size, options.fill, options.rights = 64, "secret--", options.rights or "r"
    local source, sink = dut:region(options), region{size = 128}
    local read = {sink_stag = sink.stag, sink_to = sink.to, size = 8, source_stag = source.stag, source_to = source.to}
    for name, value in pairs(change) do
      read[name] = type(value) == "function" and value(source) or value
    end
    local c = open{}
    if prepare then prepare(dut, source, c) end
    step "read"
    c:read(read)
    c:expect{answer}
    c:expect{closed}
  end
end

-- The STag is valid until `revoke` invalidates it.
local function revoked(revoke)
  return refuses({}, dead, {}, function(dut, source, c)
    local sink = region{size = 8}
    step "send a Read that is answered"
    c:read{region = sink, source_stag = source.stag, source_to = source.to}
    c:expect{{kind = "read_response", size = 8}}
    step "the STag is invalidated"
    revoke(dut, source)
  end)
end

local given = {
  {
    id = "rdma-read-source-001", initiator = "rdma-read-source-002",
    title = "A Read of a whole buffer is answered",
    requirements = {"RFC5040-5.2.1-10", "RFC5040-5.2-01"}, run = gives(1000, {{0, 1000}}),
  },
  {
    id = "rdma-read-source-003", initiator = "rdma-read-source-004",
    title = "Reads of the first and of the last octet of a buffer are answered",
    requirements = {"RFC5040-5.2.1-09", "RFC5040-5.2.1-10"}, run = gives(64, {{63, 1}, {0, 1}}),
  },
  {
    id = "rdma-read-source-005", initiator = "rdma-read-source-006",
    title = "Reads of 1 to 9 octets at odd offsets are answered",
    requirements = {"RFC5040-4.4-04", "RFC5040-5.2.1-07", "RFC5040-5.2.1-09"},
    run = gives(64, {{1, 1}, {3, 2}, {7, 3}, {11, 4}, {17, 5}, {23, 6}, {31, 7}, {39, 8}, {55, 9}}),
  },
  {
    id = "rdma-read-source-007", initiator = "rdma-read-source-008",
    title = "A Read of a buffer whose TOs go beyond 2^32 is answered",
    requirements = {"RFC5040-4.4-04", "RFC5040-5.2.1-10"},
    run = gives(4096, {{0, 4096}, {2048, 10}, {2040, 16}}, {to = 0xFFFFF800}),
  },
  {
    id = "rdma-read-source-009", initiator = "rdma-read-source-010",
    title = "A Read of a buffer near TO 2^64 is answered",
    requirements = {"RFC5040-4.4-04", "RFC5040-7.2-13"}, run = gives(64, {{0, 64}, {63, 1}}, {to = -72}),
  },
  {
    id = "rdma-read-source-011", initiator = "rdma-read-source-012",
    title = "A Read whose Data Sink begins at an odd TO and crosses TO 2^32 is answered",
    requirements = {"RFC5040-4.4-03", "RFC5040-4.4-05", "RFC5040-5.2.2-04", "RFC5041-5.2-07"},
    run = gives(8192, {{0, 8192}}, {}, {to = 0xFFFFEFFD}),
  },
  {
    id = "rdma-read-source-013", initiator = "rdma-read-source-014",
    title = "A Read with a Data Sink just below TO 2^64 and STag FFFFFFFFh is answered",
    requirements = {"RFC5040-4.4-02", "RFC5040-4.4-03", "RFC5040-5.2.2-04"},
    run = gives(64, {{8, 40}}, {}, {to = -64, stag = 0xFFFFFFFF}),
  },
  {
    id = "rdma-read-source-015", initiator = "rdma-read-source-016",
    title = "Reads of no octets among others are answered in order",
    requirements = {"RFC5040-5.2.1-14", "RFC5040-5.5-16", "RFC5040-5.2.1-07"},
    run = gives(8192, {{0, 8192}, {8, 0}, {1, 3}, {0, 0}, {0, 0}, {4096, 4096}}),
  },
  {
    id = "rdma-read-source-017", initiator = "rdma-read-source-018",
    title = "The Data Source of a Read of no octets is ignored",
    requirements = {"RFC5040-5.2.1-13", "RFC5040-5.2.1-14", "RFC5040-5.2.1-11", "RFC5042-6.3.5-03"},
    run = function(dut, open)
      local source, writable, gone = dut:region{size = 64}, dut:region{size = 64, rights = "w"}, dut:region{size = 64}
      local c = open{ord = 1}
      dut:invalidate(gone)
      step "read no octets: after the buffer, without read access, from an invalidated STag, from STag 0"
      local reads = {{source.stag, source.to + 65}, {source.stag, -1}, {writable.stag, writable.to}, {gone.stag, gone.to}, {0, 0}}
      for i, read in ipairs(reads) do
        c:read{sink_stag = i, sink_to = 7, size = 0, source_stag = read[1], source_to = read[2]}
      end
      for _ in ipairs(reads) do c:expect{{kind = "read_response", size = 0}} end
      finish(c)
    end,
  },
  {
    id = "rdma-read-source-019", initiator = "rdma-read-source-020",
    title = "The reserved bits and the Invalidate STag field of a Read Request are ignored",
    requirements = {"RFC5041-4.1-07", "RFC5040-4.1-09", "RFC5040-4.1-10"},
    run = function(dut, open)
      local source = dut:region{size = 8, rights = "r", fill = "12345678"}
      local sinks = {region{size = 8}, region{size = 8}}
      local c = open{ord = 1}
      step "send two Reads, the first with the STag of its Data Source as Invalidate STag"
      for i = 1, 2 do
        c:read{region = sinks[i], source_stag = source.stag, source_to = source.to, rsvd = 15, rsv = 3,
          rsvdulp_rest = source.stag}
      end
      for i = 1, 2 do
        c:expect{{kind = "read_response", stag = sinks[i].stag, size = 8}}
        check(sinks[i]:get() == "12345678", "with the octets of the Data Source")
      end
      finish(c)
    end,
  },
  {
    id = "rdma-read-source-021", initiator = "rdma-read-source-022",
    title = "Read Requests are served by RDMAP and use no receive buffer",
    requirements = {"RFC5040-5.2.1-03", "RFC5040-5.2.1-02"},
    run = function(dut, open, role)
      local source, sink = dut:region{size = 64, rights = "r", fill = counting}, region{size = 64}
      common.buffers(dut, role, 1, 64)
      local c = open{ord = 1}
      step "read from a device whose ULP does nothing"
      for _ = 1, 4 do c:read{region = sink, source_stag = source.stag, source_to = source.to} end
      for _ = 1, 4 do c:expect{{kind = "read_response", size = 64}} end
      check(dut:pending() == 0, "the ULP receives nothing")
      step "the receive buffer is still posted"
      c:send{data = "for it"}
      check(dut:received{}.data == "for it", "the Send is delivered")
      finish(c)
    end,
  },
  {
    id = "rdma-read-source-023", initiator = "rdma-read-source-024",
    title = "A Read sees all segments of the Writes before it",
    requirements = {"RFC5040-5.5-13", "RFC5040-5.5-07"},
    run = function(dut, open)
      local buffer, sink = dut:region{size = 2000, fill = "."}, region{size = 2000}
      local c = open{mulpdu = 128}
      step "send two multi-segment Writes and a Read in one flight"
      c:write{stag = buffer.stag, to = buffer.to, data = counting:sub(1, 1000), merge = true}
      c:write{stag = buffer.stag, to = buffer.to + 1000, data = counting:sub(1, 999), merge = true}
      c:read{region = sink, source_stag = buffer.stag, source_to = buffer.to}
      c:expect{{kind = "read_response", size = 2000}}
      check(sink:get() == counting:sub(1, 1000) .. counting:sub(1, 999) .. ".", "it has what both have written")
      finish(c)
    end,
  },
}

local refused = {
  -- the bounds of a buffer

  {
    id = "rdma-read-source-025", initiator = "rdma-read-source-026",
    title = "A Read of one octet more than the buffer holds is answered by a Terminate",
    requirements = {"RFC5040-7.2-12", "RFC5040-5.2.1-12", "RFC5040-8.1.1-04", "RFC5042-6.2.1-01", "RFC5042-6.3.1-01", "RFC5042-ATTACK-34"}, run = refuses({size = 65}, bounds),
  },
  {
    id = "rdma-read-source-027", initiator = "rdma-read-source-028",
    title = "A Read that begins after the last octet of the buffer is answered by a Terminate",
    requirements = {"RFC5040-7.2-11", "RFC5040-8.1.1-04", "RFC5042-6.2.1-01", "RFC5042-6.3.1-01", "RFC5042-ATTACK-34"},
    run = refuses({size = 1, source_to = function(source) return source.to + 64 end}, bounds),
  },
  {
    id = "rdma-read-source-029", initiator = "rdma-read-source-030",
    title = "A Read that begins before the buffer and ends after it is answered by a Terminate",
    requirements = {"RFC5040-7.2-11", "RFC5040-7.2-12", "RFC5040-8.1.1-04", "RFC5042-6.2.1-01", "RFC5042-6.3.1-01", "RFC5042-ATTACK-34"},
    run = refuses({size = 66, source_to = function(source) return source.to - 1 end}, terminate(0, 1, any{1, 4})), -- at TO 0
  },
  {
    id = "rdma-read-source-031", initiator = "rdma-read-source-032",
    title = "A Read of FFFFFFFFh octets is answered by a Terminate",
    requirements = {"RFC5040-7.2-12", "RFC5040-8.1.1-04", "RFC5042-ATTACK-35"}, run = refuses({size = 0xFFFFFFFF}, bounds),
  },
  {
    id = "rdma-read-source-033", initiator = "rdma-read-source-034",
    title = "A Read from a TO that is 2^32 too large is answered by a Terminate",
    requirements = {"RFC5040-7.2-11", "RFC5040-8.1.1-04", "RFC5042-ATTACK-35"},
    run = refuses({source_to = function(source) return source.to + (1 << 32) end}, bounds),
  },
  {
    id = "rdma-read-source-035", initiator = "rdma-read-source-036",
    title = "A Read whose Data Source reaches beyond TO 2^64 is answered by a Terminate",
    requirements = {"RFC5040-7.2-13", "RFC5042-ATTACK-35"}, run = refuses({source_to = -1, size = 2}, terminate(0, 1, any{1, 4})),
  },

  -- STags and rights

  {
    id = "rdma-read-source-037", initiator = "rdma-read-source-038",
    title = "A Read from an STag that differs from the registered one in the least significant bit is answered by a Terminate",
    requirements = {"RFC5040-7.2-09", "RFC5040-5.2.1-12"},
    run = refuses({source_stag = function(source) return source.stag ~ 1 end}, not_ours),
  },
  {
    id = "rdma-read-source-039", initiator = "rdma-read-source-040",
    title = "A Read from an STag that differs from the registered one in the most significant bit is answered by a Terminate",
    requirements = {"RFC5040-7.2-09", "RFC5040-5.2.1-12"},
    run = refuses({source_stag = function(source) return source.stag ~ 0x80000000 end}, not_ours),
  },
  {
    id = "rdma-read-source-041", initiator = "rdma-read-source-042",
    title = "A Read from STag 0 is answered by a Terminate",
    requirements = {"RFC5040-7.2-09"}, run = refuses({source_stag = 0}, not_ours),
  },
  {
    id = "rdma-read-source-043", initiator = "rdma-read-source-044",
    title = "A Read from an STag that the ULP has invalidated is answered by a Terminate",
    requirements = {"RFC5040-7.2-09", "RFC5040-8.1.1-07"},
    run = revoked(function(dut, source) dut:invalidate(source) end),
  },
  {
    id = "rdma-read-source-045", initiator = "rdma-read-source-046",
    title = "A Read from a deregistered buffer is answered by a Terminate",
    requirements = {"RFC5040-7.2-09", "RFC5040-8.1.1-07"},
    run = revoked(function(dut, source) dut:deregister(source) end),
  },
  {
    id = "rdma-read-source-047", initiator = "rdma-read-source-048",
    title = "A Read of another stream's buffer is answered by a Terminate; that stream can read the buffer",
    requirements = {"RFC5040-7.2-10", "RFC5040-8.1.1-03", "RFC5042-6.1.1-03"},
    run = function(dut, open)
      local owner, other = open{}, open{}
      local source, sink = dut:region{size = 8, rights = "r", fill = "mine----", connection = 1}, region{size = 8}
      local read = {region = sink, source_stag = source.stag, source_to = source.to}
      step "read through the other connection"
      other:read(read)
      other:expect{not_ours}
      other:expect{closed}
      step "read through its own connection"
      owner:read(read)
      owner:expect{{kind = "read_response", size = 8}}
      check(sink:get() == "mine----", "with the octets of the Data Source")
      finish(owner)
    end,
  },
  {
    id = "rdma-read-source-049", role = "initiator",
    title = "The device as initiator answers a Read from another stream's buffer by a Terminate",
    requirements = {"RFC5040-7.2-10", "RFC5040-8.1.1-03"}, run = refuses({}, not_ours, {elsewhere = true}),
  },
  {
    id = "rdma-read-source-050", role = "initiator",
    title = "The device as initiator answers a Read from write-only memory by a Terminate",
    requirements = {"RFC5040-7.2-14", "RFC5042-2.2.2-02", "RFC5042-6.3.5-02", "RFC5042-ATTACK-38"}, run = refuses({}, rights, {rights = "w"}),
  },
  {
    id = "rdma-read-source-061", initiator = "rdma-read-source-062",
    title = "A Read from another protection domain is answered by a Terminate",
    requirements = {"RFC5040-8.1.1-02", "RFC5040-7.2-10", "RFC5042-2.2.4-01", "RFC5042-6.1.1-02"}, run = refuses({}, not_ours, {domain = "other"}),
  },
  {
    id = "rdma-read-source-051", initiator = "rdma-read-source-052",
    title = "A Read from write-only memory is answered by a Terminate after a Write to it",
    requirements = {"RFC5040-7.2-14", "RFC5040-5.2.1-12", "RFC5042-6.3.5-02", "RFC5042-ATTACK-38"},
    run = refuses({}, rights, {rights = "w"}, function(_, source, c)
      c:write{stag = source.stag, to = source.to, data = "12345678", merge = true}
    end),
  },

  -- the request itself

  {
    id = "rdma-read-source-053", initiator = "rdma-read-source-054",
    title = "A Read Request truncated by one octet is answered by a Terminate",
    requirements = {"RFC5040-4.4-01", "RFC5040-7.1-02"},
    run = function(dut, open)
      local source = dut:region{size = 64, rights = "r"}
      local c = open{auto = {terminate = false}}
      c:fpdu{kind = "read_request", header = string.pack(">I4I8I4I4I4I3", 0x1234, 0, 8, source.stag, source.to >> 32,
        source.to >> 8 & 0xFFFFFF)}
      c:expect{{kind = "terminate", layer = any{0, 1}}}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-read-source-055", initiator = "rdma-read-source-056",
    title = "A Read Request with an MSN used before is answered by a Terminate",
    requirements = {"RFC5040-7.2-06", "RFC5041-7.1-01"},
    run = function(dut, open)
      local source, sink = dut:region{size = 64, rights = "r"}, region{size = 64}
      local read = {region = sink, source_stag = source.stag, source_to = source.to}
      local c = open{}
      c:read(read)
      c:expect{{kind = "read_response", size = 64}}
      step "send a second Read with the MSN of the first"
      read.msn = 1
      c:read(read)
      c:expect{terminate(1, 2, any{2, 3})}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-read-source-057", initiator = "rdma-read-source-058",
    title = "A first Read Request with MSN 0 is answered by a Terminate",
    requirements = {"RFC5040-7.2-06", "RFC5041-4.3-09"}, run = refuses({msn = 0}, terminate(1, 2, any{2, 3})),
  },
  {
    id = "rdma-read-source-059", initiator = "rdma-read-source-060",
    title = "A Read Request that begins at MO 28 is answered by a Terminate",
    requirements = {"RFC5040-7.2-06", "RFC5041-7.1-01"},
    -- DDP may find it within a buffer that holds other requests too; RDMAP then gets a message that is too long.
    run = refuses({mo = 28}, {kind = "terminate", layer = any{0, 1}, etype = 2}),
  },
}

local list = common.cases({tier = "agent", close = {"fin"}}, given)
local rest = common.cases({tier = "agent", close = both}, refused)
return table.move(rest, 1, #rest, #list + 1, list)
