// Answers one question a line: {"op": name, "args": [...]}, for the tests that compare verify.js
// with the Python implementation. Doubles travel as their 64 bits in hex.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const js = await import(pathToFileURL(process.argv[2]).href);

const bits = (value) => {
  if (typeof value !== "number") {
    return value;
  }
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
};
const double = (hex) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
};
const every = (object) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, bits(value)]));

const OPS = {
  sha256: (text) => js.sha256Hex(text),
  canonical: (text) => js.canonicalJson(js.readJson(text)),
  points: (p, b, hit) => {
    const { units, by } = js.points({ p: js.decimal(p), b: js.decimal(b), hit });
    return { text: js.decimalText(units, 4), by };
  },
  standing: (calls) => {
    const read = calls.map(([points, age]) => ({ points: js.decimal(points), age }));
    const { units, by } = js.standing(read);
    return { text: js.decimalText(units, 4), by };
  },
  brier: (calls) => {
    const units = js.brier(calls.map(([p, hit]) => ({ p: js.decimal(p), hit })));
    return units === null ? null : js.decimalText(units, 6);
  },
  table: (calls, start, end) => {
    const settled = calls.map(([agent, outcome, p, points, settledAt]) => ({
      agent,
      seal: "",
      outcome,
      p: js.decimal(p),
      b: null,
      points: points === null ? null : js.decimal(points),
      settledAt,
    }));
    const row = ({ agent, standing, brier, hits, misses, settled: count, voids, rank }) => ({
      agent,
      standing: js.decimalText(standing, 4),
      brier: brier === null ? null : js.decimalText(brier, 6),
      hits,
      misses,
      settled: count,
      voids,
      rank: rank ?? null,
    });
    const { rows, unlisted } = js.floorTable(settled, start, end);
    return { rows: rows.map(row), unlisted: unlisted.map(row) };
  },
  manifest: (text) => {
    const { scheme, values } = js.parseManifest(text);
    if (scheme !== "arcana-score/v1") {
      return { scheme };
    }
    const constants = js.readConstants(values.get("constants"));
    const published = js.arePublishedConstants(values.get("constants"));
    return { scheme, published, outputs: every(js.arcanaScore(js.scoreInputs(values), constants)) };
  },
  score: (inputs) => every(js.arcanaScore({ ...inputs, peers: inputs.peers.map(double) })),
  legacy: (name, inputs) =>
    every(js.arcanaLegacyScore(name, { ...inputs, peers: inputs.peers.map(double) })),
  columns: (values) => values.map((hex) => js.storedColumn(double(hex))),
  goFloat: (text) => bits(js.goFloat(text)),
  goNumber: (hex) => js.goNumber(double(hex)),
  goString: (text) => js.goString(text),
  round1: (hex) => bits(js.round1(double(hex))),
  complement: (hex) => bits(js.complement(double(hex))),
  nearest: (n, d) => bits(js.nearestDouble({ n: BigInt(n), d: BigInt(d) })),
  root: async (records) => js.toHex(await js.merkleRoot(records.map(js.fromHex))),
  inclusion: (record, index, size, path, root) =>
    js.checkInclusion(record, index, size, path, root),
  walk: async (leaf, index, size, path) => {
    const steps = path.map((sibling) => ({ sibling: js.fromHex(sibling) }));
    return js.toHex(await js.walkInclusion(js.fromHex(leaf), index, size, steps));
  },
  chain: (lines) => js.chainProblem(lines.map((line) => js.readJson(line))),
  agrees: (shown, value) => js.agreesAsShown(shown, value),
  time: (text) => js.floorTime(text),
  verify: (payload, shown) => js.verify(payload, { shown: shown ?? [] }),
  verifyWithoutCrypto: async (payload) => {
    const kept = Object.getOwnPropertyDescriptor(globalThis, "crypto");
    Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
    try {
      return await js.verify(payload);
    } finally {
      Object.defineProperty(globalThis, "crypto", kept);
    }
  },
  verifyFile: (hex) => js.verifyFile(js.fromHex(hex)),
  enclose: (name, n, d, precision) => {
    const { low, high } = js[name](BigInt(n), BigInt(d), BigInt(precision));
    return [low.toString(), high.toString()];
  },
};

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { op, args } = JSON.parse(line);
  let answer;
  try {
    answer = { value: await OPS[op](...args) };
  } catch (error) {
    answer = { error: error.constructor.name, message: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
