// Answers one question a line: {"op": name, "args": [...]}, for the tests that compare the part of
// verify.js on boards with the Python implementation. Doubles of single values travel as their 64
// bits in hex; figures are written so that they read back as the same double.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const js = await import(pathToFileURL(process.argv[2]).href);

const view = new DataView(new ArrayBuffer(8));
const bits = (value) => {
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
};
const double = (hex) => {
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
};
const each = (made) => (list) => list.map((hex) => bits(made(double(hex))));
const band = (series) => series.map((values) => Float64Array.from(values));
const bootstrap = (kernel, { seed, resamples, alpha }) =>
  new js.Bootstrap(js.SHARPE_KERNELS.get(kernel), { seed: BigInt(seed), resamples, alpha });

const OPS = {
  exp: each(js.glibcExp),
  log: each(js.correctLog),
  cdf: each(js.normalCdf),
  inverse: each(js.normalInverse),
  multiply: (triples) => triples.map(([a, b, c]) => bits(js.fusedMultiplyAdd(double(a), double(b), double(c)))),
  expected: (pairs) => pairs.map(([deviation, trials]) => bits(js.expectedMaximum(double(deviation), trials))),
  bar: (kernel, declared) => js.deflationBar(js.SHARPE_KERNELS.get(kernel), declared),
  moments: (kernel, track) => js.momentsOf(js.SHARPE_KERNELS.get(kernel), [Float64Array.from(track)]),
  psr: (kernel, track, benchmark) =>
    js.probabilisticSharpe(js.momentsOf(js.SHARPE_KERNELS.get(kernel), [Float64Array.from(track)]), benchmark),
  row: (kernel, series, declared) => {
    const of = js.SHARPE_KERNELS.get(kernel);
    const read = band(series);
    const { value, status } = js.scoreOf(of, read, js.deflationBar(of, declared));
    const mean = js.numpyMean(Float64Array.from(series.flat()));
    return { score: value, status, rate: js.passRate(of, read), mean };
  },
  interval: (kernel, series, settings, trials) =>
    js.intervalOf(bootstrap(kernel, settings), band(series), js.deflationBar(js.SHARPE_KERNELS.get(kernel), trials)),
  pair: (kernel, a, b, settings, trials) =>
    js.pairedTest(bootstrap(kernel, settings), band(a), band(b), js.deflationBar(js.SHARPE_KERNELS.get(kernel), trials)),
  draws: (seed, resamples, k) => [...js.drawSeeds(BigInt(seed), resamples, k)],
  order: (scores) => js.boardOrder(scores),
  ranks: (scores, marks) => js.rankCells(scores, marks),
  verify: (payload) => js.verify(payload),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, args } = JSON.parse(line);
  let answer;
  try {
    answer = { value: await OPS[op](...args) };
  } catch (error) {
    answer = { error: error.constructor.name, message: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
