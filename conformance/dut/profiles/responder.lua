return {
  words = "accepts connections only",
  roles = {"responder"},
}
