import type { Pausable } from '../../kernel/slices.ts'

interface Rule {
  isAllowed: boolean
  /** Texts that must follow each other, with anything between them. */
  parts: string[]
  isWhole: boolean
  /** The longest rule that matches wins. */
  length: number
}

const maxRules = 2000
const maxRuleLength = 500

/** Normalises the spelling of a path, so that equivalent paths are equal: /产品/~a is also /%E4%BA%A7%e5%93%81/%7Ea. */
export const comparablePath = (path: string): string =>
  path
    .toWellFormed()
    .replace(/[^\w!$%&'()*+,./:;=?@~-]+/g, encodeURIComponent)
    .replace(/%[\da-f]{2}/gi, code => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
      return /[\w.~-]/.test(character) ? character : code.toUpperCase()
    })

/** Not a regular expression, in which many wildcards would take exponential time. */
function matches({ parts, isWhole }: Rule, path: string): boolean {
  const [first = '', ...others] = parts
  if (!path.startsWith(first)) return false
  const last = others.at(-1)
  if (last === undefined) return !isWhole || path === first
  let from = first.length
  for (const part of isWhole ? others.slice(0, -1) : others) {
    const at = path.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return !isWhole || (path.length - last.length >= from && path.endsWith(last))
}

export interface RobotsRules {
  isAllowed(path: string): boolean
  /** `Crawl-delay`: seconds between two requests; 0 if there is none. */
  crawlDelay: number
}

interface Group {
  rules: Rule[]
  crawlDelay: number
}

/** The rules and the delay of `robots.txt` (RFC 9309) for our group, or else for the group of all robots. */
export function* robotsRules(text: string, robot: string): Pausable<RobotsRules> {
  const own: Group = { rules: [], crawlDelay: 0 }
  const all: Group = { rules: [], crawlDelay: 0 }
  const groups = new Map([
    [robot.toLowerCase(), own],
    ['*', all],
  ])
  let hasOwn = false
  let current = new Set<Group>()
  let isNaming = false
  let count = 0
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    yield
    const [, name = '', sent = ''] = /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/.exec(line) ?? []
    const value = sent.trim()
    const key = name.toLowerCase()
    if (key === 'user-agent') {
      // Consecutive robots share the rules that follow them.
      if (!isNaming) current = new Set()
      isNaming = true
      const group = groups.get(value.toLowerCase())
      if (group) current.add(group)
      hasOwn ||= group === own
    } else if (key === 'crawl-delay') {
      isNaming = false
      if (/^\d{1,6}(?:\.\d{1,3})?$/.test(value)) for (const group of current) group.crawlDelay = Number(value)
    } else if (key === 'allow' || key === 'disallow') {
      isNaming = false
      // An empty rule matches nothing.
      if (current.size === 0 || value === '' || value.length > maxRuleLength || ++count > maxRules) continue
      const isWhole = value.endsWith('$')
      const parts = comparablePath(isWhole ? value.slice(0, -1) : value).split('*')
      for (const { rules } of current)
        rules.push({ isAllowed: key === 'allow', parts, isWhole, length: value.length })
    }
  }
  // The longest rule first; among equally long ones, the rule that allows.
  const { rules, crawlDelay } = hasOwn ? own : all
  rules.sort((one, other) => other.length - one.length || Number(other.isAllowed) - Number(one.isAllowed))
  const isAllowed = (path: string): boolean => {
    const sent = comparablePath(path)
    return rules.find(rule => matches(rule, sent))?.isAllowed ?? true
  }
  return { isAllowed, crawlDelay }
}
