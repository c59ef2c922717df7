-- Messages that the device sends, in either role: RFC 5041 4 and 5, RFC 5040 4 and 5. The script makes the device send; the
-- monitor checks every field.

local finish = common.finish
local long = ("0123456789abcdef"):rep(4376) -- 70,016 octets: more than any ULPDU has (RFC 5044 3), so there are segments

local forms = {
  {kind = "send", words = "Sends"},
  {kind = "send_se", words = "Sends with Solicited Event", se = true},
  {kind = "send_inv", words = "Sends with Invalidate", invalidates = true},
  {kind = "send_se_inv", words = "Sends with Solicited Event and Invalidate", se = true, invalidates = true},
}

-- The device sends `count` messages of that form, then one more Send; each comes in order and as posted.
local function sends(form, data, count)
  return function(dut, connection)
    local c = connection{}
    local stags = {}
    for i = 1, count do
      stags[i] = form.invalidates and region{size = 8}.stag or nil
      dut:send{data = i .. data, se = form.se, invalidate = stags[i]}
    end
    dut:send{data = "last"}
    step("the device sends " .. count .. " messages")
    for i = 1, count do
      c:expect{{kind = form.kind, data = i .. data, rsvdulp_rest = stags[i] or 0}}
    end
    step "and a plain Send after them"
    c:expect{{kind = "send", data = "last"}}
    finish(c)
  end
end

-- The device sends Writes of these data to one region of ours, one after the other.
local function writes(...)
  local data = {...}
  local all = table.concat(data)
  return function(dut, connection)
    local target = region{size = #all + 16, fill = "."}
    local c = connection{}
    local to = target.to + 8
    for _, octets in ipairs(data) do
      dut:write{stag = target.stag, to = to, data = octets}
      to = to + #octets
    end
    dut:send{data = "done"}
    for _, octets in ipairs(data) do
      c:expect{{kind = "rdma_write", size = #octets}}
    end
    c:expect{{kind = "send", data = "done"}}
    check(target:get() == "........" .. all .. "........", "the octets are in their places, and no others have changed")
    finish(c)
  end
end

-- Reads of these numbers of octets of one region, all at once.
local function answers(options, ...)
  local sizes = {...}
  return function(dut, connection)
    local source = dut:region{size = #long, rights = "r", fill = long}
    dut:configure{ird = 8, ord = 8} -- on which both ULPs have agreed
    local c = connection(options)
    local sinks = {}
    for i, size in ipairs(sizes) do
      sinks[i] = region{size = size + 8, fill = "."}
      c:read{sink_stag = sinks[i].stag, sink_to = sinks[i].to, size = size, source_stag = source.stag, source_to = source.to + i}
    end
    for i, size in ipairs(sizes) do
      c:expect{{kind = "read_response", stag = sinks[i].stag, to = sinks[i].to, size = size}}
      check(sinks[i]:get() == long:sub(i + 1, i + size) .. "........", "the octets are those of the Data Source, and no others")
    end
    finish(c)
  end
end

local rows = {}
local function add(number, row)
  row.id = ("rdma-message-%03d"):format(number)
  row.initiator = ("rdma-message-%03d"):format(number + 1)
  rows[#rows + 1] = row
end

for i, form in ipairs(forms) do
  add(2 * i - 1, {
    title = "The device's " .. form.words .. " are correct in every field",
    requirements = {"RFC5041-4.3-08", "RFC5041-4.1-02", "RFC5041-4.1-08", "RFC5040-4.1-05", "RFC5040-4.1-07", "RFC5040-4.1-08",
      form.invalidates and "RFC5040-5.3-07" or "RFC5040-4.1-10"},
    run = sends(form, " of two", 2),
  })
end
for i, form in ipairs(forms) do
  add(2 * i + 7, {
    title = "The device's long " .. form.words .. " are correct in every segment",
    requirements = {"RFC5041-5.2-05", "RFC5041-4.1-03", "RFC5041-4.1-05", "RFC5041-4.3-04", "RFC5041-4.3-07", "RFC5041-4.3-11",
      "RFC5041-5.2-03", "RFC5044-3-05"},
    run = sends(form, long, 2),
  })
end
add(17, {
  title = "The device's Sends of no octets are one segment each",
  requirements = {"RFC5041-5.2-08", "RFC5040-5.3-01"},
  run = function(dut, connection)
    local c = connection{}
    for _ = 1, 3 do dut:send{data = ""} end
    for _ = 1, 3 do c:expect{{kind = "send", size = 0, segments = 1}} end
    finish(c)
  end,
})
add(19, {
  title = "The device's RDMA Writes have the right STag and TO",
  requirements = {"RFC5041-4.1-02", "RFC5041-4.1-08", "RFC5041-5.2-03", "RFC5040-4.1-05", "RFC5040-4.1-06"},
  run = writes("one", "and another", "x"),
})
add(21, {
  title = "The device's long RDMA Writes are correct in every segment",
  requirements = {"RFC5041-5.2-07", "RFC5041-4.2-04", "RFC5041-4.2-08", "RFC5041-4.1-03", "RFC5041-4.1-04", "RFC5041-5.3-03"},
  run = writes(long, long),
})
add(23, {
  title = "The device answers Reads in order, each with its octets",
  requirements = {"RFC5040-5.5-16", "RFC5040-4.4-02", "RFC5040-4.4-05", "RFC5041-4.1-02"},
  run = answers({ord = 3}, 1000, 8, 333),
})
add(25, {
  title = "The device's long Read Responses are correct in every segment",
  requirements = {"RFC5041-5.2-07", "RFC5041-4.2-04", "RFC5041-4.2-08", "RFC5041-4.1-03", "RFC5040-4.4-02"},
  run = answers({ord = 2}, 70000, 69999),
})
add(27, {
  title = "After M=1 of its peer the device's messages have Markers in the right places", claims = {"markers"},
  requirements = {"RFC5044-7.1.1-06", "RFC5044-4.3-02", "RFC5044-4.3-03", "RFC5044-4.3-05", "RFC5044-4.3-08", "RFC5044-4.3-09",
    "RFC5044-4.2-02", "RFC5044-4.2-03"},
  run = function(dut, connection)
    local c = connection{markers = true}
    for size = 1, 200, 7 do dut:send{data = long:sub(1, size)} end
    dut:send{data = long}
    for size = 1, 200, 7 do c:expect{{kind = "send", data = long:sub(1, size)}} end
    c:expect{{kind = "send", data = long}}
    finish(c)
  end,
})
add(29, {
  title = "After M=1 of its peer a long Read Response has Markers in the right places", claims = {"markers"},
  requirements = {"RFC5044-7.1.1-06", "RFC5044-4.3-02", "RFC5044-4.3-03", "RFC5044-4.3-08"},
  run = answers({markers = true, ord = 1}, 70000),
})

return common.cases({tier = "agent", close = {"fin"}}, rows)
