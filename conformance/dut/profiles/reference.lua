-- The defaults of a profile.
return {
  words = "all that the reference supports",
}
