/** HTTP decisions §7: keys, rate limits, idempotency, lost answers, and the Node server's limits. */
import type { ConformanceRow, ConformanceSection } from "../conformance-row.ts"
import {
  accessAfterBody,
  accessKeys,
  apiKey,
  artifactLinks,
  commandKeys,
  engineIdempotency,
  errors,
  hostileSockets,
  idempotency,
  largeBodies,
  limits,
  nodeServer,
  order,
  rate,
  rateLimit,
  requests,
  secrets,
  serverLimits,
  sqlite,
  sqliteFaults,
  submission,
} from "./test-files.ts"

const KEYS: readonly ConformanceRow[] = [
  {
    row: "Key: `sl_live_<10 base62 id>_<32 base62 secret><6 base62 CRC32>`",
    tests: apiKey(
      "an API key > reads back as its parts",
      "an API key > ends in the CRC-32 of all before it, as six base62 digits",
    ),
  },
  {
    row: "Stored as id and SHA-256, shown once",
    tests: commandKeys("create prints a key that keeps the form, and only its id stays"),
  },
  {
    row: "Compared in constant time",
    tests: secrets(
      "a key's secret > is compared to the last digit where it is right",
      "a key's secret > is compared to the last digit where it is wrong in the first digit",
      "a key's secret > is compared to the last digit where it is wrong altogether",
    ),
  },
  {
    row: "Scopes: `tasks:write`, `tasks:read`, `artifacts:read`, `links:write`",
    tests: [
      ...order("the order of checks > comes to insufficient_scope before rate_limit_exceeded"),
      ...errors("errors > answers 403 insufficient_scope where the key lacks the scope"),
      ...artifactLinks("a new link > needs a key with the scope links:write"),
    ],
  },
  {
    row: "The checksum is checked before the database",
    tests: accessKeys("authentication > refuses what is no key without a look"),
  },
  {
    row: "A revocation holds within one second",
    tests: [
      ...accessKeys(
        "authentication > believes a key for a second and sees its revocation then, on every node",
      ),
      ...serverLimits("the limits > of a key are to be believed for one second"),
      ...accessAfterBody(
        "a body that arrives slowly > does nothing for a key that was revoked meanwhile: POST /v1/tasks",
        "a body that arrives slowly > does nothing for an account that was suspended meanwhile: POST /v1/tasks",
        "a body that arrives at once > has its key looked up once, and the key of those that follow not at all",
      ),
    ],
  },
]

const RATES: readonly ConformanceRow[] = [
  {
    row: "Rate limit: GCRA",
    tests: rate(
      "a slice of a rate > lets a node alone through whenever the plain count would, and never else",
      "a slice of a rate > never lets more through in a window than a burst and what the window refills",
    ),
  },
  {
    row: "Policies `create`, `read`, `content`",
    tests: limits("rates > count each policy and each account alone"),
  },
  {
    row: "Counted in memory against slices leased from the database",
    tests: [
      ...rateLimit(
        "a rate limiter > leases once for all who come together, and again for who comes too late",
      ),
      ...limits("a rate > admits together on two nodes what one would alone"),
    ],
  },
  {
    row: "One write an account, policy, node and second",
    tests: rateLimit(
      "a rate limiter > leases for a steady caller about twice what a second uses",
      "a rate limiter > writes about once a second for a flood of 2,000 a second, and lets through what one count would",
    ),
  },
  {
    row: "A crash forfeits slices: fewer admitted, never more",
    tests: rate(
      "a slice of a rate > forfeits what a crashed node had leased, until it has been refilled",
      "a slice of a rate > never lets several nodes that lease, wait, lose and crash through more than one count would",
    ),
  },
  {
    row: '`RateLimit-Policy: "create";q=60;w=60` and `RateLimit: "create";r=59;t=1`',
    tests: limits("a rate > is told on every answer, with what remains and when it is one more"),
  },
  {
    row: "On 429 always `Retry-After`, at least `t`",
    tests: limits("a rate > refuses with 429 and the seconds to wait, and lets through after them"),
  },
]

const IDEMPOTENCY: readonly ConformanceRow[] = [
  {
    row: "`Idempotency-Key`: 1–255 printable ASCII, quoted or not",
    tests: idempotency(
      'an idempotency key > "a" is taken',
      String.raw`an idempotency key > "\"8e03978e\"" is taken`,
      `an idempotency key > "${"x".repeat(40)}" is taken`,
      `an idempotency key > "${"x".repeat(40)}" is refused`,
      'an idempotency key > "" is refused',
      'an idempotency key > "é" is refused',
      "an idempotency key on the wire > may stand there once, whatever the second one says",
    ),
  },
  {
    row: "Unique with the account",
    tests: [
      ...sqlite(
        "SQLite is a storage > a key stands for the first task it was used with, in its account",
      ),
      ...engineIdempotency(
        "a submission with an idempotency key > is another account's own affair, and another key's",
      ),
    ],
  },
  {
    row: "In a table of its own, in the same transaction as the task",
    tests: sqlite(
      "SQLite is a storage > a key that is used 50 times at once gives one task",
      "SQLite is a storage > an admission that can't be stored rejects alone, leaving nothing",
      "SQLite is a storage > an admission rejects where its task id is taken, and its key stays unused",
    ),
  },
  {
    row: "Kept 14 days, then deleted; and deleted on erasure",
    tests: engineIdempotency(
      "an idempotency key > is remembered for 14 days after its use and then forgotten by a sweep",
      "an idempotency key > is forgotten when its task's inputs are erased",
    ),
  },
  {
    row: "Fingerprint: SHA-256 of method, path and canonical body",
    tests: [
      ...idempotency(
        "a fingerprint > is that of method, path and canonical body",
        "a fingerprint > is the same for the same values, however they are written, and differs for all others",
      ),
      ...largeBodies(
        "a large body > is the same request under its idempotency key, however it is written",
      ),
    ],
  },
  {
    row: "Replay: 202, same Location, the current record, `Idempotent-Replayed: true`",
    tests: idempotency(
      "an idempotency key > makes the same request the same task, as it stands now",
    ),
  },
  {
    row: "Without a key two identical POSTs are two tasks",
    tests: requests("a creation > that comes twice without a key is two tasks"),
  },
]

const SERVER: readonly ConformanceRow[] = [
  {
    row: "The task id is made before the insert: after a lost COMMIT it is looked up, then 202",
    tests: submission(
      "a submission > is refused where the storage fails, and accepted where it was stored all the same",
    ),
  },
  {
    row: "Where nothing was stored the same id is inserted again",
    tests: [
      ...sqlite("SQLite is a storage > what was admitted is admitted again, and stored once"),
      ...sqliteFaults(
        "the writing thread > is replaced when it dies, and what it did not answer may be handed in again",
      ),
    ],
  },
  {
    row: "A client that disconnects cancels nothing",
    tests: [
      ...serverLimits(
        "a client that leaves behind its request > cancels nothing: the task is made",
      ),
      ...hostileSockets(
        "hostile clients > get their answer, and one task, when they half-close behind a whole request",
      ),
    ],
  },
  {
    row: "Node server: headers 15 s, request 120 s",
    tests: [
      ...serverLimits(
        "the limits > of requests are 15 s for the headers, 120 s in all, 75 s between two, and 16 KiB",
      ),
      ...nodeServer("the Node server > answers a slow header and a slow body with 408"),
      ...hostileSockets(
        "hostile clients > that drip a header byte by byte are cut off by the time limit",
      ),
    ],
  },
  {
    row: "Node server: keep-alive 75 s",
    tests: [
      ...serverLimits("a connection > is kept for 75 seconds, as its client is told"),
      ...hostileSockets(
        "hostile clients > that drip line ends behind an answer keep no connection",
      ),
    ],
  },
  {
    row: "Node server: header size 16 KiB",
    tests: [
      ...serverLimits("a connection > may bring headers of almost 16 KiB"),
      ...nodeServer("the Node server > answers headers past 16 KiB with 431 and the error body"),
    ],
  },
  {
    row: "CL with TE, duplicate CL, missing Host, obs-fold, bare LF: 400 `malformed_request`",
    tests: [
      ...nodeServer(
        "the Node server > answers a length beside chunks with 400 and the error body",
        "the Node server > answers two lengths with 400 and the error body",
        "the Node server > answers no Host with 400 and the error body",
        "the Node server > answers a folded header with 400 and the error body",
        "the Node server > answers bare line feeds with 400 and the error body",
      ),
      ...hostileSockets("hostile clients > can't smuggle a request in the body of a refused one"),
    ],
  },
]

export const KEYS_AND_LIMITS: ConformanceSection = {
  document: "HTTP decisions",
  section: "§7",
  title: "Keys, rate limits, idempotency",
  rows: [...KEYS, ...RATES, ...IDEMPOTENCY, ...SERVER],
}
