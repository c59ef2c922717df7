return {
  words = "without Markers",
  markers = false,
}
