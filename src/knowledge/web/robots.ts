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

/** Not a regular expression: many wildcards would take exponential time. */
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

/** Whether a path may be fetched by `robots.txt` (RFC 9309): the rules of our group, or else those for all. */
export function robotsRules(text: string, robot: string): (path: string) => boolean {
  const groups = new Map<string, Rule[]>()
  let current: Rule[][] = []
  let isNaming = false
  let count = 0
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name = '', sent = ''] = /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/.exec(line) ?? []
    const value = sent.trim()
    const key = name.toLowerCase()
    if (key === 'user-agent') {
      // Robots that follow each other share the rules after them.
      if (!isNaming) current = []
      isNaming = true
      const named = value.toLowerCase()
      const rules = groups.get(named) ?? []
      groups.set(named, rules)
      current.push(rules)
    } else if (key === 'allow' || key === 'disallow') {
      isNaming = false
      // An empty rule matches nothing.
      if (value === '' || value.length > maxRuleLength || ++count > maxRules) continue
      const isWhole = value.endsWith('$')
      const parts = (isWhole ? value.slice(0, -1) : value).split('*')
      for (const rules of current)
        rules.push({ isAllowed: key === 'allow', parts, isWhole, length: value.length })
    }
  }
  const own = groups.get(robot.toLowerCase()) ?? groups.get('*') ?? []
  // The longest first, and of equal ones that which allows.
  own.sort((one, other) => other.length - one.length || Number(other.isAllowed) - Number(one.isAllowed))
  return path => own.find(rule => matches(rule, path))?.isAllowed ?? true
}
