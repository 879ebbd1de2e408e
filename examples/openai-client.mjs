// Talks to an agent or a workflow by OpenAI's API: node examples/openai-client.mjs MODEL MESSAGE
// MODEL is the id of an agent, or workflow/ and the id of a workflow. Needs BANYAN_URL and BANYAN_TOKEN.
const { BANYAN_URL: server = 'http://127.0.0.1:8080', BANYAN_TOKEN: token = '' } = process.env
const [model = '', message = 'Hello'] = process.argv.slice(2)

const response = await fetch(`${server}/v1/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model, messages: [{ role: 'user', content: message }], stream: true }),
})
if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)

let rest = ''
for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + piece).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) {
    if (!line.startsWith('data: ') || line === 'data: [DONE]') continue
    const [choice] = JSON.parse(line.slice('data: '.length)).choices
    process.stdout.write(choice?.delta.content ?? '')
  }
}
process.stdout.write('\n')
