-- Logs the profile of what the device has.
local has = ...

local function list(names)
  local quoted = {}
  for i, name in ipairs(names) do quoted[i] = ("%q"):format(name) end
  return "{" .. table.concat(quoted, ", ") .. "}"
end

-- The field, and the note about it as a comment, if there is one.
local function put(name, value)
  if value ~= nil then log(("  %s = %s,"):format(name, value)) end
  if has.notes[name] then log("  -- " .. has.notes[name]) end
end

local function put_flag(name) put(name, tostring(not not has[name])) end

local revisions = {}
for revision = 1, 2 do
  if has.revisions[revision] then revisions[#revisions + 1] = revision end
end

log "return {"
put("roles", list(has.roles))
put("revisions", "{" .. table.concat(revisions, ", ") .. "}")
put_flag "markers"
put("crc", ("%q"):format(has.crc))
if has.crc_reports ~= nil then put_flag "crc_reports" end
put("rtr", list(has.rtr))
put("ird", has.ird)
put("ord", has.ord)
put_flag "atomics"
put_flag "swap"
put_flag "immediate"
put("flush", list(has.flush))
put("verify", list(has.verify))
put_flag "atomic_write"
put_flag "sctp"
put("startup_timeout", has.startup_timeout)
log "}"
