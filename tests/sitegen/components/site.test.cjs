// The pure parts of site.js, under Node: `node --test site.test.cjs`.
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const { test } = require("node:test");
const site = require(path.join(__dirname, "../../../sitegen/static/site.js"));

const sorted = (values, kind, descending) =>
  site.order(values, kind, descending).map((index) => values[index]);

test("a decimal is compared by all of its digits", () => {
  const values = ["0.10000000000000000002", "0.1", "0.10000000000000000001", "1e-1"];
  assert.deepEqual(sorted(values, "number", false), [
    "0.1",
    "1e-1",
    "0.10000000000000000001",
    "0.10000000000000000002",
  ]);
});

test("signs, exponents and zeros are understood", () => {
  const values = ["-0", "2e3", "-10", "1,999.5", "\u22129", "0.0001", "100e-6", "+5", ".5"];
  assert.deepEqual(sorted(values, "number", false), [
    "-10", "\u22129", "-0", "0.0001", "100e-6", ".5", "+5", "1,999.5", "2e3",
  ]);
});

test("integers beyond doubles keep their order", () => {
  assert.deepEqual(sorted(["9007199254740993", "9007199254740992"], "number", true), [
    "9007199254740993",
    "9007199254740992",
  ]);
});

test("an exponent of any size costs nothing", () => {
  assert.deepEqual(sorted(["1e999999999", "1e999999998"], "number", false), [
    "1e999999998",
    "1e999999999",
  ]);
});

test("what is missing comes last in either direction", () => {
  const values = ["—", "1", "", "2"];
  assert.deepEqual(sorted(values, "number", false), ["1", "2", "—", ""]);
  assert.deepEqual(sorted(values, "number", true), ["2", "1", "—", ""]);
  assert.deepEqual(sorted(["b", "", "a"], "text", true), ["b", "a", ""]);
});

test("equal values keep their order in either direction", () => {
  assert.deepEqual(site.order(["1", "1.0", "1.00"], "number", false), [0, 1, 2]);
  assert.deepEqual(site.order(["1", "1.0", "1.00"], "number", true), [0, 1, 2]);
});

test("numbers inside names count as numbers", () => {
  assert.deepEqual(sorted(["agent-10", "agent-9", "Agent-1"], "text", false), [
    "Agent-1", "agent-9", "agent-10",
  ]);
});

test("no text that is not a decimal is taken for one", () => {
  for (const text of ["", ".", "-", "e5", "1e", "0x10", "1.2.3", "NaN", "Infinity", "1e9999999999"]) {
    assert.equal(site.decimal(text), null, text);
  }
});

test("a filter wants every word, without case and accents", () => {
  assert.ok(site.matches("Zoë alpha 12.3", "ALPHA zoe"));
  assert.ok(!site.matches("alpha", "alpha beta"));
  assert.ok(site.matches("anything", ""));
});

test("a search wants every word, and titles come first", () => {
  const index = [
    ["Glossary", "glossary/index.html", "seal root season"],
    ["Season one", "seasons/1/index.html", "floor"],
    ["Season", "seasons/index.html", ""],
  ];
  const titles = (query) => site.search(index, query, 9).found.map((entry) => entry[0]);
  assert.deepEqual(titles("season"), ["Season", "Season one", "Glossary"]);
  assert.deepEqual(titles("season floor"), ["Season one"]);
  assert.deepEqual(titles(" "), []);
  assert.equal(site.search(index, "season", 1).count, 3);
});
