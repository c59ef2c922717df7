-- Operations sent without waiting for responses: draft-talpey-rdma-commit-01 3.1.1.3, 3.1.2.3, 3.1.3 and 4.

local closed, both, refused, finish = common.closed, common.both, common.refused, common.finish
local record = "a record of the log"
local mark = 64 -- where the Atomic Write sets the mark that the record is valid
local everything = {"flush-persist", "verify-sha256", "atomic-write"}

local function log_of(dut)
  -- The ULPs have agreed on eight outstanding requests.
  dut:configure{ird = 8, ord = 8}
  return dut:region{size = 128, rights = "rwp", verify = "sha256", persistent = true, fill = "."}
end

-- After the record.
local function is_marked(dut, target)
  return dut:memory(target, mark, 8) ~= "........"
end

local function write_record(c, target)
  c:write{stag = target.stag, to = target.to, data = record}
end

-- Steps of a pipeline, each a request.
local steps = {
  flush = function(c, target)
    c:flush{stag = target.stag, to = target.to, length = #record, p = true}
  end,
  verify = function(c, target)
    c:verify{stag = target.stag, to = target.to, length = #record, hash = hash("sha256", record)}
  end,
  atomic_write = function(c, target)
    c:atomic_write{stag = target.stag, to = target.to + mark, data = 1}
  end,
  bad_flush = function(c, target)
    c:flush{stag = target.stag, to = target.to + 100, length = 29, p = true}
  end,
  bad_verify = function(c, target)
    c:verify{stag = target.stag, to = target.to, length = #record, hash = hash("sha256", "another record")}
  end,
  bad_atomic_write = function(c, target)
    c:atomic_write{stag = target.stag, to = target.to + mark + 4, data = 1}
  end,
  bad_read = function(c)
    c:read{sink_stag = 1, sink_to = 0, size = 8, source_stag = common.unknown_stag, source_to = 0}
  end,
}

-- The steps of the list are sent at once. The one that begins with "bad" is rejected, those before it may be answered, and
-- those after it are not executed.
local function stops(list)
  return function(dut, open)
    local target = log_of(dut)
    local c = open()
    step "send all at once"
    write_record(c, target)
    for _, name in ipairs(list) do
      steps[name](c, target)
    end
    local answers = {}
    for i, name in ipairs(list) do
      if name:find("^bad") then
        break
      end
      answers[i] = {kind = name .. "_response"}
    end
    common.until_refused(c, answers, refused)
    c:expect{closed}
    check(not is_marked(dut, target), "the Atomic Write is not placed")
  end
end

-- Requests that are answered in order, whatever their kinds; the names are steps, or `read` or `fetch_add`.
local function in_order(list)
  return function(dut, open)
    local target = log_of(dut)
    local counter = dut:region{size = 8, rights = "ra", fill = "\0"}
    local sink = region{size = 16}
    local c = open()
    local msn = 0
    write_record(c, target)
    for _, name in ipairs(list) do
      if name == "read" then
        c:read{region = sink, source_stag = target.stag, source_to = target.to}
      elseif name == "fetch_add" then
        c:fetch_add{stag = counter.stag, to = counter.to, add = 1}
      else
        steps[name](c, target)
      end
    end
    for _, name in ipairs(list) do
      if name == "read" then
        c:expect{{kind = "read_response", stag = sink.stag, size = 16}}
      else
        msn = msn + 1
        c:expect{{kind = name == "fetch_add" and "atomic_response" or name .. "_response", qn = 3, msn = msn}}
      end
    end
    finish(c)
  end
end

return common.cases({tier = "agent", claims = everything, close = {"fin"}}, {
  {
    id = "rdma-pipeline-001", initiator = "rdma-pipeline-002",
    title = "Write, Flush, Verify and Atomic Write in one flight are all executed",
    requirements = {"TALPEY-3.1.2.3-03", "TALPEY-3.1.3.1-05", "TALPEY-3.1.1-02"},
    run = function(dut, open)
      local target = log_of(dut)
      local c = open()
      write_record(c, target)
      steps.flush(c, target)
      steps.verify(c, target)
      steps.atomic_write(c, target)
      c:expect{{kind = "flush_response", msn = 1}}
      c:expect{{kind = "verify_response", msn = 2, data = hash("sha256", record)}}
      c:expect{{kind = "atomic_write_response", msn = 3}}
      check(dut:kept(target, 0, #record) == record, "the record is on the medium")
      check(is_marked(dut, target), "and marked as valid")
      finish(c)
    end,
  },
  {
    id = "rdma-pipeline-003", title = "The value of an Atomic Write is persistent after a Flush",
    requirements = {"TALPEY-3.1.3.1-05", "TALPEY-3.1.1-02", "TALPEY-3.1.1.3-06"},
    run = function(dut, open)
      local target = log_of(dut)
      local c = open()
      write_record(c, target)
      steps.flush(c, target)
      steps.atomic_write(c, target)
      c:flush{stag = target.stag, to = target.to + mark, length = 8, p = true}
      c:expect{{kind = "flush_response", msn = 1}}
      c:expect{{kind = "atomic_write_response", msn = 2}}
      c:expect{{kind = "flush_response", msn = 3}}
      check(dut:kept(target, mark, 8) == dut:memory(target, mark, 8) and is_marked(dut, target),
        "the medium has the mark")
      finish(c)
    end,
  },
  {
    id = "rdma-pipeline-004", title = "Each of several Verifies hashes what the Flush before it has flushed",
    requirements = {"TALPEY-3.1.2.3-03"},
    run = function(dut, open)
      local target = log_of(dut)
      local c = open()
      step "send eight requests without waiting for a response"
      for i = 1, 4 do
        local to = target.to + 16 * i
        c:write{stag = target.stag, to = to, data = "record " .. i}
        c:flush{stag = target.stag, to = to, length = 8, p = true}
        c:verify{stag = target.stag, to = to, length = 8, hash = hash("sha256", "record " .. i)}
      end
      for i = 1, 4 do
        c:expect{{kind = "flush_response", msn = 2 * i - 1}}
        c:expect{{kind = "verify_response", msn = 2 * i, data = hash("sha256", "record " .. i)}}
      end
      finish(c)
    end,
  },
  {
    id = "rdma-pipeline-005", title = "Eight Flushes at once get eight responses",
    requirements = {"TALPEY-3.1.1.2-02", "RFC7306-5.2.2-06"}, claims = {"flush-persist"},
    run = in_order{"flush", "flush", "flush", "flush", "flush", "flush", "flush", "flush"},
  },
  {
    id = "rdma-pipeline-006", title = "Read Responses keep their order among Flush, Verify and Atomic Write Responses and use no MSN of queue 3",
    requirements = {"TALPEY-3.1.2.3-02", "TALPEY-3.1.1.3-02", "RFC7306-5.2.2-06"},
    run = in_order{"read", "flush", "read", "verify", "read", "atomic_write"},
  },
  {
    id = "rdma-pipeline-007",
    title = "The responses to FetchAdd, Flush, Verify and Atomic Write have consecutive MSNs of queue 3",
    requirements = {"RFC7306-5.2.2-06", "TALPEY-3.1.1.3-02", "TALPEY-3.1.3.2-01"},
    claims = {"flush-persist", "verify-sha256", "atomic-write", "atomic"},
    run = in_order{"fetch_add", "flush", "fetch_add", "verify", "atomic_write", "fetch_add"},
  },
  {
    id = "rdma-pipeline-008",
    title = "With IRD 1 a Flush, a Verify and an Atomic Write, sent one at a time, are all executed",
    requirements = {"TALPEY-3.1.3.1-05", "TALPEY-3.1.2.3-03"},
    claims = {"flush-persist", "verify-sha256", "atomic-write", "rev-2"},
    run = function(dut, open)
      local target = log_of(dut)
      dut:configure{ird = 1}
      local c = open{rev = 2}
      check(c.terms.ord == 1, "send one request at a time")
      write_record(c, target)
      steps.flush(c, target)
      steps.verify(c, target)
      steps.atomic_write(c, target)
      c:expect{{kind = "flush_response"}}
      c:expect{{kind = "verify_response"}}
      c:expect{{kind = "atomic_write_response"}}
      check(is_marked(dut, target), "the record is marked")
      finish(c)
    end,
  },

  -- a failure stops the rest

  {
    id = "rdma-pipeline-009", initiator = "rdma-pipeline-010",
    title = "After a failed Verify no Atomic Write is placed",
    requirements = {"TALPEY-3.1.2-01", "TALPEY-3.1.3.1-05", "TALPEY-5.2-04"}, close = both,
    run = stops{"flush", "bad_verify", "atomic_write"},
  },
  {
    id = "rdma-pipeline-011", title = "After a failed Flush no Atomic Write is placed",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-3.1.3.1-05"}, claims = {"flush-persist", "atomic-write"}, close = both,
    run = stops{"bad_flush", "atomic_write"},
  },
  {
    id = "rdma-pipeline-012", title = "After a failed Flush no Verify is answered",
    requirements = {"TALPEY-3.1.1-01", "TALPEY-3.1.2.3-03"}, close = both,
    run = stops{"flush", "bad_flush", "verify", "atomic_write"},
  },
  {
    id = "rdma-pipeline-013", title = "If the second of two Flushes fails, no Atomic Write is placed",
    requirements = {"TALPEY-3.1.3.1-05"}, claims = {"flush-persist", "atomic-write"}, close = both,
    run = stops{"flush", "bad_flush", "atomic_write"},
  },
  {
    id = "rdma-pipeline-014", title = "After a failed Atomic Write no further Atomic Write is placed",
    requirements = {"TALPEY-3.1.3.1-05", "TALPEY-3.1.3.1-07"}, claims = {"flush-persist", "atomic-write"}, close = both,
    run = stops{"flush", "bad_atomic_write", "atomic_write"},
  },
  {
    id = "rdma-pipeline-015", title = "After a failed Read no Atomic Write is placed",
    requirements = {"TALPEY-3.1.3.1-05"}, claims = {"flush-persist", "atomic-write"}, close = both,
    run = stops{"flush", "bad_read", "atomic_write"},
  },
  {
    id = "rdma-pipeline-016", title = "After a rejected Write no Flush is answered and no Atomic Write is placed",
    requirements = {"TALPEY-3.1.3.1-05", "TALPEY-5.2-04"}, claims = {"flush-persist", "atomic-write"}, close = both,
    danger = {"memory"},
    run = function(dut, open)
      local target = log_of(dut)
      local c = open()
      step "send a Write beyond the end, a Flush and an Atomic Write"
      c:write{stag = target.stag, to = target.to + 120, data = "too long!"}
      steps.flush(c, target)
      steps.atomic_write(c, target)
      c:expect{common.terminate(1, 1, 1)}
      c:expect{closed}
      check(not is_marked(dut, target), "the Atomic Write is not placed")
    end,
  },

  -- the device sends requests

  {
    id = "rdma-pipeline-017", initiator = "rdma-pipeline-018",
    title = "The device sends a Write, a Flush, a Verify and an Atomic Write in the order its ULP posted them",
    requirements = {"TALPEY-3.1.1.1-01", "TALPEY-3.1.2.1-01", "TALPEY-3.1.3.1-01", "RFC5040-5.5-09"},
    run = function(dut, open)
      local target = region{size = 128, rights = "wp", verify = "sha256", persistent = true, to = 0x20000}
      local digest = hash("sha256", record)
      dut:configure{ird = 8, ord = 8}
      local c = open()
      dut:write{stag = target.stag, to = target.to, data = record}
      dut:flush{stag = target.stag, to = target.to, length = #record, p = true}
      dut:verify{stag = target.stag, to = target.to, length = #record, hash = digest}
      local last = dut:atomic_write{stag = target.stag, to = target.to + mark, data = 1}
      c:expect{{kind = "rdma_write", data = record}}
      c:expect{{kind = "flush_request", msn = 1, length = #record}}
      c:expect{{kind = "verify_request", msn = 2, length = #record, data = digest}}
      c:expect{{kind = "atomic_write_request", msn = 3, to = target.to + mark, data = 1}}
      check(common.completion(dut, last).status == "done", "all are complete")
      check(target:kept(0, #record) == record, "the record is on the medium")
      finish(c)
    end,
  },
  {
    id = "rdma-pipeline-019", title = "The device reports requests after a failed Verify to its ULP as failed",
    requirements = {"TALPEY-5.1-02"}, close = {"fin", "rst"},
    run = function(dut, open)
      dut:configure{ird = 8, ord = 8}
      local c = open{auto = {responses = false, close = false}}
      local flush = dut:flush{stag = 0x1234, to = 0x20000, length = 8, p = true}
      local verify = dut:verify{stag = 0x1234, to = 0x20000, length = 8, hash = hash("sha256", "12345678")}
      local write = dut:atomic_write{stag = 0x1234, to = 0x20008, data = 1}
      local requests = {{kind = "flush_request"}, {kind = "verify_request"}, {kind = "atomic_write_request"}}
      local open = #common.under_way(c, requests)
      step "answer the Flush, reject the Verify"
      c:message{kind = "flush_response"}
      c:sent()
      if open < 2 then c:expect{requests[2]} end
      c:terminate{layer = 0, etype = 2, code = 7}
      check(common.completion(dut, flush).status == "done", "the Flush is complete")
      check(common.completion(dut, verify).status == "flushed", "the Verify has failed")
      check(common.completion(dut, write).status == "flushed", "so has the Atomic Write")
      c:expect{closed, ignore = "atomic_write_request"}
    end,
  },
  {
    id = "rdma-pipeline-020", title = "The device keeps its outstanding requests of all kinds within ORD",
    requirements = {"RFC5040-6.1-04"},
    claims = {"flush-persist", "verify-sha256", "atomic-write", "rev-2"},
    run = function(dut, open)
      dut:configure{ird = 8, ord = 2}
      local c = open{rev = 2, auto = {responses = false}}
      step "the ULP posts a Flush, a Verify and an Atomic Write with an ORD of 2"
      dut:flush{stag = 0x1234, to = 0x20000, length = 8, p = true}
      dut:verify{stag = 0x1234, to = 0x20000, length = 8}
      local last = dut:atomic_write{stag = 0x1234, to = 0x20008, data = 1}
      local requests = {{kind = "flush_request"}, {kind = "verify_request"}, {kind = "atomic_write_request", msn = 3}}
      local open = #common.under_way(c, requests)
      check(open <= 2, "at most two are outstanding")
      step "answers"
      for _, answer in ipairs{{kind = "flush_response"}, {kind = "verify_response", payload = hash("sha256", "12345678")},
        {kind = "atomic_write_response"}} do
        c:message(answer)
        if open < 3 then
          open = open + 1
          c:expect{requests[open]}
        end
      end
      check(common.completion(dut, last).status == "done", "all are complete")
      finish(c)
    end,
  },
  {
    id = "rdma-pipeline-021", initiator = "rdma-pipeline-022",
    title = "A response to the second request before that to the first is answered by a Terminate",
    requirements = {"TALPEY-5.1-01"}, claims = {"flush-persist", "atomic-write"}, close = both,
    run = function(dut, open)
      dut:configure{ird = 8, ord = 8}
      local c = open{auto = {responses = false, terminate = false}}
      local flush = dut:flush{stag = 0x1234, to = 0x20000, length = 8, p = true}
      local write = dut:atomic_write{stag = 0x1234, to = 0x20008, data = 1}
      common.under_way(c, {{kind = "flush_request"}, {kind = "atomic_write_request"}})
      step "answer the Atomic Write as if there were no Flush"
      c:fpdu{kind = "atomic_write_response", msn = 1}
      c:expect{common.terminate(0, 2, 6), refused, {kind = "terminate", layer = 1, etype = 2}}
      c:expect{closed}
      check(common.completion(dut, flush).status == "flushed", "the Flush has not succeeded")
      check(common.completion(dut, write).status == "flushed", "neither has the Atomic Write")
    end,
  },
})
