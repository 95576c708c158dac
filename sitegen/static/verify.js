/*
 * verify.js: checks in the browser what the page it stands on says.
 *
 * An independent second implementation of the published rules: written from the specifications,
 * it shares no code with the generator that made the page. One module without dependencies, so
 * that it can be read as a whole; it loads nothing and sends nothing.
 *
 *   1  refusals and bytes       SHA-256 by WebCrypto, hex, UTF-8
 *   2  strict JSON              a reader that keeps the text of numbers; RFC 8785
 *   3  exact arithmetic         decimals, fractions, correct rounding, in BigInt
 *   4  enclosures               logarithm and power of two between proved bounds
 *   5  Merkle trees             RFC 9162, and the platform's steps with sides
 *   6  the Floor                seal, points, Brier score, standing, order, hash chain
 *   7  ARCANA: manifests        the exact text of three schemes
 *   8  ARCANA: scores           ten outputs, bit for bit
 *   9  reports                  what was checked, with which values; what was not
 *  10  payloads                 one function for each kind of page
 *  11  files                    manifests and proof files that a reader brings
 *  12  SharpeArena              boards
 *  13  the page                 the list that a reader sees
 *
 * Everything read is hostile. Whatever is wrong with it becomes a line of the report, never an
 * exception and never a pass. Objects are read into Map, so that no name of a member reaches a
 * prototype; text reaches the page as textContent alone.
 *
 * Exported names stand at line starts, so that the same text without them is a classic script.
 */

// ---------------------------------------------------------------------------------------------
// 1  Refusals and bytes
// ---------------------------------------------------------------------------------------------

/** Input that is not of the form it has to have. The message is for the reader. */
export class Refused extends Error {}

/** Something that this browser cannot do, so that nothing is said either way. */
export class Unavailable extends Error {}

const HASH = /^[0-9a-f]{64}$/;

/**
 * @param {string} text
 * @returns {Uint8Array} Its UTF-8.
 */
export function utf8(text) {
  return new TextEncoder().encode(text);
}

/**
 * @param {Uint8Array} bytes
 * @returns {string} The text; a byte-order mark is kept, since it is part of the bytes.
 */
export function decodeUtf8(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused("not UTF-8");
  }
}

/**
 * @param {Uint8Array} bytes
 * @returns {string} Two lower-case hex digits a byte.
 */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} hex
 * @returns {Uint8Array}
 */
export function fromHex(hex) {
  if (!/^(?:[0-9a-f]{2})*$/.test(hex)) {
    throw new Refused("not lower-case hex digits in pairs");
  }
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
}

/**
 * Hash with the browser's own SHA-256.
 *
 * @param {Uint8Array} bytes
 * @returns {Promise<Uint8Array>} 32 bytes.
 */
export async function sha256(bytes) {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) {
    throw new Unavailable("this browser offers SHA-256 on https, localhost and file pages only");
  }
  return new Uint8Array(await subtle.digest("SHA-256", bytes));
}

/**
 * @param {string} text
 * @returns {Promise<string>} Lower-case hex of the SHA-256 of its UTF-8.
 */
export async function sha256Hex(text) {
  return toHex(await sha256(utf8(text)));
}

/**
 * Order texts by their code points, which is the order of their UTF-8 but not of JavaScript.
 *
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
export function byCodePoints(a, b) {
  const left = Array.from(a, (character) => character.codePointAt(0) ?? 0);
  const right = Array.from(b, (character) => character.codePointAt(0) ?? 0);
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at += 1) {
    if (left[at] !== right[at]) {
      return left[at] - right[at];
    }
  }
  return left.length - right.length;
}

/**
 * @param {unknown} value Anything, to be named in a message.
 * @returns {string}
 */
function brief(value) {
  const text = value instanceof JsonNumber ? value.text : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

// ---------------------------------------------------------------------------------------------
// 2  Strict JSON
// ---------------------------------------------------------------------------------------------

const MAX_DEPTH = 64;
const MAX_TEXT = 64 * 1024 * 1024;
const SHORT_ESCAPES = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);
const LONE_SURROGATE =
  /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?:^|[^\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** A number as it was written. Two spellings of one number are two objects with one value. */
export class JsonNumber {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  /** @returns {number} The nearest double. */
  get value() {
    return Number(this.text);
  }

  /** @returns {boolean} Whether it was written as an integer. */
  get isInteger() {
    return /^-?[0-9]+$/.test(this.text);
  }
}

/**
 * What is read. Members of lists and objects are of this type again, which JSDoc cannot say.
 *
 * @typedef {null|boolean|string|JsonNumber|any[]|Map<string, any>} Json
 */

/**
 * Read one JSON text: RFC 8259 and I-JSON, nothing beside it, no name twice.
 *
 * @param {string} text
 * @param {{bigIntegers?: boolean}} [options] Whether integers beyond 2^53 - 1 are kept; they are
 *     refused where numbers are doubles.
 * @returns {Json}
 */
export function readJson(text, { bigIntegers = false } = {}) {
  if (text.length > MAX_TEXT) {
    throw new Refused(`a JSON text of ${text.length} characters`);
  }
  let at = 0;

  /** @param {string} reason */
  const refuse = (reason) => {
    throw new Refused(`not JSON at character ${at}: ${reason}`);
  };
  const space = /[ \t\n\r]*/y;
  const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  const plain = /[^"\\\u0000-\u001f]*/y;

  /** @param {RegExp} pattern */
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found === null ? 0 : found[0].length;
    return found === null ? "" : found[0];
  };

  const readString = () => {
    at += 1;
    let value = "";
    for (;;) {
      value += take(plain);
      const next = text[at];
      if (next === '"') {
        at += 1;
        break;
      }
      if (next !== "\\") {
        refuse(next === undefined ? "a string without an end" : "a control character in a string");
      }
      const letter = text[at + 1];
      if (letter === "u") {
        const digits = text.slice(at + 2, at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) {
          refuse("a broken escape");
        }
        value += String.fromCharCode(Number.parseInt(digits, 16));
        at += 6;
      } else if (SHORT_ESCAPES.has(letter)) {
        value += SHORT_ESCAPES.get(letter);
        at += 2;
      } else {
        refuse("a broken escape");
      }
    }
    if (LONE_SURROGATE.test(value)) {
      refuse("half of a surrogate pair");
    }
    return value;
  };

  const readNumber = () => {
    const token = take(number);
    if (token === "" || /[0-9.eE+-]/.test(text[at] ?? "")) {
      refuse("no value");
    }
    const read = new JsonNumber(token);
    if (!Number.isFinite(read.value)) {
      refuse("a number too large for a double");
    }
    if (read.isInteger && !bigIntegers && !Number.isSafeInteger(read.value)) {
      refuse("an integer beyond 2^53 - 1");
    }
    return read;
  };

  /** @type {(depth: number) => Json} */
  const readValue = (depth) => {
    take(space);
    const next = text[at];
    if (next === "{" || next === "[") {
      if (depth === MAX_DEPTH) {
        refuse(`nested deeper than ${MAX_DEPTH} levels`);
      }
      return next === "{" ? readObject(depth + 1) : readList(depth + 1);
    }
    if (next === '"') {
      return readString();
    }
    for (const [word, value] of [["true", true], ["false", false], ["null", null]]) {
      if (text.startsWith(/** @type {string} */ (word), at)) {
        at += /** @type {string} */ (word).length;
        return value;
      }
    }
    return readNumber();
  };

  /** @param {number} depth */
  const readObject = (depth) => {
    const members = new Map();
    at += 1;
    take(space);
    if (text[at] === "}") {
      at += 1;
      return members;
    }
    for (;;) {
      take(space);
      if (text[at] !== '"') {
        refuse("a member without a name");
      }
      const name = readString();
      if (members.has(name)) {
        refuse(`the name ${JSON.stringify(brief(name))} twice in one object`);
      }
      take(space);
      if (text[at] !== ":") {
        refuse("a name without a value");
      }
      at += 1;
      members.set(name, readValue(depth));
      take(space);
      const next = text[at];
      if (next !== "," && next !== "}") {
        refuse("an object without an end");
      }
      at += 1;
      if (next === "}") {
        return members;
      }
    }
  };

  /** @type {(depth: number) => Json[]} */
  const readList = (depth) => {
    /** @type {Json[]} */
    const items = [];
    at += 1;
    take(space);
    if (text[at] === "]") {
      at += 1;
      return items;
    }
    for (;;) {
      items.push(readValue(depth));
      take(space);
      const next = text[at];
      if (next !== "," && next !== "]") {
        refuse("a list without an end");
      }
      at += 1;
      if (next === "]") {
        return items;
      }
    }
  };

  const value = readValue(0);
  take(space);
  if (at !== text.length) {
    refuse("more than one value");
  }
  return value;
}

/**
 * Write the canonical form of RFC 8785.
 *
 * Its numbers are ECMAScript's, its names stand in the order of UTF-16 code units, and its
 * strings escape what JSON.stringify escapes: all three are what JavaScript does by itself.
 *
 * @param {Json} value
 * @returns {string}
 */
export function canonicalJson(value) {
  if (value instanceof JsonNumber) {
    return numberText(value.value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(canonicalJson).join(",")}]`;
  }
  if (value instanceof Map) {
    const members = [...value.keys()].sort().map((name) => {
      return `${JSON.stringify(name)}:${canonicalJson(value.get(name))}`;
    });
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}

/**
 * @param {number} value A finite double.
 * @returns {string} As canonical JSON has it, so that -0 is 0.
 */
function numberText(value) {
  return String(value === 0 ? 0 : value);
}

/**
 * Read one JSON text that must be the canonical form of its value.
 *
 * @param {string} text
 * @returns {Json}
 */
export function readCanonicalJson(text) {
  const value = readJson(text);
  const canonical = canonicalJson(value);
  if (canonical !== text) {
    let at = 0;
    while (canonical[at] === text[at]) {
      at += 1;
    }
    throw new Refused(`not canonical JSON from character ${at} on`);
  }
  return value;
}

/**
 * @param {Json|undefined} value
 * @param {string} place What it is, for the message.
 * @returns {Map<string, Json>}
 */
export function asObject(value, place) {
  if (!(value instanceof Map)) {
    throw new Refused(`${place} must be an object`);
  }
  return value;
}

/**
 * @param {Json|undefined} value
 * @param {string} place
 * @returns {Json[]}
 */
export function asList(value, place) {
  if (!Array.isArray(value)) {
    throw new Refused(`${place} must be a list`);
  }
  return value;
}

/**
 * @param {Json|undefined} value
 * @param {string} place
 * @returns {string}
 */
export function asText(value, place) {
  if (typeof value !== "string") {
    throw new Refused(`${place} must be a text`);
  }
  return value;
}

/**
 * @param {Json|undefined} value
 * @param {string} place
 * @returns {string} 64 lower-case hex digits.
 */
export function asHash(value, place) {
  const text = asText(value, place);
  if (!HASH.test(text)) {
    throw new Refused(`${place} must be 64 lower-case hex digits`);
  }
  return text;
}

/**
 * @param {Json|undefined} value
 * @param {string} place
 * @returns {JsonNumber}
 */
export function asNumber(value, place) {
  if (!(value instanceof JsonNumber)) {
    throw new Refused(`${place} must be a number`);
  }
  return value;
}

/**
 * @param {Json|undefined} value
 * @param {string} place
 * @returns {number} 0 or more.
 */
export function asCount(value, place) {
  const number = asNumber(value, place);
  if (!number.isInteger || !Number.isSafeInteger(number.value) || number.text.startsWith("-")) {
    throw new Refused(`${place} must be an integer from 0`);
  }
  return number.value;
}

// ---------------------------------------------------------------------------------------------
// 3  Exact arithmetic
// ---------------------------------------------------------------------------------------------

/**
 * A fraction; the denominator is positive.
 *
 * @typedef {{n: bigint, d: bigint}} Fraction
 */

const DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?$/;
// Longer ones bring nothing that a published number holds, and cost time.
const MAX_DIGITS = 1100;

/**
 * @param {string} text A decimal, with an exponent or without.
 * @returns {Fraction} Exactly what was written.
 */
export function decimal(text) {
  const found = text.length > MAX_DIGITS ? null : DECIMAL.exec(text);
  if (found === null) {
    throw new Refused(`${brief(text)} is no decimal`);
  }
  const [, sign, whole, part = "", exponent = "0"] = found;
  const digits = BigInt(whole + part);
  const places = part.length - Number(exponent);
  if (Math.abs(places) > MAX_DIGITS) {
    throw new Refused(`${brief(text)} has too many digits`);
  }
  const n = sign === "-" ? -digits : digits;
  return places > 0 ? { n, d: 10n ** BigInt(places) } : { n: n * 10n ** BigInt(-places), d: 1n };
}

/**
 * Take a published number as the decimal that canonical JSON has for it: 0.55 is 55/100, and not
 * the double beside it.
 *
 * @param {JsonNumber} number
 * @returns {Fraction}
 */
export function asWritten(number) {
  const shortest = decimal(numberText(number.value));
  if (compare(decimal(number.text), shortest) !== 0) {
    throw new Refused(`${brief(number.text)} has more digits than a double holds`);
  }
  return shortest;
}

/**
 * @param {Fraction} a
 * @param {Fraction} b
 * @returns {number} Negative, zero or positive.
 */
export function compare(a, b) {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : Number(difference > 0n);
}

/**
 * @param {Fraction} a
 * @param {Fraction} b
 * @returns {Fraction}
 */
function add(a, b) {
  // The least common denominator, so that long sums stay short.
  const d = (a.d / greatestDivisor(a.d, b.d)) * b.d;
  return { n: a.n * (d / a.d) + b.n * (d / b.d), d };
}

/**
 * @param {bigint} a Positive.
 * @param {bigint} b Positive.
 * @returns {bigint}
 */
function greatestDivisor(a, b) {
  let [large, small] = [a, b];
  while (small !== 0n) {
    [large, small] = [small, large % small];
  }
  return large;
}

/**
 * @param {bigint} n
 * @param {bigint} d Positive.
 * @returns {bigint} The quotient, rounded down.
 */
function floorDivide(n, d) {
  const quotient = n / d;
  return n < 0n && quotient * d !== n ? quotient - 1n : quotient;
}

/**
 * @param {bigint} n
 * @param {bigint} d Positive.
 * @returns {bigint} The quotient, rounded up.
 */
function ceilDivide(n, d) {
  return -floorDivide(-n, d);
}

/**
 * Round half away from zero.
 *
 * @param {Fraction} value
 * @param {number} places
 * @returns {bigint} Units of the last place.
 */
export function roundHalfAway(value, places) {
  const size = (value.n < 0n ? -value.n : value.n) * 10n ** BigInt(places);
  const units = (2n * size + value.d) / (2n * value.d);
  return value.n < 0n ? -units : units;
}

/**
 * Write a decimal without an exponent.
 *
 * @param {bigint} units
 * @param {number} places
 * @param {{fixed?: boolean}} [options] Whether zeros at the end are kept.
 * @returns {string}
 */
export function decimalText(units, places, { fixed = false } = {}) {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const part = digits.slice(digits.length - places);
  const kept = fixed ? part : part.replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${kept === "" ? "" : `.${kept}`}`;
}

/**
 * @param {bigint} value
 * @returns {number} How many bits a positive integer has.
 */
function bitLength(value) {
  const hex = value.toString(16);
  return hex.length * 4 - Math.clz32(Number.parseInt(hex[0], 16)) + 28;
}

/**
 * Find the double nearest to a fraction, ties to even.
 *
 * @param {Fraction} value
 * @returns {number} Infinite where it is beyond all doubles.
 */
export function nearestDouble(value) {
  if (value.n === 0n) {
    return 0;
  }
  const size = value.n < 0n ? -value.n : value.n;
  const sign = value.n < 0n ? -1 : 1;
  // The quotient lies above 2^(top - 1) and below 2^(top + 1).
  const top = bitLength(size) - bitLength(value.d);
  if (top > 1100 || top < -1200) {
    return sign * (top > 0 ? Infinity : 0);
  }
  // One step of a double of that size is 2^step; below the normal ones it stays 2^-1074.
  for (let step = Math.max(top - 53, -1074); ; step += 1) {
    const n = step < 0 ? size << BigInt(-step) : size;
    const d = step < 0 ? value.d : value.d << BigInt(step);
    let steps = n / d;
    const twice = 2n * (n - steps * d);
    if (steps >= 1n << 53n) {
      continue;
    }
    if (twice > d || (twice === d && steps % 2n === 1n)) {
      steps += 1n;
    }
    // Exact: at most 2^53 steps, and a power of two.
    return sign * Number(steps) * 2 ** step;
  }
}

// ---------------------------------------------------------------------------------------------
// 4  Enclosures: real functions between two proved bounds
// ---------------------------------------------------------------------------------------------

/**
 * A real number between two multiples of 2^-bits, both ends included.
 *
 * @typedef {{low: bigint, high: bigint}} Interval
 */

const FIRST_BITS = 128;
const LAST_BITS = 8192;

/**
 * Enclose ln(n/d) for 1 <= n/d <= 2, as 2 atanh(z) with z = (n - d)/(n + d), so 0 <= z <= 1/3.
 *
 * Error bound, in units of 2^-bits. All divisions round down, so every computed value is at most
 * the true one; call what is missing its deficit. That of z is below 1, that of z² below
 * 2/3 + 1 < 2. If the deficit of z^(2k+1) is at most 2, that of the next power is at most
 * 2/9 + (1/3)·2 + 1 < 2. Dividing by 2k + 1 leaves a deficit of at most 3 for each term summed,
 * and when a computed power is 0 the true one is at most 2, so that all later terms together are
 * below 2/(1 - 1/9) < 3. With K terms the sum lacks at most 3K + 3, and its double twice that.
 *
 * @param {bigint} n
 * @param {bigint} d
 * @param {bigint} bits
 * @returns {Interval}
 */
export function encloseLog(n, d, bits) {
  const z = ((n - d) << bits) / (n + d);
  const square = (z * z) >> bits;
  let sum = 0n;
  let terms = 0n;
  for (let power = z; power > 0n; power = (power * square) >> bits) {
    sum += power / (2n * terms + 1n);
    terms += 1n;
  }
  return { low: 2n * sum, high: 2n * sum + 6n * (terms + 1n) };
}

/**
 * Enclose log2(n/d) for n > d > 0.
 *
 * @param {bigint} n
 * @param {bigint} d
 * @param {bigint} bits
 * @returns {Interval}
 */
export function encloseLog2(n, d, bits) {
  let whole = BigInt(bitLength(n) - bitLength(d));
  if (n < d << whole) {
    whole -= 1n;
  }
  const rest = encloseLog(n, d << whole, bits);
  const two = encloseLog(2n, 1n, bits);
  return {
    low: (whole << bits) + floorDivide(rest.low << bits, two.high),
    high: (whole << bits) + ceilDivide(rest.high << bits, two.low),
  };
}

/**
 * Enclose 2^(-part/whole) for 0 <= part < whole, as exp(y)/2 with y = (1 - part/whole) ln 2 <= 0.7.
 *
 * The series of exp has positive terms. Rounded down throughout and cut off, it is a lower bound.
 * Rounded up throughout it is an upper one, but for the terms left out: it stops when a term is
 * at most one unit, and then the others together are below 0.7 + 0.7²/2 + … < 1.1 units; two are
 * added.
 *
 * @param {bigint} part
 * @param {bigint} whole
 * @param {bigint} bits
 * @returns {Interval}
 */
export function encloseHalving(part, whole, bits) {
  const two = encloseLog(2n, 1n, bits);
  const y = {
    low: floorDivide((whole - part) * two.low, whole),
    high: ceilDivide((whole - part) * two.high, whole),
  };
  const one = 1n << bits;
  let low = 0n;
  for (let term = one, k = 1n; term > 0n; k += 1n) {
    low += term;
    term = (term * y.low) / (k << bits);
  }
  let high = 2n;
  for (let term = one, k = 1n; ; k += 1n) {
    high += term;
    if (term <= 1n) {
      break;
    }
    term = ceilDivide(term * y.high, k << bits);
  }
  return { low: low >> 1n, high: (high + 1n) >> 1n };
}

/**
 * Round a positive irrational number half away from zero, by enclosing it ever more narrowly.
 *
 * It ends, since an irrational number lies on no boundary; the limit is there for numbers that
 * were made to take long.
 *
 * @param {(bits: bigint) => Interval} enclose
 * @param {number} places
 * @returns {bigint} Units of the last place.
 */
function roundEnclosed(enclose, places) {
  const scale = 10n ** BigInt(places);
  for (let bits = FIRST_BITS; bits <= LAST_BITS; bits *= 2) {
    const fine = BigInt(bits);
    const { low, high } = enclose(fine);
    const half = 1n << (fine - 1n);
    const least = floorDivide(low * scale + half, 1n << fine);
    const most = floorDivide(high * scale + half, 1n << fine);
    // A negative number rounds its half down; on no boundary, that is the same.
    if (least === most) {
      return least;
    }
  }
  throw new Unavailable(`undecided at ${LAST_BITS} bits: too near a rounding boundary`);
}

/**
 * Round a double half away from zero, where its error allows.
 *
 * @param {number} value
 * @param {number} error Bound on its distance from the truth.
 * @param {number} places
 * @returns {bigint|null} Units of the last place; null when a boundary is nearer than the error,
 *     or than 1e-9.
 */
function roundDouble(value, error, places) {
  const scale = 10 ** places;
  const size = Math.abs(value) * scale;
  // Scaling rounds once more.
  const margin = Math.max(error, 1e-9) * scale + size * 2 ** -52;
  if (!(size < 2 ** 50) || Math.abs(size - Math.floor(size) - 0.5) <= margin) {
    return null;
  }
  const units = BigInt(Math.floor(size + 0.5));
  return value < 0 ? -units : units;
}

// ---------------------------------------------------------------------------------------------
// 5  Merkle trees
// ---------------------------------------------------------------------------------------------

/** @typedef {{sibling: Uint8Array, position?: string}} Step */

/**
 * @param {number} prefix
 * @param {...Uint8Array} parts
 * @returns {Promise<Uint8Array>}
 */
function hashJoined(prefix, ...parts) {
  return sha256(Uint8Array.from([prefix, ...parts.flatMap((part) => Array.from(part))]));
}

/**
 * @param {Uint8Array} record
 * @returns {Promise<Uint8Array>} Its leaf hash.
 */
export function leafHash(record) {
  return hashJoined(0, record);
}

/**
 * @param {Uint8Array} left
 * @param {Uint8Array} right
 * @returns {Promise<Uint8Array>}
 */
export function nodeHash(left, right) {
  return hashJoined(1, left, right);
}

/**
 * Say on which sides the siblings of a leaf stand, from the leaf upwards.
 *
 * Neighbours are paired from the left. The last of an odd number moves up as it is, without a
 * sibling.
 *
 * @param {number} index
 * @param {number} size
 * @returns {string[]}
 */
export function siblingSides(index, size) {
  const sides = [];
  for (let place = index, last = size - 1; last > 0; ) {
    if (place % 2 === 1) {
      sides.push("left");
    } else if (place < last) {
      sides.push("right");
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return sides;
}

/**
 * Walk from a leaf to the root of its tree.
 *
 * @param {Uint8Array} leaf Its hash, made from the record by the caller.
 * @param {number} index Its place, from 0.
 * @param {number} size How many leaves there are.
 * @param {Step[]} path Siblings from the leaf upwards; a step may name its side.
 * @returns {Promise<Uint8Array>} The root that they lead to.
 */
export async function walkInclusion(leaf, index, size, path) {
  if (index >= size) {
    throw new Refused(`there is no leaf ${index} among ${size}`);
  }
  const sides = siblingSides(index, size);
  if (sides.length !== path.length) {
    throw new Refused(
      `leaf ${index} of ${size} has a proof of ${sides.length} steps, not of ${path.length}`,
    );
  }
  let hash = leaf;
  for (const [at, { sibling, position = sides[at] }] of path.entries()) {
    if (position !== sides[at]) {
      throw new Refused(`step ${at} stands on the ${position}, leaf ${index} has it ${sides[at]}`);
    }
    hash = position === "left" ? await nodeHash(sibling, hash) : await nodeHash(hash, sibling);
  }
  return hash;
}

/**
 * Check an inclusion proof given in hex.
 *
 * @param {string} record Hex of the record.
 * @param {number} index
 * @param {number} size
 * @param {(string|{sibling: string, position: string})[]} path
 * @param {string} root
 * @returns {Promise<boolean>}
 */
export async function checkInclusion(record, index, size, path, root) {
  const steps = path.map((step) =>
    typeof step === "string"
      ? { sibling: fromHex(step) }
      : { sibling: fromHex(step.sibling), position: step.position },
  );
  return toHex(await walkInclusion(await leafHash(fromHex(record)), index, size, steps)) === root;
}

/**
 * @param {Uint8Array[]} records
 * @returns {Promise<Uint8Array>} Root of the tree over them; without any, the hash of nothing.
 */
export async function merkleRoot(records) {
  if (records.length === 0) {
    return sha256(new Uint8Array(0));
  }
  let level = await Promise.all(records.map(leafHash));
  while (level.length > 1) {
    const above = [];
    for (let at = 0; at < level.length; at += 2) {
      above.push(at + 1 < level.length ? nodeHash(level[at], level[at + 1]) : level[at]);
    }
    level = await Promise.all(above);
  }
  return level[0];
}

// ---------------------------------------------------------------------------------------------
// 6  The Floor
// ---------------------------------------------------------------------------------------------

/** The constants of floor-rules/1 and floor-rules/1-full that are needed here. */
const FLOOR = Object.freeze({
  rules: ["floor-rules/1", "floor-rules/1-full"],
  clampMin: Object.freeze({ n: 2n, d: 100n }),
  clampMax: Object.freeze({ n: 98n, d: 100n }),
  scale: 100,
  pointPlaces: 4,
  standingPlaces: 4,
  brierPlaces: 6,
  halfLife: 2_592_000,
  minSettled: 20,
});
const OUTCOMES = ["hit", "miss", "void"];
const NO_ENTRY = "0".repeat(64);
const DAY = 86_400;
// 400 years; more would only cost time.
const MOST_HALVINGS = 5000n;

/**
 * @param {string} text RFC 3339, UTC, to the second.
 * @returns {number} Seconds since 1970.
 */
export function floorTime(text) {
  const shape = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/;
  const at = shape.test(text) ? Date.parse(text) : Number.NaN;
  // A day that a month does not have comes back as another day.
  if (!(at >= 0) || floorTimeText(at / 1000) !== text) {
    throw new Refused(`${brief(text)} is no time such as 2026-11-03T14:05:00Z`);
  }
  return at / 1000;
}

/**
 * @param {number} at Seconds since 1970.
 * @returns {string}
 */
function floorTimeText(at) {
  return new Date(at * 1000).toISOString().replace(".000Z", "Z");
}

/**
 * @param {Fraction} probability
 * @returns {Fraction}
 */
function clamped(probability) {
  if (probability.n < 0n || probability.n > probability.d) {
    throw new Refused("a probability lies between 0 and 1");
  }
  if (compare(probability, FLOOR.clampMin) < 0) {
    return FLOOR.clampMin;
  }
  return compare(probability, FLOOR.clampMax) > 0 ? FLOOR.clampMax : probability;
}

/**
 * Score a settled call: 100 log2(p/b) for a hit, 100 log2((1-p)/(1-b)) for a miss.
 *
 * The double. The quotient is the nearest one, so its logarithm is off by at most 2^-53/ln 2.
 * |log2| is at most log2(49) < 5.7, and Math.log2 within 32 units in its last place (engines are
 * within 2), so the points are off by less than 100 (2^-52 + 5.7 · 33 · 2^-52) < 5e-12. No
 * boundary within 1e-9 therefore means that the double's decimal is the true one. Else:
 *
 * The fixed point. A base-2 logarithm of a fraction is rational for powers of two alone, and then
 * 100 times it is whole. All others lie on no boundary, and enclosing them ends.
 *
 * @param {{p: Fraction, b: Fraction, hit: boolean}} call
 * @returns {{units: bigint, by: "double"|"fixed point"|"whole power"}} Ten-thousandths of a point.
 */
export function points({ p, b, hit }) {
  const called = clamped(p);
  const base = clamped(b);
  const top = hit ? called.n * base.d : (called.d - called.n) * base.d;
  const bottom = hit ? base.n * called.d : (base.d - base.n) * called.d;
  const value = FLOOR.scale * Math.log2(nearestDouble({ n: top, d: bottom }));
  const quick = roundDouble(value, 5e-12, FLOOR.pointPlaces);
  if (quick !== null) {
    return { units: quick, by: "double" };
  }
  const whole = powerOfTwo(top, bottom);
  if (whole !== null) {
    const exact = { n: BigInt(FLOOR.scale) * whole, d: 1n };
    return { units: roundHalfAway(exact, FLOOR.pointPlaces), by: "whole power" };
  }
  const [n, d] = top > bottom ? [top, bottom] : [bottom, top];
  const size = roundEnclosed((bits) => {
    const log = encloseLog2(n, d, bits);
    const scale = BigInt(FLOOR.scale);
    return { low: log.low * scale, high: log.high * scale };
  }, FLOOR.pointPlaces);
  return { units: top > bottom ? size : -size, by: "fixed point" };
}

/**
 * @param {bigint} n
 * @param {bigint} d
 * @returns {bigint|null} k where n/d is 2^k.
 */
function powerOfTwo(n, d) {
  const k = BigInt(bitLength(n) - bitLength(d));
  const same = k < 0n ? n << -k === d : n === d << k;
  return same ? k : null;
}

/**
 * Mean squared distance of the probabilities from what happened; the probabilities as sealed.
 *
 * @param {{p: Fraction, hit: boolean}[]} calls
 * @returns {bigint|null} Millionths; null without a call, since 0 would be the best.
 */
export function brier(calls) {
  if (calls.length === 0) {
    return null;
  }
  const total = calls.reduce(
    (sum, { p, hit }) => {
      const off = hit ? p.n - p.d : p.n;
      return add(sum, { n: off * off, d: p.d * p.d });
    },
    { n: 0n, d: 1n },
  );
  return roundHalfAway({ n: total.n, d: total.d * BigInt(calls.length) }, FLOOR.brierPlaces);
}

/**
 * Weigh points: each is worth half as much 30 days later.
 *
 * An age is so many half-lives and a rest; the terms of one rest share a factor 2^(-rest/H).
 *
 * The double. A term has at most 32 units in the last place from the power and 4 roundings, and
 * n sums add at most n; all of it relative to the sum of the terms' sizes.
 *
 * The exact cases. For different rests below H the factors are independent over the rationals,
 * since x^H - 2 is irreducible (Eisenstein). So the sum is rational only when for every rest but 0
 * the terms cancel, and then it is the sum for rest 0. All other sums lie on no boundary, and
 * enclosing them ends.
 *
 * @param {{points: Fraction, age: number}[]} calls Ages in seconds.
 * @returns {{units: bigint, by: "double"|"fixed point"|"fraction"}} Ten-thousandths.
 */
export function standing(calls) {
  const byRest = new Map();
  for (const { points: gained, age } of calls) {
    if (!Number.isSafeInteger(age) || age < 0) {
      throw new Refused("a call was settled after the moment of the standing");
    }
    const rest = age % FLOOR.halfLife;
    const halvings = BigInt((age - rest) / FLOOR.halfLife);
    if (halvings > MOST_HALVINGS) {
      throw new Refused(`a call was settled ${halvings} half-lives ago`);
    }
    const weighed = { n: gained.n, d: gained.d << halvings };
    byRest.set(rest, byRest.has(rest) ? add(byRest.get(rest), weighed) : weighed);
  }
  const terms = [...byRest].filter(([, sum]) => sum.n !== 0n);
  if (terms.every(([rest]) => rest === 0)) {
    const exact = terms.length === 0 ? { n: 0n, d: 1n } : terms[0][1];
    return { units: roundHalfAway(exact, FLOOR.standingPlaces), by: "fraction" };
  }
  let value = 0;
  let size = 0;
  for (const [rest, sum] of terms) {
    const term = nearestDouble(sum) * 2 ** (-rest / FLOOR.halfLife);
    value += term;
    size += Math.abs(term);
  }
  const error = size * (36 + terms.length) * 2 ** -52;
  const quick = roundDouble(value, error, FLOOR.standingPlaces);
  if (quick !== null) {
    return { units: quick, by: "double" };
  }
  const enclose = (/** @type {bigint} */ bits) => {
    let low = 0n;
    let high = 0n;
    for (const [rest, { n, d }] of terms) {
      const power = encloseHalving(BigInt(rest), BigInt(FLOOR.halfLife), bits);
      low += floorDivide(n * (n < 0n ? power.high : power.low), d);
      high += ceilDivide(n * (n < 0n ? power.low : power.high), d);
    }
    return { low, high };
  };
  return { units: roundEnclosed(enclose, FLOOR.standingPlaces), by: "fixed point" };
}

/**
 * @typedef {{agent: string, seal: string, outcome: string, p: Fraction, b: Fraction|null,
 *     points: Fraction|null, settledAt: number}} Settled A call of the ledger.
 */

/**
 * @typedef {{agent: string, standing: bigint, brier: bigint|null, hits: number, misses: number,
 *     settled: number, voids: number, rank?: number}} FloorRow
 */

/**
 * Add up one agent's season.
 *
 * @param {string} agent
 * @param {Settled[]} calls Its calls that were settled in the season.
 * @param {number} end The moment of the standing.
 * @returns {FloorRow}
 */
export function floorRow(agent, calls, end) {
  const scored = calls.filter((call) => call.outcome !== "void");
  const hits = scored.filter((call) => call.outcome === "hit").length;
  return {
    agent,
    standing: standing(
      scored.map((call) => ({
        points: /** @type {Fraction} */ (call.points),
        age: end - call.settledAt,
      })),
    ).units,
    brier: brier(scored.map((call) => ({ p: call.p, hit: call.outcome === "hit" }))),
    hits,
    misses: scored.length - hits,
    settled: scored.length,
    voids: calls.length - scored.length,
  };
}

/**
 * Compute a season's table.
 *
 * Order: standing falling, Brier score rising, settled falling, all as published. Agents equal in
 * all three share a rank, the next one is skipped, and they stand in the order of their ids.
 *
 * @param {Settled[]} calls Of any time.
 * @param {number} start
 * @param {number} end The first moment after the season.
 * @returns {{rows: FloorRow[], unlisted: FloorRow[]}}
 */
export function floorTable(calls, start, end) {
  const byAgent = new Map();
  for (const call of calls) {
    if (start <= call.settledAt && call.settledAt < end) {
      const own = byAgent.get(call.agent) ?? [];
      own.push(call);
      byAgent.set(call.agent, own);
    }
  }
  const all = [...byAgent.keys()]
    .sort(byCodePoints)
    .map((agent) => floorRow(agent, byAgent.get(agent), end));
  const listed = all.filter((row) => row.settled >= FLOOR.minSettled);
  return {
    rows: rankRows(listed),
    unlisted: all.filter((row) => row.settled < FLOOR.minSettled),
  };
}

/**
 * @param {FloorRow[]} rows In the order of the agents' ids.
 * @returns {FloorRow[]} In the order of the table, with ranks.
 */
export function rankRows(rows) {
  const sign = (/** @type {bigint} */ difference) =>
    difference < 0n ? -1 : Number(difference > 0n);
  const order = (/** @type {FloorRow} */ a, /** @type {FloorRow} */ b) =>
    sign(b.standing - a.standing) ||
    sign(/** @type {bigint} */ (a.brier) - /** @type {bigint} */ (b.brier)) ||
    b.settled - a.settled;
  // The sort is stable, so that equal rows stay in the order of their agents.
  const sorted = rows.slice().sort(order);
  /** @type {FloorRow[]} */
  const ranked = [];
  for (const [at, row] of sorted.entries()) {
    const before = ranked[at - 1];
    const tied = before !== undefined && order(before, row) === 0;
    ranked.push({ ...row, rank: tied ? before.rank : at + 1 });
  }
  return ranked;
}

/**
 * Check that ledger entries hash to what they say, and each to the one before.
 *
 * @param {Map<string, Json>[]} entries Objects with body and hash, in their order.
 * @param {string} [before] Hash of the entry before the first.
 * @returns {Promise<string|null>} What is wrong; null if nothing is.
 */
export async function chainProblem(entries, before = NO_ENTRY) {
  let previous = before;
  for (const [at, entry] of entries.entries()) {
    const body = asObject(entry.get("body"), `entry ${at}`);
    const hash = await sha256Hex(canonicalJson(body));
    if (hash !== entry.get("hash")) {
      return `entry ${at} hashes to ${hash}, not to ${brief(entry.get("hash"))}`;
    }
    if (body.get("prev") !== previous) {
      return `entry ${at} follows ${brief(body.get("prev"))}, not ${previous}`;
    }
    previous = hash;
  }
  return null;
}

// ---------------------------------------------------------------------------------------------
// 7  ARCANA: manifests
// ---------------------------------------------------------------------------------------------

/**
 * A shape demands a form of a value and gives its one right text, as Go writes it.
 *
 * @typedef {(value: Json|undefined, place: string) => string} Shape
 */

const INT64_LAST = 2n ** 63n - 1n;
const UNENCODABLE = "unencodable: json: unsupported value: ";
const MANIFEST_TIME =
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z$/;

/**
 * @param {number} value A finite double.
 * @returns {string} As Go writes it: like ECMAScript, but with a negative zero.
 */
export function goNumber(value) {
  return Object.is(value, -0) ? "-0" : String(value);
}

/**
 * @param {string} text
 * @returns {string} As Go writes it: as JSON, and safe inside a page.
 */
export function goString(text) {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * @param {JsonNumber} number
 * @returns {boolean} Whether Go holds it as an integer of 64 bits.
 */
function isInt64(number) {
  if (!number.isInteger || number.text.length > 20 || number.text === "-0") {
    return false;
  }
  const value = BigInt(number.text);
  return -INT64_LAST - 1n <= value && value <= INT64_LAST;
}

/** @type {Shape} */
const TEXT = (value, place) => goString(asText(value, place));

/** @type {Shape} */
const TEXT_OR_NULL = (value, place) => (value === null ? "null" : TEXT(value, place));

/** @type {Shape} An empty text is written as null. */
const FILLED_TEXT = (value, place) => (value === "" ? "null" : TEXT_OR_NULL(value, place));

/** @type {Shape} */
const TIME = (value, place) => {
  if (!MANIFEST_TIME.test(asText(value, place))) {
    throw new Refused(`${place} must be a time such as 2026-09-14T23:30:00.000000Z`);
  }
  return TEXT(value, place);
};

/** @type {Shape} */
const TIME_OR_NULL = (value, place) => (value === null ? "null" : TIME(value, place));

/** @type {Shape} */
const INTEGER = (value, place) => {
  const number = asNumber(value, place);
  if (!isInt64(number)) {
    throw new Refused(`${place} must be an integer of 64 bits`);
  }
  return number.text;
};

/** @type {Shape} */
const DOUBLE = (value, place) => goNumber(asNumber(value, place).value);

/** @type {Shape} */
const DOUBLE_OR_NULL = (value, place) => (value === null ? "null" : DOUBLE(value, place));

/** @type {Shape} */
const BOOLEAN = (value, place) => {
  if (typeof value !== "boolean") {
    throw new Refused(`${place} must be true or false`);
  }
  return String(value);
};

/**
 * @param {(number: JsonNumber) => string} number How numbers are written.
 * @returns {Shape} Any value, with the names of objects sorted by code points.
 */
function anyValue(number) {
  /** @type {Shape} */
  const shape = (value, place) => {
    if (value instanceof JsonNumber) {
      return number(value);
    }
    if (typeof value === "string") {
      return goString(value);
    }
    if (Array.isArray(value)) {
      return `[${value.map((item) => shape(item, place)).join(",")}]`;
    }
    if (value instanceof Map) {
      const names = [...value.keys()].sort(byCodePoints);
      return `{${names.map((name) => `${goString(name)}:${shape(value.get(name), place)}`).join(",")}}`;
    }
    return String(value);
  };
  return shape;
}

const OPEN_VALUE = anyValue((number) => (isInt64(number) ? number.text : goNumber(number.value)));
const DOUBLES_VALUE = anyValue((number) => goNumber(number.value));

/** @type {Shape} */
const OPEN_OBJECT = (value, place) => OPEN_VALUE(asObject(value, place), place);

/** @type {Shape} An empty object is written as null. */
const FILLED_OBJECT = (value, place) => {
  const empty = value === null || asObject(value, place).size === 0;
  return empty ? "null" : DOUBLES_VALUE(value, place);
};

/** @type {Shape} */
const HOLDINGS = (value, place) => {
  for (const [symbol, amount] of asObject(value, place)) {
    asNumber(amount, `${place} of ${brief(symbol)}`);
  }
  return DOUBLES_VALUE(value, place);
};

/**
 * @param {Record<string, Shape>} members
 * @returns {Shape} An object with these members in this order; others are left out, which shows.
 */
function record(members) {
  return (value, place) => {
    const object = asObject(value, place);
    const parts = Object.entries(members).map(([name, shape]) => {
      return `"${name}":${shape(object.get(name), `${place}.${name}`)}`;
    });
    return `{${parts.join(",")}}`;
  };
}

/**
 * @param {Shape} shape
 * @returns {Shape}
 */
function listOf(shape) {
  return (value, place) =>
    `[${asList(value, place).map((item, at) => shape(item, `${place}[${at}]`)).join(",")}]`;
}

const OUTPUT_SHAPES = {
  performance: DOUBLE,
  risk: DOUBLE_OR_NULL,
  strategy: DOUBLE,
  regime: DOUBLE,
  consistency: DOUBLE_OR_NULL,
  creator: DOUBLE,
  longevity: DOUBLE,
  strategy_multiplier: DOUBLE,
  ranked: BOOLEAN,
  arcana: DOUBLE_OR_NULL,
};

/** The ten outputs of a score, in their order. */
export const OUTPUTS = Object.freeze(Object.keys(OUTPUT_SHAPES));

/** @type {Shape} Outputs that JSON cannot hold are a text that says so. */
const OUTPUTS_OR_REASON = (value, place) => {
  if (typeof value === "string" && value.startsWith(UNENCODABLE)) {
    return goString(value);
  }
  return record(OUTPUT_SHAPES)(value, place);
};

/** @type {Map<string, [string, Shape][]>} The lines after the first, by scheme. */
const SCHEMES = new Map([
  [
    "arcana-score/v1",
    [
      ["formula", TEXT],
      ["agent_id", TEXT],
      ["season_id", TEXT],
      ["ts", TIME],
      ["constants", OPEN_OBJECT],
      ["strategy_type", TEXT],
      ["nav_series", listOf(record({ ts: TIME, nav: TEXT, cash: TEXT, seal: TEXT_OR_NULL }))],
      [
        "decisions",
        listOf(record({ id: INTEGER, ts: TIME, action: TEXT, commitment: TEXT_OR_NULL })),
      ],
      [
        "creator_peers",
        listOf(
          record({
            agent_id: TEXT,
            season_id: TEXT,
            ts: TIME,
            performance_score: DOUBLE,
            seal: TEXT_OR_NULL,
          }),
        ),
      ],
      ["outputs", OUTPUTS_OR_REASON],
      ["previous_seal", TEXT_OR_NULL],
    ],
  ],
  [
    "arcana-portfolio-snapshot/v1",
    [
      ["portfolio_id", FILLED_TEXT],
      ["agent_id", FILLED_TEXT],
      ["season_id", FILLED_TEXT],
      ["ts", TIME_OR_NULL],
      ["nav", FILLED_TEXT],
      ["cash", FILLED_TEXT],
      ["holdings", HOLDINGS],
      ["previous_seal", FILLED_TEXT],
    ],
  ],
  [
    "arcana-commitment/v1",
    [
      ["agent_id", FILLED_TEXT],
      ["season_id", FILLED_TEXT],
      ["ts", TIME_OR_NULL],
      ["market_snapshot_ref", FILLED_TEXT],
      ["action", FILLED_TEXT],
      ["symbol", FILLED_TEXT],
      ["quantity", FILLED_TEXT],
      ["rationale", FILLED_TEXT],
      ["decider", FILLED_TEXT],
      ["reason_code", FILLED_TEXT],
      ["provider", FILLED_TEXT],
      ["model", FILLED_TEXT],
      ["model_version", FILLED_TEXT],
      ["params", FILLED_OBJECT],
      ["thesis", FILLED_OBJECT],
      ["system_prompt_sha256", FILLED_TEXT],
      ["prompt_sha256", FILLED_TEXT],
      ["response_sha256", FILLED_TEXT],
      ["previous_commitment", FILLED_TEXT],
      ["salt", FILLED_TEXT],
    ],
  ],
]);

/**
 * Read a manifest: lines of a key, a colon, one space and one JSON value, in the scheme's order.
 *
 * It is right only if writing what was read gives the same text. One spelling is free: Go writes
 * bytes that are not UTF-8 as the escape of U+FFFD, and that character as itself.
 *
 * @param {string} text
 * @returns {{scheme: string, values: Map<string, Json>}}
 */
export function parseManifest(text) {
  if (!text.endsWith("\n") || text.includes("\r")) {
    throw new Refused("a manifest has lines that end in a newline alone, the last one too");
  }
  const [scheme, ...lines] = text.slice(0, -1).split("\n");
  const keys = SCHEMES.get(scheme);
  if (keys === undefined) {
    throw new Refused(`unknown scheme ${JSON.stringify(brief(scheme))}`);
  }
  if (lines.length !== keys.length) {
    throw new Refused(`it has ${lines.length + 1} lines, and its scheme ${keys.length + 1}`);
  }
  const values = new Map();
  const written = [scheme];
  for (const [at, [key, shape]] of keys.entries()) {
    if (!lines[at].startsWith(`${key}: `)) {
      throw new Refused(`line ${at + 2} must begin ${JSON.stringify(`${key}: `)}`);
    }
    const value = readJson(lines[at].slice(key.length + 2), { bigIntegers: true });
    values.set(key, value);
    written.push(`${key}: ${shape(value, key)}`);
  }
  for (const [at, line] of [scheme, ...lines].entries()) {
    const plain = line.replace(/\\(?:ufffd|[^])/g, (escape) =>
      escape === "\\ufffd" ? "\ufffd" : escape,
    );
    if (line !== written[at] && plain !== written[at]) {
      throw new Refused(`line ${at + 1} is not the one right text of what it says`);
    }
  }
  return { scheme, values };
}

// ---------------------------------------------------------------------------------------------
// 8  ARCANA: scores
// ---------------------------------------------------------------------------------------------

const FORMULA_V1 = "arcana-score-formula/v1";

const PROFILE_KEYS = ["turnover_lo", "turnover_hi", "sell_share_lo", "sell_share_hi"];

/** @param {...number} bands */
const profile = (...bands) => new Map(PROFILE_KEYS.map((key, at) => [key, bands[at]]));

/**
 * @typedef {{numbers: Map<string, number>, profiles: Map<string, Map<string, number>>}} Constants
 */

/** @type {Constants} As published for arcana-score-formula/v1. */
const V1 = {
  numbers: new Map([
    ["w_performance", 0.35],
    ["w_risk", 0.25],
    ["w_consistency", 0.15],
    ["w_regime", 0.1],
    ["w_longevity", 0.1],
    ["w_creator", 0.05],
    ["strategy_floor", 0.7],
    ["strategy_min_decisions", 5],
    ["min_participation_decisions", 5],
    ["perf_scale", 0.2],
    ["vol_scale", 0.05],
    ["dd_scale", 0.2],
    ["consistency_scale", 0.04],
    ["longevity_ticks", 20],
    ["min_exposure", 0.02],
    ["neutral", 50],
    ["strategy_fit_tolerance", 0.25],
    ["w_strat_turnover", 0.6],
    ["w_strat_sell_share", 0.4],
  ]),
  profiles: new Map([
    ["buy_and_hold", profile(0, 0.2, 0, 0.15)],
    ["momentum", profile(0.35, 1, 0.15, 0.65)],
    ["mean_reversion", profile(0.25, 1, 0.15, 0.65)],
  ]),
};
const DIVISORS = [
  "perf_scale",
  "vol_scale",
  "dd_scale",
  "consistency_scale",
  "longevity_ticks",
  "strategy_fit_tolerance",
  "min_exposure",
];

/**
 * Take the constants that a manifest states; names beyond those of the formula are left alone.
 *
 * @param {Json} value
 * @returns {Constants}
 */
export function readConstants(value) {
  const stated = asObject(value, "constants");
  const numbers = new Map();
  for (const name of V1.numbers.keys()) {
    numbers.set(name, asNumber(stated.get(name), `the constant ${name}`).value);
  }
  for (const name of DIVISORS) {
    if (numbers.get(name) === 0 || (name === "min_exposure" && numbers.get(name) < 0)) {
      throw new Refused(`the formula divides by ${name}, which is ${numbers.get(name)}`);
    }
  }
  const profiles = new Map();
  for (const [name, bands] of asObject(stated.get("strategy_profiles"), "strategy_profiles")) {
    const place = `the profile ${brief(name)}`;
    const object = asObject(bands, place);
    profiles.set(
      name,
      new Map(PROFILE_KEYS.map((key) => [key, asNumber(object.get(key), `${key} of ${place}`).value])),
    );
  }
  return { numbers, profiles };
}

/**
 * Say whether stated constants are the published ones: the same names, and the same values.
 *
 * @param {Json} value
 * @returns {boolean}
 */
export function arePublishedConstants(value) {
  /** @type {(stated: Json|undefined, known: unknown) => boolean} */
  const same = (stated, known) => {
    if (known instanceof Map) {
      return (
        stated instanceof Map &&
        stated.size === known.size &&
        [...known].every(([name, inner]) => same(stated.get(name), inner))
      );
    }
    return stated instanceof JsonNumber && Object.is(stated.value, known);
  };
  /** @type {Map<string, unknown>} */
  const published = new Map(V1.numbers);
  return same(value, published.set("strategy_profiles", V1.profiles));
}

const DIGITS = "[0-9](?:_?[0-9])*";
const HEX_DIGITS = "[0-9a-f](?:_?[0-9a-f])*";
const GO_DECIMAL = new RegExp(
  `^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:e[+-]?${DIGITS})?$`,
  "i",
);
const GO_HEX = new RegExp(
  `^([+-]?)0x(?:_?(${HEX_DIGITS})(?:\\.(${HEX_DIGITS})?)?|\\.(${HEX_DIGITS}))p([+-]?${DIGITS})$`,
  "i",
);

/**
 * Read a column's text as the platform's engine does: Go's ParseFloat, whose errors count as 0.
 *
 * @param {string} text
 * @returns {number}
 */
export function goFloat(text) {
  if (GO_DECIMAL.test(text)) {
    const value = decimalDouble(text.replaceAll("_", ""));
    return Number.isFinite(value) ? value : 0;
  }
  const hex = GO_HEX.exec(text);
  if (hex !== null) {
    const [, sign, whole = "", part = "", alone = "", exponent] = hex;
    const digits = `${whole}${part}${alone}`.replaceAll("_", "");
    const value = scaledDouble(
      BigInt(`0x${digits}`),
      2n,
      Number(exponent.replaceAll("_", "")) - 4 * `${part}${alone}`.replaceAll("_", "").length,
    );
    return Number.isFinite(value) ? (sign === "-" ? -value : value) : 0;
  }
  if (/^[+-]?inf(?:inity)?$/i.test(text)) {
    return text.startsWith("-") ? -Infinity : Infinity;
  }
  return /^nan$/i.test(text) ? Number.NaN : 0;
}

/**
 * Find the double nearest to a decimal text of any length.
 *
 * The language lets an engine cut off digits after the twentieth, so long texts are read here.
 *
 * @param {string} text A sign, digits, a point, an exponent; each but some digit may be missing.
 * @returns {number}
 */
function decimalDouble(text) {
  if (text.length <= 16) {
    return Number(text);
  }
  const [, sign, whole, part = "", exponent = "0"] = /** @type {RegExpExecArray} */ (
    /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]+))?$/i.exec(text)
  );
  const value = scaledDouble(BigInt(whole + part), 10n, Number(exponent) - part.length);
  return sign === "-" ? -value : value;
}

/**
 * @param {bigint} digits 0 or more.
 * @param {bigint} base 2 or 10.
 * @param {number} power
 * @returns {number} The double nearest to digits · base^power.
 */
function scaledDouble(digits, base, power) {
  if (digits === 0n) {
    return 0;
  }
  // Beyond these sizes the answer is known, and the power need not be computed.
  const bits = bitLength(digits) + power * (base === 2n ? 1 : Math.log2(10));
  if (bits > 1100 || bits < -1200) {
    return bits > 0 ? Infinity : 0;
  }
  return power < 0
    ? nearestDouble({ n: digits, d: base ** BigInt(-power) })
    : nearestDouble({ n: digits * base ** BigInt(power), d: 1n });
}

/** @param {number} value */
const clamp01 = (value) => (value < 0 ? 0 : value > 1 ? 1 : value);

/**
 * @param {number} value
 * @returns {number} To one decimal: times ten, halves away from zero, divided by ten.
 */
export function round1(value) {
  const tenths = value * 10;
  const whole = Math.trunc(tenths);
  return (Math.abs(tenths - whole) >= 0.5 ? whole + Math.sign(tenths) : whole) / 10;
}

/**
 * @param {number} value
 * @returns {number} 1 minus the decimal text of a double, exactly, then rounded once: for 0.7 the
 *     double nearest to 0.3.
 */
export function complement(value) {
  const { n, d } = decimal(String(value));
  return nearestDouble({ n: d - n, d });
}

/** @param {number[]} values */
const sumInOrder = (values) => values.reduce((sum, value) => sum + value, 0);

/**
 * @typedef {{navs: string[], cash: string[], actions: string[], strategy: string,
 *     peers: number[]}} ScoreInputs NAV and cash as column text.
 */

/**
 * How trading fits the declared strategy.
 *
 * @param {Constants} constants
 * @param {string} strategy
 * @param {string[]} actions
 * @returns {{strategy: number, multiplier: number}}
 */
function strategyFit({ numbers, profiles }, strategy, actions) {
  const c = Object.fromEntries(numbers);
  const bands = profiles.get(strategy);
  const n = actions.length;
  if (bands === undefined || n === 0 || n < c.strategy_min_decisions) {
    return { strategy: c.neutral, multiplier: 1 };
  }
  const buys = actions.filter((action) => action === "buy").length;
  const sells = actions.filter((action) => action === "sell").length;
  const trades = buys + sells;
  const fit = (/** @type {number} */ value, /** @type {string} */ name) => {
    const low = /** @type {number} */ (bands.get(`${name}_lo`));
    const high = /** @type {number} */ (bands.get(`${name}_hi`));
    if (value < low) {
      return clamp01(1 - (low - value) / c.strategy_fit_tolerance);
    }
    return value > high ? clamp01(1 - (value - high) / c.strategy_fit_tolerance) : 1;
  };
  const turnover = fit(trades / n, "turnover");
  const sellShare = trades === 0 ? 1 : fit(sells / trades, "sell_share");
  const points100 = round1(
    (c.w_strat_turnover * turnover + c.w_strat_sell_share * sellShare) * 100,
  );
  return {
    strategy: points100,
    multiplier: c.strategy_floor + complement(c.strategy_floor) * (points100 / 100),
  };
}

/**
 * Performance, risk and consistency of a series of NAVs.
 *
 * @param {Constants} constants
 * @param {number[]} navs
 * @param {number} exposure What deviation and drawdown are divided by.
 * @returns {{performance: number, risk: number, consistency: number}}
 */
function marketFactors({ numbers }, navs, exposure) {
  const c = Object.fromEntries(numbers);
  let performance = c.neutral;
  if (navs.length > 0 && navs[0] > 0) {
    const gain = (navs[navs.length - 1] - navs[0]) / navs[0];
    performance = clamp01(0.5 + gain / c.perf_scale) * 100;
  }
  const returns = [];
  for (let at = 1; at < navs.length; at += 1) {
    if (navs[at - 1] > 0) {
      returns.push((navs[at] - navs[at - 1]) / navs[at - 1]);
    }
  }
  if (returns.length === 0) {
    return { performance, risk: c.neutral, consistency: c.neutral };
  }
  const mean = sumInOrder(returns) / returns.length;
  const squares = returns.map((value) => (value - mean) * (value - mean));
  const deviation = Math.sqrt(sumInOrder(squares) / returns.length) / exposure;
  let peak = navs[0];
  let fall = 0;
  for (const nav of navs) {
    peak = nav > peak ? nav : peak;
    if (peak > 0 && (peak - nav) / peak > fall) {
      fall = (peak - nav) / peak;
    }
  }
  const steady = clamp01(1 - deviation / c.vol_scale) * 100;
  const held = clamp01(1 - fall / exposure / c.dd_scale) * 100;
  return {
    performance,
    risk: round1(0.5 * steady + 0.5 * held),
    consistency: clamp01(1 - deviation / c.consistency_scale) * 100,
  };
}

/**
 * @param {Constants} constants
 * @param {ScoreInputs} inputs
 * @returns {{creator: number, longevity: number}}
 */
function slowFactors({ numbers }, { navs, peers }) {
  const neutral = /** @type {number} */ (numbers.get("neutral"));
  const ticks = /** @type {number} */ (numbers.get("longevity_ticks"));
  return {
    creator: peers.length === 0 ? neutral : clamp01(sumInOrder(peers) / peers.length / 100) * 100,
    longevity: clamp01(navs.length / ticks) * 100,
  };
}

/**
 * Compute a score under arcana-score-formula/v1.
 *
 * All operations are those of doubles, each rounded on its own, in the published order: JavaScript
 * fuses none.
 *
 * @param {ScoreInputs} inputs
 * @param {Constants} [constants]
 * @returns {Record<string, number|boolean|null>} The ten outputs, in their order.
 */
export function arcanaScore(inputs, constants = V1) {
  const c = Object.fromEntries(constants.numbers);
  const navs = inputs.navs.map(goFloat);
  const cash = inputs.cash.map(goFloat);
  const shares = [];
  for (const [at, nav] of navs.entries()) {
    if (nav > 0) {
      const invested = (nav - cash[at]) / nav;
      shares.push(invested < 0 ? 0 : invested);
    }
  }
  const exposure = shares.length === 0 ? 0 : sumInOrder(shares) / shares.length;
  const used = exposure < c.min_exposure ? c.min_exposure : exposure;
  const { strategy, multiplier } = strategyFit(constants, inputs.strategy, inputs.actions);
  const { performance, risk, consistency } = marketFactors(constants, navs, used);
  const { creator, longevity } = slowFactors(constants, inputs);
  const weighted =
    c.w_performance * performance +
    c.w_risk * risk +
    c.w_regime * c.neutral +
    c.w_consistency * consistency +
    c.w_creator * creator +
    c.w_longevity * longevity;
  const ranked = inputs.actions.length >= c.min_participation_decisions;
  return {
    performance,
    risk: ranked ? risk : null,
    strategy,
    regime: c.neutral,
    consistency: ranked ? consistency : null,
    creator,
    longevity,
    strategy_multiplier: multiplier,
    ranked,
    arcana: ranked ? round1(weighted * multiplier) : null,
  };
}

/**
 * Compute a score under a formula from before sealing: F1, F2 or F3.
 *
 * They know no exposure and leave nobody unranked. F1 and F2 add the strategy as a term, which F1
 * holds at neutral; F3 multiplies by it.
 *
 * @param {string} name
 * @param {ScoreInputs} inputs
 * @returns {Record<string, number>}
 */
export function arcanaLegacyScore(name, inputs) {
  if (!["F1", "F2", "F3"].includes(name)) {
    throw new Refused(`no formula ${brief(name)}`);
  }
  const numbers = new Map(V1.numbers).set("consistency_scale", 0.02);
  if (name !== "F3") {
    numbers.set("w_performance", 0.3).set("w_risk", 0.2);
  }
  const constants = { numbers, profiles: V1.profiles };
  const c = Object.fromEntries(numbers);
  const market = marketFactors(constants, inputs.navs.map(goFloat), 1);
  const consistency = inputs.actions.length === 0 ? c.neutral : market.consistency;
  const { creator, longevity } = slowFactors(constants, inputs);
  const fit = strategyFit(constants, inputs.strategy, inputs.actions);
  const strategy = name === "F1" ? c.neutral : fit.strategy;
  const multiplier = name === "F3" ? fit.multiplier : 1;
  const first = c.w_performance * market.performance + c.w_risk * market.risk;
  const weighted =
    (name === "F3" ? first : first + 0.1 * strategy) +
    c.w_regime * c.neutral +
    c.w_consistency * consistency +
    c.w_creator * creator +
    c.w_longevity * longevity;
  return {
    performance: market.performance,
    risk: market.risk,
    strategy,
    regime: c.neutral,
    consistency,
    creator,
    longevity,
    strategy_multiplier: multiplier,
    arcana: round1(weighted * multiplier),
  };
}

/**
 * @param {Map<string, Json>} values The lines of a score manifest.
 * @returns {ScoreInputs}
 */
export function scoreInputs(values) {
  const column = (/** @type {string} */ line, /** @type {string} */ name) =>
    asList(values.get(line), line).map((row) => asObject(row, line).get(name));
  return {
    navs: column("nav_series", "nav").map((value) => asText(value, "nav")),
    cash: column("nav_series", "cash").map((value) => asText(value, "cash")),
    actions: column("decisions", "action").map((value) => asText(value, "action")),
    strategy: asText(values.get("strategy_type"), "strategy_type"),
    peers: column("creator_peers", "performance_score").map((value) => asNumber(value, "peer").value),
  };
}

/**
 * @param {number|null} output
 * @returns {string|null} The column of the score's row: the shortest decimal of the output, to two
 *     decimals, halves away from zero.
 */
export function storedColumn(output) {
  return output === null
    ? null
    : decimalText(roundHalfAway(decimal(String(output)), 2), 2, { fixed: true });
}

// ---------------------------------------------------------------------------------------------
// 9  Reports
// ---------------------------------------------------------------------------------------------

/**
 * One line of a report.
 *
 * @typedef {{what: string, verdict: "pass"|"fail"|"unproven", value: string,
 *     published?: string, recomputed?: string}} Check
 */

/** @typedef {{verdict: "pass"|"fail"|"unproven", checks: Check[], unchecked: string[]}} Result */

const NONE = "none";
const MOST_DIFFERENCES = 20;

/** What was checked, with which values, and what was not. */
export class Report {
  constructor() {
    /** @type {Check[]} */
    this.checks = [];
    /** @type {string[]} */
    this.unchecked = [];
    /** @type {Map<string, string|null>} Recomputed values, by the name they are shown under. */
    this.computed = new Map();
    /** @type {Map<string, string|null>} Values that the data states and nothing here recomputes. */
    this.stated = new Map();
  }

  /**
   * @param {string} what
   * @param {string} value
   */
  pass(what, value) {
    this.checks.push({ what, verdict: "pass", value });
  }

  /**
   * @param {string} what
   * @param {string} value
   */
  fail(what, value) {
    this.checks.push({ what, verdict: "fail", value });
  }

  /**
   * @param {string} what
   * @param {string} value
   */
  unproven(what, value) {
    this.checks.push({ what, verdict: "unproven", value });
  }

  /**
   * Compare what is published with what follows.
   *
   * @param {string} what
   * @param {string|null} published
   * @param {string|null} recomputed
   */
  equal(what, published, recomputed) {
    this.checks.push({
      what,
      verdict: published === recomputed ? "pass" : "fail",
      value: recomputed ?? NONE,
      published: published ?? NONE,
      recomputed: recomputed ?? NONE,
    });
  }

  /**
   * Compare many values: one line when they agree, one for each that differs.
   *
   * @param {string} what
   * @param {{name: string, published: string|null, recomputed: string|null}[]} pairs
   */
  equalAll(what, pairs) {
    if (pairs.length === 0) {
      this.notChecked(`${what}: there are none`);
      return;
    }
    const different = pairs.filter(({ published, recomputed }) => published !== recomputed);
    if (different.length === 0) {
      this.pass(what, `${pairs.length} of ${pairs.length} equal`);
    }
    for (const { name, published, recomputed } of different.slice(0, MOST_DIFFERENCES)) {
      this.equal(`${what}: ${name}`, published, recomputed);
    }
    if (different.length > MOST_DIFFERENCES) {
      this.fail(what, `${different.length} of ${pairs.length} differ; the first are listed`);
    }
  }

  /** @param {string} what Something that a reader might think was checked. */
  notChecked(what) {
    this.unchecked.push(what);
  }

  /** @param {unknown} error What ended the checks. */
  stopped(error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof Unavailable) {
      this.unproven("could not run", reason);
    } else if (error instanceof Refused) {
      this.fail("the data can be read", reason);
    } else {
      this.fail("could not run", reason);
    }
  }

  /** @returns {Result} */
  result() {
    const has = (/** @type {string} */ verdict) =>
      this.checks.some((check) => check.verdict === verdict);
    const open = this.checks.length === 0 || has("unproven");
    return {
      verdict: has("fail") ? "fail" : open ? "unproven" : "pass",
      checks: this.checks,
      unchecked: this.unchecked,
    };
  }
}

/**
 * Say whether a text of the page shows a value: the value itself, or a number that it rounds to at
 * the shown decimals. Percent signs, groups of digits and typographic minus signs are understood.
 *
 * @param {string} shown
 * @param {string|null} value
 * @returns {boolean}
 */
export function agreesAsShown(shown, value) {
  const text = shown.trim();
  if (value === null) {
    return !/[0-9]/.test(text);
  }
  if (text === value) {
    return true;
  }
  const plain = text.replace(/[\u2212\u2012]/g, "-").replace(/[\s,]/g, "").replace(/^\+/, "");
  const found = /^(-?[0-9]+(?:\.([0-9]+))?)(%?)$/.exec(plain);
  if (found === null || plain.length > MAX_DIGITS || !DECIMAL.test(value)) {
    return false;
  }
  const [, number, places = "", percent] = found;
  const exact = decimal(value);
  const whole = { n: exact.n * (percent === "" ? 1n : 100n), d: exact.d };
  const off = add(decimal(number), { n: -whole.n, d: whole.d });
  const twice = 2n * (off.n < 0n ? -off.n : off.n) * 10n ** BigInt(places.length);
  // At most half a unit of the last place that is shown.
  return twice <= off.d && (places !== "" || percent !== "" || off.n === 0n);
}

/**
 * Compare the texts that the page shows with what was recomputed, or with the page's data where
 * nothing was.
 *
 * @param {Report} report
 * @param {[string, string][]} shown Names and texts.
 */
function checkShown(report, shown) {
  let agreeing = 0;
  let copied = 0;
  const unknown = new Set();
  for (const [name, text] of shown) {
    const computed = report.computed.get(name);
    const value = computed === undefined ? report.stated.get(name) : computed;
    if (value === undefined) {
      unknown.add(name);
    } else if (!agreesAsShown(text, value)) {
      const what = `shown on the page: ${brief(name)}`;
      const said = brief(text.trim());
      if (computed === undefined) {
        report.fail(what, `the page shows ${said}, its data has ${value ?? NONE}`);
      } else {
        report.equal(what, said, value);
      }
    } else if (computed === undefined) {
      copied += 1;
    } else {
      agreeing += 1;
    }
  }
  if (agreeing > 0) {
    report.pass("values shown on the page", `${agreeing} agree with what was recomputed`);
  }
  if (copied > 0) {
    report.pass("other values shown on the page", `${copied} agree with its data`);
    report.notChecked(`${copied} values that the page's data states and that no formula here gives`);
  }
  if (shown.length > 0) {
    report.notChecked("what charts, sentences and the steps under the tables show");
  }
  if (unknown.size > 0) {
    report.notChecked(`shown on the page: ${brief([...unknown].slice(0, 5).join(", "))}`);
  }
}

// ---------------------------------------------------------------------------------------------
// 10  Payloads: what each kind of page brings
// ---------------------------------------------------------------------------------------------

/**
 * Check the data of a page.
 *
 * @param {unknown} payload Text of the JSON, or a value that is its content.
 * @param {{shown?: [string, string][]}} [options] Texts that the page shows, by name.
 * @returns {Promise<Result>} Never an exception.
 */
export async function verify(payload, { shown = [] } = {}) {
  const report = new Report();
  try {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    const data = asObject(readJson(asText(text, "the data")), "the data");
    const kind = asText(data.get("kind"), "kind");
    const check = PAYLOADS.get(kind);
    if (check === undefined) {
      throw new Refused(`no checks are known for the kind ${brief(kind)}`);
    }
    await check(data, report);
    const stated = [...asObject(data.get("shown") ?? new Map(), "shown")].map(([name, value]) => [
      name,
      asText(value, `shown.${brief(name)}`),
    ]);
    checkShown(report, [.../** @type {[string, string][]} */ (stated), ...shown]);
  } catch (error) {
    report.stopped(error);
  }
  return report.result();
}

/**
 * Check that a text has the hash that is published for it.
 *
 * @param {Report} report
 * @param {string} what
 * @param {string} text
 * @param {Json|undefined} hash
 */
async function checkHash(report, what, text, hash) {
  report.equal(`SHA-256 of ${what}`, asText(hash, `the hash of ${what}`), await sha256Hex(text));
}

/**
 * @param {Json|undefined} value
 * @param {string} place
 * @returns {string|null} A published number as a decimal, or null.
 */
function publishedDecimal(value, place) {
  return value === null ? null : plainDecimal(asWritten(asNumber(value, place)));
}

/**
 * @param {Fraction} value With a power of ten below.
 * @returns {string}
 */
function plainDecimal({ n, d }) {
  return decimalText(n, d.toString().length - 1);
}

/**
 * @param {Json|undefined} value
 * @param {string} place
 * @returns {string}
 */
function asOutcome(value, place) {
  const outcome = asText(value, place);
  if (!OUTCOMES.includes(outcome)) {
    throw new Refused(`${place} must be hit, miss or void`);
  }
  return outcome;
}

/**
 * Check a score: its manifest, its outputs, its place in an anchor.
 *
 * @param {Map<string, Json>} data
 * @param {Report} report
 */
async function checkScorePayload(data, report) {
  const text = asText(data.get("manifest"), "manifest");
  const seal = asHash(data.get("seal"), "seal");
  await checkHash(report, "the manifest's bytes is the seal", text, seal);
  report.computed.set("seal", await sha256Hex(text));
  const { scheme, values } = parseManifest(text);
  if (scheme !== "arcana-score/v1") {
    throw new Refused(`the manifest is of ${scheme}`);
  }
  report.pass("the manifest is in its one right form", `12 lines of ${scheme}`);
  for (const [name, line] of [["agent", "agent_id"], ["season", "season_id"], ["ts", "ts"]]) {
    report.equal(
      `the manifest's ${name}`,
      asText(data.get(name), name),
      /** @type {string} */ (values.get(line)),
    );
  }
  checkScoreManifest(values, report, asObject(data.get("published") ?? new Map(), "published"));
  stateInputs(values, report);
  const proof = data.get("proof") ?? null;
  if (proof === null) {
    report.notChecked("an anchor: this score is in none, as the page says");
  } else {
    await checkAnchorProof(asObject(proof, "proof"), seal, report);
  }
  report.notChecked("that the inputs listed are the recorded ones, all of them, and anchored before");
  report.notChecked("the regime term: it is a constant and measures nothing");
}

/**
 * Check the formula and the ten outputs of a score manifest.
 *
 * @param {Map<string, Json>} values
 * @param {Report} report
 * @param {Map<string, Json>} columns Published columns and outputs, as text.
 */
function checkScoreManifest(values, report, columns) {
  const formula = asText(values.get("formula"), "formula");
  if (formula !== FORMULA_V1) {
    report.unproven("the formula is known", formula);
    return;
  }
  const stated = /** @type {Json} */ (values.get("constants"));
  if (arePublishedConstants(stated)) {
    report.pass("the constants are the published ones", `20 of ${formula}`);
  } else {
    report.fail("the constants are the published ones", `others are stated for ${formula}`);
  }
  const outputs = arcanaScore(scoreInputs(values), readConstants(stated));
  const published = values.get("outputs");
  if (typeof published === "string") {
    report.fail("the outputs could be encoded", published);
    return;
  }
  for (const name of OUTPUTS) {
    const output = asObject(published, "outputs").get(name);
    const given = output instanceof JsonNumber ? output.value : output;
    // Not only equal as numbers: the same bits.
    const same = Object.is(given, outputs[name]);
    report.checks.push({
      what: `output ${name}`,
      verdict: same ? "pass" : "fail",
      value: outputText(outputs[name]),
      published: outputText(given),
      recomputed: outputText(outputs[name]),
    });
    report.computed.set(name, outputs[name] === null ? null : outputText(outputs[name]));
    if (typeof outputs[name] !== "boolean") {
      report.computed.set(`${name}_score`, storedColumn(/** @type {number|null} */ (outputs[name])));
    }
  }
  checkColumns(columns, report);
}

/**
 * Keep what a manifest says of its inputs, for the rows that show them.
 *
 * @param {Map<string, Json>} values
 * @param {Report} report
 */
function stateInputs(values, report) {
  const lists = [
    ["nav_series", "snapshot", { nav: "nav", cash: "cash" }],
    ["decisions", "decision", { id: "id" }],
    ["creator_peers", "peer", { performance: "performance_score" }],
  ];
  for (const [line, row, members] of /** @type {[string, string, Record<string, string>][]} */ (lists)) {
    asList(values.get(line), line).forEach((item, at) => {
      for (const [name, member] of Object.entries(members)) {
        const value = asObject(item, line).get(member);
        report.stated.set(`${name}:${row}-${at}`, value instanceof JsonNumber ? value.text : String(value));
      }
    });
  }
}

/** @param {unknown} value */
function outputText(value) {
  return typeof value === "number" ? goNumber(value) : value === null ? NONE : String(value);
}

/**
 * Check the columns of a score's row, which hold two decimals, and outputs as text.
 *
 * @param {Map<string, Json>} columns
 * @param {Report} report
 */
function checkColumns(columns, report) {
  const pairs = [];
  for (const [name, value] of columns) {
    const recomputed = report.computed.get(name);
    if (recomputed === undefined) {
      report.notChecked(`the published ${brief(name)}`);
      continue;
    }
    const text = value === null ? "—" : asText(value, name);
    // A column has its two decimals; an output may be shown shorter, or as a dash.
    const agrees = name.endsWith("_score") && recomputed !== null
      ? text === recomputed
      : agreesAsShown(text, recomputed);
    pairs.push({ name, published: agrees ? recomputed : text, recomputed });
  }
  if (pairs.length > 0) {
    report.equalAll("published values are the outputs", pairs);
  }
}

const PAYLOAD_MARK = "0x415243414e410001";

/**
 * Check that a seal is a leaf under a root, and that the transaction's input holds the root.
 *
 * @param {Map<string, Json>} proof
 * @param {string} seal
 * @param {Report} report
 */
async function checkAnchorProof(proof, seal, report) {
  const scheme = asText(proof.get("scheme"), "proof.scheme");
  if (scheme !== "arcana-anchor/v2") {
    report.fail("the anchor's scheme holds scores", scheme);
    return;
  }
  const steps = asList(proof.get("path"), "proof.path").map((item, at) => {
    const step = asObject(item, `proof.path[${at}]`);
    return {
      sibling: asHash(step.get("sibling"), "sibling"),
      position: asText(step.get("position"), "position"),
    };
  });
  const root = asHash(proof.get("root"), "proof.root");
  await checkPath(report, seal, proof, steps, root);
  const input = proof.get("tx_input") ?? null;
  if (input === null) {
    report.notChecked("the transaction: the page has none");
  } else {
    report.equal(
      "the transaction's input holds the root",
      asText(input, "proof.tx_input").toLowerCase(),
      PAYLOAD_MARK + root,
    );
    report.notChecked("that the chain holds this transaction, and who signed it: ask any node");
  }
}

/**
 * @param {Report} report
 * @param {string} record Hex of the leaf's record.
 * @param {Map<string, Json>} proof With the leaf's index and count.
 * @param {(string|{sibling: string, position: string})[]} path
 * @param {string} root
 */
async function checkPath(report, record, proof, path, root) {
  const index = asCount(proof.get("leaf_index") ?? proof.get("index"), "the leaf's index");
  const size = asCount(proof.get("leaf_count") ?? proof.get("size"), "the number of leaves");
  const what = `the proof leads from leaf ${index} of ${size} to the root`;
  try {
    const steps = path.map((step) =>
      typeof step === "string"
        ? { sibling: fromHex(step) }
        : { sibling: fromHex(step.sibling), position: step.position },
    );
    report.equal(what, root, toHex(await walkInclusion(await leafHash(fromHex(record)), index, size, steps)));
  } catch (error) {
    if (!(error instanceof Refused)) {
      throw error;
    }
    report.fail(what, error.message);
  }
}

/**
 * Check a leaderboard as frozen: hash, form, ranks and order.
 *
 * @param {Map<string, Json>} data
 * @param {Report} report
 */
async function checkLeaderboardPayload(data, report) {
  const text = asText(data.get("table"), "table");
  await checkHash(report, "the table", text, data.get("sha256"));
  checkLeaderboardTable(asObject(readCanonicalJson(text), "the table"), report, "");
  report.notChecked("the scores themselves: each agent's page recomputes its own");
  report.notChecked("that no agent is missing");
}

/**
 * Check the rows of a leaderboard.
 *
 * Ranked rows stand first, scores falling; a rank is one more than the number of higher scores. A
 * row is unranked when it has no score, and then it has no rank.
 *
 * @param {Map<string, Json>} table
 * @param {Report} report
 * @param {string} name Of the season, before each line; empty on its own page.
 */
function checkLeaderboardTable(table, report, name) {
  const rows = asList(table.get("rows"), "rows").map((item, at) => {
    const row = asObject(item, `row ${at}`);
    const columns = asObject(row.get("columns"), `the columns of row ${at}`);
    const column = columns.get("arcana_score");
    const text = column === null ? null : asText(column, "arcana_score");
    return {
      agent: asText(row.get("agent_id"), "agent_id"),
      columns,
      score: text === null ? null : decimal(text),
      shownScore: publishedDecimal(row.get("score"), "score"),
      ranked: row.get("ranked") === true,
      rank: row.get("rank") === null ? null : String(asCount(row.get("rank"), "rank")),
    };
  });
  const ranks = rows.map(({ score }) =>
    score === null
      ? null
      : String(
          1 + rows.filter((row) => row.score !== null && compare(row.score, score) > 0).length,
        ),
  );
  report.equalAll(
    `${name}scores are the columns`,
    rows.map(({ agent, score, shownScore }) => ({
      name: agent,
      published: shownScore,
      recomputed: score === null ? null : plainDecimal(score),
    })),
  );
  report.equalAll(
    `${name}ranks follow from the scores`,
    rows.map(({ agent, rank }, at) => ({ name: agent, published: rank, recomputed: ranks[at] })),
  );
  const right = rows.every(({ score, ranked }, at) => {
    const before = at === 0 ? null : rows[at - 1].score;
    const inOrder = at === 0 || score === null || (before !== null && compare(before, score) >= 0);
    return inOrder && ranked === (score !== null);
  });
  if (right) {
    report.pass(`${name}order of the rows`, `${rows.length} rows, those without a score last`);
  } else {
    report.fail(`${name}order of the rows`, "a row stands where its score does not put it");
  }
  for (const [at, { agent, score, columns }] of rows.entries()) {
    report.computed.set(`rank:${agent}`, ranks[at]);
    report.computed.set(`score:${agent}`, score === null ? null : plainDecimal(score));
    for (const [column, value] of columns) {
      report.stated.set(`${column}:${agent}`, value === null ? null : asText(value, column));
    }
  }
}

/**
 * Check a call: its seal, its points, its entry in the ledger.
 *
 * @param {Map<string, Json>} data
 * @param {Report} report
 */
async function checkCallPayload(data, report) {
  const call = asObject(data.get("call"), "call");
  const members = [...call.keys()].sort().join(" ");
  if (members !== "agent baseline posted_at terms") {
    throw new Refused("a sealed call has the members agent, baseline, posted_at and terms");
  }
  const seal = await sha256Hex(canonicalJson(call));
  report.equal("the seal is the SHA-256 of the call", asHash(data.get("seal"), "seal"), seal);
  report.computed.set("seal", seal);
  const p = asWritten(asNumber(asObject(call.get("terms"), "terms").get("p"), "p"));
  const b = asWritten(asNumber(asObject(call.get("baseline"), "baseline").get("b"), "b"));
  report.computed.set("p", plainDecimal(p));
  report.computed.set("b", plainDecimal(b));
  const outcome = data.get("outcome") ?? null;
  if (outcome === null) {
    report.equal("a call that is open has no points", publishedDecimal(data.get("points") ?? null, "points"), null);
    report.notChecked("an outcome: the call is open");
  } else {
    const word = asOutcome(outcome, "outcome");
    report.computed.set("outcome", word);
    checkPoints(report, data, word, p, b);
  }
  const entry = data.get("entry") ?? null;
  if (entry === null) {
    if (outcome !== null) {
      report.unproven("the ledger entry", "the page brings none");
    }
  } else {
    await checkEntry(asObject(entry, "entry"), data, seal, report);
  }
  report.notChecked("that the outcome follows from the prices of both venues");
  report.notChecked("that b follows from the spot and the volatility at posting");
}

/**
 * @param {Report} report
 * @param {Map<string, Json>} data
 * @param {string} outcome
 * @param {Fraction} p
 * @param {Fraction} b
 */
function checkPoints(report, data, outcome, p, b) {
  const published = publishedDecimal(data.get("points") ?? null, "points");
  const computed = outcome === "void" ? null : points({ p, b, hit: outcome === "hit" });
  const text = computed === null ? null : decimalText(computed.units, FLOOR.pointPlaces);
  const how = computed === null ? "a void has none" : `decided by ${computed.by}`;
  report.equal(`points follow from p, b and the outcome (${how})`, published, text);
  report.computed.set("points", text);
}

/**
 * @param {Map<string, Json>} entry
 * @param {Map<string, Json>} data
 * @param {string} seal
 * @param {Report} report
 */
async function checkEntry(entry, data, seal, report) {
  const body = asObject(entry.get("body"), "entry.body");
  const hash = await sha256Hex(canonicalJson(body));
  report.equal("the entry's hash is the SHA-256 of its body", asHash(entry.get("hash"), "entry.hash"), hash);
  report.computed.set("entry", hash);
  const settled = asText(body.get("settled_at"), "settled_at");
  const final = floorTimeText(floorTime(settled) + DAY);
  report.equalAll("the entry is this call's", [
    { name: "call", published: asText(body.get("call"), "call"), recomputed: seal },
    {
      name: "outcome",
      published: asText(body.get("outcome"), "outcome"),
      recomputed: /** @type {string|null} */ (data.get("outcome") ?? null),
    },
    {
      name: "points",
      published: publishedDecimal(body.get("points"), "points"),
      recomputed: report.computed.get("points") ?? null,
    },
    { name: "final_at", published: asText(body.get("final_at"), "final_at"), recomputed: final },
  ]);
  report.computed.set("settled_at", settled);
  report.notChecked("the entries before and after: the ledger's pages have them");
  const proof = data.get("proof") ?? null;
  if (proof === null) {
    report.notChecked("an hourly root over the entry: there is none yet");
    return;
  }
  const tree = asObject(proof, "proof");
  const path = asList(tree.get("path"), "proof.path").map((item) => asHash(item, "proof.path"));
  await checkPath(report, hash, tree, path, asHash(tree.get("root"), "proof.root"));
  report.notChecked("who vouches for the hour's root: it is in no chain");
}

/**
 * Write the body of a ledger entry, all of whose members follow from a call of a page.
 *
 * @param {Map<string, Json>} call
 * @param {string} prev Hash of the entry before.
 * @returns {string} Canonical JSON.
 */
function entryBody(call, prev) {
  const settled = asText(call.get("settled_at"), "settled_at");
  const final = floorTimeText(floorTime(settled) + DAY);
  const members = ["entry", "outcome", "points", "reason", "record", "settled_at"].map((name) => [
    name,
    call.get(name) ?? null,
  ]);
  return canonicalJson(
    new Map([
      .../** @type {[string, Json][]} */ (members),
      ["call", call.get("seal") ?? null],
      ["final_at", final],
      ["kind", "settle"],
      ["prev", prev],
      ["unit", "standing"],
    ]),
  );
}

/**
 * Walk the ledger from the calls of a season's page to the head that its table states.
 *
 * @param {Map<string, Json>} data
 * @param {Map<string, Json>} table
 * @param {number} end
 * @param {Report} report
 */
async function checkLedgerHead(data, table, end, report) {
  const calls = asList(data.get("calls"), "calls").map((item) => asObject(item, "a call"));
  if (!calls.every((call) => call.has("entry") && call.has("record"))) {
    report.notChecked("the ledger's head: the ledger's pages have the entries");
    return;
  }
  const place = (/** @type {Map<string, Json>} */ call) => asCount(call.get("entry"), "entry");
  calls.sort((a, b) => place(a) - place(b));
  const before = asObject(data.get("ledger") ?? new Map(), "ledger");
  const stated = before.has("first") ? asCount(before.get("first"), "ledger.first") : 0;
  const first = calls.length === 0 ? stated : place(calls[0]);
  if (before.has("first") && first !== stated) {
    throw new Refused(`the first entry is ${first}, and not ${stated}`);
  }
  const known = first === 0 || before.has("prev");
  let head = before.has("prev") ? asHash(before.get("prev"), "ledger.prev") : NO_ENTRY;
  let entries = first;
  for (const call of calls) {
    if (place(call) !== entries) {
      throw new Refused(`entry ${place(call)} stands where ${entries} should`);
    }
    if (floorTime(asText(call.get("settled_at"), "settled_at")) >= end) {
      break;
    }
    head = await sha256Hex(entryBody(call, head));
    entries += 1;
  }
  const ledger = asObject(table.get("ledger"), "ledger");
  const count = asCount(ledger.get("entries"), "ledger.entries");
  report.equal("the ledger's entries", String(count), String(entries));
  if (known) {
    const what = `the ledger's head follows from ${entries - first} entries`;
    report.equal(what, asHash(ledger.get("head"), "ledger.head"), head);
  } else {
    report.notChecked("the ledger's head: the page does not say what came before its entries");
  }
  if (first > 0) {
    report.notChecked(`the ${first} entries before the season: the ledger's pages have them`);
  }
}

/**
 * Check that calls of an agent's page hash to their entries of the ledger, where it has these.
 *
 * @param {Json|undefined} listed
 * @param {Report} report
 */
async function checkEntryHashes(listed, report) {
  const pairs = [];
  let without = 0;
  for (const item of asList(listed, "calls")) {
    const call = asObject(item, "a call");
    if ((call.get("outcome") ?? null) === null) {
      continue;
    }
    if (!call.has("hash")) {
      without += 1;
      continue;
    }
    pairs.push({
      name: asText(call.get("seal"), "seal"),
      published: asHash(call.get("hash"), "hash"),
      recomputed: await sha256Hex(entryBody(call, asHash(call.get("prev"), "prev"))),
    });
  }
  if (pairs.length > 0) {
    report.equalAll("calls hash to their ledger entries", pairs);
  }
  if (without > 0) {
    report.notChecked(`the ledger entries of ${without} calls: their pages have them`);
  }
}

/**
 * Read the settled calls of a page; open ones are left out.
 *
 * @param {Json|undefined} value
 * @param {string|null} agent Whose they are, when they do not say.
 * @returns {Settled[]}
 */
function readSettled(value, agent) {
  const settled = [];
  for (const item of asList(value, "calls")) {
    const call = asObject(item, "a call");
    const seal = asHash(call.get("seal"), "a call's seal");
    if ((call.get("outcome") ?? null) === null) {
      continue;
    }
    const number = (/** @type {string} */ name) => {
      const given = call.get(name) ?? null;
      return given === null ? null : asWritten(asNumber(given, `${name} of ${seal}`));
    };
    const p = number("p");
    const outcome = asOutcome(call.get("outcome"), `the outcome of ${seal}`);
    const gained = number("points");
    if (p === null || (gained === null) !== (outcome === "void")) {
      throw new Refused(`the call ${seal} is a ${outcome} with the points ${brief(call.get("points"))}`);
    }
    settled.push({
      agent: agent ?? asText(call.get("agent"), `the agent of ${seal}`),
      seal,
      outcome,
      p,
      b: number("b"),
      points: gained,
      settledAt: floorTime(asText(call.get("settled_at"), `settled_at of ${seal}`)),
    });
  }
  return settled;
}

/**
 * Check the points of many calls.
 *
 * @param {Report} report
 * @param {Settled[]} calls
 */
function checkAllPoints(report, calls) {
  const scored = calls.filter((call) => call.outcome !== "void");
  const withBaseline = scored.filter((call) => call.b !== null);
  const pairs = withBaseline.map((call) => {
    const b = /** @type {Fraction} */ (call.b);
    const { units } = points({ p: call.p, b, hit: call.outcome === "hit" });
    return {
      name: call.seal,
      published: plainDecimal(/** @type {Fraction} */ (call.points)),
      recomputed: decimalText(units, FLOOR.pointPlaces),
    };
  });
  report.equalAll("points follow from p, b and the outcome", pairs);
  for (const { name, recomputed } of pairs) {
    report.computed.set(`points:${name}`, recomputed);
  }
  if (withBaseline.length < scored.length) {
    report.notChecked(`the points of ${scored.length - withBaseline.length} calls without b`);
  }
  const seals = new Set(calls.map((call) => call.seal));
  if (seals.size !== calls.length) {
    report.fail("each call is counted once", `${calls.length - seals.size} come again`);
  }
}

/**
 * Keep what the calls of a page state, for the rows that show them. Points were recomputed before.
 *
 * @param {Json|undefined} listed
 * @param {Report} report
 */
function stateCalls(listed, report) {
  for (const item of asList(listed, "calls")) {
    const call = asObject(item, "a call");
    for (const name of ["p", "b", "points"]) {
      const value = publishedDecimal(call.get(name) ?? null, name);
      report.stated.set(`${name}:${asText(call.get("seal"), "seal")}`, value);
    }
  }
}

/**
 * @param {FloorRow} row
 * @returns {[string, string|null][]} Its values as they are published.
 */
function rowValues(row) {
  return [
    ["standing", decimalText(row.standing, FLOOR.standingPlaces)],
    ["brier", row.brier === null ? null : decimalText(row.brier, FLOOR.brierPlaces)],
    ["settled", String(row.settled)],
    ["hits", String(row.hits)],
    ["misses", String(row.misses)],
    ["voids", String(row.voids)],
    ["rank", row.rank === undefined ? null : String(row.rank)],
  ];
}

/**
 * Check an agent's season from its calls.
 *
 * @param {Map<string, Json>} data
 * @param {Report} report
 */
async function checkAgentPayload(data, report) {
  const agent = asText(data.get("agent"), "agent");
  const season = asObject(data.get("season"), "season");
  const start = floorTime(asText(season.get("start"), "season.start"));
  const end = floorTime(asText(season.get("end"), "season.end"));
  const calls = readSettled(data.get("calls"), agent);
  checkAllPoints(report, calls);
  stateCalls(data.get("calls"), report);
  await checkEntryHashes(data.get("calls"), report);
  const own = calls.filter((call) => start <= call.settledAt && call.settledAt < end);
  const published = asObject(data.get("published"), "published");
  for (const [name, value] of rowValues(floorRow(agent, own, end))) {
    if (name === "rank") {
      continue;
    }
    report.computed.set(name, value);
    if (published.has(name)) {
      report.equal(name, publishedDecimal(published.get(name), name), value);
    } else {
      report.notChecked(`${name}: the table states none for this agent`);
    }
  }
  report.notChecked("that the list of calls is complete: the season's page has them all");
  report.notChecked("that the outcomes follow from the prices of both venues");
}

/**
 * Check a season's table from its calls.
 *
 * @param {Map<string, Json>} data
 * @param {Report} report
 */
async function checkSeasonPayload(data, report) {
  const text = asText(data.get("table"), "table");
  await checkHash(report, "the table", text, data.get("sha256"));
  const table = asObject(readCanonicalJson(text), "the table");
  const published = readFloorTable(table);
  const listed = data.get("calls") ?? null;
  if (listed === null) {
    checkFloorOrder(published, report, "");
    report.notChecked("standings and Brier scores: the page brings no calls");
    return;
  }
  if (!FLOOR.rules.includes(published.rules)) {
    report.unproven("the rule set is known", published.rules);
    return;
  }
  const calls = readSettled(listed, null);
  checkAllPoints(report, calls);
  await checkLedgerHead(data, table, published.end, report);
  const computed = floorTable(calls, published.start, published.end);
  compareRows(report, "rows", published.rows, computed.rows);
  compareRows(report, "unlisted", published.unlisted, computed.unlisted);
  for (const row of [...computed.rows, ...computed.unlisted]) {
    for (const [name, value] of rowValues(row)) {
      report.computed.set(`${name}:${row.agent}`, value);
    }
  }
  report.notChecked("who vouches for the ledger's head: its hourly roots are in no chain");
  report.notChecked("that the outcomes follow from the prices of both venues");
}

/**
 * @typedef {{agent: string, values: Map<string, string|null>}} PublishedRow
 */

/**
 * @param {Map<string, Json>} table
 * @returns {{rules: string, start: number, end: number, rows: PublishedRow[],
 *     unlisted: PublishedRow[]}}
 */
function readFloorTable(table) {
  const season = asObject(table.get("season"), "season");
  const read = (/** @type {string} */ list, /** @type {string[]} */ names) =>
    asList(table.get(list), list).map((item, at) => {
      const row = asObject(item, `${list}[${at}]`);
      const agent = asText(row.get("agent"), "agent");
      const values = names.map((name) => [
        name,
        publishedDecimal(asNumber(row.get(name), `${name} of ${brief(agent)}`), name),
      ]);
      return { agent, values: new Map(/** @type {[string, string][]} */ (values)) };
    });
  return {
    rules: asText(table.get("rules"), "rules"),
    start: floorTime(asText(season.get("start"), "season.start")),
    end: floorTime(asText(season.get("end"), "season.end")),
    rows: read("rows", ["rank", "standing", "brier", "settled", "hits", "misses", "voids"]),
    unlisted: read("unlisted", ["settled", "standing"]),
  };
}

/**
 * Compare published rows with recomputed ones, place by place.
 *
 * @param {Report} report
 * @param {string} list
 * @param {PublishedRow[]} published
 * @param {FloorRow[]} computed
 */
function compareRows(report, list, published, computed) {
  report.equal(`number of ${list}`, String(published.length), String(computed.length));
  report.equalAll(
    `order of ${list}`,
    Array.from({ length: Math.max(published.length, computed.length) }, (_, at) => ({
      name: `place ${at + 1}`,
      published: published[at]?.agent ?? null,
      recomputed: computed[at]?.agent ?? null,
    })),
  );
  const byAgent = new Map(computed.map((row) => [row.agent, new Map(rowValues(row))]));
  const pairs = published.flatMap(({ agent, values }) =>
    [...values].map(([name, value]) => ({
      name: `${name} of ${brief(agent)}`,
      published: value,
      recomputed: byAgent.get(agent)?.get(name) ?? null,
    })),
  );
  report.equalAll(`values of ${list}`, pairs);
}

/**
 * Check what a table says by itself: sums, ranks and order.
 *
 * @param {{rows: PublishedRow[], unlisted: PublishedRow[]}} table
 * @param {Report} report
 * @param {string} name Of the season, before each line; empty on its own page.
 */
function checkFloorOrder({ rows, unlisted }, report, name) {
  const units = (/** @type {PublishedRow} */ row, /** @type {string} */ key, /** @type {number} */ places) => {
    const value = decimal(/** @type {string} */ (row.values.get(key)));
    return roundHalfAway(value, places);
  };
  const count = (/** @type {PublishedRow} */ row, /** @type {string} */ key) => Number(row.values.get(key));
  const ordered = rankRows(
    rows
      .map((row) => ({
        agent: row.agent,
        standing: units(row, "standing", FLOOR.standingPlaces),
        brier: units(row, "brier", FLOOR.brierPlaces),
        settled: count(row, "settled"),
        hits: count(row, "hits"),
        misses: count(row, "misses"),
        voids: count(row, "voids"),
      }))
      .sort((a, b) => byCodePoints(a.agent, b.agent)),
  );
  report.equalAll(
    `${name}order and ranks`,
    rows.map((row, at) => ({
      name: `place ${at + 1}`,
      published: `${row.values.get("rank")} ${row.agent}`,
      recomputed: `${ordered[at].rank} ${ordered[at].agent}`,
    })),
  );
  report.equalAll(
    `${name}hits and misses make the settled calls`,
    rows.map((row) => ({
      name: row.agent,
      published: row.values.get("settled") ?? null,
      recomputed: String(count(row, "hits") + count(row, "misses")),
    })),
  );
  const wrong = [
    ...rows.filter((row) => count(row, "settled") < FLOOR.minSettled),
    ...unlisted.filter((row) => count(row, "settled") >= FLOOR.minSettled),
  ];
  if (wrong.length === 0) {
    report.pass(`${name}listed with ${FLOOR.minSettled} settled calls`, `${rows.length} agents`);
  } else {
    report.fail(`${name}listed with ${FLOOR.minSettled} settled calls`, brief(wrong[0].agent));
  }
  for (const row of ordered) {
    for (const [key, value] of rowValues(row)) {
      report.computed.set(`${key}:${row.agent}`, value);
    }
  }
}

/**
 * Check the tables that the home page names.
 *
 * @param {Map<string, Json>} data
 * @param {Report} report
 */
async function checkHomePayload(data, report) {
  for (const [at, item] of asList(data.get("seasons"), "seasons").entries()) {
    const season = asObject(item, `season ${at}`);
    const id = asText(season.get("id"), "id");
    const name = `${brief(id)}: `;
    const text = asText(season.get("table"), "table");
    await checkHash(report, `${name}its table`, text, season.get("sha256"));
    const table = asObject(readCanonicalJson(text), "the table");
    const family = asText(season.get("family"), "family");
    if (family === "floor") {
      checkFloorOrder(readFloorTable(table), report, name);
    } else if (family === "arcana") {
      checkLeaderboardTable(table, report, name);
    } else {
      report.notChecked(`${name}the order of its rows; its own pages do`);
    }
  }
  report.notChecked("what is in the tables: the pages of the seasons recompute it");
}

// ---------------------------------------------------------------------------------------------
// 11  Files that a reader brings
// ---------------------------------------------------------------------------------------------

/**
 * Check a manifest or a proof file.
 *
 * @param {Uint8Array} bytes
 * @returns {Promise<Result>} Never an exception.
 */
export async function verifyFile(bytes) {
  const report = new Report();
  try {
    const text = decodeUtf8(bytes);
    if (text.startsWith("arcana-")) {
      await checkManifestFile(text, report);
    } else {
      await checkProofFile(asObject(readJson(text), "a proof"), report);
    }
  } catch (error) {
    report.stopped(error);
  }
  return report.result();
}

/**
 * @param {string} text
 * @param {Report} report
 */
async function checkManifestFile(text, report) {
  const { scheme, values } = parseManifest(text);
  report.pass("the manifest is in its one right form", scheme);
  report.pass("the seal of these bytes", await sha256Hex(text));
  if (scheme === "arcana-score/v1") {
    checkScoreManifest(values, report, new Map());
  }
  report.notChecked("that this seal was published and anchored: compare it with the record's page");
  report.notChecked("that what the manifest lists is what was recorded");
}

/**
 * Check a proof file: the record's hash, its place in the tree, and who vouches for the root.
 *
 * @param {Map<string, Json>} proof
 * @param {Report} report
 */
async function checkProofFile(proof, report) {
  if (!proof.has("format")) {
    await checkPlatformProof(proof, report);
    return;
  }
  if (proof.get("format") !== "tallyproof-proof/1") {
    throw new Refused(`${brief(proof.get("format"))} is no format of a proof`);
  }
  const record = asObject(proof.get("record"), "record");
  const tree = asObject(proof.get("tree"), "tree");
  const seal = asHash(record.get("seal"), "record.seal");
  const family = asText(record.get("family"), "record.family");
  if (asText(tree.get("scheme"), "tree.scheme") !== "rfc9162-sha256") {
    throw new Refused(`the tree's scheme ${brief(tree.get("scheme"))} is not known here`);
  }
  if (family === "floor") {
    await checkEntryRecord(proof, record, seal, report);
  } else if (family === "arcana") {
    await checkSealedRecord(proof, record, seal, report);
  } else {
    throw new Refused(`${brief(family)} is no family with proofs`);
  }
  const path = asList(tree.get("proof"), "tree.proof").map((item) => asHash(item, "tree.proof"));
  await checkPath(report, seal, tree, path, asHash(tree.get("root"), "tree.root"));
  report.notChecked("that the record is right: a proof shows when it existed at the latest");
}

/**
 * @param {Map<string, Json>} proof
 * @param {Map<string, Json>} record
 * @param {string} seal
 * @param {Report} report
 */
async function checkEntryRecord(proof, record, seal, report) {
  const body = asObject(record.get("body"), "record.body");
  report.equal("the body hashes to the entry's hash", seal, await sha256Hex(canonicalJson(body)));
  const settled = asText(body.get("settled_at"), "settled_at");
  floorTime(settled);
  report.equal("the hour is that of settled_at", asText(proof.get("hour"), "hour"), `${settled.slice(0, 13)}:00:00Z`);
  report.unproven("who vouches for the hour's root", "it is in no chain: compare it with one that you trust");
}

const RECORD_KINDS = new Map([
  ["decision", "arcana-commitment/v1"],
  ["portfolio_snapshot", "arcana-portfolio-snapshot/v1"],
  ["score", "arcana-score/v1"],
]);

/**
 * @param {Map<string, Json>} proof
 * @param {Map<string, Json>} record
 * @param {string} seal
 * @param {Report} report
 */
async function checkSealedRecord(proof, record, seal, report) {
  const anchor = asObject(proof.get("anchor"), "anchor");
  const leaf = asObject(anchor.get("leaf"), "anchor.leaf");
  const tree = asObject(proof.get("tree"), "tree");
  const kind = asText(record.get("kind"), "record.kind");
  const text = record.get("manifest") ?? null;
  if (text === null) {
    report.unproven("the record hashes to its seal", "the proof does not hold the record");
  } else {
    report.equal("the record hashes to its seal", seal, await sha256Hex(asText(text, "record.manifest")));
    const { scheme, values } = parseManifest(asText(text, "record.manifest"));
    report.equal("the record is of its kind", scheme, RECORD_KINDS.get(kind) ?? null);
    const time = leaf.get("ts") ?? leaf.get("decision_ts");
    const named = (/** @type {Json|undefined} */ value) => (typeof value === "string" ? value : null);
    const pairs = [
      { name: "agent", published: named(leaf.get("agent_id")), recomputed: named(values.get("agent_id")) },
      { name: "time", published: named(time), recomputed: named(values.get("ts")) },
      { name: "kind", published: named(leaf.get("kind")), recomputed: kind },
    ];
    for (const name of ["season_id", "portfolio_id"]) {
      if (leaf.has(name)) {
        pairs.push({ name, published: named(leaf.get(name)), recomputed: named(values.get(name)) });
      }
    }
    report.equalAll("the leaf is this record's", pairs);
    if (scheme === "arcana-score/v1") {
      checkScoreManifest(values, report, new Map());
    }
  }
  report.equalAll("the anchor lists the leaf", [
    { name: "seal", published: asHash(leaf.get("commitment"), "the leaf's commitment"), recomputed: seal },
    {
      name: "index",
      published: asNumber(leaf.get("leaf_index"), "the leaf's index").text,
      recomputed: asNumber(tree.get("leaf_index"), "the tree's index").text,
    },
  ]);
  checkChainRecord(proof.get("chain") ?? null, anchor, asHash(tree.get("root"), "tree.root"), report);
}

/**
 * Check what a node answered about an anchor's transaction, as far as it can be without Keccak.
 *
 * @param {Json} chain
 * @param {Map<string, Json>} anchor
 * @param {string} root
 * @param {Report} report
 */
function checkChainRecord(chain, anchor, root, report) {
  const hash = brief(anchor.get("tx_hash"));
  const ask = `the chain and the sender are not asked here: ask any node for ${hash.slice(0, 18)}…`;
  if (chain === null) {
    report.unproven("the root is in a mined transaction", ask);
    return;
  }
  const answer = asObject(chain, "chain");
  const transaction = asObject(answer.get("transaction"), "chain.transaction");
  const receipt = asObject(answer.get("receipt"), "chain.receipt");
  const lower = (/** @type {Json|undefined} */ value) => (typeof value === "string" ? value.toLowerCase() : null);
  const sender = lower(anchor.get("sender"));
  report.equalAll("what a node answered about the transaction", [
    { name: "hash", published: lower(transaction.get("hash")), recomputed: lower(anchor.get("tx_hash")) },
    { name: "receipt's hash", published: lower(receipt.get("transactionHash")), recomputed: lower(anchor.get("tx_hash")) },
    { name: "from", published: lower(transaction.get("from")), recomputed: sender },
    { name: "to", published: lower(transaction.get("to")), recomputed: sender },
    { name: "value", published: lower(transaction.get("value")), recomputed: "0x0" },
    { name: "input", published: lower(transaction.get("input")), recomputed: PAYLOAD_MARK + root },
    { name: "status", published: lower(receipt.get("status")), recomputed: "0x1" },
  ]);
  report.unproven("the transaction is on the chain, by that sender", ask);
}

/**
 * Check the platform's own answer for a leaf.
 *
 * @param {Map<string, Json>} answer
 * @param {Report} report
 */
async function checkPlatformProof(answer, report) {
  const seal = asHash(answer.get("seal"), "seal");
  report.unproven("the record hashes to its seal", "the answer does not hold the record");
  if (answer.get("status") === "pending") {
    report.unproven("the seal is under a root", "the platform says that it is in no anchor yet");
    return;
  }
  const anchor = answer.get("anchor") ?? null;
  const stated = anchor === null ? answer.get("root") : asObject(anchor, "anchor").get("root");
  const root = asHash(stated, "root");
  const steps = asList(answer.get("proof"), "proof").map((item) => {
    const step = asObject(item, "a step");
    return {
      sibling: asHash(step.get("sibling"), "sibling"),
      position: asText(step.get("position"), "position"),
    };
  });
  await checkPath(report, seal, answer, steps, root);
  const input = answer.get("expected_input") ?? null;
  if (input !== null) {
    report.equal("the input holds the root", asText(input, "expected_input").toLowerCase(), PAYLOAD_MARK + root);
  }
  report.unproven("the root is in a mined transaction", "the answer holds no record of the chain");
}

// ---------------------------------------------------------------------------------------------
// 12  SharpeArena
// ---------------------------------------------------------------------------------------------
//
// The published figures were made with the C library's exp and log, and a browser's own differ
// from it in last bits. So exp is computed here in the order of glibc's steps (2.28 and later, on
// processors with fused multiply-add), and log, which only the bar needs, is rounded correctly.

/**
 * A released scoring kernel: the choices in which they differ.
 *
 * @typedef {{name: string, population: boolean, skewnessFrom: number, kurtosisFrom: number,
 *     annualPrior: boolean, refuses: boolean}} SharpeKernel
 */

/** @type {Map<string, SharpeKernel>} */
export const SHARPE_KERNELS = new Map(
  [
    { name: "0.4", population: false, skewnessFrom: 3, kurtosisFrom: 4, annualPrior: false, refuses: false },
    { name: "0.5.0", population: false, skewnessFrom: 3, kurtosisFrom: 4, annualPrior: true, refuses: false },
    { name: "0.28.0", population: true, skewnessFrom: 2, kurtosisFrom: 2, annualPrior: true, refuses: true },
  ].map((kernel) => [kernel.name, kernel]),
);

const KERNEL_OF_RELEASE = new Map([
  ...["0.9.0", "0.10.0", "0.11.1", "0.12.0", "0.13.0", "0.14.0", "0.15.0"].map(
    (release) => /** @type {[string, string]} */ ([release, "0.5.0"]),
  ),
  ["0.31.0", "0.28.0"],
]);

const ENVIRONMENTS = new Map([
  ["calm", "SharpeArena/Calm-v1"],
  ["hard", "SharpeArena/Hard-v1"],
  ["extreme", "SharpeArena/Extreme-v1"],
]);

const REFERENCE_POLICIES = [
  "flat",
  "equal_weight_long",
  "momentum",
  "min_variance",
  "max_sharpe",
  "kelly_vol_target",
];
const BASE_TRIALS = 50;
// Up to here every log that the bar needs was compared with glibc's, and is the same double.
const MOST_TRIALS = 26_000;
const MOST_DRAWS = 2 ** 23;
const PASS_BAR = 0.9;
const SCORED = "scored";

// -- exp, as glibc has it ---------------------------------------------------------------------

const LN2_128_INVERSE = 184.6649652337873;
const LN2_128_HIGH = -0.005415212348111709;
const LN2_128_LOW = -1.2864023111638346e-14;
const EXP_2 = 0.49999999999996786;
const EXP_3 = 0.16666666666665886;
const EXP_4 = 0.0416666808410674;
const EXP_5 = 0.008333335853059549;
// Adding it leaves the nearest integer in the low bits.
const EXP_SHIFT = 1.5 * 2 ** 52;
const EXP_BITS = 200n;

const WORDS = new DataView(new ArrayBuffer(8));

/**
 * @param {number} value A double.
 * @returns {bigint} Its 64 bits.
 */
function bitsOf(value) {
  WORDS.setFloat64(0, value);
  return WORDS.getBigUint64(0);
}

/**
 * @param {bigint} bits
 * @returns {number} The double of those 64 bits.
 */
function doubleOf(bits) {
  WORDS.setBigUint64(0, bits);
  return WORDS.getFloat64(0);
}

/**
 * @param {number} value A finite double.
 * @returns {Fraction} Exactly its value.
 */
export function fractionOf(value) {
  const bits = bitsOf(value);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & ((1n << 52n) - 1n)) | (exponent === 0 ? 0n : 1n << 52n);
  const size = Math.max(exponent, 1) - 1075;
  const n = bits >> 63n === 1n ? -mantissa : mantissa;
  return size >= 0 ? { n: n << BigInt(size), d: 1n } : { n, d: 1n << BigInt(-size) };
}

/**
 * Multiply and add with one rounding, for numbers whose parts neither over- nor underflow.
 *
 * The product and the sum are split into what a double holds and what it leaves (Dekker, Knuth);
 * of the two remainders only the last bit and its sign matter, so they are added to odd (Boldo and
 * Melquiond), and the last sum then rounds as the exact one would.
 *
 * @param {number} a
 * @param {number} b
 * @param {number} c
 * @returns {number}
 */
export function fusedMultiplyAdd(a, b, c) {
  const [product, rest] = twoProduct(a, b);
  const [low, lowRest] = twoSum(c, rest);
  const [high, highRest] = twoSum(product, low);
  let [tail, lost] = twoSum(highRest, lowRest);
  if (lost !== 0 && (bitsOf(tail) & 1n) === 0n) {
    tail = doubleOf(bitsOf(tail) + (lost > 0 === tail > 0 ? 1n : -1n));
  }
  return high + tail;
}

/**
 * @param {number} a
 * @param {number} b
 * @returns {[number, number]} The rounded sum, and exactly what it leaves.
 */
function twoSum(a, b) {
  const sum = a + b;
  const part = sum - a;
  return [sum, a - (sum - part) + (b - part)];
}

/**
 * @param {number} a
 * @param {number} b
 * @returns {[number, number]} The rounded product, and exactly what it leaves.
 */
function twoProduct(a, b) {
  const product = a * b;
  const [aHigh, aLow] = halves(a);
  const [bHigh, bLow] = halves(b);
  return [product, aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)];
}

/**
 * @param {number} value
 * @returns {[number, number]} Two parts of at most 26 bits.
 */
function halves(value) {
  const scaled = 134217729 * value;
  const high = scaled - (scaled - value);
  return [high, value - high];
}

/** @type {{scales: bigint[], tails: number[]}|undefined} */
let expTable;

/**
 * Powers 2^(k/128) as the nearest double, and relative to it what the double leaves.
 *
 * @returns {{scales: bigint[], tails: number[]}}
 */
function powersOfTwo() {
  if (expTable === undefined) {
    const one = 1n << EXP_BITS;
    let root = 2n * one;
    for (let times = 0; times < 7; times += 1) {
      root = squareRoot(root << EXP_BITS);
    }
    const scales = [];
    const tails = [];
    for (let k = 0n, power = one; k < 128n; k += 1n, power = (power * root) >> EXP_BITS) {
      const scale = nearestDouble({ n: power, d: one });
      const { n, d } = fractionOf(scale);
      scales.push(bitsOf(scale) - (k << 45n));
      tails.push(nearestDouble({ n: power * d - n * one, d: n * one }));
    }
    expTable = { scales, tails };
  }
  return expTable;
}

/**
 * @param {bigint} value Positive.
 * @returns {bigint} Its root, rounded down.
 */
function squareRoot(value) {
  let root = 1n << BigInt((bitLength(value) + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) {
      return root;
    }
    root = next;
  }
}

/**
 * Exponential function as glibc computes it: exp(x) = 2^(k/128) exp(r).
 *
 * @param {number} x At most 0. Below -512 it gives 0, since 1 less either is 1.
 * @returns {number}
 */
export function glibcExp(x) {
  if (!(x >= -512)) {
    return Number.isNaN(x) ? x : 0;
  }
  if (x > -(2 ** -54)) {
    return 1 + x;
  }
  const shifted = fusedMultiplyAdd(LN2_128_INVERSE, x, EXP_SHIFT);
  const kd = shifted - EXP_SHIFT;
  let r = fusedMultiplyAdd(kd, LN2_128_HIGH, x);
  r = fusedMultiplyAdd(kd, LN2_128_LOW, r);
  const { scales, tails } = powersOfTwo();
  const k = kd - 128 * Math.floor(kd / 128);
  const scale = doubleOf(BigInt.asUintN(64, scales[k] + (BigInt(kd) << 45n)));
  const square = r * r;
  const near = fusedMultiplyAdd(fusedMultiplyAdd(EXP_3, r, EXP_2), square, tails[k] + r);
  const far = fusedMultiplyAdd(r, EXP_5, EXP_4);
  const sum = fusedMultiplyAdd(square * square, far, near);
  return fusedMultiplyAdd(scale, sum, scale);
}

/**
 * Natural logarithm of a double from 0 to 1, rounded to the nearest.
 *
 * @param {number} x Between 0 and 1, both left out.
 * @returns {number}
 */
export function correctLog(x) {
  const { n, d } = fractionOf(x);
  let whole = BigInt(bitLength(d) - bitLength(n));
  if (d < n << whole) {
    whole -= 1n;
  }
  // 1/x = 2^whole * rest, with rest from 1 to 2.
  for (let bits = BigInt(FIRST_BITS); bits <= BigInt(LAST_BITS); bits *= 2n) {
    const rest = encloseLog(d, n << whole, bits);
    const two = encloseLog(2n, 1n, bits);
    const [low, high] = [rest.low + whole * two.low, rest.high + whole * two.high].map((bound) =>
      nearestDouble({ n: -bound, d: 1n << bits }),
    );
    if (low === high) {
      return low;
    }
  }
  throw new Unavailable("a logarithm lies too near a rounding boundary");
}

// -- the normal distribution, as the kernels have it ------------------------------------------

const ERF_SCALE = 0.3275911;
const ERF = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
const SPLIT = 0.02425;
const CENTRAL_TOP = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2,
  -3.066479806614716e1, 2.506628277459239,
];
const CENTRAL_BOTTOM = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1,
  -1.328068155288572e1, 1,
];
const TAIL_TOP = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734,
  4.374664141464968, 2.938163982698783,
];
const TAIL_BOTTOM = [
  7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1,
];

/**
 * @param {number[]} coefficients Highest power first.
 * @param {number} x
 * @returns {number}
 */
function horner(coefficients, x) {
  return coefficients.slice(1).reduce((value, next) => value * x + next, coefficients[0]);
}

/**
 * Normal distribution function by Abramowitz and Stegun 7.1.26.
 *
 * @param {number} x
 * @returns {number}
 */
export function normalCdf(x) {
  const scaled = x / Math.SQRT2;
  const a = Math.abs(scaled);
  const t = 1 / (1 + ERF_SCALE * a);
  const magnitude = 1 - horner(ERF, t) * t * glibcExp(-a * a);
  return 0.5 * (1 + (scaled < 0 ? -magnitude : magnitude));
}

/**
 * Inverse of the normal distribution function by Acklam, without refinement.
 *
 * @param {number} p
 * @returns {number}
 */
export function normalInverse(p) {
  if (p <= 0 || p >= 1) {
    return p <= 0 ? -Infinity : Infinity;
  }
  if (p < SPLIT) {
    const q = Math.sqrt(-2 * correctLog(p));
    return horner(TAIL_TOP, q) / horner(TAIL_BOTTOM, q);
  }
  if (p <= 1 - SPLIT) {
    const q = p - 0.5;
    const r = q * q;
    return (horner(CENTRAL_TOP, r) * q) / horner(CENTRAL_BOTTOM, r);
  }
  const q = Math.sqrt(-2 * correctLog(1 - p));
  return -horner(TAIL_TOP, q) / horner(TAIL_BOTTOM, q);
}

/**
 * Best Sharpe ratio a period to expect by luck alone.
 *
 * @param {SharpeKernel} kernel
 * @param {number} declared Declared trials; the kernel adds 50.
 * @returns {number}
 */
export function deflationBar(kernel, declared) {
  if (declared > MOST_TRIALS) {
    throw new Unavailable(`the bar for more than ${MOST_TRIALS} declared trials is not computed here`);
  }
  const deviation = kernel.annualPrior ? 0.5 / Math.sqrt(252) : 0.5;
  return expectedMaximum(deviation, BASE_TRIALS + declared);
}

/**
 * @param {number} deviation Of Sharpe ratios without skill, a period.
 * @param {number} trials
 * @returns {number} The largest of so many to expect.
 */
export function expectedMaximum(deviation, trials) {
  if (trials <= 1 || deviation <= 0) {
    return 0;
  }
  const euler = 0.5772156649015329;
  const best = normalInverse(1 - 1 / trials);
  const beyond = normalInverse(1 - 1 / (trials * Math.E));
  return deviation * ((1 - euler) * best + euler * beyond);
}

// -- one track --------------------------------------------------------------------------------

/**
 * What a track is scored by: its Sharpe ratio a period, and the floored variance of that.
 *
 * @typedef {{count: number, mean: number, deviation: number, sharpe: number, skewness: number,
 *     kurtosis: number}} Moments
 */

/**
 * Moments of the parts of a track, one after the other; every sum runs from the first bar on.
 *
 * @param {SharpeKernel} kernel
 * @param {Float64Array[]} parts
 * @returns {Moments}
 */
export function momentsOf(kernel, parts) {
  let n = 0;
  let sum = 0;
  for (const part of parts) {
    n += part.length;
    for (let at = 0; at < part.length; at += 1) {
      sum += part[at];
    }
  }
  const mean = n === 0 ? 0 : sum / n;
  if (n < 2) {
    return { count: n, mean, deviation: 0, sharpe: 0, skewness: 0, kurtosis: 3 };
  }
  let squares = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; at += 1) {
      const off = part[at] - mean;
      squares += off * off;
    }
  }
  const deviation = Math.sqrt(squares / (n - 1));
  const scale = kernel.population ? Math.sqrt(squares / n) : deviation;
  let third = 0;
  let fourth = 0;
  if (scale !== 0) {
    for (const part of parts) {
      for (let at = 0; at < part.length; at += 1) {
        const z = (part[at] - mean) / scale;
        const square = z * z;
        third += square * z;
        fourth += square * square;
      }
    }
  }
  return {
    count: n,
    mean,
    deviation,
    sharpe: deviation !== 0 ? mean / deviation : 0,
    skewness: scale !== 0 && n >= kernel.skewnessFrom ? third / n : 0,
    kurtosis: scale !== 0 && n >= kernel.kurtosisFrom ? fourth / n : 3,
  };
}

/**
 * Probability that the true Sharpe ratio is above a benchmark.
 *
 * @param {Moments} moments
 * @param {number} benchmark A period.
 * @returns {number}
 */
export function probabilisticSharpe({ count, sharpe, skewness, kurtosis }, benchmark) {
  if (count < 2) {
    return 0;
  }
  const variance = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe;
  const floored = variance > 1e-12 ? variance : 1e-12;
  return normalCdf(((sharpe - benchmark) * Math.sqrt(count - 1)) / Math.sqrt(floored));
}

/**
 * Mean of a track in the order in which NumPy adds it.
 *
 * @param {Float64Array} track
 * @returns {number}
 */
export function numpyMean(track) {
  return track.length === 0 ? 0 : pairwiseSum(track) / track.length + 0;
}

/**
 * @param {Float64Array} values
 * @returns {number}
 */
function pairwiseSum(values) {
  const n = values.length;
  if (n < 8) {
    return values.reduce((sum, value) => sum + value, -0);
  }
  if (n > 128) {
    const half = (n - (n % 2)) / 2;
    const cut = half - (half % 8);
    return pairwiseSum(values.subarray(0, cut)) + pairwiseSum(values.subarray(cut));
  }
  const lanes = values.slice(0, 8);
  const whole = n - (n % 8);
  for (let at = 8; at < whole; at += 1) {
    lanes[at % 8] += values[at];
  }
  const [a, b, c, d, e, f, g, h] = lanes;
  let sum = a + b + (c + d) + (e + f + (g + h));
  for (let at = whole; at < n; at += 1) {
    sum += values[at];
  }
  return sum;
}

// -- refusals of a kernel ---------------------------------------------------------------------

const CONSTANT = "returns must not be constant: a constant series has no Sharpe ratio";

/**
 * @param {Float64Array} track
 * @returns {boolean}
 */
function isConstant(track) {
  return track.every((value) => value === track[0]);
}

/**
 * Why a kernel gives a track no score, as its status says; null where it gives one.
 *
 * @param {SharpeKernel} kernel
 * @param {Float64Array} track
 * @returns {string|null}
 */
function refusalOf(kernel, track) {
  if (!kernel.refuses) {
    return null;
  }
  const { count, mean, deviation } = momentsOf(kernel, [track]);
  const errors = [];
  if (count < 2) {
    const short = `at least 2 observations are required, got ${count}`;
    errors.push(`bootstrap_error: ${short}`, `deflation_error: ${short}`);
  } else {
    if (!Number.isFinite(mean)) {
      errors.push("bootstrap_error: observed mean is not finite");
    }
    const reason = deflationError(track, mean, deviation);
    if (reason !== null) {
      errors.push(`deflation_error: ${reason}`);
    }
  }
  return errors.length === 0 ? null : errors.join("; ");
}

/**
 * @param {Float64Array} track
 * @param {number} mean
 * @param {number} deviation
 * @returns {string|null}
 */
function deflationError(track, mean, deviation) {
  if (!Number.isFinite(mean)) {
    return "return mean is not finite";
  }
  if (!Number.isFinite(deviation)) {
    return "return standard deviation is not finite";
  }
  if (isConstant(track)) {
    return CONSTANT;
  }
  return deviation === 0 || !Number.isFinite(mean / deviation) ? "Sharpe ratio is not finite" : null;
}

/**
 * @param {SharpeKernel} kernel
 * @param {Float64Array[]} band
 * @param {number} resamples
 * @returns {boolean} Whether the kernel gives no interval and no paired test.
 */
function refusesBand(kernel, band, resamples) {
  if (!kernel.refuses) {
    return false;
  }
  if (band.length < 2 || resamples < 2 || band.some((series) => series.length < 2)) {
    return true;
  }
  const track = pooled(band);
  const { mean, deviation } = momentsOf(kernel, [track]);
  return deflationError(track, mean, deviation) !== null;
}

/**
 * @param {Float64Array[]} band
 * @returns {Float64Array} Its series one after the other.
 */
function pooled(band) {
  const track = new Float64Array(band.reduce((length, series) => length + series.length, 0));
  let at = 0;
  for (const series of band) {
    track.set(series, at);
    at += series.length;
  }
  return track;
}

// -- one row ----------------------------------------------------------------------------------

/**
 * Score of a pooled track, or why there is none.
 *
 * @param {SharpeKernel} kernel
 * @param {Float64Array[]} band
 * @param {number} bar
 * @returns {{value: number|null, status: string}}
 */
export function scoreOf(kernel, band, bar) {
  const refusal = refusalOf(kernel, pooled(band));
  if (refusal !== null) {
    return { value: null, status: `unavailable_scoring_kernel_error: ${refusal}` };
  }
  return { value: finite(probabilisticSharpe(momentsOf(kernel, band), bar)), status: SCORED };
}

/**
 * Share of the seeds that pass on their own; null where one of them cannot be scored.
 *
 * @param {SharpeKernel} kernel
 * @param {Float64Array[]} band
 * @returns {number|null}
 */
export function passRate(kernel, band) {
  if (band.some((series) => refusalOf(kernel, series) !== null)) {
    return null;
  }
  const scored = band.filter((series) => series.length >= 2);
  const passing = scored.filter((series) => passes(kernel, series));
  return scored.length === 0 ? 0 : passing.length / scored.length;
}

/**
 * @param {SharpeKernel} kernel
 * @param {Float64Array} series
 * @returns {boolean} Whether one run passes against 0.
 */
function passes(kernel, series) {
  return (
    refusalOf(kernel, series) === null &&
    probabilisticSharpe(momentsOf(kernel, [series]), 0) >= PASS_BAR
  );
}

/**
 * @param {number} value
 * @returns {number} The same, if a board can state it.
 */
function finite(value) {
  if (!Number.isFinite(value)) {
    throw new Unavailable("a statistic of the returns is not finite");
  }
  return value;
}

// -- resampling -------------------------------------------------------------------------------

/**
 * Draw the seeds of every resample: SplitMix64, and the upper half of each output times k.
 *
 * @param {bigint} seed
 * @param {number} resamples
 * @param {number} k
 * @returns {Uint32Array} Resample by resample.
 */
export function drawSeeds(seed, resamples, k) {
  if (resamples * k > MOST_DRAWS) {
    throw new Unavailable(`more than ${MOST_DRAWS} draws are not made here`);
  }
  const draws = new Uint32Array(resamples * k);
  const count = BigInt(k);
  let state = BigInt.asUintN(64, seed);
  for (let at = 0; at < draws.length; at += 1) {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    draws[at] = Number((mixed(state) * count) >> 64n);
  }
  return draws;
}

/**
 * @param {bigint} state 64 bits.
 * @returns {bigint} The output of SplitMix64 for it.
 */
function mixed(state) {
  let z = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/**
 * Settings of a bootstrap, and what was drawn and computed under them already.
 */
export class Bootstrap {
  /**
   * @param {SharpeKernel} kernel
   * @param {{seed: bigint, resamples: number, alpha: number}} settings
   */
  constructor(kernel, { seed, resamples, alpha }) {
    this.kernel = kernel;
    this.seed = seed;
    this.resamples = resamples;
    this.alpha = alpha;
    /** @type {Map<number, Uint32Array>} */
    this.draws = new Map();
    /** @type {Map<Float64Array[], Moments[]>} Moments of the resamples of a band. */
    this.moments = new Map();
  }

  /**
   * The scores of all resamples of a band against a bar.
   *
   * @param {Float64Array[]} band Not empty.
   * @param {number} bar
   * @returns {Float64Array}
   */
  scores(band, bar) {
    let moments = this.moments.get(band);
    if (moments === undefined) {
      const k = band.length;
      const draws = this.draws.get(k) ?? drawSeeds(this.seed, this.resamples, k);
      this.draws.set(k, draws);
      moments = Array.from({ length: this.resamples }, (_, at) =>
        momentsOf(this.kernel, Array.from(draws.subarray(at * k, at * k + k), (seed) => band[seed])),
      );
      this.moments.set(band, moments);
    }
    return Float64Array.from(moments, (of) => finite(probabilisticSharpe(of, bar)));
  }

  /**
   * @param {Float64Array} values
   * @returns {{lo: number, hi: number}} Their quantiles at alpha / 2 and 1 - alpha / 2.
   */
  bounds(values) {
    const sorted = values.slice().sort();
    const half = this.alpha / 2;
    return { lo: quantile(sorted, half), hi: quantile(sorted, 1 - half) };
  }
}

/**
 * @param {Float64Array} sorted
 * @param {number} q
 * @returns {number}
 */
function quantile(sorted, q) {
  const place = q * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place - Math.floor(place));
}

/**
 * Bootstrap interval of a score; null where the kernel refuses.
 *
 * @param {Bootstrap} bootstrap
 * @param {Float64Array[]} band
 * @param {number} bar
 * @returns {{point: number, lo: number, hi: number, width: number, confidence: number,
 *     n_boot: number}|null}
 */
export function intervalOf(bootstrap, band, bar) {
  const { kernel, resamples } = bootstrap;
  if (refusesBand(kernel, band, resamples)) {
    return null;
  }
  const point = finite(probabilisticSharpe(momentsOf(kernel, band), bar));
  const { lo, hi } =
    band.length === 0 || resamples === 0
      ? { lo: point, hi: point }
      : bootstrap.bounds(bootstrap.scores(band, bar));
  return { point, lo, hi, width: hi - lo, confidence: 1 - bootstrap.alpha, n_boot: resamples };
}

/**
 * Paired test of two entries on the same seeds; null where the kernel refuses.
 *
 * @param {Bootstrap} bootstrap
 * @param {Float64Array[]} first
 * @param {Float64Array[]} second
 * @param {number} bar
 * @returns {{point_diff: number, lo: number, hi: number, p_value: number, significant: boolean,
 *     verdict: string}|null}
 */
export function pairedTest(bootstrap, first, second, bar) {
  const { kernel, resamples } = bootstrap;
  let [a, b] = [first, second];
  if (!kernel.refuses && a.length !== b.length) {
    const shared = Math.min(a.length, b.length);
    [a, b] = [a.slice(0, shared), b.slice(0, shared)];
  }
  if (
    refusesBand(kernel, a, resamples) ||
    refusesBand(kernel, b, resamples) ||
    (kernel.refuses &&
      (a.length !== b.length || a.some((series, at) => series.length !== b[at].length)))
  ) {
    return null;
  }
  const [scoreA, scoreB] = [a, b].map((band) =>
    finite(probabilisticSharpe(momentsOf(kernel, band), bar)),
  );
  const difference = scoreA - scoreB;
  let [lo, hi, value] = [difference, difference, difference === 0 ? 1 : 0];
  if (a.length > 0 && resamples > 0) {
    const scores = bootstrap.scores(b, bar);
    const differences = bootstrap.scores(a, bar).map((score, at) => score - scores[at]);
    ({ lo, hi } = bootstrap.bounds(differences));
    const notAbove = differences.filter((each) => each <= 0).length;
    const notBelow = differences.filter((each) => each >= 0).length;
    value = Math.min(1, 2 * (Math.min(notAbove, notBelow) / resamples));
  }
  const significant = lo > 0 || hi < 0;
  const better = difference > 0 ? "a_better" : "b_better";
  return {
    point_diff: difference,
    lo,
    hi,
    p_value: value,
    significant,
    verdict: significant ? better : "tied",
  };
}

// -- order ------------------------------------------------------------------------------------

/**
 * @param {(number|null)[]} scores
 * @returns {number[]} Places in the order of the board: highest first, unscored last.
 */
export function boardOrder(scores) {
  const places = scores.map((_, at) => at);
  // The sort is stable, so ties keep their order.
  return places.sort((a, b) => {
    const [left, right] = [scores[a], scores[b]];
    if (left === null || right === null) {
      return Number(left === null) - Number(right === null);
    }
    return right - left;
  });
}

/**
 * Ranks as a release prints them.
 *
 * @param {(number|null)[]} scores In printed order.
 * @param {boolean} marks Whether the release marks ties.
 * @returns {string[]}
 */
export function rankCells(scores, marks) {
  let first = 0;
  return scores.map((score, at) => {
    if (at > 0 && score !== scores[at - 1]) {
      first = at;
    }
    if (score === null) {
      return "-";
    }
    if (!marks) {
      return String(at + 1);
    }
    const beside = [at - 1, at + 1].filter((place) => place >= 0 && place < scores.length);
    if (beside.some((place) => scores[place] === score)) {
      return `${first + 1}=`;
    }
    const prints = beside.some((place) => {
      const other = scores[place];
      return other !== null && fourDecimals(other) === fourDecimals(score);
    });
    return prints ? `${at + 1}~` : String(at + 1);
  });
}

/**
 * @param {number} value
 * @returns {bigint} The value in units of the fourth decimal, rounded half to even.
 */
function fourDecimals(value) {
  const { n, d } = fractionOf(value);
  const scaled = n * 10000n;
  const units = floorDivide(scaled, d);
  const twice = 2n * (scaled - units * d);
  return units + BigInt(twice > d || (twice === d && units % 2n !== 0n));
}

/**
 * @param {string} release
 * @returns {boolean} Whether it marks ties, as those from 0.26.0 on do.
 */
function marksTies(release) {
  const [major, minor] = release.split(".").map(Number);
  return major > 0 || minor >= 26;
}

// -- one board --------------------------------------------------------------------------------

/**
 * @param {Json|undefined} value
 * @param {string} place
 * @returns {number|null} A published figure.
 */
function figureOrNull(value, place) {
  return value === null ? null : asNumber(value, place).value;
}

/**
 * @param {number|string|boolean|null|undefined} value
 * @returns {string|null} As a report shows it.
 */
function figureText(value) {
  if (value === null || value === undefined) {
    return null;
  }
  return typeof value === "number" ? numberText(value) : String(value);
}

/**
 * @param {Map<string, Json>} owner With returns and seeds.
 * @param {string} place
 * @returns {Float64Array[]} One series a seed.
 */
function readBand(owner, place) {
  return asList(owner.get("returns"), `${place}: returns`).map((series) =>
    Float64Array.from(asList(series, `${place}: a series`), (value) => asNumber(value, place).value),
  );
}

/**
 * One row of a board, as published and with its returns.
 *
 * @typedef {{row: Map<string, Json>, policy: string, score: number|null,
 *     band: Float64Array[]|null}} BoardRow
 */

/**
 * What the checks of a board share.
 *
 * @typedef {{board: Map<string, Json>, rows: BoardRow[], kernel: SharpeKernel, release: string,
 *     bootstrap: Bootstrap, bar: number, report: Report}} BoardCheck
 */

/**
 * Check a board: its text, the returns that came along, and every figure that follows from them.
 *
 * @param {Map<string, Json>} data
 * @param {Report} report
 */
async function checkBoardPayload(data, report) {
  const text = asText(data.get("board"), "board");
  await checkHash(report, "the board", text, data.get("sha256"));
  const board = asObject(readCanonicalJson(text), "the board");
  const returns = asObject(data.get("returns") ?? new Map(), "returns");
  const rows = await readRows(board, returns, report);
  checkEnvironment(board, report);
  checkBoardOrder(board, rows, report);
  notCheckedOnBoards(report, rows);
  const release = asText(board.get("protocol"), "protocol").replace(/^sharpearena\//, "");
  const stated = asText(board.get("kernel"), "kernel");
  const expected = KERNEL_OF_RELEASE.get(release);
  const kernel = SHARPE_KERNELS.get(stated);
  if (expected === undefined) {
    report.unproven("release and kernel are known", `${brief(release)} is not`);
    return;
  }
  report.equal("kernel of the release", stated, expected);
  if (kernel === undefined || ![...KERNEL_OF_RELEASE.values()].includes(stated)) {
    return;
  }
  const scoring = asObject(board.get("scoring"), "scoring");
  const seed = scoring.get("resample_seed");
  const bootstrap = new Bootstrap(kernel, {
    seed: BigInt(typeof seed === "string" && /^[0-9]{1,20}$/.test(seed) ? seed : asCount(seed, "resample_seed")),
    resamples: asCount(scoring.get("n_boot"), "n_boot"),
    alpha: asNumber(scoring.get("alpha"), "alpha").value,
  });
  const bar = deflationBar(kernel, asCount(scoring.get("trials"), "trials"));
  const check = { board, rows, kernel, release, bootstrap, bar, report };
  checkRows(check);
  checkBoardPairs(check);
  await checkGaps(check, asObject(data.get("gaps") ?? new Map(), "gaps"));
}

/**
 * @param {Map<string, Json>} board
 * @param {Map<string, Json>} returns
 * @param {Report} report
 * @returns {Promise<BoardRow[]>}
 */
async function readRows(board, returns, report) {
  const name = asText(board.get("board"), "board");
  const days = asCount(asObject(board.get("settings"), "settings").get("n_days"), "n_days");
  const hashes = [];
  const rows = [];
  for (const item of asList(board.get("rows"), "rows")) {
    const row = asObject(item, "a row");
    const policy = asText(row.get("policy"), "policy");
    const found = returns.get(`sharpe/returns/${name}/${policy}.json`);
    /** @type {Float64Array[]|null} */
    let band = null;
    if (found !== undefined) {
      const file = asText(found, "returns");
      const published = asText(row.get("returns"), "returns");
      hashes.push({ name: policy, published, recomputed: await sha256Hex(file) });
      band = readBand(asObject(readCanonicalJson(file), "returns"), policy);
      if (band.some((series) => series.length !== days)) {
        report.fail(`returns of ${brief(policy)}`, `not ${days} bars for each seed`);
        band = null;
      }
    }
    rows.push({ row, policy, band, score: figureOrNull(row.get("deflated_sharpe"), "deflated_sharpe") });
  }
  report.equalAll("SHA-256 of the returns", hashes);
  return rows;
}

/**
 * @param {Map<string, Json>} board
 * @param {Report} report
 */
function checkEnvironment(board, report) {
  const tier = asText(board.get("tier"), "tier");
  const stated = asText(board.get("env_id"), "env_id");
  report.equal("environment of the tier", stated, ENVIRONMENTS.get(tier) ?? null);
  const leakage = asObject(board.get("leakage"), "leakage");
  report.equal(
    "point-in-time, without a lookahead violation",
    `${asText(leakage.get("mode"), "mode")}, ${asCount(leakage.get("violations"), "violations")}`,
    "point-in-time, 0",
  );
}

/**
 * @param {Map<string, Json>} board
 * @param {BoardRow[]} rows
 * @param {Report} report
 */
function checkBoardOrder(board, rows, report) {
  const scores = rows.map(({ score }) => score);
  const order = boardOrder(scores);
  const release = asText(board.get("protocol"), "protocol").replace(/^sharpearena\//, "");
  const cells = rankCells(order.map((at) => scores[at]), /^[0-9]+\.[0-9]+/.test(release) && marksTies(release));
  report.equalAll(
    "order by deflated Sharpe, and ranks",
    order.map((at, place) => ({
      name: brief(rows[at].policy),
      published: asText(rows[at].row.get("rank"), "rank"),
      recomputed: cells[place],
    })),
  );
  order.forEach((at, place) => {
    report.computed.set(`rank:${rows[at].policy}`, cells[place]);
  });
  for (let first = 0; first < rows.length; ) {
    let end = first + 1;
    while (end < rows.length && rows[end].score === rows[first].score) {
      end += 1;
    }
    const tied = rows.slice(first, end).map(({ policy }) => policy);
    const declared = REFERENCE_POLICIES.filter((policy) => tied.includes(policy));
    if (rows[first].score !== null && tied.length > 1 && declared.length === tied.length) {
      report.equal("order within a tie", tied.join(", "), declared.join(", "));
    }
    first = end;
  }
}

/** @param {BoardCheck} check */
function checkRows({ rows, kernel, bootstrap, bar, report }) {
  const figures = [];
  const intervals = [];
  const gates = [];
  for (const { row, policy, band } of rows) {
    if (band === null) {
      continue;
    }
    const score = scoreOf(kernel, band, bar);
    const computed = {
      deflated_sharpe: score.value,
      status: score.status,
      pass_k_rate: passRate(kernel, band),
      mean_return: finite(numpyMean(pooled(band))),
    };
    for (const [name, value] of Object.entries(computed)) {
      const published = row.get(name);
      figures.push({
        name: `${brief(policy)}, ${name}`,
        published: figureText(published instanceof JsonNumber ? published.value : /** @type {string|null} */ (published)),
        recomputed: figureText(value),
      });
      report.computed.set(`${name}:${policy}`, figureText(value));
    }
    band.forEach((series, at) => {
      const scored = refusalOf(kernel, series) === null;
      const moments = momentsOf(kernel, [series]);
      const seed = {
        sharpe: scored ? moments.sharpe : null,
        probability: scored ? probabilisticSharpe(moments, 0) : null,
        mean: numpyMean(series),
      };
      for (const [name, value] of Object.entries(seed)) {
        const known = value !== null && Number.isFinite(value);
        report.computed.set(`seed_${name}:${policy}/${at}`, known ? figureText(value) : null);
      }
    });
    intervals.push(...comparedInterval(row, policy, intervalOf(bootstrap, band, bar), report));
    gates.push(...comparedGates(row, policy, band, score.value, kernel));
  }
  report.equalAll("deflated Sharpe, status, pass^k and mean return", figures);
  report.equalAll("bootstrap intervals", intervals);
  if (gates.length > 0) {
    report.equalAll("gates of deflated Sharpe and pass^k", gates);
  }
}

/**
 * @param {Map<string, Json>} row
 * @param {string} policy
 * @param {ReturnType<typeof intervalOf>} found
 * @param {Report} report
 */
function comparedInterval(row, policy, found, report) {
  const interval = row.get("interval");
  const published = interval === null ? null : asObject(interval, "interval");
  return ["point", "lo", "hi", "width", "confidence", "n_boot"].map((name) => {
    const recomputed = found === null ? null : figureText(found[/** @type {keyof typeof found} */ (name)]);
    report.computed.set(`${name}:${policy}`, recomputed);
    return {
      name: `${brief(policy)}, ${name}`,
      published: published === null ? null : figureText(asNumber(published.get(name), name).value),
      recomputed,
    };
  });
}

/**
 * Two of the six gates of eligibility; the others are listed as not checked.
 *
 * @param {Map<string, Json>} row
 * @param {string} policy
 * @param {Float64Array[]} band
 * @param {number|null} score
 * @param {SharpeKernel} kernel
 */
function comparedGates(row, policy, band, score, kernel) {
  if (typeof row.get("eligible") !== "boolean") {
    return [];
  }
  const reasons = asList(row.get("reasons"), "reasons");
  // Runs that are constant, each at its own level, have no score in the scorer of many runs.
  const level = kernel.refuses && band.every(isConstant);
  const holds = {
    deflated_sharpe: score !== null && !level && score >= 0.95,
    pass_k: band.length > 0 && band.every((series) => passes(kernel, series)),
  };
  return Object.entries(holds).map(([name, held]) => ({
    name: `${brief(policy)}, ${name}`,
    published: reasons.includes(name) ? "does not hold" : "holds",
    recomputed: held ? "holds" : "does not hold",
  }));
}

/** @param {BoardCheck} check */
function checkBoardPairs({ board, rows, kernel, bootstrap, report }) {
  const published = asList(board.get("pairs"), "pairs").map((pair) => asObject(pair, "a pair"));
  const scored = boardOrder(rows.map(({ score }) => score)).filter((at) => rows[at].score !== null);
  const beside = scored.slice(1).map((at, place) => [rows[scored[place]], rows[at]]);
  if (beside.some((pair) => pair.some(({ band }) => band === null))) {
    report.notChecked("pairs and claims: not all returns are in this page");
    return;
  }
  const bar = deflationBar(kernel, asCount(board.get("pairs_trials"), "pairs_trials"));
  const tests = beside.map(([a, b]) => ({
    a: a.policy,
    b: b.policy,
    found: pairedTest(
      bootstrap,
      /** @type {Float64Array[]} */ (a.band),
      /** @type {Float64Array[]} */ (b.band),
      bar,
    ),
  }));
  // Where one test is refused, the release gives no table at all.
  const table = tests.some(({ found }) => found === null) ? [] : tests;
  const names = (/** @type {string[][]} */ pairs) => pairs.map((pair) => pair.join("/")).join(", ");
  report.equal(
    "pairs are each two neighbours by score",
    names(published.map((pair) => [asText(pair.get("a"), "a"), asText(pair.get("b"), "b")])),
    names(table.map(({ a, b }) => [a, b])),
  );
  const compared = published.flatMap((pair, at) => {
    const same = table[at]?.a === pair.get("a") && table[at]?.b === pair.get("b");
    const found = same ? table[at].found : null;
    return ["point_diff", "lo", "hi", "p_value", "significant", "verdict"].map((name) => {
      const value = pair.get(name);
      const stated = value instanceof JsonNumber ? value.value : /** @type {string|boolean} */ (value);
      const recomputed = found === null ? null : figureText(found[/** @type {keyof typeof found} */ (name)]);
      report.computed.set(`${name}:pair-${at + 1}`, recomputed);
      return {
        name: `${brief(String(pair.get("a")))} against ${brief(String(pair.get("b")))}, ${name}`,
        published: figureText(stated),
        recomputed,
      };
    });
  });
  if (compared.length > 0) {
    report.equalAll("paired tests", compared);
  }
  const claims = asList(board.get("claims"), "claims").map((item) => {
    const claim = asObject(item, "a claim");
    const [better, worse] = ["better", "worse"].map((side) => asText(claim.get(side), side));
    const test = table.find(
      ({ a, b }) => (a === better && b === worse) || (a === worse && b === better),
    );
    const verdict = test?.found?.verdict;
    const winner = verdict === "a_better" ? test?.a : verdict === "b_better" ? test?.b : null;
    return {
      name: `${brief(better)} beats ${brief(worse)}`,
      published: better,
      recomputed: winner ?? (test === undefined ? "never compared" : "no difference shown"),
    };
  });
  if (claims.length > 0) {
    report.equalAll("claims rest on a significant pair", claims);
  }
}

/**
 * @param {BoardCheck} check
 * @param {Map<string, Json>} files
 */
async function checkGaps({ board, rows, kernel, report }, files) {
  const name = asText(board.get("board"), "board");
  const bar = deflationBar(kernel, 0);
  const pairs = [];
  for (const { row, policy } of rows) {
    const stem = `sharpe/gaps/${name}/${policy}`;
    const gap = row.get("gap");
    if (gap === null) {
      report.unproven(`generalization gap of ${brief(policy)}`, "none is published: presumed overfit");
    }
    const trained = files.get(`${stem}-generalization.json`);
    const parts = ["train", "test", "gap"];
    const stated = gap === null ? new Map() : asObject(gap, "gap");
    stateGap(report, policy, parts, stated);
    if (gap !== null && trained !== undefined) {
      const [train, test] = readSides(kernel, trained, policy, bar);
      pairs.push(...comparedSides(report, policy, parts, [train, test], stated));
    }
    const moved = files.get(`${stem}-transfer.json`);
    const [inside, ...outside] = moved === undefined ? [null] : readSides(kernel, moved, policy, bar);
    asList(row.get("transfers"), "transfers").forEach((item, at) => {
      const transfer = asObject(item, "a transfer");
      const to = `${policy} to ${asText(transfer.get("to"), "to")}`;
      const names = ["in", "out", "gap"];
      stateGap(report, to, names, transfer);
      if (moved !== undefined) {
        pairs.push(...comparedSides(report, to, names, [inside, outside[at] ?? null], transfer));
      }
    });
  }
  if (files.size === 0) {
    report.notChecked("generalization and transfer gaps: each entry's page has their series");
  } else if (pairs.length > 0) {
    report.equalAll("gaps, and both of their sides", pairs);
    report.notChecked("that the sides of the gaps are whole bands: the page has no seeds.json");
  }
}

/**
 * @param {SharpeKernel} kernel
 * @param {Json|undefined} file
 * @param {string} policy
 * @param {number} bar
 * @returns {(number|null)[]} The score of each side.
 */
function readSides(kernel, file, policy, bar) {
  const read = asObject(readCanonicalJson(asText(file, "a gap file")), "a gap file");
  return asList(read.get("sides"), "sides").map(
    (side) => scoreOf(kernel, readBand(asObject(side, "a side"), policy), bar).value,
  );
}

/**
 * Keep what a gap states: its page compares it with what it shows, if it has no series.
 *
 * @param {Report} report
 * @param {string} name Of the row, and of the tier for a transfer.
 * @param {string[]} parts Names of the sides and of their difference.
 * @param {Map<string, Json>} gap
 */
function stateGap(report, name, parts, gap) {
  for (const part of parts) {
    report.stated.set(`${part}:${name}`, figureText(figureOrNull(gap.get(part) ?? null, part)));
  }
}

/**
 * @param {Report} report
 * @param {string} name Of the row, and of the tier for a transfer.
 * @param {string[]} parts Names of the sides and of their difference.
 * @param {(number|null)[]} sides First and second.
 * @param {Map<string, Json>} gap As published.
 */
function comparedSides(report, name, parts, [first, second], gap) {
  const difference = first === null || second === null ? null : first - second;
  return parts.map((part, at) => {
    const recomputed = figureText([first, second, difference][at]);
    report.computed.set(`${part}:${name}`, recomputed);
    return {
      name: `${brief(name)}, ${part}`,
      published: figureText(figureOrNull(gap.get(part) ?? null, part)),
      recomputed,
    };
  });
}

/**
 * @param {Report} report
 * @param {BoardRow[]} rows
 */
function notCheckedOnBoards(report, rows) {
  const without = rows.filter(({ band }) => band === null).length;
  if (without > 0) {
    report.notChecked(`figures of ${without} of ${rows.length} entries: their returns are not in this page`);
  }
  report.notChecked("the gates of process, bootstrap p, drawdown and kernel");
  report.notChecked("seeds, bands and commitments: the page has no seeds.json");
  report.notChecked("that the returns are what the environment gives for the seeds");
}

/**
 * The checks of each kind of page.
 *
 * @type {Map<string, (data: Map<string, Json>, report: Report) => Promise<void>>}
 */
const PAYLOADS = new Map([
  ["score", checkScorePayload],
  ["leaderboard", checkLeaderboardPayload],
  ["call", checkCallPayload],
  ["agent", checkAgentPayload],
  ["season", checkSeasonPayload],
  ["home", checkHomePayload],
  ["board", checkBoardPayload],
  // The page with the drop zone brings nothing itself.
  ["drop", async (_, report) => report.notChecked("anything: choose a file")],
]);

// ---------------------------------------------------------------------------------------------
// 13  The page
// ---------------------------------------------------------------------------------------------

// Characters that change how the text around them is read, or that are not seen.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/**
 * @param {string} text Of anybody.
 * @returns {string} With such characters spelled out.
 */
function visible(text) {
  return text.replace(UNSEEN, (character) => {
    const code = /** @type {number} */ (character.codePointAt(0));
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/**
 * @param {Document} page
 * @param {string} name
 * @param {string} [text]
 * @param {string} [classes]
 * @returns {HTMLElement}
 */
function element(page, name, text, classes) {
  const made = page.createElement(name);
  if (text !== undefined) {
    made.textContent = visible(text);
  }
  if (classes !== undefined) {
    made.className = classes;
  }
  return made;
}

/**
 * @param {Document} page
 * @param {string} verdict
 * @returns {HTMLElement} Its word; the shape before it is the style sheet's.
 */
function verdictMark(page, verdict) {
  return element(page, "span", verdict, `verdict ${verdict}`);
}

/**
 * Show what was checked, with its values, and what was not.
 *
 * @param {Document} page
 * @param {HTMLElement} place
 * @param {Result} result
 */
function show(page, place, { verdict, checks, unchecked }) {
  const passed = checks.filter((check) => check.verdict === "pass").length;
  const first = checks.find((check) => check.verdict === "fail");
  const line = element(page, "p");
  line.append(
    verdictMark(page, verdict),
    ` · ${passed} of ${checks.length} checks agree, recomputed in this browser.`,
  );
  const parts = [line];
  if (first !== undefined) {
    const values =
      first.published === undefined
        ? first.value
        : `published ${first.published}, recomputed ${first.recomputed}`;
    parts.push(element(page, "p", `First difference: ${first.what}: ${values}.`));
  }
  const details = /** @type {HTMLDetailsElement} */ (element(page, "details"));
  details.open = verdict !== "pass";
  details.append(element(page, "summary", "What was checked"), checkTable(page, checks));
  parts.push(details);
  if (unchecked.length > 0) {
    const rest = element(page, "details");
    const list = element(page, "ul");
    list.append(...unchecked.map((what) => element(page, "li", what)));
    rest.append(element(page, "summary", `What was not checked here (${unchecked.length})`), list);
    parts.push(rest);
  }
  place.replaceChildren(...parts);
  place.dataset.verdict = verdict;
}

/**
 * @param {Document} page
 * @param {string} value A hash is shown by its ends, as everywhere on the site.
 * @returns {HTMLElement}
 */
function valueCell(page, value) {
  if (!/^(?:0x)?[0-9a-f]{64,}$/.test(value)) {
    return element(page, "td", value);
  }
  const head = value.startsWith("0x") ? 10 : 8;
  const code = element(page, "code", value.slice(0, head));
  code.append(element(page, "span", value.slice(head, -4), "mid"), value.slice(-4));
  const chip = element(page, "span", undefined, "hash");
  chip.title = value;
  chip.append(code);
  const cell = element(page, "td", undefined, "h");
  cell.append(chip);
  return cell;
}

/**
 * @param {Document} page
 * @param {Check[]} checks
 * @returns {HTMLElement}
 */
function checkTable(page, checks) {
  const table = element(page, "table", undefined, "steps");
  const head = element(page, "tr");
  for (const title of ["check", "published", "recomputed", "result"]) {
    const cell = element(page, "th", title);
    cell.setAttribute("scope", "col");
    head.append(cell);
  }
  const top = element(page, "thead");
  top.append(head);
  const body = element(page, "tbody");
  for (const check of checks) {
    const row = element(page, "tr", undefined, check.verdict === "fail" ? "differs" : undefined);
    const name = element(page, "th", check.what);
    name.setAttribute("scope", "row");
    const result = element(page, "td", undefined, "nobreak");
    result.append(verdictMark(page, check.verdict));
    row.append(
      name,
      valueCell(page, check.published ?? ""),
      valueCell(page, check.recomputed ?? check.value),
      result,
    );
    body.append(row);
  }
  table.append(element(page, "caption", "Published beside recomputed"), top, body);
  const frame = element(page, "div", undefined, "scroll");
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", "Checks made in this browser");
  frame.tabIndex = 0;
  frame.append(table);
  return frame;
}

/**
 * Let a reader check a file of his own: by choosing it, or by dropping it here.
 *
 * @param {Document} page
 * @param {HTMLElement} place
 */
function mountDrop(page, place) {
  const label = element(page, "label", "A manifest or a proof file: ");
  const input = /** @type {HTMLInputElement} */ (element(page, "input"));
  input.type = "file";
  label.append(input);
  const output = element(page, "div");
  output.setAttribute("aria-live", "polite");
  place.replaceChildren(
    label,
    element(page, "p", "Or drop it here. It stays in this browser.", "note"),
    output,
  );
  const check = async (/** @type {File|undefined} */ file) => {
    if (file === undefined) {
      return;
    }
    const report = new Report();
    let result;
    try {
      if (file.size > MAX_TEXT) {
        throw new Refused(`a file of ${file.size} bytes`);
      }
      result = await verifyFile(new Uint8Array(await file.arrayBuffer()));
    } catch (error) {
      report.stopped(error);
      result = report.result();
    }
    show(page, output, result);
    for (const part of output.querySelectorAll("details")) {
      part.open = true;
    }
    output.prepend(element(page, "p", file.name, "note"));
    place.dataset.verdict = result.verdict;
  };
  input.addEventListener("change", () => check(input.files?.[0]));
  place.addEventListener("dragover", (event) => event.preventDefault());
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    check(event.dataTransfer?.files[0]);
  });
}

/**
 * @param {HTMLElement|undefined} cell
 * @returns {string} Its value: without the reason behind a dash, which is for readers who hear it,
 *     and without the word that says that the audit could not recompute it.
 */
function seenText(cell) {
  let text = cell?.textContent ?? "";
  for (const unseen of cell?.querySelectorAll(".dash > .visually-hidden") ?? []) {
    text = text.replace(unseen.textContent ?? "", "");
  }
  return text.trim().replace(/\s+unproven$/, "");
}

/**
 * Read what a page shows: parts that have a name, and the cells of columns that have one.
 *
 * @param {Document} page
 * @returns {[string, string][]} Names and texts.
 */
function shownTexts(page) {
  /** @type {[string, string][]} */
  const shown = [];
  for (const part of page.querySelectorAll("[data-verify]")) {
    shown.push([/** @type {HTMLElement} */ (part).dataset.verify ?? "", part.textContent ?? ""]);
  }
  for (const heading of page.querySelectorAll("th[data-figure]")) {
    const { cellIndex, dataset } = /** @type {HTMLTableCellElement} */ (heading);
    const names = (dataset.figure ?? "").split(" ");
    for (const row of heading.closest("table")?.tBodies[0]?.rows ?? []) {
      const text = seenText(row.cells[cellIndex]);
      const parts = names.length > 1 ? text.replace(/^\[|\]$/g, "").split(", ") : [text];
      // One dash stands for both ends of an interval; any other number of parts is a difference.
      const whole = parts.length === names.length || parts.length === 1;
      names.forEach((name, at) => {
        const of = row.dataset.of ?? row.id;
        shown.push([name === "" ? of : `${name}:${of}`, whole ? parts[at] ?? parts[0] : text]);
      });
    }
  }
  return shown;
}

/**
 * Check the data of a page and show the result on it.
 *
 * @param {Document} page
 * @returns {Promise<void>}
 */
export async function mount(page) {
  const drop = page.getElementById("verify-drop");
  if (drop !== null && drop.dataset.ready === undefined) {
    drop.dataset.ready = "yes";
    mountDrop(page, drop);
  }
  const place = page.getElementById("verify");
  const data = page.getElementById("verify-data");
  if (place === null || data === null || drop !== null || place.dataset.ready !== undefined) {
    return;
  }
  place.dataset.ready = "yes";
  const result = await verify(data.textContent ?? "", { shown: shownTexts(page) });
  show(page, place, result);
}

if (typeof document !== "undefined") {
  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", () => mount(document));
  } else {
    mount(document);
  }
}
