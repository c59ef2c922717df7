return {
  words = "one outstanding request in each direction, and one RTR type",
  ird = 1, ord = 1,
  rtr = {"write"},
}
