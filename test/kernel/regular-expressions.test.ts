import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import test from 'node:test'
import { createContext, Script } from 'node:vm'

const source = join(import.meta.dirname, '../../src')

/** A slash after anything else divides, or belongs to a text or a comment. */
const literal =
  /(?:^|[(,=:[!&|?{};]|=>|return)\s*\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)/gm

/** What an expression could be made to repeat: its own characters and common ones, alone and in pairs. */
function pumps({ source: body }: RegExp): string[] {
  const own = [...new Set(body.replace(/\\[a-zA-Z]/g, '').match(/[^\\()[\]{}|?*+^$]/gu) ?? [])].slice(0, 10)
  const common = ['a', '0', ' ', '\n', '-', '"', '<', '中']
  return [...new Set([...own, ...common, ...own.flatMap(one => [`${one}a`, `${one} `, `a${one}`])])]
}

const context = createContext({ expression: /x/, texts: [] })
const script = new Script('for (const text of texts) { expression.lastIndex = 0; expression.exec(text) }')
/** Enough for an exponential or cubic expression to take many seconds with one text; a quadratic one takes 0.05 s. */
const length = 1000
const maxMilliseconds = 500

/** Within the limit of CPU time. The timeout is one of wall-clock time, so beside other load it may be too short. */
function finishes(expression: RegExp, texts: string[], timeout = maxMilliseconds): boolean {
  Object.assign(context, { expression, texts })
  const start = process.cpuUsage()
  try {
    script.runInContext(context, { timeout })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000 < maxMilliseconds * 0.9 && finishes(expression, texts, timeout * 2)
  }
}

function isSlow(expression: RegExp): boolean {
  const texts = pumps(expression).flatMap(pump => {
    const pumped = pump.repeat(length / pump.length)
    return [pumped, `${pumped}\0`, `${pumped}!\n`]
  })
  return !finishes(expression, texts) && texts.some(text => !finishes(expression, [text]))
}

test('no regular expression of the server takes exponential or cubic time', () => {
  assert.ok(isSlow(/^(a+)+$/), 'an exponential expression is found')
  assert.ok(isSlow(/^.*a.*a.*a.*b$/), 'a polynomial expression is found')
  const slow: string[] = []
  let count = 0
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue
    const path = join(entry.parentPath, entry.name)
    for (const [, body, flags] of readFileSync(path, 'utf8').matchAll(literal)) {
      count++
      if (isSlow(new RegExp(body!, flags))) slow.push(`${relative(source, path)}: /${body}/${flags}`)
    }
  }
  assert.ok(count > 200, `only ${count} expressions were found`)
  assert.deepEqual(slow, [])
})
