return {
  words = "connects to nobody",
  roles = {"responder"},
}
