-- RDMA Verify: draft-talpey-rdma-commit-01 3.1.2, 3.1.4 and 5.

local closed, both, refused = common.closed, common.both, common.refused
local finish, terminate = common.finish, common.terminate

-- Vectors: RFC 3720 B.4 and the check value of CRC32C, FIPS 180-4. The least significant octet of a CRC comes first.
local crc32c_digits = hex"839206e3" -- of "123456789"
local crc32c_zeros = hex"aa36918a" -- of 32 octets of 0
local sha256_nothing = hex"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
local sha256_abc = hex"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
local long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
local sha256_long = hex"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
local sha256_million = hex"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" -- of as many "a"
local sha512_abc = hex[[ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
  2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f]]

-- Memory of the device with a persistent medium, for Verifies.
local function verifiable(dut, options)
  local region = {size = 64, rights = "rwp", verify = "sha256", persistent = true, fill = "abc"}
  for name, value in pairs(options or {}) do
    region[name] = value
  end
  return dut:region(region)
end

-- A Verify of `data` at `offset` is answered by `hash`, which it carries as expected hash if `expects` is set.
local function answers(algorithm, data, offset, hash, expects)
  return function(dut, open)
    local target = verifiable(dut, {verify = algorithm, fill = ("#"):rep(offset) .. data, size = offset + #data})
    local c = open()
    step("verify " .. #data .. " octets by " .. algorithm)
    c:verify{stag = target.stag, to = target.to + offset, length = #data, hash = expects and hash or nil}
    c:expect{{kind = "verify_response", qn = 3, msn = 1, data = hash}}
    finish(c)
  end
end

-- A Verify of "abc" that `change` makes invalid.
local function refuses(change, options, spoil)
  return function(dut, open)
    local target = verifiable(dut, options)
    local verify = {stag = target.stag, to = target.to, length = 3}
    for name, value in pairs(change) do
      verify[name] = type(value) == "function" and value(target) or value
    end
    if spoil then
      spoil(dut, target)
    end
    local c = open()
    step "send an invalid Verify"
    c:verify(verify)
    c:expect{refused}
    c:expect{closed}
  end
end

-- With that bit of octet `at` inverted.
local function spoilt(hash, at, bit)
  return hash:sub(1, at - 1) .. string.char(hash:byte(at) ~ bit) .. hash:sub(at + 1)
end

local function invalid(change, ...)
  local outcomes = {...}
  return function(dut, open)
    local target = verifiable(dut)
    local verify = {kind = "verify_request", stag = target.stag, to = target.to, length = 3}
    for name, value in pairs(change) do
      verify[name] = value
    end
    local c = open{auto = {terminate = false}}
    step "send a Verify with a wrong header"
    c:fpdu(verify)
    c:expect(outcomes)
    c:expect{closed}
  end
end

-- The device verifies memory of ours.
local function asks(hash)
  return function(dut, open)
    local target = region{size = 64, verify = "sha256", persistent = true, fill = "-abc", to = 0x20000}
    local c = open()
    step "the device verifies"
    local post = dut:verify{stag = target.stag, to = target.to + 1, length = 3, hash = hash}
    c:expect{{kind = "verify_request", qn = 1, msn = 1, mo = 0, stag = target.stag, to = target.to + 1, length = 3,
      data = hash or ""}}
    local completion = common.completion(dut, post)
    check(completion.status == "done" and completion.hash == sha256_abc, "its ULP gets the hash")
    finish(c)
  end
end

local function refuses_answer(answer, ...)
  local outcomes = {...}
  return function(dut, open)
    local c = open{auto = {responses = false, terminate = false}}
    step "the device verifies"
    local post = dut:verify{stag = 0x1234, to = 0x20000, length = 16}
    c:expect{{kind = "verify_request"}}
    step "send a response that the device must reject"
    c:fpdu(answer)
    c:expect(outcomes)
    c:expect{closed}
    check(common.completion(dut, post).status == "flushed", "its Verify has not succeeded")
  end
end

return common.cases({tier = "agent", claims = {"verify-sha256", "flush-persist"}, close = {"fin"}}, {
  {
    id = "rdma-verify-001", initiator = "rdma-verify-002",
    title = "A Verify is answered with the SHA-256 hash",
    requirements = {"TALPEY-3.1.2.2-01", "TALPEY-3.1.2.3-02"},
    run = answers("sha256", "abc", 0, sha256_abc),
  },
  {
    id = "rdma-verify-003", title = "A Verify is answered with the CRC32C hash",
    requirements = {"TALPEY-3.1.2.2-01", "TALPEY-3.1.2.3-02"}, claims = {"verify-crc32c", "flush-persist"},
    run = answers("crc32c", "123456789", 0, crc32c_digits),
  },
  {
    id = "rdma-verify-004", title = "A Verify is answered with the SHA-512 hash",
    requirements = {"TALPEY-3.1.2.2-01", "TALPEY-3.1.2.3-02"}, claims = {"verify-sha512", "flush-persist"},
    run = answers("sha512", "abc", 0, sha512_abc),
  },
  {
    id = "rdma-verify-005", initiator = "rdma-verify-006",
    title = "A Verify with the correct SHA-256 hash is answered with that hash",
    requirements = {"TALPEY-3.1.2.2-01", "TALPEY-3.1.2-01"},
    run = answers("sha256", long, 0, sha256_long, true),
  },
  {
    id = "rdma-verify-007", title = "A Verify with the correct CRC32C hash is answered with that hash",
    requirements = {"TALPEY-3.1.2.2-01", "TALPEY-3.1.2-01"}, claims = {"verify-crc32c", "flush-persist"},
    run = answers("crc32c", ("\0"):rep(32), 0, crc32c_zeros, true),
  },
  {
    id = "rdma-verify-008", title = "A Verify with the correct SHA-512 hash is answered with that hash",
    requirements = {"TALPEY-3.1.2.2-01", "TALPEY-3.1.2-01"}, claims = {"verify-sha512", "flush-persist"},
    run = answers("sha512", "abc", 5, sha512_abc, true),
  },
  {
    id = "rdma-verify-009", title = "A Verify hashes exactly the range that it names",
    requirements = {"TALPEY-3.1.2.2-01"},
    run = function(dut, open)
      local target = verifiable(dut, {fill = "abcabcd!", size = 8})
      local c = open()
      step "verify the first three octets, and the three after them"
      for offset = 0, 3, 3 do
        c:verify{stag = target.stag, to = target.to + offset, length = 3}
        c:expect{{kind = "verify_response", data = sha256_abc}}
      end
      step "verify one octet more"
      c:verify{stag = target.stag, to = target.to + 3, length = 4}
      c:expect{{kind = "verify_response", data = function(data) return data and #data == 32 and data ~= sha256_abc end}}
      finish(c)
    end,
  },
  {
    id = "rdma-verify-010", title = "A Verify of a million octets is answered",
    requirements = {"TALPEY-3.1.2.2-01"},
    run = function(dut, open)
      local target = verifiable(dut, {size = 1000000, fill = "a"})
      local c = open()
      c:verify{stag = target.stag, to = target.to, length = 1000000}
      c:expect{{kind = "verify_response", data = sha256_million}}
      finish(c)
    end,
  },
  {
    id = "rdma-verify-011", title = "Verifies of several regions return the hash of each",
    requirements = {"TALPEY-3.1.2.2-01"}, claims = {"verify-sha256", "verify-sha512", "flush-persist"},
    run = function(dut, open)
      local short, tall = verifiable(dut), verifiable(dut, {verify = "sha512"})
      local c = open()
      c:verify{stag = tall.stag, to = tall.to, length = 3}
      c:expect{{kind = "verify_response", msn = 1, data = sha512_abc}}
      c:verify{stag = short.stag, to = short.to, length = 3}
      c:expect{{kind = "verify_response", msn = 2, data = sha256_abc}}
      finish(c)
    end,
  },
  {
    -- The draft does not define a Verify of no octets.
    id = "rdma-verify-012", title = "A Verify of no octets is answered with the hash of the empty string, or by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-3.1.2.2-01"}, close = {"fin", "terminate+fin", "terminate+rst"},
    run = function(dut, open)
      local target = verifiable(dut)
      local c = open()
      c:verify{stag = target.stag, to = target.to, length = 0}
      local _, outcome = c:expect{{kind = "verify_response", data = sha256_nothing}, refused}
      if outcome == 1 then
        finish(c)
      else
        c:expect{closed}
      end
    end,
  },
  {
    id = "rdma-verify-013", title = "A Verify after a Write and a Flush hashes what was flushed",
    requirements = {"TALPEY-3.1.2.3-03", "TALPEY-3.1.2-01"},
    run = function(dut, open)
      local target = verifiable(dut, {fill = "."})
      local c = open()
      step "write, flush and verify, twice"
      for _, data in ipairs{"abc", long} do
        c:write{stag = target.stag, to = target.to, data = data}
        c:flush{stag = target.stag, to = target.to, length = #data, p = true}
        c:expect{{kind = "flush_response"}}
        c:verify{stag = target.stag, to = target.to, length = #data}
        c:expect{{kind = "verify_response", data = data == "abc" and sha256_abc or sha256_long}}
      end
      finish(c)
    end,
  },
  {
    id = "rdma-verify-014", title = "A Verify with the hash of the octets before they changed is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-3.1.2.3-03"}, close = both,
    run = function(dut, open)
      local target = verifiable(dut)
      local c = open()
      c:verify{stag = target.stag, to = target.to, length = 3, hash = sha256_abc}
      c:expect{{kind = "verify_response", data = sha256_abc}}
      step "write and flush one octet"
      c:write{stag = target.stag, to = target.to + 2, data = "d"}
      c:flush{stag = target.stag, to = target.to, length = 3, p = true}
      c:expect{{kind = "flush_response"}}
      c:verify{stag = target.stag, to = target.to, length = 3, hash = sha256_abc}
      c:expect{refused}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-verify-015", title = "A Verify leaves memory and medium unchanged",
    requirements = {"TALPEY-3.1.2.2-01"},
    run = function(dut, open)
      local target = verifiable(dut, {size = 66})
      local c = open()
      for msn = 1, 3 do
        c:verify{stag = target.stag, to = target.to + 63, length = 3, hash = sha256_abc}
        c:expect{{kind = "verify_response", msn = msn, data = sha256_abc}}
      end
      check(dut:memory(target, 0, 66) == ("abc"):rep(22), "the memory is unchanged")
      check(dut:kept(target, 0, 66) == ("abc"):rep(22), "and so is the medium")
      finish(c)
    end,
  },

  -- a wrong expected hash

  {
    id = "rdma-verify-016", initiator = "rdma-verify-017",
    title = "A Verify whose SHA-256 hash has a wrong bit in its last octet is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-04"}, close = both,
    run = refuses{hash = spoilt(sha256_abc, 32, 1)},
  },
  {
    id = "rdma-verify-018", title = "A Verify whose CRC32C hash has a wrong bit in its first octet is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-04"}, claims = {"verify-crc32c", "flush-persist"}, close = both,
    run = refuses({hash = spoilt(crc32c_digits, 1, 0x80), length = 9}, {verify = "crc32c", fill = "123456789"}),
  },
  {
    id = "rdma-verify-019", title = "A Verify whose CRC32C hash is in reversed byte order is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01"}, claims = {"verify-crc32c", "flush-persist"}, close = both,
    run = refuses({hash = crc32c_digits:reverse(), length = 9}, {verify = "crc32c", fill = "123456789"}),
  },
  {
    id = "rdma-verify-020", title = "A Verify whose SHA-512 hash has a wrong bit in its middle is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-04"}, claims = {"verify-sha512", "flush-persist"}, close = both,
    run = refuses({hash = spoilt(sha512_abc, 33, 0x10)}, {verify = "sha512"}),
  },
  {
    id = "rdma-verify-021", title = "A Verify with the hash of different octets is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01"}, close = both,
    run = refuses{hash = sha256_long},
  },
  {
    id = "rdma-verify-022", title = "A Verify whose hash is truncated by one octet is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-04"}, close = both,
    run = refuses{hash = sha256_abc:sub(1, 31)},
  },
  {
    id = "rdma-verify-023", title = "A Verify whose hash has one octet too many is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01"}, close = both,
    run = function(dut, open)
      local target = verifiable(dut)
      local c = open()
      c:verify{stag = target.stag, to = target.to, length = 3, hash = sha256_abc .. "\0"}
      c:expect{refused, terminate(1, 2, 5)} -- it may be too long for the buffer, too
      c:expect{closed}
    end,
  },
  {
    id = "rdma-verify-024", title = "A Verify whose hash was computed with a different algorithm is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01"}, close = both,
    run = refuses{hash = crc32c_digits},
  },

  -- regions that cannot be verified

  {
    id = "rdma-verify-025", title = "A Verify of an unknown STag is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-01", "TALPEY-5.2-04"}, claims = {"verify"},
    tier = "none", close = both,
    run = function(_, open)
      local c = open()
      c:verify{stag = common.unknown_stag, to = 0x2000, length = 16}
      c:expect{refused}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-verify-026", initiator = "rdma-verify-027",
    title = "A Verify one octet beyond the end of the region is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-01"}, close = both,
    run = refuses{to = function(target) return target.to + 62 end},
  },
  {
    id = "rdma-verify-028", title = "A Verify one octet before the start of the region is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-01"}, close = both,
    run = refuses{to = function(target) return target.to - 1 end},
  },
  {
    id = "rdma-verify-029", title = "A Verify that reaches beyond TO 2^64 is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-01"}, close = both,
    run = refuses{to = -2},
  },
  {
    id = "rdma-verify-030", title = "A Verify of an STag of another stream is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-03"}, close = both,
    run = refuses({}, {elsewhere = true}),
  },
  {
    id = "rdma-verify-031", title = "A Verify of an invalidated STag is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-03"}, close = both,
    run = refuses({}, {}, function(dut, target) dut:invalidate(target) end),
  },
  {
    id = "rdma-verify-032", title = "A Verify of memory without the right to verify is answered by a Terminate",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-5.2-03"}, close = both,
    run = function(dut, open)
      local target = dut:region{size = 64, rights = "rwp", persistent = true, fill = "abc"}
      local c = open()
      step "memory to read, write and flush, without a hash"
      c:verify{stag = target.stag, to = target.to, length = 3}
      c:expect{refused}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-verify-033", title = "A Verify with a wrong hash is answered by a Terminate with at most its DDP header",
    requirements = {"TALPEY-5.1-01", "TALPEY-5.2-04"}, close = both,
    run = function(dut, open)
      local target = verifiable(dut)
      dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
      local c = open()
      step "send a Verify without a hash, and one with a wrong hash"
      c:verify{stag = target.stag, to = target.to, length = 3}
      c:verify{stag = target.stag, to = target.to, length = 3, hash = sha256_nothing}
      local message = common.until_refused(c, {{kind = "verify_response"}}, refused)
      check(not message.r, "R is not set")
      check(not message.d or message.terminated and message.terminated.qn == 1 and message.terminated.msn == 2,
        "the Terminated DDP Header is that of the second Verify")
      check(not message.m or message.segment_length == 66, "18 octets of DDP header, 16 of the Verify, 32 of its hash")
      c:expect{closed}
    end,
  },

  -- headers

  {
    id = "rdma-verify-034", title = "A Verify on the queue of responses is answered by a Terminate",
    requirements = {"TALPEY-5.2-02", "TALPEY-5.2-01"}, close = both,
    run = invalid({qn = 3}, terminate(1, 2, any{1, 2, 3, 5}), terminate(0, 2, 6)),
  },
  {
    id = "rdma-verify-035", title = "A Verify with an MSN far ahead is answered by a Terminate",
    requirements = {"TALPEY-5.2-02"}, close = both,
    run = invalid({msn = 0x10001}, terminate(1, 2, 3), terminate(1, 2, 2)),
  },
  {
    id = "rdma-verify-036", initiator = "rdma-verify-037",
    title = "A Verify that begins at MO 1 is answered by a Terminate",
    requirements = {"TALPEY-5.2-02"}, close = both,
    -- DDP may find it within the buffer; RDMAP then gets an invalid Verify.
    run = invalid({mo = 1}, terminate(1, 2, any{2, 4, 5}), refused, terminate(0, 2, 6)),
  },
  {
    id = "rdma-verify-038", title = "A Verify without the lower half of its Tagged Offset is answered by a Terminate",
    requirements = {"TALPEY-5.2-01", "TALPEY-5.2-04"}, close = both,
    run = function(dut, open)
      local target = verifiable(dut)
      local c = open{auto = {terminate = false}}
      step "send a Verify that lacks the last four octets of its header"
      c:fpdu{kind = "verify_request", header = string.pack(">I4I4I4", target.stag, 3, 0)}
      c:expect{refused, {kind = "terminate", layer = 1, etype = 2}}
      c:expect{closed}
    end,
  },
  {
    id = "rdma-verify-039", title = "A device without Verify support rejects a Verify with a Remote Operation Error",
    requirements = {"TALPEY-3.1.4-02"}, claims = {}, close = both,
    run = function(dut, open)
      local target = dut:region{size = 64, rights = "r"}
      dut:configure{extensions = {"7306"}}
      local c = open()
      c:verify{stag = target.stag, to = target.to, length = 16}
      c:expect{{kind = "terminate", layer = 0, etype = 2}}
      c:expect{closed}
    end,
  },

  -- the device verifies

  {
    id = "rdma-verify-040", initiator = "rdma-verify-041",
    title = "The device's Verify without a hash is correct in every field",
    requirements = {"TALPEY-3.1.2.1-01", "TALPEY-3.1.2.3-01", "TALPEY-3.1-01"}, claims = {"verify"},
    run = asks(),
  },
  {
    id = "rdma-verify-042", title = "The device's Verify with a hash is correct in every field",
    requirements = {"TALPEY-3.1.2.1-01", "TALPEY-3.1.2.3-01"}, claims = {"verify"},
    run = asks(sha256_abc),
  },
  {
    id = "rdma-verify-043", initiator = "rdma-verify-044",
    title = "The device reports a Verify that its peer rejects, for a wrong expected hash, to its ULP as failed",
    requirements = {"TALPEY-5.1-02"}, claims = {"verify"}, close = {"fin", "rst"},
    run = function(dut, open)
      local target = region{size = 64, verify = "sha256", persistent = true, fill = "abc"}
      local c = open{auto = {close = false}}
      local post = dut:verify{stag = target.stag, to = target.to, length = 4, hash = sha256_abc}
      c:expect{{kind = "verify_request", data = sha256_abc}}
      step "answer with a Terminate"
      check(common.completion(dut, post).status == "flushed", "it has not succeeded")
      c:expect{closed, ignore = "broken"} -- what our side found wrong
    end,
  },
  {
    id = "rdma-verify-045", title = "An unsolicited Verify Response is answered by a Terminate",
    requirements = {"TALPEY-5.1-01", "RFC5041-7.1-01"}, claims = {"verify"}, close = both,
    run = function(dut, open)
      local c = open{auto = {terminate = false}}
      c:fpdu{kind = "verify_response", data = sha256_abc}
      local message = c:expect{terminate(1, 2, 2), terminate(1, 2, 3), terminate(0, 2, 6), refused}
      check(not message.r, "R is not set")
      c:expect{closed}
    end,
  },
  {
    id = "rdma-verify-046", initiator = "rdma-verify-047",
    title = "A Flush Response in answer to a Verify is answered by a Terminate",
    requirements = {"TALPEY-5.1-01"}, claims = {"verify"}, close = both,
    run = refuses_answer({kind = "flush_response"},
      terminate(0, 2, 6), refused, {kind = "terminate", layer = 1, etype = 2}),
  },
  {
    id = "rdma-verify-048", title = "A Verify Response with an MSN far ahead is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "TALPEY-5.1-01"}, claims = {"verify"}, close = both,
    run = refuses_answer({kind = "verify_response", msn = 0x10001, data = sha256_abc},
      terminate(1, 2, 3), terminate(1, 2, 2)),
  },
  {
    id = "rdma-verify-049", title = "The response to the device's Verify, on the queue of requests, is answered by a Terminate",
    requirements = {"RFC5041-7.1-01", "TALPEY-5.1-01"}, claims = {"verify"}, close = both,
    run = refuses_answer({kind = "verify_response", qn = 1, data = sha256_abc},
      terminate(1, 2, any{1, 2, 3, 5}), terminate(0, 2, 6)),
  },
})
