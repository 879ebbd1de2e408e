import assert from 'node:assert/strict'
import test from 'node:test'
import { mintSecret } from '../../src/access/token-secret.ts'
import { mintId } from '../../src/kernel/ids.ts'
import { rounds } from '../support/rounds.ts'

const count = rounds(20_000)
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Chi-square of the characters at one place, for 63 degrees of freedom: above 140 about once in ten million times. */
function chiSquare(characters: string[]): number {
  const counts = new Map([...alphabet].map(character => [character, 0]))
  for (const character of characters) counts.set(character, counts.get(character)! + 1)
  const expected = characters.length / alphabet.length
  return [...counts.values()].reduce((sum, found) => sum + (found - expected) ** 2 / expected, 0)
}

for (const { label, mint, prefix, bytes } of [
  { label: 'tokens', mint: mintSecret, prefix: 'banyan_', bytes: 32 },
  { label: 'ids', mint: () => mintId('file'), prefix: 'file_', bytes: 16 },
])
  test(`${label} are random in every character and never equal`, () => {
    const minted = Array.from({ length: count }, () => mint().slice(prefix.length))
    assert.equal(new Set(minted).size, count)
    assert.ok(bytes * 8 >= 128)
    // The last character holds fewer than six bits.
    const places = Math.floor((bytes * 8) / 6)
    for (let place = 0; place < places; place++)
      assert.ok(chiSquare(minted.map(text => text[place]!)) < 160, `character ${place}`)
    for (const text of minted) assert.equal(text.length, Math.ceil((bytes * 8) / 6))
  })
