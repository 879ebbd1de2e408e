import type { CallLanguage } from '../../ui/share/call-section.tsx'
import { tokenPlaceholder } from '../../ui/share/token-placeholder.ts'

interface RunSnippetFor {
  /** The server's origin, without a trailing slash. */
  origin: string
  workflowId: string
}

const writers: Record<CallLanguage, (about: RunSnippetFor) => string> = {
  curl: ({ origin, workflowId }) => `curl ${origin}/api/v1/workflow/run \\
  -H 'Authorization: Bearer ${tokenPlaceholder}' \\
  -H 'Content-Type: application/json' \\
  -d '{"id": "${workflowId}", "inputs": {"query": "Hello"}}'
`,
  javascript: ({ origin, workflowId }) => `const response = await fetch('${origin}/api/v1/workflow/run', {
  method: 'POST',
  headers: { authorization: 'Bearer ${tokenPlaceholder}', 'content-type': 'application/json' },
  body: JSON.stringify({ id: '${workflowId}', inputs: { query: 'Hello' } }),
})
const { code, message, data } = await response.json()
if (code !== 0) throw new Error(message)
console.log(data.status, data.answer, data.outputs)
`,
  python: ({ origin, workflowId }) => `import json, urllib.request

request = urllib.request.Request(
    "${origin}/api/v1/workflow/run",
    data=json.dumps({"id": "${workflowId}", "inputs": {"query": "Hello"}}).encode(),
    headers={"Authorization": "Bearer ${tokenPlaceholder}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    run = json.load(response)["data"]
print(run["status"], run["answer"], run["outputs"])
`,
}

/** Examples that run a workflow over the API; they work as they are, except for the token. */
export const runSnippet = (language: CallLanguage, about: RunSnippetFor): string => writers[language](about)
