-- Atomic Operations and their effect on memory: RFC 7306 5.1 and draft-ietf-storm-rdmap-ext-01 5.1. The values are in
-- hexadecimal and were computed by hand.

local finish = common.finish

-- The operation finds `before` in memory and returns it, and leaves `after`. The next operation checks that it finds
-- `after`.
local function leaves(role, before, message, after)
  return function(dut)
    local c = common.open(dut, role)
    local atom = common.atom(dut, c, before)
    message.stag, message.to = atom.stag, atom.to
    step "send the operation"
    c:atomic(message)
    c:expect{{kind = "atomic_response", original_value = before}}
    check(atom.value() == after, "the operation leaves the expected value in memory")
    step "send a FetchAdd of 0"
    c:fetch_add{stag = atom.stag, to = atom.to}
    c:expect{{kind = "atomic_response", original_value = after}}
    finish(c)
  end
end

-- { id, title, before, Add Data, Add Mask, after [, role of the device] }
local additions = {
  {"rdma-atomic-001", "A FetchAdd of 0 leaves the value unchanged",
    0x0123456789ABCDEF, 0, 0, 0x0123456789ABCDEF},
  {"rdma-atomic-002", "A FetchAdd carries from bit to bit through all 64 bits",
    0x00FFFFFFFFFFFFFF, 1, 0, 0x0100000000000000},
  {"rdma-atomic-003", "A FetchAdd discards the carry out of the 64 bits",
    0xFFFFFFFFFFFFFFFF, 3, 0, 2},
  {"rdma-atomic-004", "A FetchAdd adds a negative number in two's complement",
    0x0000000000000010, 0xFFFFFFFFFFFFFFF0, 0, 0},
  {"rdma-atomic-005", "A FetchAdd with two 32-bit fields does not carry from one to the other",
    0x00000001FFFFFFFF, 0x0000000200000001, 0x8000000080000000, 0x0000000300000000},
  {"rdma-atomic-006", "A FetchAdd with eight 8-bit fields adds each field on its own",
    0xFF80017F00FE10F0, 0x0180FF0100FF1020, 0x8080808080808080, 0x0000008000FD2010},
  {"rdma-atomic-007", "A FetchAdd with an all-ones Add Mask adds each bit on its own",
    0xFFFF0000F0F0AAAA, 0xFF00FF000FF0CCCC, 0xFFFFFFFFFFFFFFFF, 0x00FFFF00FF006666},
  {"rdma-atomic-008", "A FetchAdd with only the highest mask bit set adds 64 bits",
    0x00000000FFFFFFFF, 1, 0x8000000000000000, 0x0000000100000000},
  {"rdma-atomic-009", "A FetchAdd adds fields of 3, 17 and 44 bits",
    0x00000000000FFFFF, 0x0000000000100009, 0x8000000000080004, 0x0000000000100000},
  {"rdma-atomic-010", "A FetchAdd with only the lowest mask bit set adds fields of 1 and 63 bits",
    0x0000000000000003, 0xFFFFFFFFFFFFFFFF, 0x0000000000000001, 0x0000000000000000},
  {"rdma-atomic-011", "A FetchAdd discards the carry out of bit 63 if no mask bit ends the last field",
    0xFFFFFFFF00000001, 0x0000000180000000, 0x0000000080000000, 0x0000000080000001},
  {"rdma-atomic-012", "The device as initiator executes a FetchAdd",
    0x7FFFFFFFFFFFFFFF, 0x0000000000000001, 0, 0x8000000000000000, "initiator"},
  {"rdma-atomic-013", "The device as initiator executes a FetchAdd of two 32-bit fields without a carry between them",
    0x00000001FFFFFFFF, 0x0000000200000001, 0x8000000080000000, 0x0000000300000000, "initiator"},
}

-- { id, title, before, Compare Data, Compare Mask, Swap Data, Swap Mask, after [, role] }
local all = 0xFFFFFFFFFFFFFFFF
local swaps = {
  {"rdma-atomic-020", "A CmpSwap that matches replaces the 64 bits",
    0x0123456789ABCDEF, 0x0123456789ABCDEF, all, 0xFEDCBA9876543210, all, 0xFEDCBA9876543210},
  {"rdma-atomic-021", "A CmpSwap that differs in the lowest bit leaves the value unchanged",
    0x0123456789ABCDEF, 0x0123456789ABCDEE, all, 0xFEDCBA9876543210, all, 0x0123456789ABCDEF},
  {"rdma-atomic-022", "A CmpSwap that differs in the highest bit leaves the value unchanged",
    0x0123456789ABCDEF, 0x8123456789ABCDEF, all, 0xFEDCBA9876543210, all, 0x0123456789ABCDEF},
  {"rdma-atomic-023", "A CmpSwap compares only the bits in the Compare Mask",
    0x0123456789ABCDEF, 0x0000000089ABCDEF, 0x00000000FFFFFFFF, 5, all, 5},
  {"rdma-atomic-024", "A CmpSwap that differs in one bit of the Compare Mask leaves the value unchanged",
    0x0123456789ABCDEF, 0x0123456780000000, 0xFFFFFFFFF8000000, 5, all, 0x0123456789ABCDEF},
  {"rdma-atomic-025", "A CmpSwap ignores Compare Data outside the Compare Mask",
    0x0123456789ABCDEF, 0xFFFFFFFF89ABCDEF, 0x00000000FFFFFFFF, 5, all, 5},
  {"rdma-atomic-026", "A CmpSwap with a Compare Mask of 0 always matches",
    0x0123456789ABCDEF, 0xAAAAAAAAAAAAAAAA, 0, 0x5555555555555555, all, 0x5555555555555555},
  {"rdma-atomic-027", "A CmpSwap replaces only the bits in the Swap Mask",
    0x0123456789ABCDEF, 0x0123456789ABCDEF, all, 0xAAAAAAAAAAAAAAAA, 0x00FF00000000FFFF,
    0x01AA456789ABAAAA},
  {"rdma-atomic-028", "A CmpSwap with a Swap Mask of 0 leaves the value unchanged",
    0x0123456789ABCDEF, 0x0123456789ABCDEF, all, 0xAAAAAAAAAAAAAAAA, 0, 0x0123456789ABCDEF},
  {"rdma-atomic-029", "A CmpSwap compares some bits and replaces others",
    0x0123456789ABCDEF, 0x0123456700000000, 0xFFFFFFFF00000000, 0x00000000DEADBEEF, 0x00000000FFFFFFFF,
    0x01234567DEADBEEF},
  {"rdma-atomic-030", "The device as initiator executes a CmpSwap",
    0x0000000000000000, 0, all, all, all, all, "initiator"},
  {"rdma-atomic-031", "The device as initiator compares only the bits in the Compare Mask",
    0x0123456789ABCDEF, 0x0000000089ABCDEF, 0x00000000FFFFFFFF, 5, all, 5, "initiator"},
  {"rdma-atomic-032", "The device as initiator replaces only the bits in the Swap Mask",
    0x0123456789ABCDEF, 0x0123456789ABCDEF, all, 0xAAAAAAAAAAAAAAAA, 0x00FF00000000FFFF,
    0x01AA456789ABAAAA, "initiator"},
}

-- { id, title, before, Swap Data, Add or Swap Mask, Compare Data, Compare Mask, another requirement [, role] }. All masks
-- and the Compare Data are ignored.
local replacements = {
  {"rdma-swap-001", "A Swap replaces the 64 bits", 0x0123456789ABCDEF, 0xFEDCBA9876543210, all, 0, all},
  {"rdma-swap-004", "The device as initiator executes a Swap that replaces the 64 bits",
    0x0123456789ABCDEF, 0xFEDCBA9876543210, all, 0, all, nil, "initiator"},
  {"rdma-swap-002", "A Swap ignores its Add or Swap Mask",
    0x0123456789ABCDEF, 0x1111111111111111, 0, 0, all, "EXT01-5.2.1-01"},
  {"rdma-swap-003", "A Swap ignores its Compare Data and Compare Mask",
    0x0123456789ABCDEF, 0x2222222222222222, all, 0x3333333333333333, 0xFF, "EXT01-5.2.1-02"},
}

local cases = {}

for _, row in ipairs(additions) do
  local id, title, before, data, mask, after, role = table.unpack(row)
  cases[#cases + 1] = {
    id = id, title = title, requirements = {"RFC7306-5.1.1-06", "RFC7306-5.2.1-12"},
    role = role or "responder", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = leaves(role, before, {aopcode = 0, data = data, mask = mask, compare_mask = all}, after),
  }
end

for _, row in ipairs(swaps) do
  local id, title, before, compare, compare_mask, swap, swap_mask, after, role = table.unpack(row)
  cases[#cases + 1] = {
    id = id, title = title, requirements = {"RFC7306-5.1.2-01", "RFC7306-5.2.1-12"},
    role = role or "responder", tier = "agent", claims = {"atomic"}, close = {"fin"},
    run = leaves(role, before, {aopcode = 2, data = swap, mask = swap_mask, compare_data = compare,
      compare_mask = compare_mask}, after),
  }
end

for _, row in ipairs(replacements) do
  local id, title, before, swap, mask, compare, compare_mask, requirement, role = table.unpack(row, 1, 9)
  cases[#cases + 1] = {
    id = id, title = title, requirements = {"EXT01-5.1.2-01", requirement},
    role = role or "responder", tier = "agent", claims = {"atomic", "swap"}, close = {"fin"},
    run = leaves(role or "responder", before, {aopcode = 1, data = swap, mask = mask, compare_data = compare,
      compare_mask = compare_mask}, swap),
  }
end

return cases
