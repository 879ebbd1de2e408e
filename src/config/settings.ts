import { resolve } from 'node:path'
import { limits } from '../contract/limits.ts'
import { parseS3Url, type S3Url } from '../files/s3-url.ts'
import {
  apiKey,
  destinations,
  endpoint,
  integer,
  networks,
  oneOf,
  optionalText,
  origins,
  type Setting,
  SettingError,
  secret,
  setting,
  share,
  text,
} from './setting.ts'

/** Every setting of the server. The reference in docs/ is generated from here. */
export const settings = {
  HOST: text('127.0.0.1', 'Address to listen on. Use 0.0.0.0 to accept connections from other machines.'),
  PORT: integer(8080, [0, 65_535], 'Port to listen on; 0 picks a free port.'),
  DATA_DIR: setting('./data', 'Directory for the SQLite database, the files and the first token.', path =>
    resolve(path),
  ),
  DATABASE_URL: secret(
    '`postgres://…` to use PostgreSQL 15 or newer instead of SQLite.',
    // Without a host, a local socket is used.
    value => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value.replace('@/', '@localhost/')),
    'must begin with postgres:// and be a valid address; write special characters of the password as %2F (/), %23 (#), %3F (?), %40 (@) and %25 (%)',
  ),
  DATABASE_POOL_SIZE: integer(
    10,
    [2, 1000],
    'Maximum number of PostgreSQL connections of one server. All replicas together must stay below `max_connections`.',
  ),
  DATABASE_WAIT_SECONDS: integer(
    5,
    [1, 300],
    'How long a query waits for a free connection to PostgreSQL. After that, a request is refused; a run retries.',
  ),
  DATABASE_STATEMENT_SECONDS: integer(30, [1, 3600], 'Timeout of one PostgreSQL statement.'),
  BLOB_URL: setting(
    '',
    '`s3://bucket/prefix` to store files in an S3 store instead of DATA_DIR. Credentials come from the usual AWS variables, profiles or roles, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    (value): S3Url | undefined => {
      const place = parseS3Url(value)
      if (value !== '' && !place) throw new SettingError('must be s3://bucket or s3://bucket/prefix')
      return place
    },
  ),
  AWS_REGION: optionalText('Region of the S3 store. Default with AWS_ENDPOINT_URL: `us-east-1`.'),
  AWS_ENDPOINT_URL: endpoint('Address of an S3 store other than AWS, such as `https://minio.example.com`.'),
  AWS_ENDPOINT_URL_S3: endpoint('Overrides AWS_ENDPOINT_URL for S3.'),
  S3_PATH_STYLE: oneOf(
    ['auto', 'on', 'off'],
    'auto',
    'Whether the bucket is part of the path instead of the host name; auto: if AWS_ENDPOINT_URL is set.',
  ),
  RUN_MEMORY_MB: integer(
    0,
    [0, 1_048_576],
    'Memory for the outputs of running workflows in MB; 0: half of the heap of the process. One workspace gets at most half of it.',
  ),
  BOOTSTRAP_TOKEN: secret(
    "The operator's token, at least 16 characters. Unset: one is created at the first start.",
    value => /^[\x21-\x7e]{16,512}$/.test(value),
    'must be 16 to 512 visible ASCII characters',
  ),
  TRUSTED_PROXIES: networks(
    'Addresses of proxies in front of the server, separated by commas: an address or a network such as `10.0.0.0/8`. Only for requests from these proxies, the client address for limits and the audit log is taken from `X-Forwarded-For`.',
  ),
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'Log level; info logs one line per request.',
  ),
  SECRET_KEY: secret(
    'Key that encrypts secrets and the API keys of workspace models, at least 16 characters. Unset: one is created in DATA_DIR. With PostgreSQL, set the same value on all replicas.',
    value => value.length >= 16 && value.length <= 1024,
    'must be 16 to 1024 characters',
  ),
  MODEL_BASE_URL: endpoint(
    'Base URL of an OpenAI-compatible chat API, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`.',
  ),
  MODEL_API_KEY: apiKey('API key, if required.'),
  MODEL_NAME: optionalText('Default language model.'),
  SMALL_MODEL: optionalText(
    'Name of a fast, cheap model for titles of conversations and suggested questions. Without it, titles are taken from the first message.',
  ),
  TRANSCRIBE_BASE_URL: endpoint('Base URL of an OpenAI-compatible transcription API, for voice messages.'),
  TRANSCRIBE_API_KEY: apiKey('API key, if required.'),
  TRANSCRIBE_MODEL: optionalText('Transcription model, such as `whisper-1`.'),
  OCR: oneOf(
    ['auto', 'model', 'local', 'off'],
    'auto',
    'How text in scans and images is recognised (OCR). `model`: OCR_MODEL, else the default model of the workspace if it supports vision; `local`: the package `@gutenye/ocr-node`; `auto`: OCR_MODEL, else the package if it is installed, else the default model of the workspace.',
  ),
  OCR_BASE_URL: endpoint(
    'Base URL of an OpenAI-compatible chat API with a vision model; unset: MODEL_BASE_URL.',
  ),
  OCR_API_KEY: apiKey('API key, if required. Unset: MODEL_API_KEY, if OCR_BASE_URL is unset, too.'),
  OCR_MODEL: optionalText('Vision model that recognises the text of scans and images.'),
  OCR_RETENTION_DAYS: integer(
    30,
    [1, 3650],
    'Days to keep cached texts of recognised pages and transcripts after their last use; documents are not affected.',
  ),
  SPEECH_BASE_URL: endpoint('Base URL of an OpenAI-compatible speech API, to answer with voice messages.'),
  SPEECH_API_KEY: apiKey('API key, if required.'),
  SPEECH_MODEL: optionalText('Speech model, such as `tts-1`.'),
  SPEECH_VOICE: text('alloy', 'Voice of the speech model.'),
  WEB_SEARCH_URL: endpoint('URL of a SearXNG server with the JSON format enabled, for web search.'),
  WEB_SEARCH_API_KEY: apiKey('API key, if required.'),
  RUN_RETENTION_DAYS: integer(30, [1, 3650], 'Days to keep finished runs and their traces.'),
  EVENT_RETENTION_DAYS: integer(
    30,
    [1, 3650],
    'Days to keep the events of finished runs, so that clients can read their streams again; at most as long as the runs.',
  ),
  VERSION_RETENTION_DAYS: integer(
    90,
    [1, 36_500],
    `Days to keep old versions of workflows. The newest ${limits.keptVersions} of each, and those that were published, have a note, were restored or are used by runs, are kept longer.`,
  ),
  EMBEDDING_RETENTION_DAYS: integer(
    30,
    [1, 3650],
    'Days to keep cached embeddings after their last use; embeddings of knowledge bases are not affected.',
  ),
  AUDIT_RETENTION_DAYS: integer(365, [1, 36_500], 'Days to keep entries of the audit log.'),
  PUBLIC_CALLS_PER_MINUTE: integer(
    300,
    [0, 1_000_000],
    'Calls per minute to public agents without a token, per client address; 0: unlimited.',
  ),
  VISITOR_STORAGE_BYTES: integer(
    1 << 30,
    [0, Number.MAX_SAFE_INTEGER],
    'Bytes of files that visitors of public agents may upload per workspace; 0: visitors cannot upload files.',
  ),
  WRONG_TOKENS_PER_MINUTE: integer(
    300,
    [0, 1_000_000],
    'Wrong tokens per minute and client address. After that, only recently valid tokens are accepted from the address. 0: unlimited.',
  ),
  TOKEN_CALLS_PER_MINUTE: integer(0, [0, 100_000_000], 'Calls per minute with one token; 0: unlimited.'),
  WORKSPACE_CALLS_PER_MINUTE: integer(
    0,
    [0, 100_000_000],
    'Calls per minute with all tokens of a workspace; 0: unlimited.',
  ),
  WORKSPACE_CONCURRENT_RUNS: integer(
    0,
    [0, 1_000_000],
    'Active runs of a workspace at a time; 0: only limited by its share of each server.',
  ),
  WORKSPACE_STORAGE_BYTES: integer(
    0,
    [0, 2 ** 50],
    'Bytes of files and workflow versions that a workspace may store; 0: unlimited.',
  ),
  WORKSPACE_DOCUMENTS: integer(
    0,
    [0, 2 ** 50],
    'Documents that a workspace may have in its knowledge bases; 0: unlimited.',
  ),
  WORKSPACE_TOKENS_PER_DAY: integer(
    0,
    [0, 2 ** 50],
    'Model tokens that the runs of a workspace may use on one day (UTC); a run that has started may exceed it. 0: unlimited.',
  ),
  DEMO: oneOf(
    ['on', 'en', 'zh', 'off'],
    'on',
    'Whether the first start creates a demo agent with a small workflow and a knowledge base: `on` in the language of the system, `en` in English, `zh` in Chinese, `off` not at all.',
  ),
  EMBEDDING_BASE_URL: endpoint(
    'Base URL of an OpenAI-compatible embeddings API, such as `https://api.openai.com/v1`.',
  ),
  EMBEDDING_API_KEY: apiKey('API key, if required.'),
  EMBEDDING_MODEL: optionalText('Embedding model for new knowledge bases, such as `text-embedding-3-small`.'),
  RERANK_BASE_URL: endpoint('Base URL of a rerank API as offered by Cohere, Jina or vLLM (`/rerank`).'),
  RERANK_API_KEY: apiKey('API key, if required.'),
  RERANK_MODEL: optionalText('Rerank model.'),
  MCP_ORIGINS: origins(
    'Origins of web pages that may call `/mcp`, such as `https://app.example.com`, separated by commas. Programs, and pages on this machine, are always allowed.',
  ),
  EGRESS_ALLOW: destinations(
    'Private hosts that the server may connect to, separated by commas: `host`, `host:port`, `*.suffix` or a network such as `10.0.0.0/8`.',
  ),
  INGEST_WORKERS: integer(
    0,
    [0, 64],
    'Maximum number of ingestion threads for one workspace; one more thread serves the other workspaces. 0: one less than the number of processors, at least two.',
  ),
  INGEST_MEMORY_MB: integer(
    512,
    [64, 65_536],
    'Memory limit of an ingestion thread in MB; documents that need more memory fail.',
  ),
  SOFFICE_PATH: optionalText(
    'Command of LibreOffice, which converts DOC, XLS and PPT files. Unset: `soffice` in /usr/local/bin, /usr/bin or /bin. Without LibreOffice, these files fail.',
  ),
  FFMPEG_PATH: optionalText(
    'Command of ffmpeg, which splits recordings over 25 MiB that are neither MP3 nor WAV. Unset: `ffmpeg` in /usr/local/bin, /usr/bin or /bin. Without ffmpeg, these files fail.',
  ),
  SEARCH_CACHE_BYTES: integer(
    256 * 2 ** 20,
    [2 ** 20, 2 ** 40],
    'Memory for the keyword index cache, in bytes. A hundred thousand chunks take about 70 MB in each search thread.',
  ),
  VECTOR_MEMORY_BYTES: integer(
    512 * 2 ** 20,
    [2 ** 20, 2 ** 40],
    'Memory for vector indexes with SQLite, in bytes.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(
    'Base URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. Traces of requests, runs, nodes and model calls are exported there by OTLP/HTTP in JSON. Unset: no traces.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    'Headers for the collector: `name=value` pairs, separated by commas, with percent-encoding.',
    value => value.split(',').every(pair => /^[^=\s]+=/.test(pair.trim())),
    'must be name=value pairs, separated by commas',
  ),
  OTEL_SERVICE_NAME: text('banyan', 'Name of this service in traces.'),
  OTEL_TRACES_SAMPLER_ARG: share(
    1,
    'Share of traces to record, from 0 to 1; a request with a `traceparent` is recorded if its caller records it.',
  ),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: oneOf(
    ['true', 'false'],
    'false',
    'Whether traces contain prompts and answers of models.',
  ),
  MAX_FILE_BYTES: integer(200 * 2 ** 20, [1, 2 ** 40], 'Maximum size of an uploaded file, in bytes.'),
} satisfies Record<string, Setting<unknown>>
