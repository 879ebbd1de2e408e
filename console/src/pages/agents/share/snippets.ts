import type { CallLanguage } from '../../../ui/share/call-section.tsx'
import { tokenPlaceholder } from '../../../ui/share/token-placeholder.ts'

interface SnippetFor {
  /** The server's origin, without a trailing slash. */
  origin: string
  agentId: string
  isPublic: boolean
  /** Comments above both calls, in the language of the console. */
  comments: { create: string; send: string }
}

function curl({ origin, agentId, isPublic, comments }: SnippetFor): string {
  const head = [
    ...(isPublic ? [] : [`  -H 'Authorization: Bearer ${tokenPlaceholder}' \\`]),
    `  -H 'Content-Type: application/json' \\`,
  ].join('\n')
  return `# ${comments.create}
curl ${origin}/api/v1/conversation/create \\
${head}
  -d '{"agent_id": "${agentId}", "user_id": "ada"}'

# ${comments.send}
curl ${origin}/api/v1/conversation/chat \\
${head}
  -d '{"agent_id": "${agentId}", "conversation_id": "CONVERSATION_ID",
       "data_type": "text", "content": "Hello"}'
`
}

function javascript({ origin, agentId, isPublic }: SnippetFor): string {
  const authorization = isPublic ? '' : `\n      authorization: 'Bearer ${tokenPlaceholder}',`
  return `const call = async (path, body) => {
  const response = await fetch('${origin}/api/v1/conversation/' + path, {
    method: 'POST',
    headers: {${authorization}
      'content-type': 'application/json',
    },
    body: JSON.stringify({ agent_id: '${agentId}', ...body }),
  })
  const answer = await response.json()
  if (answer.code !== 0) throw new Error(answer.msg)
  return answer
}

const { conversation_id } = await call('create', { user_id: 'ada' })
const { feedback } = await call('chat', { conversation_id, data_type: 'text', content: 'Hello' })
for (const { content } of feedback) console.log(content)
`
}

function python({ origin, agentId, isPublic }: SnippetFor): string {
  const authorization = isPublic ? '' : `"Authorization": "Bearer ${tokenPlaceholder}", `
  return `import json, urllib.request

def call(path, **body):
    request = urllib.request.Request(
        "${origin}/api/v1/conversation/" + path,
        data=json.dumps({"agent_id": "${agentId}", **body}).encode(),
        headers={${authorization}"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)

conversation_id = call("create", user_id="ada")["conversation_id"]
answer = call("chat", conversation_id=conversation_id, data_type="text", content="Hello")
for reply in answer["feedback"]:
    print(reply["content"])
`
}

const writers: Record<CallLanguage, (about: SnippetFor) => string> = { curl, javascript, python }

/** Examples that chat with an agent over the API; they work as they are, except for the placeholders. */
export const snippetFor = (language: CallLanguage, about: SnippetFor): string => writers[language](about)

/** Adds a chat bubble to a website. */
export const scriptSnippet = (origin: string, agentId: string): string =>
  `<script src="${origin}/embed.js" data-agent="${agentId}" async></script>\n`

/** Shows the chat page inside a page of a website. */
export const frameSnippet = (link: string, name: string): string =>
  `<iframe src="${link}"
  title="${escaped(name)}" allow="microphone; clipboard-write"
  style="width: 100%; height: 640px; border: 0"></iframe>\n`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
