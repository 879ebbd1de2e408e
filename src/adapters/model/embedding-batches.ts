/** One text, and its place among all that were asked for. */
export interface PlacedText {
  place: number
  text: string
}

const maxBatchCharacters = 100_000

/** In order, as few as the limits let. A text that is alone in its batch may be longer than a batch should be. */
export function embeddingBatches(texts: PlacedText[], maxInputs: number): PlacedText[][] {
  const batches: PlacedText[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const each of texts) {
    const open = batches.at(-1)
    characters += each.text.length
    if (open && open.length < maxInputs && characters <= maxBatchCharacters) open.push(each)
    else {
      batches.push([each])
      characters = each.text.length
    }
  }
  return batches
}
