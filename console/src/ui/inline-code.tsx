/** A text of the documentation, in which backticks mark names. */
export const InlineCode = ({ text }: { text: string }) =>
  text
    .split(/`([^`]+)`/)
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))
