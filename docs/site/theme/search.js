"use strict";
// Finds the sections that have all words of the query, each as the beginning of a word. searchIndex: search-index.js.
const LIMIT = 50;
const EXCERPT = 160;

const query = new URLSearchParams(location.search).get("q") || "";
const wanted = (query.toLowerCase().match(/[^\s"]+/g) || []).map(
  (word) => new RegExp("(?<![\\p{L}\\p{N}])" + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu"));

function points(entry) {
  let sum = 0;
  for (const word of wanted) {
    const [inTitle, inHeading, inText] = [entry.t, entry.h, entry.x].map((text) => (text.match(word) || []).length);
    if (inTitle + inHeading + inText === 0) return 0;
    sum += (inHeading ? 20 : 0) + (inTitle ? 10 : 0) + Math.min(inText, 5);
  }
  return sum;
}

// Text with the words marked, around the first of them.
function excerpt(text) {
  const first = Math.min(...wanted.map((word) => text.search(word)).filter((at) => at >= 0), text.length);
  const from = first === text.length ? 0 : Math.max(0, first - EXCERPT / 2);
  const part = (from > 0 ? "… " : "") + text.slice(from, from + 2 * EXCERPT);
  const marks = [];
  for (const word of wanted) for (const match of part.matchAll(word)) marks.push([match.index, match.index + match[0].length]);
  marks.sort((a, b) => a[0] - b[0]);
  const shown = document.createElement("p");
  let at = 0;
  for (const [begin, end] of marks) {
    if (begin < at) continue;
    shown.append(part.slice(at, begin));
    const mark = document.createElement("mark");
    mark.textContent = part.slice(begin, end);
    shown.append(mark);
    at = end;
  }
  shown.append(part.slice(at));
  return shown;
}

function show(entry) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = entry.u;
  link.textContent = entry.h ? `${entry.t}: ${entry.h}` : entry.t;
  item.append(link, excerpt(entry.x));
  return item;
}

const found = wanted.length === 0 ? [] : searchIndex.map((entry) => [points(entry), entry]).filter(([sum]) => sum > 0);
found.sort((a, b) => b[0] - a[0]);
document.querySelector("input[name=q]").value = query;
const count = document.getElementById("count");
count.textContent = wanted.length === 0 ? "Enter words to search for." :
  found.length > LIMIT ? `${found.length} places, the first ${LIMIT}:` : found.length === 1 ? "1 place" : `${found.length} places`;
document.getElementById("results").append(...found.slice(0, LIMIT).map(([, entry]) => show(entry)));
