/** As many as chat.css has. */
const colours = 6

/** The same name always has the same colour. */
const colourOf = (name: string): number =>
  [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 9973, 7) % colours

/** The avatar of an agent: the first character of its name, which may be an emoji, on a colour of its own. */
export function AgentMark({ name, isLarge = false }: { name: string; isLarge?: boolean }) {
  return (
    <span
      className={isLarge ? 'agent-mark is-large' : 'agent-mark'}
      data-colour={colourOf(name.trim())}
      aria-hidden="true"
    >
      {firstOf(name.trim()) ?? '·'}
    </span>
  )
}

/** An emoji may consist of several code points. */
const firstOf = (name: string): string | undefined =>
  new Intl.Segmenter().segment(name)[Symbol.iterator]().next().value?.segment.toUpperCase()
