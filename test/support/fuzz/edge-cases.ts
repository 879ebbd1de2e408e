import type { Random } from './random.ts'

/** Text that has broken a parser, database, shell or page before. */
export const edgeCaseStrings: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\ud83d',
  '👩‍👩‍👧‍👦'.repeat(8),
  '\u202egnp.exe',
  'e\u0301',
  '\u00e9',
  '\ufeffbom',
  '\ufffd',
  '\u2028\u2029',
  '\r\nX-Injected: yes',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '%2e%2e%2f',
  "'; DROP TABLE workflows; --",
  '" OR 1=1',
  '%_\\',
  '\\',
  '{{#sys.query#}}',
  '{{7*7}}<%= 7*7 %>#{7*7}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e3',
  '0x10',
  '९',
  'İ',
  'ß',
  'a'.repeat(64),
  'a'.repeat(65),
  'é'.repeat(255),
  '𝒳'.repeat(128),
  '𝒳'.repeat(255),
  'a'.repeat(256),
]

export const edgeCaseNumbers: readonly number[] = [
  0,
  -0,
  -1,
  1,
  1.5,
  0.1,
  100,
  101,
  1000,
  1_000_000,
  1_000_001,
  2_147_483_647,
  2_147_483_648,
  4_294_967_296,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  2 ** 63,
  1e21,
  1e308,
  -1e308,
  5e-324,
]

/** Written into JSON verbatim: no JavaScript value prints like this. */
export const edgeCaseLiterals: readonly string[] = [
  '1e400',
  '-1e400',
  '9007199254740993',
  '-0',
  '1E+2',
  '123456789012345678901234567890',
  '"\\ud800"',
  '"\\u0000"',
]

export const hostileNames: readonly string[] = [
  'id',
  'workspace_id',
  'token_id',
  'operator',
  'role',
  'version',
  'created_at',
  'updated_at',
  'file_id',
  'blobKey',
  'sha256',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'then',
  'length',
  '',
]

/** Would appear on every object of the process after a careless merge. */
const pollution = (): object =>
  JSON.parse('{"polluted":"yes","__proto__":{"polluted":"yes"},"prototype":{"polluted":"yes"}}') as object

export function edgeCaseString(random: Random): string {
  if (random.chance(0.06)) return random.pick(['a', '长', '👀', '\\', '"', '%']).repeat(1 << random.below(17))
  if (random.chance(0.1)) return random.bytes(random.below(40)).toString('utf16le')
  return random.pick(edgeCaseStrings)
}

/** A value of any type, usually the wrong one. */
export function edgeCaseValue(random: Random): unknown {
  switch (
    random.weighted({ string: 5, number: 5, null: 3, boolean: 2, array: 2, object: 2, hostile: 2, list: 1 })
  ) {
    case 'string':
      return edgeCaseString(random)
    case 'number':
      return random.pick(edgeCaseNumbers)
    case 'null':
      return null
    case 'boolean':
      return random.chance(0.5)
    case 'array':
      return random.pick<unknown>([[], [[]], [null], ['a', 'a'], [{}], [1, 'a', null, {}]])
    case 'object':
      return random.pick<unknown>([{}, { a: 1 }, { length: 1e9 }, { toString: 1 }, { valueOf: 'x' }])
    case 'list':
      return Array.from({ length: random.pick([101, 1001, 5000]) }, () => random.pick([1, 'a', null, {}]))
    case 'hostile':
      return pollution()
  }
}

/** Sets own `__proto__` members too, which an assignment would not. */
export const setOwn = (target: object, name: string, value: unknown): void => {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

export const hostileValue = (random: Random): unknown =>
  random.chance(0.6) ? pollution() : edgeCaseValue(random)
