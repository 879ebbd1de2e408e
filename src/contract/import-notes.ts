/** The differences of an imported app and what to do, by the code of the note; names of values are in braces. */
export const importNotes = {
  note_left_out: 'Notes on the canvas are not imported.',
  unconnected: 'It is not connected to the start and never runs, so it is not imported.',
  inside_left_out: 'It is inside a node that is not imported.',
  reference_removed: 'The reference {reference} does not exist in this app and was removed.',
  app_id: 'In Banyan, sys.app_id is the id of the agent.',
  turns_counted: 'The turns of the conversation are counted by the node "Count turns".',
  create_trigger: 'Create a trigger for the workflow in Triggers.',

  // The app itself.
  set_secret:
    'The environment variable "{variable}" is a secret: set the secret "{secret}" in Secrets, or with POST /api/v1/secret/set.',
  default_model: 'The default model is used instead of {models}: choose another model in the nodes.',
  speech_input: 'In Banyan, speech input is a server setting.',
  speech_output: 'Set "voice" of output nodes to send answers as speech.',
  follow_up_questions: 'Suggested questions after an answer are not imported.',
  sensitive_words: 'The filter for sensitive words is not imported.',
  annotated_replies: 'Annotated replies are not imported.',
  similar_answers: 'The button for similar answers is not imported.',
  opening_variables: 'Variables in the opening statement are not replaced; it is shown as written.',
  file_limits: 'The limits of the app on the type and number of uploaded files do not apply.',

  // The form.
  query_is_message: 'In Banyan, the variable "query" is the message of a run and not part of the form.',
  variable_renamed:
    'The variable "{variable}" is renamed to "{name}", because its name is not allowed or already in use.',
  any_file: '"{variable}" accepts any file, not only: {types}.',
  default_left_out: 'The default of "{variable}" is not imported, because it is not a valid value.',
  variable_is_text: 'The variable "{variable}" of type "{type}" becomes a text.',

  // Models and agents.
  model_settings_left_out: 'These model settings are not imported: {settings}.',
  model_has_settings: 'In Banyan, the temperature and the length of answers are settings of the model.',
  prompt_examples: 'Earlier messages of the prompt become examples in the system prompt.',
  no_vision: 'The model sees only the text, not the files.',
  information_dialogue: 'This node asks the user until every required field is known.',
  agent_time: 'The model gets the start time of the run instead of a time tool.',
  agent_search: '"{tool}" uses the search service of this server (WEB_SEARCH_URL).',
  agent_app: 'Import the app "{app}" as well, and choose it for the tool "{tool}".',
  agent_mcp_url: 'Set the URL of the MCP server "{server}" for the tool "{tool}".',
  mcp_url: 'Set the URL of the MCP server.',
  mcp_tool_not_needed:
    'The tool "{tool}" is not needed: the model can use the tools of the MCP server directly.',

  // Tools.
  search: 'The search service of this server (WEB_SEARCH_URL) is used.',
  start_time: 'The time is the start time of the run, in the form 2026-11-16T08:30:00.000+00:00.',
  page_reader:
    'The page is read by r.jina.ai, which has a low limit without an API key: add the header Authorization if you have one.',
  page_html: 'Returns the original HTML of the page.',
  document_text: 'This server extracts the text of the document, without layout and images.',
  model_translates: 'The model translates instead of a translation service.',
  tool_app: 'Import the app "{app}" as well, and choose it as the workflow of this node.',
  tool_mcp_url: 'Set the URL of the MCP server "{server}".',

  // Data and containers.
  packages_left_out: 'Packages cannot be installed: {packages}.',
  choose_knowledge:
    'Choose the knowledge base for the data set {data_sets}, here or in "knowledge" of the import.',
  all_knowledge: 'All knowledge bases are searched, instead of one chosen by a model.',
  reranking: 'In Banyan, reranking is a setting of the knowledge base.',
  metadata_filter: 'The metadata filter is not imported.',
  certificates: 'Certificates are always verified.',
  body_left_out: 'The body is not imported, because a {method} request has none.',
  any_status:
    'In Banyan, any status is a result; only 429 and 5xx fail, after retries. Check "status" in a condition.',
  basic_authorization: 'Basic authorization is sent unchanged: store "name:password" encoded in Base64.',
  inner_messages: 'Messages inside are not sent to the user while it runs: send the result afterwards.',
  loop_ends_by_any:
    'The loop ends when any of its conditions is true, because a node inside may end it, too.',

  // Nodes and tools that are not mapped.
  no_kind: 'Banyan has no node for "{type}": replace it with other nodes.',
  no_tool:
    'Banyan has no tool "{tool}" of "{provider}". Replace it with an HTTP request, an MCP tool or a workflow.',
  no_strategy: 'Banyan has no agent strategy "{strategy}": use an agent node.',
  no_language: 'Banyan cannot run code in "{language}": rewrite it in Python or JavaScript.',
  no_comparison: 'Banyan has no comparison "{comparison}": use a condition node instead.',
  no_list_comparison:
    'Banyan has no comparison "{comparison}" for a list of files: filter it with a list node.',
  no_element_number: 'The index of the element must be a constant: set "start" of a list node.',
  no_operation: 'Banyan has no operation "{operation}": compute the value with a code node.',
  no_conversation_variable: '"{variable}" is not a conversation variable: choose one that this app declares.',
} as const

export type ImportNoteCode = keyof typeof importNotes

export interface ImportNote {
  readonly code: ImportNoteCode
  readonly values: Readonly<Record<string, string>>
}

export const sentenceOf = ({ code, values }: ImportNote): string =>
  importNotes[code].replace(/\{(\w+)\}/g, (name, key: string) => values[key] ?? name)
