return {
  words = "one request at a time in each direction, and one RTR type",
  ird = 1, ord = 1,
  rtr = {"write"},
}
