/**
 * Adds what one term is worth to every chunk that holds it. The postings are read as in `eachPosting`, written out
 * once more: a call per posting would cost more than all the rest of a search.
 */
export function addScores(
  bytes: Uint8Array,
  from: number,
  to: number,
  scores: Float32Array,
  norms: Float32Array,
  weight: number,
): void {
  let chunk = -1
  let at = from
  while (at < to) {
    let byte = bytes[at++]!
    let value = byte & 0x7f
    let shift = 7
    while (byte >= 0x80) {
      byte = bytes[at++]!
      value |= (byte & 0x7f) << shift
      shift += 7
    }
    chunk += value >>> 1
    let count = 1
    if ((value & 1) === 1) {
      byte = bytes[at++]!
      count = byte & 0x7f
      shift = 7
      while (byte >= 0x80) {
        byte = bytes[at++]!
        count |= (byte & 0x7f) << shift
        shift += 7
      }
    }
    scores[chunk]! += (weight * count) / (count + norms[chunk]!)
  }
}
