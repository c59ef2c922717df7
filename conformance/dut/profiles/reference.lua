-- Every claim that there is.
return {
  words = "all that the reference supports",
}
