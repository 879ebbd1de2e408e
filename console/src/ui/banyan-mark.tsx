/** One crown on many trunks. */
export function BanyanMark() {
  return (
    <svg className="mark" viewBox="0 0 64 64" aria-hidden="true">
      <path
        className="leaf"
        d="M12 33a9 9 0 0 1-2-17 10 10 0 0 1 14-8 12 12 0 0 1 18 1 10 10 0 0 1 13 8 8.5 8.5 0 0 1-3 16z"
      />
      <path
        className="bark"
        d="M32 58V30M32 44c0-7-3-9-8-12M32 44c0-7 3-9 8-12M19 58V32M45 58V32"
        strokeWidth={4}
      />
      <path className="bark" d="M12.5 49V32M25.5 52V34M38.5 50V34M51.5 47V32" strokeWidth={1.8} />
      <path className="bark" d="M8 58h48" strokeWidth={2.5} />
    </svg>
  )
}
