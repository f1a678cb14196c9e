/** Bytes that stand in the page as text: 13 bits in two letters. `text.py` of the package writes it. */

const LETTERS = 91;
const BITS = 13;
/** Letters are the printable ones but `"`, `&` and `<`, in the order of their codes. */
const VALUES = (() => {
  const values = new Uint8Array(128);
  let value = 0;
  for (let code = 33; code < 127; code++) {
    if (code !== 0x22 && code !== 0x26 && code !== 0x3c) values[code] = value++;
  }
  return values;
})();

/** `size`: of the bytes, for the last letters say a few bits more. */
export function fromText(text: string, size: number): ArrayBuffer {
  const bytes = new Uint8Array(size);
  let bits = 0;
  let held = 0;
  let place = 0;
  for (let at = 0; at + 1 < text.length; at += 2) {
    bits = (bits << BITS) | (VALUES[text.charCodeAt(at)] * LETTERS + VALUES[text.charCodeAt(at + 1)]);
    held += BITS;
    while (held >= 8 && place < size) {
      held -= 8;
      bytes[place++] = bits >>> held;
    }
    bits &= (1 << held) - 1;
  }
  if (place < size) throw new Error(`a file in this page is cut off: ${place} of ${size} bytes are there`);
  return bytes.buffer;
}
