/** The icon that a card has on the canvas. */
export function KindIcon({ kind, group }: { kind: string; group: string }) {
  return (
    <span className="kind-icon" data-group={group}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={kindIconPath(kind)} />
      </svg>
    </span>
  )
}

/** Stroke paths in a 16 × 16 box. */
const paths: Readonly<Record<string, string>> = {
  input: 'M2 8h8M7 5l3 3-3 3M9 2.5h3.5v11H9',
  output: 'M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2zM5.5 7h5',
  question: 'M5.5 6a2.5 2.5 0 1 1 3.4 2.4c-.6.3-.9.6-.9 1.3v.3M8 12.4v.1',
  multimodal_dialogue_and_information_extractor:
    'M2.5 3h11v6.5h-5L5.5 12V9.5h-3zM5 13.5h6M5.3 5.3h2M5.3 7.2h5.4',
  action: 'M9 1.8 4 9h3.6L7 14.2 12 7H8.4z',
  end: 'M8 2a6 6 0 1 0 .01 0zM5.8 5.8h4.4v4.4H5.8z',
  llm: 'M8 2l1.5 4.5L14 8l-4.5 1.5L8 14l-1.5-4.5L2 8l4.5-1.5z',
  agent: 'M3 6h10v7H3zM8 6V3.2M8 2v.1M5.8 8.8v1M10.2 8.8v1M1.5 8.5v2M14.5 8.5v2',
  classifier: 'M2 8h3M5 8l3-5h5.5M5 8h8.5M5 8l3 5h5.5',
  condition: 'M8 1.8 14.2 8 8 14.2 1.8 8zM8 5.2v3.2M8 10.7v.1',
  aggregator: 'M2 3.5h3l4 4.5M2 12.5h3l4-4.5M9 8h5M11.5 5.5 14 8l-2.5 2.5',
  loop: 'M4 5h6.5a3 3 0 0 1 0 6H4M6.5 2.5 4 5l2.5 2.5',
  iteration: 'M13 6A5.3 5.3 0 0 0 3.2 5.6M3 2.8v3h3M3 10a5.3 5.3 0 0 0 9.8.4M13 13.2v-3h-3',
  workflow: 'M2 3h4v4H2zM10 9h4v4h-4zM6 5h3.5c1.4 0 2.5 1.1 2.5 2.5V9',
  document_extractor:
    'M4 1.8h5.5L12.5 5v3.5M9.2 1.8V5h3.3M4 1.8v12.4h3.5M6 8h3M6 5.5h1.5M9.5 12h5M12 9.5l2.5 2.5-2.5 2.5',
  list: 'M6 4h8M6 8h8M6 12h5M2.5 4h.6M2.5 8h.6M2.5 12h.6',
  template: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3',
  code: 'M5 4.5 1.8 8 5 11.5M11 4.5 14.2 8 11 11.5M9.2 3l-2.4 10',
  variable: 'M4.5 2.5C2.5 4.5 2.5 11.5 4.5 13.5M11.5 2.5c2 2 2 9 0 11M6 6l4 4M10 6l-4 4',
  knowledge_retrieval:
    'M2.5 3h4.5a1.5 1.5 0 0 1 1.5 1.5V13M8.5 4.5A1.5 1.5 0 0 1 10 3h3.5v5M2.5 3v9h4.5M11.3 9.2a1.8 1.8 0 1 0 .01 0zM12.7 12.5l1.3 1.3',
  web_search:
    'M8 2a6 6 0 1 0 .01 0zM2 8h12M8 2c2 1.7 2.6 3.7 2.6 6S10 12.3 8 14M8 2C6 3.7 5.4 5.7 5.4 8S6 12.3 8 14',
  http_request: 'M2 5.5h11M10 2.5l3 3-3 3M14 10.5H3M6 7.8l-3 2.7 3 3',
  mcp: 'M6 2v3M10 2v3M4 5h8v3a4 4 0 0 1-8 0zM8 12v2.5',
}

const other = 'M3 3h10v10H3zM6 8h4'

export const kindIconPath = (kind: string): string => (Object.hasOwn(paths, kind) ? paths[kind]! : other)
